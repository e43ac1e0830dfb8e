"""OMOP vocabularies, as Athena of OHDSI delivers them: a folder or zip archive of tables.

``CONCEPT`` has the concepts, ``CONCEPT_RELATIONSHIP`` their links (``Is a``) and what codes of
other classifications stand for (``Maps to``). ``CONCEPT_ANCESTOR`` and ``CONCEPT_SYNONYM`` are
read where they are there. Names of files and columns may be in upper or lower case, and tabs or
commas may separate the columns.

Valid standard and classification concepts are read; with ``vocabulary``, all valid concepts of
these vocabularies, standard or not. ``domain`` selects concepts of domains, such as Condition. What
lies between two selected concepts and is not selected is bridged.

A concept is named by its number, ``concept_id``. Its code is an alias if no other concept has it,
and so is the code with its vocabulary: ``SNOMED:22298006``. A concept that is not read and maps to
one that is, and to no other, is an alias of it, by number and by code: ICD-9-CM codes reach SNOMED
CT. With ``identifier="code"`` concepts are named by their codes and numbers are aliases: use it for
columns of codes, because a code may look like the number of another concept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import ParameterError, quote_names
from ontomask.taxonomy.about import About
from ontomask.taxonomy.readers.text.aliases import certain_aliases
from ontomask.taxonomy.readers.text.large_tables import as_numbers, header_of, read_blocks
from ontomask.taxonomy.readers.text.links import links_across
from ontomask.taxonomy.readers.text.source import Source, files_at
from ontomask.taxonomy.taxonomy import Taxonomy

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["files", "looks_like", "read"]

#: The tables that are read, with the columns that are needed.
TABLES = {
    "concept": (
        "concept_id",
        "concept_name",
        "domain_id",
        "vocabulary_id",
        "standard_concept",
        "concept_code",
        "invalid_reason",
    ),
    "concept_relationship": (
        "concept_id_1",
        "concept_id_2",
        "relationship_id",
        "invalid_reason",
    ),
    "concept_ancestor": (
        "ancestor_concept_id",
        "descendant_concept_id",
        "min_levels_of_separation",
    ),
    "concept_synonym": ("concept_id", "concept_synonym_name"),
    "vocabulary": ("vocabulary_id", "vocabulary_version"),
}
ENDINGS = ("csv", "tsv", "txt")

Numbers = NDArray[np.int64]
Names = str | Sequence[str] | None


@dataclass
class OmopConcepts:
    """The concepts that are read, and the others, which may be aliases."""

    number: list[int] = field(default_factory=list)
    name: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    vocabulary: list[str] = field(default_factory=list)
    others: list[pa.Table] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    domains: Counter[str] = field(default_factory=Counter)
    vocabularies: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Selection:
    """Which concepts are asked for."""

    domains: list[str]
    vocabularies: list[str]


# ---------------------------------------------------------------- files


def looks_like(source: Source) -> bool:
    """A folder with the tables of concepts and of their relationships, or the first of these."""
    if source.is_folder:
        tables = _find_tables(source)
        return "concept" in tables and len(tables) > 1
    return set(TABLES["concept"]) <= set(header_of(source))


def files(source: Source) -> list[Path]:
    """The tables that may be read."""
    return [table.path for table in _find_tables(source).values()]


def _find_tables(source: Source) -> dict[str, Source]:
    """The tables of a folder, or beside a file; all must lie where ``CONCEPT`` does."""
    tables: dict[tuple[str, ...], dict[str, Source]] = {}
    for file in files_at(source):
        stem, _, ending = file.file_name.lower().removesuffix(".gz").rpartition(".")
        if stem in TABLES and ending in ENDINGS:
            tables.setdefault(file.place[:-1], {}).setdefault(stem, file)
    folders = [folder for folder, inside in tables.items() if "concept" in inside]
    return tables[min(folders, key=len)] if folders else {}


def read(
    source: Source,
    *,
    domain: Names = None,
    vocabulary: Names = None,
    identifier: Literal["id", "code"] = "id",
    outside: Literal["skip", "error", "keep"] = "skip",
) -> Taxonomy:
    """Read a vocabulary; ``outside`` is about links to concepts that are not in ``CONCEPT``."""
    for argument, value, choices in (
        ("identifier", identifier, ("id", "code")),
        ("outside", outside, ("skip", "error", "keep")),
    ):
        if value not in choices:
            raise ParameterError(
                f"{argument} must be {', '.join(map(repr, choices))}, got {value!r}",
                f"{choices[0]!r} is the default",
            )
    tables = _find_tables(source)
    if not tables:
        raise source.error(
            "there is no table CONCEPT",
            "use the folder or archive that contains CONCEPT and CONCEPT_RELATIONSHIP",
        )
    if not {"concept_relationship", "concept_ancestor"} & tables.keys():
        raise source.error(
            "neither CONCEPT_RELATIONSHIP nor CONCEPT_ANCESTOR is there", "they contain the links"
        )
    selection = Selection(_as_list("domain", domain), _as_list("vocabulary", vocabulary))
    concepts = _read_concepts(tables["concept"], selection)
    links, maps = _read_relationships(tables)
    edges, kept = _select_links(source, concepts, links, outside)
    identifiers = _identifiers(concepts, identifier == "code", kept)
    place = {number: at for at, number in enumerate((*concepts.number, *kept))}
    labels: list[tuple[str, ...]] = [*((name,) for name in concepts.name), *(() for _ in kept)]
    for number, name in _read_synonyms(tables, place):
        if name not in labels[place[number]]:
            labels[place[number]] += (name,)
    place_of = {name: at for at, name in enumerate(identifiers)}
    pairs = (
        (alias, identifiers[place[number]]) for alias, number in _alias_pairs(concepts, maps, place)
    )
    aliases, unclear = certain_aliases(pairs, place_of)
    concepts.left_out["ambiguous aliases"] = unclear
    numbers = np.array([*concepts.number, *kept], dtype=np.int64)
    order = np.argsort(numbers)
    ends = order[np.searchsorted(numbers, edges, sorter=order)]
    return Taxonomy.from_numbers(
        identifiers,
        ends[:, 0],
        ends[:, 1],
        labels,
        {alias: place_of[name] for alias, name in aliases.items()},
        about=About(
            source.name,
            source.file_name,
            _read_version(tables),
            left_out={reason: count for reason, count in concepts.left_out.items() if count},
        ),
    )


def _as_list(argument: str, names: Names) -> list[str]:
    parts = names.split(",") if isinstance(names, str) else names or []
    if not isinstance(parts, Sequence) or not all(isinstance(part, str) for part in parts):
        raise ParameterError(f"{argument} must be a name or a list of names, got {names!r}")
    return [part.strip().lower() for part in parts if part.strip()]


# ---------------------------------------------------------------- tables


def _read_concepts(table: Source, selection: Selection) -> OmopConcepts:
    from pyarrow import compute

    concepts = OmopConcepts()
    for block in read_blocks(table, TABLES["concept"]):
        domains = np.array(block["domain_id"].to_pylist(), dtype=object)
        vocabularies = np.array(block["vocabulary_id"].to_pylist(), dtype=object)
        concepts.domains.update(domains.tolist())
        concepts.vocabularies.update(vocabularies.tolist())
        valid = compute.equal(compute.utf8_trim_whitespace(block["invalid_reason"]), "")
        standard = compute.is_in(
            compute.utf8_upper(block["standard_concept"]), _to_arrow(["S", "C"])
        )
        chosen = np.ones(len(block), dtype=bool)
        for reason, keep in (
            ("invalid concepts", valid.to_numpy()),
            ("concepts of other domains", _is_named(domains, selection.domains)),
            ("concepts of other vocabularies", _is_named(vocabularies, selection.vocabularies)),
            (
                "non-standard concepts",
                chosen if selection.vocabularies else standard.to_numpy(),
            ),
        ):
            concepts.left_out[reason] += int((chosen & ~keep).sum())
            chosen = chosen & keep
        part = block.filter(_to_arrow(chosen))
        concepts.number += as_numbers(table, part["concept_id"], "concept_id").tolist()
        concepts.name += part["concept_name"].to_pylist()
        concepts.code += part["concept_code"].to_pylist()
        concepts.vocabulary += part["vocabulary_id"].to_pylist()
        others = block.filter(_to_arrow(~chosen))
        concepts.others.append(others.select(["concept_id", "concept_code", "vocabulary_id"]))
    _check_selection(table, concepts, selection)
    return concepts


def _to_arrow(values: Any) -> Any:
    import pyarrow as pa

    return pa.array(values)


def _is_named(column: NDArray[np.object_], names: list[str]) -> NDArray[np.bool_]:
    if not names:
        return np.ones(len(column), dtype=bool)
    return np.array([value.lower() in names for value in column.tolist()], dtype=bool)


def _check_selection(table: Source, concepts: OmopConcepts, selection: Selection) -> None:
    """Refuse domains and vocabularies that do not occur, and a number that occurs twice."""
    for argument, wanted, counts in (
        ("domain", selection.domains, concepts.domains),
        ("vocabulary", selection.vocabularies, concepts.vocabularies),
    ):
        names = {name.lower() for name in counts}
        if missing := [name for name in wanted if name not in names]:
            usual = [name for name, _ in counts.most_common()]
            raise ParameterError(
                f"{argument} must be in {table.where}, got {quote_names(missing)}",
                f"it has {quote_names(usual, most=10)}",
            )
    if not concepts.number:
        raise table.error(
            "no concept is selected",
            "without the option vocabulary, only valid standard concepts are read",
        )
    if len(set(concepts.number)) < len(concepts.number):
        number = next(n for n, times in Counter(concepts.number).items() if times > 1)
        raise table.error(f"the concept {number} occurs twice", "download the vocabulary again")


def _read_relationships(tables: Mapping[str, Source]) -> tuple[Numbers, Numbers]:
    """Children with their parents, and concepts with those that they map to."""
    from pyarrow import compute

    links: list[Numbers] = [np.empty((0, 2), dtype=np.int64)]
    maps: list[Numbers] = [np.empty((0, 2), dtype=np.int64)]
    if table := tables.get("concept_relationship"):
        for block in read_blocks(table, TABLES["concept_relationship"]):
            valid = compute.equal(compute.utf8_trim_whitespace(block["invalid_reason"]), "")
            kind = compute.utf8_lower(block["relationship_id"])
            for word, pairs in (("is a", links), ("maps to", maps)):
                rows = block.filter(compute.and_(valid, compute.equal(kind, word)))
                pairs.append(_number_pairs(table, rows, "concept_id_1", "concept_id_2"))
    if table := tables.get("concept_ancestor"):
        for block in read_blocks(table, TABLES["concept_ancestor"]):
            direct = compute.equal(block["min_levels_of_separation"], "1")
            links.append(
                _number_pairs(
                    table,
                    block.filter(direct),
                    "descendant_concept_id",
                    "ancestor_concept_id",
                )
            )
    return np.concatenate(links), np.concatenate(maps)


def _number_pairs(table: Source, rows: pa.Table, first: str, second: str) -> Numbers:
    return np.stack(
        [as_numbers(table, rows[first], first), as_numbers(table, rows[second], second)], axis=1
    )


def _read_synonyms(
    tables: Mapping[str, Source], selected: Mapping[int, int]
) -> Iterator[tuple[int, str]]:
    """Other names of the selected concepts."""
    if table := tables.get("concept_synonym"):
        for block in read_blocks(table, TABLES["concept_synonym"]):
            numbers = as_numbers(table, block["concept_id"], "concept_id").tolist()
            for number, name in zip(
                numbers, block["concept_synonym_name"].to_pylist(), strict=True
            ):
                if number in selected:
                    yield number, name


def _read_version(tables: Mapping[str, Source]) -> str:
    """The version of all vocabularies together, which OMOP keeps under the name None."""
    if table := tables.get("vocabulary"):
        for block in read_blocks(table, TABLES["vocabulary"]):
            for row in block.to_pylist():
                if row["vocabulary_id"] == "None":
                    return str(row["vocabulary_version"])
    return ""


# ---------------------------------------------------------------- the graph


def _select_links(
    source: Source,
    concepts: OmopConcepts,
    links: Numbers,
    outside: str,
) -> tuple[Numbers, list[int]]:
    """The links between selected concepts, and the unknown concepts that are kept for them."""
    selected = np.unique(np.array(concepts.number, dtype=np.int64))
    links = np.unique(links[links[:, 0] != links[:, 1]], axis=0)
    is_selected = np.isin(links, selected)
    direct = links[is_selected.all(axis=1)]
    bridges = links[is_selected[:, 0] & ~is_selected[:, 1]]
    parents: dict[int, list[int]] = {}
    children = bridges
    while len(children):
        for child, parent in children.tolist():
            parents.setdefault(child, []).append(parent)
        next_up = np.setdiff1d(children[:, 1], selected)
        next_up = np.array([one for one in next_up.tolist() if one not in parents], dtype=np.int64)
        children = links[np.isin(links[:, 0], next_up)]
    above = np.unique(np.array([one for row in parents.values() for one in row], dtype=np.int64))
    unknown = set(np.setdiff1d(above, _known_numbers(source, concepts)).tolist())
    dead_ends = [
        (child, parent)
        for child, parent in bridges.tolist()
        if parent in unknown and parent not in parents
    ]
    if outside == "error" and dead_ends:
        child, parent = dead_ends[0]
        raise source.error(
            f"{child} is below {parent}, which is not in CONCEPT",
            "add the concept; outside='skip' leaves the link out, 'keep' keeps the number",
        )
    kept = sorted(unknown) if outside == "keep" else []
    if outside == "skip":
        concepts.left_out["links to concepts that are not in CONCEPT"] = len(dead_ends)
    bridged = list(links_across(parents, {*concepts.number, *kept}))
    more = np.array(bridged, dtype=np.int64).reshape(-1, 2)
    return np.unique(np.concatenate([direct, more]), axis=0), kept


def _known_numbers(source: Source, concepts: OmopConcepts) -> Numbers:
    """The numbers of all concepts of the table, selected or not."""
    others = [as_numbers(source, part["concept_id"], "concept_id") for part in concepts.others]
    return np.concatenate([np.array(concepts.number, dtype=np.int64), *others])


# ---------------------------------------------------------------- names


def _identifiers(concepts: OmopConcepts, by_code: bool, kept: Sequence[int]) -> list[str]:
    """The number of each concept, or its code, with its vocabulary where several have it."""
    if not by_code:
        return [str(number) for number in (*concepts.number, *kept)]
    times = Counter(concepts.code)
    rows = zip(concepts.code, concepts.vocabulary, strict=True)
    names = [code if times[code] == 1 else f"{vocabulary}:{code}" for code, vocabulary in rows]
    names += [str(number) for number in kept]
    times = Counter(names)
    return [
        name if times[name] == 1 else f"concept_id:{number}"
        for name, number in zip(names, (*concepts.number, *kept), strict=True)
    ]


def _alias_pairs(
    concepts: OmopConcepts, maps: Numbers, place: Mapping[int, int]
) -> Iterator[tuple[str, int]]:
    """Numbers and codes, with the vocabulary and without, and the concepts they stand for."""
    rows = zip(concepts.number, concepts.code, concepts.vocabulary, strict=True)
    for number, code, vocabulary in rows:
        yield str(number), number
        yield code, number
        yield f"{vocabulary}:{code}", number
    maps = np.unique(maps[maps[:, 0] != maps[:, 1]], axis=0)
    first, times = np.unique(maps[:, 0], return_counts=True)
    several = set(first[times > 1].tolist())
    target = {one: other for one, other in maps.tolist() if other in place and one not in place}
    concepts.left_out["concepts that map to several others"] = len(target.keys() & several)
    target = {one: other for one, other in target.items() if one not in several}
    yield from ((str(one), other) for one, other in target.items())
    mapped = np.array(sorted(target), dtype=np.int64)
    for others in concepts.others:
        is_mapped = np.isin(np.array(others["concept_id"].to_pylist(), dtype=np.int64), mapped)
        for row in others.filter(_to_arrow(is_mapped)).to_pylist():
            other = target[int(row["concept_id"])]
            yield row["concept_code"], other
            yield f"{row['vocabulary_id']}:{row['concept_code']}", other
