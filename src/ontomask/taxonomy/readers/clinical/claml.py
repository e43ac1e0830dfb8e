"""ClaML, the format in which WHO and others publish ICD-10, ICD-10-GM, OPS, ICF and ICD-O.

A class has a code, its super-classes, and rubrics, which are its names and notes::

    <Class code="A00" kind="category">
      <SuperClass code="A00-A09"/>
      <ModifiedBy code="S01A00_4"/>
      <Rubric kind="preferred"><Label xml:lang="en">Fever</Label></Rubric>
      <Rubric kind="inclusion"><Label xml:lang="en">High temperature</Label></Rubric>
    </Class>

The preferred label comes first; the long one, inclusions and synonyms follow. All other rubrics
(notes, exclusions, hints) are no names, and are not read.

Modifiers are subdivisions that many classes share. They are expanded as ClaML 2.0 (CEN/TS 14463,
ISO 13120) describes it: a modifier applies to the class that names it and to the classes below,
unless one excludes it. Each class without subclasses gets a class below it for each class of the
modifier; a second modifier subdivides these. ``ValidModifierClass`` restricts the classes of a
modifier, and ``excludeOnPrecedingModifier`` (ICD-10-GM) their combinations. A code that is a class
already is kept. The code is that of the class and that of the modifier. In ICD-10, a modifier for
the fourth character gets its point, and one for the fifth after a code of three characters gets
``.X``, the filler of volume 2: M45 and 8 become M45.X8.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from ontomask.taxonomy.about import About
from ontomask.taxonomy.code_repair import ICD10
from ontomask.taxonomy.readers.text.name_choice import NameChooser
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.readers.text.xml_elements import (
    XmlElement,
    element_text,
    read_elements,
    root_name,
)
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["looks_like", "read"]

#: The rubrics that are names, in the order in which a concept has them.
NAME_RUBRICS = ("preferred", "preferredLong", "inclusion", "synonym", "index")
#: More codes than this are no classification: modifiers multiply.
MOST_CLASSES = 3_000_000

_CATEGORY = re.compile(r"[A-Z]\d\d", re.ASCII)
_ICD10_CODE = re.compile(r"[A-Z]\d\d(?:\.[\dX]+)?", re.ASCII)


@dataclass
class ClamlClass:
    """A class as the file has it, or a class of a modifier."""

    code: str
    line: int
    names: list[tuple[str, str]]
    above: list[str] = field(default_factory=list)
    below: list[str] = field(default_factory=list)
    modifiers: list[ModifierUse] = field(default_factory=list)
    excluded_modifiers: set[str] = field(default_factory=set)
    #: Modifier and class of it that must not precede this one.
    refused_predecessors: set[tuple[str, str]] = field(default_factory=set)


@dataclass(frozen=True)
class ModifierUse:
    """That a class is subdivided by a modifier; ``valid`` are the codes, None for all."""

    modifier: str
    valid: frozenset[str] | None


@dataclass
class ClamlFile:
    """What a file contains."""

    title: str = ""
    version: str = ""
    classes: dict[str, ClamlClass] = field(default_factory=dict)
    modifier_classes: dict[str, list[ClamlClass]] = field(default_factory=lambda: defaultdict(list))
    modifiers: set[str] = field(default_factory=set)
    left_out: Counter[str] = field(default_factory=Counter)


def looks_like(source: Source) -> bool:
    """XML whose first element is ``ClaML``."""
    return root_name(source) == "ClaML"


def read(
    source: Source, *, language: str | Sequence[str] | None = None, modifiers: bool = True
) -> Taxonomy:
    """Read a classification; ``modifiers=False`` leaves out the codes that modifiers make."""
    contents = _read_file(source)
    if not contents.classes:
        raise source.error("the file has no Class with a code", "use a ClaML file of a release")
    edges = list(_links(contents))
    reading = {}
    if modifiers:
        made = _expand_modifiers(source, contents, edges)
        edges += made
        if made:
            reading["modifiers"] = f"{len(made):,} codes made by modifiers"
    elif contents.modifiers:
        contents.left_out["modifiers that were not expanded"] = len(contents.modifiers)
    chooser = NameChooser(language)
    labels = {code: chooser.choose(one.names) for code, one in contents.classes.items()}
    chooser.check_language()
    contents.left_out["names in other languages"] = chooser.left_out
    contents.left_out["inclusions of modifiers"] = sum(
        max(len(part.names) - 1, 0)
        for parts in contents.modifier_classes.values()
        for part in parts
        if modifiers
    )
    is_icd10 = sum(map(bool, map(_ICD10_CODE.fullmatch, labels))) > 0.8 * len(labels)
    return Taxonomy.from_edges(
        [*((code, None) for code in labels), *edges],
        labels,
        about=About(
            contents.title or source.name,
            source.file_name,
            contents.version,
            left_out={reason: count for reason, count in contents.left_out.items() if count},
            code_style=ICD10 if is_icd10 else None,
            languages=chooser.chosen_languages,
            reading=reading,
        ),
        warn=False,  # a classification has several chapters
    )


# ---------------------------------------------------------------- the file


def _read_file(source: Source) -> ClamlFile:
    contents = ClamlFile()
    for element in read_elements(source, ("Title", "Class", "Modifier", "ModifierClass")):
        if element.tag == "Title":
            contents.title = element.get("name", "") or element_text(element)
            contents.version = element.get("version", "") or element.get("date", "")
        elif element.tag == "Modifier":
            contents.modifiers.add(_code_of(source, element))
        elif element.tag == "ModifierClass":
            one = _parse_class(source, element)
            modifier = element.get("modifier", "") or next(iter(one.above), "")
            contents.modifiers.add(modifier)
            contents.modifier_classes[modifier].append(one)
        else:
            one = _parse_class(source, element)
            earlier = contents.classes.setdefault(one.code, one)
            if earlier is not one:
                raise source.error(
                    f"the class {one.code!r} occurs twice (first on line {earlier.line})",
                    "give every class its own code",
                    line=one.line,
                )
    return contents


def _parse_class(source: Source, element: XmlElement) -> ClamlClass:
    refused = {
        tuple(words)
        for meta in element.all("Meta")
        if meta.get("name") == "excludeOnPrecedingModifier"
        and len(words := meta.get("value", "").split()) == 2
    }
    return ClamlClass(
        _code_of(source, element),
        element.line,
        [name for kind in NAME_RUBRICS for name in _rubric_texts(element, kind)],
        [_code_of(source, child) for child in element.all("SuperClass")],
        [_code_of(source, child) for child in element.all("SubClass")],
        [_parse_modifier_use(source, child) for child in element.all("ModifiedBy")],
        {_code_of(source, child) for child in element.all("ExcludeModifier")},
        {(modifier, code) for modifier, code in refused},
    )


def _code_of(source: Source, element: XmlElement) -> str:
    code = element.get("code", "").strip()
    if not code:
        raise source.error(f"a {element.tag} has no code", "add its code", line=element.line)
    return code


def _parse_modifier_use(source: Source, element: XmlElement) -> ModifierUse:
    valid = {_code_of(source, child) for child in element.all("ValidModifierClass")}
    everything = element.get("all", "true").strip().lower() != "false" and not valid
    return ModifierUse(_code_of(source, element), None if everything else frozenset(valid))


def _rubric_texts(element: XmlElement, kind: str) -> Iterator[tuple[str, str]]:
    for rubric in element.all("Rubric"):
        if rubric.get("kind") == kind:
            for label in rubric.all("Label"):
                yield _label_text(label), label.get("lang", "")


def _label_text(label: XmlElement) -> str:
    """The text of a label, without the codes that it refers to.

    The fragments of a list belong together: ``Diabetic:`` and ``coma`` are one name.
    """
    fragments = label.all("Fragment")
    for fragment in fragments[:-1]:
        if fragment.text and not len(fragment):
            fragment.text = fragment.text.strip().removesuffix(":")
    return " ".join("".join(_text_parts(label)).split())


def _text_parts(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag != "Reference":
            edge = " " if child.tag in ("Fragment", "Para", "ListItem") else ""
            yield edge
            yield from _text_parts(child)
            yield edge
        yield child.tail or ""


# ---------------------------------------------------------------- the graph


def _links(contents: ClamlFile) -> Iterator[tuple[str, str]]:
    """Classes with their super-classes; both ends may say so."""
    classes = contents.classes
    links: dict[tuple[str, str], None] = {}
    for code, one in classes.items():
        links.update(dict.fromkeys((code, above) for above in one.above))
        links.update(dict.fromkeys((below, code) for below in one.below))
    for child, parent in links:
        if child in classes and parent in classes:
            yield child, parent
        else:
            contents.left_out["links to classes that are not in the file"] += 1


def _expand_modifiers(
    source: Source, contents: ClamlFile, edges: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Add the classes that modifiers make; returns their links."""
    parents: dict[str, list[str]] = defaultdict(list)
    for child, parent in edges:
        parents[child].append(parent)
    inner = {parent for _, parent in edges}
    uses: dict[str, list[ModifierUse]] = {}
    added: list[tuple[str, str]] = []
    for code in list(contents.classes):
        chosen = _modifiers_of(code, contents.classes, parents, uses)
        if chosen and code not in inner:
            added += _subdivide(source, contents, code, chosen)
    for modifier in {use.modifier for uses_of_one in uses.values() for use in uses_of_one}:
        if not contents.modifier_classes.get(modifier):
            contents.left_out["modifiers without classes"] += 1
    return added


