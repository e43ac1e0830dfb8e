"""OBO, the format of the biomedical ontologies: one frame of tagged lines per term.

::

    [Term]
    id: HP:0001507
    name: Growth abnormality
    alt_id: HP:0001434
    synonym: "Abnormal growth" EXACT []
    is_a: HP:0000118 ! Phenotypic abnormality

Terms are concepts and ``is_a`` their only links; obsolete terms and instances are left out.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ontomask.errors import FileFormatError
from ontomask.taxonomy.about import About
from ontomask.taxonomy.readers.ontologies.links import (
    Link,
    LinkEnds,
    Outside,
    check_outside,
    check_synonyms,
    select_links,
)
from ontomask.taxonomy.readers.text.aliases import certain_aliases
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["looks_like", "read"]

#: Frames about other things than terms.
_OTHER_FRAME = re.compile(r"^\[(?!Term\])[^\]\n]*\].*?(?=^\[|\Z)", re.MULTILINE | re.DOTALL)
#: Comments, which the parser does not expect inside a frame, and lines about other things.
_UNREAD = re.compile(
    r"^[ \t]*(?:!|name:\s*$|(?:def|comment|xref|xref_analog|xref_unknown|subset|namespace"
    r"|property_value|relationship|intersection_of|union_of|disjoint_from|equivalent_to|created_by"
    r"|creation_date|replaced_by|consider|use_term|date|saved-by|auto-generated-by|import|subsetdef"
    r"|synonymtypedef|default-namespace|default-relationship-id-prefix|namespace-id-rule|idspace"
    r"|treat-xrefs-as-[a-z-]+|remark|owl-axioms|version):).*$",
    re.MULTILINE,
)
#: A synonym with its scope; what follows is not read, and often does not keep to the format.
_SYNONYM = re.compile(
    r"^[ \t]*(?:(exact|narrow|broad|related)_)?synonym:"
    r'[ \t]*("(?:[^"\\\n]|\\.)*+")(?:[ \t]+(EXACT|NARROW|BROAD|RELATED)\b)?.*$',
    re.MULTILINE,
)
#: The long form of a link.
_RELATION_IS_A = re.compile(r"^[ \t]*relationship:[ \t]*is_a(?=[ \t])", re.MULTILINE)
_HEADER_TAGS = re.compile(r"^(ontology|data-version|date):(.*)$", re.MULTILINE)


class OboTerm(NamedTuple):
    """What a frame says about a concept."""

    identifier: str
    names: tuple[str, ...]
    parents: list[str]
    alternatives: list[str]
    obsolete: bool
    conditional: int  # links that hold under a condition only
    wider: int  # synonyms that are not exact and were not asked for


def looks_like(source: Source) -> bool:
    """A first line with the version of the format, or a line that opens a frame."""
    head = source.head_text
    return head.lstrip().startswith("format-version:") or bool(
        re.search(r"^\[(?:Term|Typedef)\]\s*$", head, re.MULTILINE)
    )


def read(
    source: Source,
    *,
    synonyms: str = "exact",
    outside: Outside = "skip",
    encoding: str = "utf-8-sig",
) -> Taxonomy:
    """Read an OBO file.

    Args:
        source: The file.
        synonyms: ``"all"`` takes the narrow, broad and related synonyms as well.
        outside: What becomes of links to terms that the file does not contain.
        encoding: The encoding of the file.
    """
    check_synonyms(synonyms)
    check_outside(outside)
    text = source.text(encoding)
    header, terms = _parse_frames(source, text, synonyms == "all")
    live = {name: term for name, term in terms.items() if not term.obsolete}
    left_out = Counter(
        {
            "obsolete concepts": len(terms) - len(live),
            "conditional links": sum(term.conditional for term in live.values()),
            "instances": len(re.findall(r"^\[Instance\]", text, re.MULTILINE)),
            "synonyms that are not exact": sum(term.wider for term in live.values()),
        }
    )
    links, added = select_links(
        {(term.identifier, parent): None for term in terms.values() for parent in term.parents},
        LinkEnds(live, terms.keys() - live.keys(), "obsolete"),
        outside,
        left_out,
        lambda link, problem: _missing_parent_error(source, text, link, "obsolete" in problem),
    )
    number = {name: place for place, name in enumerate([*live, *added])}
    if not number:
        raise source.error(
            "the file has no [Term] that is not obsolete", "check that it is an OBO file"
        )
    aliases, unclear = certain_aliases(
        ((other, term.identifier) for term in live.values() for other in term.alternatives), number
    )
    left_out["ambiguous aliases"] = unclear
    return Taxonomy.from_numbers(
        list(number),
        np.array([number[child] for child, _ in links], dtype=np.int64),
        np.array([number[parent] for _, parent in links], dtype=np.int64),
        [live[name].names if name in live else () for name in number],
        {alias: number[concept] for alias, concept in aliases.items()},
        about=About(
            header.get("ontology") or source.name,
            source.path.name,
            header.get("data-version") or header.get("date", ""),
            {reason: count for reason, count in left_out.items() if count},
        ),
    )


def _parse_frames(
    source: Source, text: str, all_synonyms: bool
) -> tuple[dict[str, str], dict[str, OboTerm]]:
    """The header by tag, and the terms by identifier."""
    import fastobo  # only where an OBO file is read

    tags = _HEADER_TAGS.findall(text[: text.find("\n[")])
    header = {tag: value.strip() for tag, value in tags}
    stream = io.BytesIO((_simplify(text) + "\n").encode(errors="replace"))
    terms: dict[str, OboTerm] = {}
    try:
        for frame in fastobo.iter(stream, threads=1):
            if isinstance(frame, fastobo.term.TermFrame):
                term = _parse_term(frame, all_synonyms)
                if (earlier := terms.get(term.identifier)) is not None:
                    if earlier.names[:1] != term.names[:1]:
                        raise source.error(
                            f"the term {term.identifier!r} occurs twice, with different names",
                            "give every term its own identifier, or merge the two",
                            line=_find_line(text, term.identifier, second=True),
                        )
                    term = _merge_terms(earlier, term)
                terms[term.identifier] = term
    except SyntaxError as error:
        raise source.error(
            f"{error.msg} in {(error.text or '').strip()[:60]!r}",
            "correct the line; OBO 1.4 does not allow it",
            line=error.lineno,
        ) from None
    except BaseException as error:
        # The parser gives up in this way on what it did not foresee.
        if type(error).__name__ != "PanicException":
            raise
        raise source.error(
            "the OBO parser failed on this file", "check that it is OBO 1.4"
        ) from None
    return header, terms


def _simplify(text: str) -> str:
    """The text without what is not read; lines stay in place, so that their numbers do."""
    text = _OTHER_FRAME.sub(lambda frame: "\n" * frame[0].count("\n"), text)
    text = _RELATION_IS_A.sub("is_a:", text)

    def shorten(synonym: re.Match[str]) -> str:
        # OBO 1.2: a synonym without a scope is a related one
        scope = (synonym[1] or synonym[3] or "related").upper()
        return f"synonym: {synonym[2]} {scope} []"

    return _SYNONYM.sub(shorten, _UNREAD.sub("", text))


def _merge_terms(one: OboTerm, other: OboTerm) -> OboTerm:
    """A term with two frames says what both of them say."""
    return OboTerm(
        one.identifier,
        tuple(dict.fromkeys(one.names + other.names)),
        one.parents + other.parents,
        one.alternatives + other.alternatives,
        one.obsolete or other.obsolete,
        one.conditional + other.conditional,
        one.wider + other.wider,
    )


def _parse_term(frame: Any, all_synonyms: bool) -> OboTerm:
    names: list[str] = []
    synonyms: list[str] = []
    parents: list[str] = []
    alternatives: list[str] = []
    obsolete, conditional, wider = False, 0, 0
    for clause in frame:
        tag = clause.raw_tag()
        if tag == "name":
            names.append(clause.name)
        elif tag == "synonym":
            synonym = clause.synonym
            if all_synonyms or synonym.scope == "EXACT":
                synonyms.append(synonym.desc)
            else:
                wider += 1
        elif tag == "alt_id":
            alternatives.append(_unescape(clause.alt_id))
        elif tag == "is_obsolete":
            obsolete = clause.obsolete
        elif tag == "is_a":
            if "gci_" in str(clause.qualifiers):
                conditional += 1
            else:
                parents.append(_unescape(clause.term))
    all_names = (" ".join(name.split()) for name in [*names, *synonyms])
    distinct_names = tuple(dict.fromkeys(name for name in all_names if name))
    return OboTerm(
        *(_unescape(frame.id), distinct_names, parents, alternatives),
        *(obsolete, conditional, wider),
    )


def _unescape(identifier: Any) -> str:
    r"""An identifier without the backslashes that OBO puts before special characters."""
    text = str(identifier)
    if "\\" in text and hasattr(identifier, "prefix"):
        return f"{identifier.prefix}:{identifier.local}"
    return text


def _missing_parent_error(source: Source, text: str, link: Link, obsolete: bool) -> FileFormatError:
    child, parent = link
    problem = "is obsolete" if obsolete else "has no [Term]"
    return source.error(
        f"the parent {parent!r} of {child!r} {problem}",
        'add it, or correct the link; outside="skip" leaves out and counts such links',
        line=_find_line(text, child, "is_a", parent),
    )


def _find_line(
    text: str, concept: str, tag: str = "id", value: str = "", second: bool = False
) -> int | None:
    """The line of a concept's frame with this tag and value, where it can be found."""

    def find_offsets(tag: str, value: str, start: int = 0) -> Iterator[int]:
        wanted = rf"^[ \t]*{tag}:[ \t]*{re.escape(value)}(?=[\s!{{]|$)"
        return (m.start() for m in re.compile(wanted, re.MULTILINE).finditer(text, start))

    places = list(find_offsets("id", concept))[second:]
    if places and tag != "id":
        places = list(find_offsets(tag, value, places[0]))
    return text.count("\n", 0, places[0]) + 1 if places else None
