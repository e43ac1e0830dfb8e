"""OWL/XML, in which an axiom is an element; RDF/XML is another form of the same ontologies.

::

<SubClassOf> <Class IRI="#Hepatitis"/> <Class IRI="#LiverDisease"/> </SubClassOf>
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urljoin
from xml.parsers import expat

from ontomask.taxonomy.readers.ontologies.syntax.axioms import ENTITIES, Axiom, axiom_triples
from ontomask.taxonomy.readers.ontologies.syntax.functional import NameResolver, UnknownPrefix
from ontomask.taxonomy.readers.ontologies.syntax.rdf_syntax import Triple
from ontomask.taxonomy.readers.text.languages import LanguageText
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.readers.text.xml_safety import refuse_unsafe_xml

__all__ = ["read_owl_xml"]

CHUNK = 1 << 16
OWL_NAMESPACE = "http://www.w3.org/2002/07/owl#"
#: Elements that stand for a name.
NAMES = {*ENTITIES, "AnonymousIndividual", "IRI", "AbbreviatedIRI"}


def read_owl_xml(source: Source) -> Iterator[Triple]:
    """The triples of a file in OWL/XML."""
    refuse_unsafe_xml(source)
    parser = expat.ParserCreate(namespace_separator="")
    reader = _AxiomReader(parser)
    try:
        with source.open() as file:
            while block := file.read(CHUNK):
                parser.Parse(block, False)
                yield from reader.take_triples()
            parser.Parse(b"", True)
    except expat.ExpatError as error:
        reason = f"not well-formed XML: {expat.ErrorString(error.code)}"
        raise source.error(reason, "download the file again", line=error.lineno) from None
    except UnknownPrefix as error:
        line = parser.CurrentLineNumber
        raise source.error(str(error), "declare it at the top of the file", line=line) from None
    except (LookupError, ValueError) as error:  # an encoding that is unknown
        raise source.error(f"{error}", "save the file as UTF-8", line=1) from None
    yield from reader.take_triples()


class _AxiomReader:
    """Builds axioms of the elements of a file."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        self.names = NameResolver()
        self.base = ""
        self.text: list[str] = []
        self.attributes: list[dict[str, str]] = []
        self.open_parts: list[Axiom] = []
        self.axioms: list[Axiom] = []
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.text.append
        parser.buffer_text = True

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        word = tag.removeprefix(OWL_NAMESPACE)
        if not self.open_parts:
            base = attributes.get("http://www.w3.org/XML/1998/namespacebase", "")
            self.base = base or attributes.get("ontologyIRI", "")
        self.attributes.append(attributes)
        self.open_parts.append([word])
        self.text.clear()

    def end(self, tag: str) -> None:
        part, attributes = self.open_parts.pop(), self.attributes.pop()
        word = part[0]
        if word == "Prefix":
            self.names.prefixes[attributes.get("name", "")] = attributes.get("IRI", "")
        elif word == "Ontology":
            names = [attributes[key] for key in ("ontologyIRI", "versionIRI") if key in attributes]
            self.axioms.append([word, *names, *part[1:]])
        elif word == "Literal":
            language = attributes.get("http://www.w3.org/XML/1998/namespacelang", "")
            self.open_parts[-1].append(LanguageText("".join(self.text), language.lower()))
        elif word in NAMES:
            name = self._name(attributes)
            declares = self.open_parts and self.open_parts[-1][0] == "Declaration"
            self.open_parts[-1].append([word, name] if declares else name)
        elif len(self.open_parts) > 1 or word == "Annotation":
            self.open_parts[-1].append(part)
        else:
            self.axioms.append(part)
        self.text.clear()

    def _name(self, attributes: dict[str, str]) -> str:
        """The address that an element names, as an attribute or as its text."""
        text = "".join(self.text).strip()
        if "nodeID" in attributes:
            return f"_:{attributes['nodeID'].removeprefix('_:')}"
        if "IRI" in attributes or not ("abbreviatedIRI" in attributes or ":" in text):
            return urljoin(self.base, attributes.get("IRI", text))
        if "abbreviatedIRI" in attributes:
            return self.names.resolve(attributes["abbreviatedIRI"])
        return text if "/" in text else self.names.resolve(text)

    def take_triples(self) -> Iterator[Triple]:
        """The triples of the axioms that were read since the last call."""
        axioms, self.axioms = self.axioms, []
        for axiom in axioms:
            yield from axiom_triples(axiom)