def _modifiers_of(
    code: str,
    classes: Mapping[str, ClamlClass],
    parents: Mapping[str, Collection[str]],
    known: dict[str, list[ModifierUse]],
) -> list[ModifierUse]:
    """The modifiers of a class, its own and those of the classes above, without those excluded."""
    path = [code]
    while path:
        waiting = [above for above in parents.get(path[-1], ()) if above not in known]
        if waiting and waiting[0] not in path:
            path.append(waiting[0])
            continue
        one = classes[path.pop()]
        uses = {use.modifier: use for use in one.modifiers}
        for above in parents.get(one.code, ()):
            for use in known.get(above, ()):
                uses.setdefault(use.modifier, use)
        known[one.code] = [
            use for modifier, use in uses.items() if modifier not in one.excluded_modifiers
        ]
    return known[code]


def _subdivide(
    source: Source, contents: ClamlFile, code: str, uses: Sequence[ModifierUse]
) -> Iterator[tuple[str, str]]:
    """Subdivide one class by its modifiers, one after the other."""
    #: The classes to subdivide, each with the modifier classes that made it.
    candidates: list[tuple[str, tuple[tuple[str, str], ...]]] = [(code, ())]
    # What gives a code its point comes first: the fourth character before the fifth.
    for use in sorted(uses, key=lambda use: not _adds_point(contents, use.modifier)):
        made: list[tuple[str, tuple[tuple[str, str], ...]]] = []
        for candidate, before in candidates:
            for part in contents.modifier_classes.get(use.modifier, ()):
                if use.valid is not None and part.code not in use.valid:
                    continue
                if part.refused_predecessors.intersection(before):
                    continue
                new = _modified_code(candidate, use.modifier, part.code)
                if new is None:
                    contents.left_out["modifier classes that do not fit a code"] += 1
                    continue
                if new not in contents.classes:
                    names = _modified_names(contents.classes[candidate].names, part.names)
                    contents.classes[new] = ClamlClass(new, part.line, names)
                    yield new, candidate
                    made.append((new, (*before, (use.modifier, part.code))))
        if len(contents.classes) > MOST_CLASSES:
            raise source.error(
                f"its modifiers make more than {MOST_CLASSES:,} classes",
                "leave them out: modifiers=False",
                line=contents.classes[code].line,
            )
        candidates = made or candidates


def _adds_point(contents: ClamlFile, modifier: str) -> bool:
    parts = contents.modifier_classes.get(modifier, ())
    return any(part.code.startswith(".") for part in parts)


def _modified_code(code: str, modifier: str, part: str) -> str | None:
    """The code of a subdivision; None for a second point, as the class is already subdivided."""
    if part.startswith("."):
        return None if "." in code else code + part
    if _CATEGORY.fullmatch(code) and part.isdigit():  # ICD-10: the point follows three characters
        return f"{code}.X{part}" if modifier.endswith("_5") else f"{code}.{part}"
    return code + part


def _modified_names(
    names: Sequence[tuple[str, str]], part: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The preferred label of the class with that of its subdivision, in each language."""
    first: dict[str, str] = {}
    for text, tag in names:
        first.setdefault(tag, text)
    if not first:
        return list(part)
    combined: dict[str, str] = {}
    for text, tag in part:
        base = first.get(tag) or next(iter(first.values()))
        combined.setdefault(tag, f"{base}: {text}")
    return [(text, tag) for tag, text in combined.items()]
