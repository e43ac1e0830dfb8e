"""FHIR code systems and expanded value sets, as JSON or XML.

The concepts of a ``CodeSystem`` are nested, or name their parents or children in properties::

    {"resourceType": "CodeSystem", "name": "Wounds",
     "property": [{"code": "parent", "type": "code"}],
     "concept": [
       {"code": "wound", "display": "Wound", "concept": [{"code": "burn", "display": "Burn"}]},
       {"code": "scald", "property": [{"code": "parent", "valueCode": "burn"}],
        "designation": [{"language": "de", "value": "Verbrühung"}]}]}

Properties are known by their address (``http://hl7.org/fhir/concept-properties#parent``) or their
code: ``parent``, ``child``, ``subsumedBy``; ``synonymCode`` is an alias. Inactive, retired and
deprecated concepts are left out and counted; what is below one comes below its parents.

Of a ``ValueSet``, the expansion is read or, without one, the concepts that it lists. In a
``Bundle``, ``url`` says which code system, by its url, id or name, if there are several.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ontomask.errors import ParameterError, quote_names
from ontomask.taxonomy.about import About
from ontomask.taxonomy.readers.text.aliases import certain_aliases
from ontomask.taxonomy.readers.text.links import links_across
from ontomask.taxonomy.readers.text.name_choice import NameChooser
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.readers.text.xml_elements import XmlElement, read_elements, root_name
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["looks_like", "read"]

RESOURCES = ("CodeSystem", "ValueSet")
#: Elements of XML that JSON has as lists.
LISTS = frozenset(("concept", "contains", "designation", "include", "property"))
INACTIVE = frozenset(("inactive", "retired", "withdrawn", "entered-in-error"))

_RESOURCE = re.compile(r'"resourceType"\s*:\s*"(?:CodeSystem|ValueSet|Bundle)"')

Resource = Mapping[str, Any]
Key = tuple[str, str]  # the code system, empty for the one that is read, and the code


@dataclass
class FhirConcepts:
    """The concepts of a resource, while it is read."""

    source: Source
    names: dict[Key, list[tuple[str, str]]] = field(default_factory=dict)
    parents: dict[Key, dict[Key, None]] = field(default_factory=dict)
    aliases: list[tuple[str, Key]] = field(default_factory=list)
    unused: dict[Key, str] = field(default_factory=dict)  # and why


def looks_like(source: Source) -> bool:
    """JSON with a resource type, or XML of FHIR with one of these as its first element."""
    text = source.head_text
    if text.lstrip().startswith("{"):
        return _RESOURCE.search(text) is not None
    return "http://hl7.org/fhir" in text and root_name(source) in (*RESOURCES, "Bundle")


def read(
    source: Source, *, language: str | Sequence[str] | None = None, url: str | None = None
) -> Taxonomy:
    """Read a code system or a value set."""
    resource = _choose_resource(source, _read_resources(source), url)
    concepts = FhirConcepts(source)
    if resource["resourceType"] == "CodeSystem":
        if resource.get("content") == "supplement":
            raise source.error(
                "a supplement only adds names to another code system", "use that code system"
            )
        _add_concepts(concepts, resource)
    else:
        _add_value_set(concepts, resource)
    if not concepts.names:
        raise source.error(
            f"the {resource['resourceType']} {_title(resource)!r} has no concepts"
            + (f" (content: {resource['content']})" if "content" in resource else ""),
            "a value set must be expanded, and a code system be complete",
        )
    return _build_taxonomy(source, resource, concepts, NameChooser(language))


def _build_taxonomy(
    source: Source, resource: Resource, concepts: FhirConcepts, chooser: NameChooser
) -> Taxonomy:
    left_out = Counter(f"{reason} concepts" for reason in concepts.unused.values())
    kept = {key: None for key in concepts.names if key not in concepts.unused}
    if not kept:
        raise source.error(
            f"all concepts of {_title(resource)!r} are inactive or deprecated",
            "use a code system that is in use",
        )
    times = Counter(code for _, code in kept)
    identifier = {
        key: key[1] if times[key[1]] == 1 or not key[0] else f"{key[0]}|{key[1]}" for key in kept
    }
    for above in concepts.parents.values():
        left_out["links to concepts that are not in the file"] += sum(
            parent not in concepts.names for parent in above
        )
    numbers = {key: place for place, key in enumerate(concepts.names)}
    parents = {
        numbers[key]: [numbers[parent] for parent in above if parent in numbers]
        for key, above in concepts.parents.items()
    }
    keys = list(numbers)
    edges = [
        (identifier[keys[child]], identifier[keys[parent]])
        for child, parent in links_across(parents, {numbers[key]: None for key in kept})
    ]
    labels = {identifier[key]: chooser.choose(concepts.names[key]) for key in kept}
    chooser.check_language()
    aliases, unclear = certain_aliases(
        ((alias, identifier[key]) for alias, key in concepts.aliases if key in kept), labels
    )
    left_out["ambiguous aliases"] = unclear
    left_out["names in other languages"] = chooser.left_out
    if isinstance(resource.get("count"), int | str) and resource.get("content") == "fragment":
        left_out["concepts that are not in the file"] = max(
            int(resource["count"]) - len(concepts.names), 0
        )
    return Taxonomy.from_edges(
        [*((concept, None) for concept in labels), *edges],
        labels,
        aliases=aliases,
        about=About(
            _title(resource),
            source.file_name,
            str(resource.get("version", "")),
            left_out={reason: count for reason, count in left_out.items() if count},
            languages=chooser.chosen_languages,
            reading=_describe_hierarchy(resource),
        ),
        warn=False,  # code systems have several tops by nature
    )


# ---------------------------------------------------------------- concepts


def _add_concepts(concepts: FhirConcepts, resource: Resource) -> None:
    """Add the concepts of a code system."""
    meanings = {
        str(one.get("code")): str(one.get("uri", "")).rpartition("#")[2] or str(one.get("code"))
        for one in _lists(resource, "property")
    }
    language = str(resource.get("language", ""))
    waiting: list[tuple[Resource, Key | None]] = [
        (one, None) for one in reversed(_lists(resource, "concept"))
    ]
    while waiting:
        one, parent = waiting.pop()
        key = _add_concept(concepts, one, parent, language, "")
        for name, value in _property_values(one, meanings):
            if name in ("parent", "subsumedBy"):
                concepts.parents[key][("", str(value))] = None
            elif name == "child":
                concepts.parents.setdefault(("", str(value)), {})[key] = None
            elif name == "synonymCode":
                concepts.aliases.append((str(value), key))
            elif reason := _reason_not_to_use(name, value):
                concepts.unused[key] = reason
        waiting += [(below, key) for below in reversed(_lists(one, "concept"))]


def _add_value_set(concepts: FhirConcepts, resource: Resource) -> None:
    """Add the concepts of an expansion or, without one, of the lists of a value set."""
    expansion = resource.get("expansion")
    language = str(resource.get("language", ""))
    if isinstance(expansion, Mapping):
        waiting: list[tuple[Resource, Key | None]] = [
            (one, None) for one in reversed(_lists(expansion, "contains"))
        ]
        while waiting:
            one, parent = waiting.pop()
            key = _add_concept(concepts, one, parent, language, str(one.get("system", "")))
            if _is_true(one.get("inactive")):
                concepts.unused[key] = "inactive"
            waiting += [(below, key) for below in reversed(_lists(one, "contains"))]
        return
    compose = resource.get("compose")
    for include in _lists(compose if isinstance(compose, Mapping) else {}, "include"):
        listed = _lists(include, "concept")
        if not listed:
            raise concepts.source.error(
                f"the value set {_title(resource)!r} describes its concepts and does not list them",
                "use its expansion, which a terminology server makes ($expand)",
            )
        for one in listed:
            _add_concept(concepts, one, None, language, str(include.get("system", "")))


def _add_concept(
    concepts: FhirConcepts, one: Resource, parent: Key | None, language: str, system: str
) -> Key:
    """Add a concept, or another place of it; returns its key."""
    display = one.get("display")
    code = one.get("code") or display  # groups of an expansion need no code
    if not isinstance(code, str) or not code.strip():
        raise concepts.source.error(
            f"a concept has no code{f', below {parent[1]!r}' if parent else ''}",
            "every concept must have one",
        )
    key = (system, code.strip())
    names = [(display, language)] if isinstance(display, str) and display.strip() else []
    earlier = concepts.names.get(key)
    if earlier and names and earlier[0] != names[0] and not system:  # in a value set, a synonym
        raise concepts.source.error(
            f"the code {code!r} is called {earlier[0][0]!r} and {display!r}",
            "give every concept its own code",
        )
    for designation in _lists(one, "designation"):
        if isinstance(value := designation.get("value"), str):
            names.append((value, str(designation.get("language", ""))))
    concepts.names[key] = list(dict.fromkeys([*(earlier or []), *names]))
    above = concepts.parents.setdefault(key, {})
    if parent is not None:
        above[parent] = None
    return key


def _property_values(one: Resource, meanings: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """The properties of a concept, under their standard names where they have one."""
    for entry in _lists(one, "property"):
        code = str(entry.get("code", ""))
        for name, value in entry.items():
            if name.startswith("value") and name != "valueCoding":
                yield meanings.get(code, code).rpartition("#")[2], value


def _reason_not_to_use(name: str, value: Any) -> str:
    word = str(value).strip().lower()
    if name == "inactive" and _is_true(value):
        return "inactive"
    if name == "status" and word in INACTIVE:
        return word
    if (name == "status" and word == "deprecated") or (
        name in ("deprecated", "deprecationDate") and word not in ("", "false")
    ):
        return "deprecated"
    return ""


# ---------------------------------------------------------------- the file


def _read_resources(source: Source) -> list[Resource]:
    """The code systems and value sets of a file."""
    if source.head_text.lstrip().startswith("<"):
        return [_to_dict(element) for element in read_elements(source, RESOURCES)]
    try:
        content = json.loads(source.text())
    except json.JSONDecodeError as error:
        raise source.error(
            f"not valid JSON: {error.msg}", "download the file again", line=error.lineno
        ) from None
    except RecursionError:
        raise source.error("its concepts are nested too deeply") from None
    if not isinstance(content, Mapping):
        raise source.error("the file is not a FHIR resource", "use a CodeSystem or a ValueSet")
    resources: list[Any] = [content]
    if content.get("resourceType") == "Bundle":
        resources = [entry.get("resource") for entry in _lists(content, "entry")]
    return [
        resource
        for resource in resources
        if isinstance(resource, Mapping) and resource.get("resourceType") in RESOURCES
    ]


def _to_dict(element: XmlElement) -> dict[str, Any]:
    """An element of XML in the form that JSON has."""
    content: dict[str, Any] = {"resourceType": element.tag}
    for child in element:
        value: Any = child.get("value")
        if value is None:
            value = _to_dict(child)  # type: ignore[arg-type]
        if child.tag in LISTS:
            content.setdefault(child.tag, []).append(value)
        else:
            content.setdefault(child.tag, value)
    return content


def _choose_resource(source: Source, resources: list[Resource], url: str | None) -> Resource:
    """The code system of a file, or its only value set."""
    systems = [one for one in resources if one["resourceType"] == "CodeSystem"]
    candidates = systems or resources
    if url is not None:
        candidates = [
            one for one in resources if url in (one.get("url"), one.get("id"), one.get("name"))
        ]
    if len(candidates) == 1:
        return candidates[0]
    if not resources:
        raise source.error(
            "the file has no CodeSystem and no ValueSet", "use a resource that contains concepts"
        )
    if url is not None:
        raise ParameterError(
            f"url must be the url, id or name of a code system of {source.file_name}, got {url!r}",
            f"it has {quote_names(_addresses(resources))}",
        )
    raise source.error(
        f"the file has {len(candidates):,} code systems or value sets",
        f"name one with the option url: {quote_names(_addresses(candidates))}",
    )


def _describe_hierarchy(resource: Resource) -> dict[str, str]:
    """What the links of a code system mean, if it says that they are not is-a links."""
    meaning = resource.get("hierarchyMeaning", "is-a")
    return {} if meaning == "is-a" else {"hierarchy": f"{meaning}, not is-a, as the file says"}


def _addresses(resources: list[Resource]) -> list[str]:
    return [str(one.get("url") or one.get("id") or one.get("name")) for one in resources]


def _title(resource: Resource) -> str:
    return str(resource.get("name") or resource.get("title") or resource.get("id") or "")


def _lists(resource: Resource, name: str) -> list[Resource]:
    """The objects of a list; what is not an object is passed over."""
    entries = resource.get(name)
    return [one for one in entries if isinstance(one, Mapping)] if isinstance(entries, list) else []


def _is_true(value: Any) -> bool:
    return value is True or str(value).strip().lower() == "true"
