"""SNOMED CT as it is released: a folder of tab-separated tables (RF2).

Of a release, the snapshot files are read: concepts, descriptions of one language and the
relationships "is a", wherever they lie below the folder. Where a package has several files of a
kind (an edition and its extensions), all are read; if a component is in more than one of them,
its latest row counts. Inactive rows are left out and counted.

The preferred label of a concept is the synonym that the language reference set prefers, where the
release has that set; where it has not, the fully specified name. All other terms are synonyms,
the fully specified name among them as it is: ``Asthma (disorder)``. Where reference sets differ,
that of US English decides, then the lowest number of the description.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import FileFormatError, ParameterError, UnknownConceptError, quote_names
from ontomask.taxonomy.about import About
from ontomask.taxonomy.readers.text.languages import LanguageChoice
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["files", "looks_like", "read"]

IS_A = 116680003
FULLY_SPECIFIED_NAME = 900000000000003001
SYNONYM = 900000000000013009
PREFERRED = 900000000000548007
US_ENGLISH = 900000000000509007

#: Kinds of files with the columns that are needed; ``id``, ``effectiveTime``, ``active`` in all.
COLUMNS = {
    "Concept": (),
    "Description": ("conceptId", "typeId", "term"),
    "Relationship": ("sourceId", "destinationId", "typeId"),
    "Language": ("refsetId", "referencedComponentId", "acceptabilityId"),
}
COMMON_COLUMNS = ("id", "effectiveTime", "active")
_FILE_NAME = re.compile(
    r"x?(?:sct2_(?P<kind>Concept|Description|Relationship)_\w*?|der2_cRefset_\w*?(?P<set>Language))"
    r"Snapshot(?:-(?P<language>[A-Za-z-]+))?_\w+?_(?P<date>\d{8})\w*\.txt(?:\.gz)?"
)

Numbers = NDArray[np.int64]
Rows = NDArray[np.int64]


def looks_like(source: Source) -> bool:
    """A folder with a snapshot of concepts somewhere below it, or one file of a release."""
    if source.is_folder:
        return any(kind == "Concept" for kind, *_ in _snapshot_files(source))
    return source.head_text.startswith("id\teffectiveTime\tactive\t")


def read(
    source: Source,
    *,
    language: str | Sequence[str] | None = None,
    root: str | None = None,
) -> Taxonomy:
    """Read a release.

    Args:
        source: The folder.
        language: The language of terms, or several, the preferred one first. The default is
            English, or the first language of a release without English.
        root: An identifier or an exact term; what is below it is read.
    """
    tables = _find_tables(source, LanguageChoice(language))
    left_out: dict[str, int] = {}
    version = max(table.date for table in tables["Concept"])
    active, inactive = _read_concepts(tables.pop("Concept"), left_out)
    child, parent = _read_links(tables.pop("Relationship"), active, inactive, left_out)
    labels = _read_labels(tables.pop("Description"), tables.pop("Language"), active, left_out)
    identifiers = [str(number) for number in active.tolist()]
    taxonomy = Taxonomy.from_numbers(
        identifiers,
        child,
        parent,
        labels,
        about=About(
            source.name,
            source.path.name,
            version,
            {reason: count for reason, count in left_out.items() if count},
        ),
    )
    if root is None:
        return taxonomy
    return taxonomy.domain(root=_resolve_root(str(root), identifiers, labels))


# ---------------------------------------------------------------- files


def files(source: Source) -> list[Path]:
    """The files of a release that may be read."""
    return [file.path for *_, file in _snapshot_files(source)]


def _snapshot_files(source: Source) -> Iterator[tuple[str, str, str, Source]]:
    """Kind, language and date of every snapshot file of a folder or an archive."""
    for file in source.files:
        if match := _FILE_NAME.fullmatch(file.file_name):
            kind = match["kind"] or match["set"]
            yield kind, (match["language"] or "").lower(), match["date"], file


def _find_tables(source: Source, choice: LanguageChoice) -> dict[str, list[Rf2Table]]:
    """The tables of each kind; of those that have a language, only the ones that are read."""
    if not source.is_folder:
        raise source.error("this is a single file of a release", "use the folder of the release")
    tables: dict[str, list[Rf2Table]] = {kind: [] for kind in COLUMNS}
    files = list(_snapshot_files(source))
    choice.tags.update(language for kind, language, *_ in files if kind == "Description")
    if not choice.is_asked or any(choice.reads(choice.rank(tag)) for tag in choice.tags):
        choice.settle()
    for kind, language, date, file in files:
        rank = choice.rank(language)
        if choice.reads(rank):
            tables[kind].append(Rf2Table(file, kind, date, rank[0]))
    for kind in ("Concept", "Description", "Relationship"):
        if tables[kind]:
            continue
        if kind == "Description" and choice.tags:
            raise ParameterError(
                f"language must be a language of the release, got {quote_names(choice.wanted)}",
                f"the descriptions of {source.where} are in {quote_names(sorted(choice.tags))}",
            )
        raise source.error(
            f"the folder has no {kind} file of a snapshot",
            f"its name should be like sct2_{kind}_Snapshot"
            f"{'-en' if kind == 'Description' else ''}_INT_20240101.txt",
        )
    return tables


@dataclass(frozen=True)
class Rf2Table:
    """A file of a release, in memory as it is; cells are found by where the tabs stand.

    Cutting millions of rows into Python's own texts and numbers would take most of the time,
    and most are not needed.
    """

    source: Source
    kind: str
    date: str
    language_place: int = 0  # of its language among those that are read

    @cached_property
    def data(self) -> bytes:
        with self.source.open() as file:
            data = file.read().removeprefix(b"\xef\xbb\xbf")
        if not data.endswith(b"\n") or data.endswith((b"\n\n", b"\n\r\n")):
            data = data.rstrip() + b"\n"
        return data

    @cached_property
    def header(self) -> list[str]:
        first = self.data[: self.data.index(b"\n")].decode("utf-8", errors="replace")
        names = first.rstrip("\r").split("\t")
        needed = (*COMMON_COLUMNS, *COLUMNS[self.kind])
        if missing := [name for name in needed if name not in names]:
            raise self.source.error(
                f"missing columns: {quote_names(missing)}",
                f"a {self.kind} file has {quote_names(needed, most=len(needed))} in its first line",
                line=1,
            )
        return names

    @cached_property
    def ends(self) -> Numbers:
        """Where each cell ends: a row for each line, the header included."""
        width = len(self.header)
        text = np.frombuffer(self.data, dtype=np.uint8)
        ends = np.flatnonzero(text <= ord("\n"))  # no other character is that low
        last = text[ends] == ord("\n")
        lines = int(last.sum())
        if len(ends) != width * lines or not last[width - 1 :: width].all():
            cells = np.diff(np.flatnonzero(last), prepend=-1)
            line = int(np.flatnonzero(cells != width)[0])
            raise self.source.error(
                f"expected {width} columns as in the first line, got {cells[line]}",
                "the file is tab-separated, without quotes; unpack it again",
                line=line + 1,
            )
        return ends.reshape(lines, width)

    def _cells(self, name: str, rows: Rows | None) -> tuple[Numbers, Numbers]:
        """Where the cells of a column begin and end."""
        width, place = len(self.header), self.header.index(name)
        end = self.ends[1:, place]
        start = self.ends.ravel()[width + place - 1 :: width][: len(end)] + 1
        if rows is not None:
            start, end = start[rows], end[rows]
        if place == width - 1:  # lines may end with a carriage return
            end = end - (np.frombuffer(self.data, dtype=np.uint8)[end - 1] == ord("\r"))
        return start, end

    def _windows(self, width: int) -> NDArray[np.bytes_]:
        """The text of this length that begins at each place of the file."""
        return np.ndarray(len(self.data) - width + 1, f"S{width}", self.data, strides=1)

    def numbers(self, name: str, rows: Rows | None = None) -> Numbers:
        """A column of whole numbers, all of it or some rows."""
        start, end = self._cells(name, rows)
        length = end - start
        total = np.zeros(len(start), dtype=np.int64)
        wrong = (length < 1) | (length > 18)
        for digits in range(1, 19):
            of_length = np.flatnonzero(length == digits)
            if of_length.size:
                text = self._windows(digits)[start[of_length]].view(np.uint8)
                text = text.reshape(-1, digits).T - np.uint8(ord("0"))  # what is below gets large
                if (text > 9).any():
                    wrong[of_length] = (text > 9).any(axis=0)
                number = np.zeros(len(of_length), dtype=np.int64)
                for digit in text:
                    number *= 10
                    number += digit
                total[of_length] = number
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            cell = self.data[start[row] : end[row]].decode("utf-8", errors="replace")
            raise self.error(
                row if rows is None else int(rows[row]), f"{name} is not valid: {cell[:40]!r}"
            )
        return total

    def equals(self, name: str, number: int, rows: Rows | None = None) -> NDArray[np.bool_]:
        """Which cells of a column are this number."""
        start, end = self._cells(name, rows)
        wanted = str(number).encode()
        equal = end - start == len(wanted)
        equal[equal] = self._windows(len(wanted))[start[equal]] == wanted
        return equal

    def texts(self, name: str, rows: Rows) -> list[str]:
        """A column of texts, some rows of it."""
        start, end = self._cells(name, rows)
        places = zip(start.tolist(), end.tolist(), strict=True)
        joined = b"\n".join([self.data[begin:stop] for begin, stop in places])
        try:
            return joined.decode("utf-8").split("\n")
        except UnicodeDecodeError as error:
            row = int(rows[joined.count(b"\n", 0, error.start)])
            raise self.error(row, "not valid UTF-8 text") from None

    def error(self, row: int, reason: str, hint: str = "") -> FileFormatError:
        """An error about one row, the header not counted."""
        return self.source.error(reason, hint or "unpack the release again", line=row + 2)


def _active_rows(tables: Sequence[Rf2Table]) -> list[tuple[Rf2Table, Rows]]:
    """The active rows of each table; of several tables, only the latest row of a component.

    Rows of reference sets have no numbers, and are not kept in several tables.
    """
    active = [table.equals("active", 1) for table in tables]
    for table, is_active in zip(tables, active, strict=True):
        others = np.flatnonzero(~is_active)
        strange = others[~table.equals("active", 0, others)]
        if strange.size:
            raise table.error(int(strange[0]), "active must be 0 or 1")
    if len(tables) > 1 and tables[0].kind != "Language":
        number = np.concatenate([table.numbers("id") for table in tables])
        time = np.concatenate([table.numbers("effectiveTime") for table in tables])
        order = np.lexsort((time, number))
        latest = np.zeros(len(order), dtype=bool)
        latest[order] = np.append(np.diff(number[order]) != 0, True)[: len(order)]
        parts = np.split(latest, np.cumsum([len(part) for part in active])[:-1])
        active = [part & of_table for part, of_table in zip(active, parts, strict=True)]
    return [(table, np.flatnonzero(part)) for table, part in zip(tables, active, strict=True)]


def _check_distinct(table: Rf2Table, numbers: Numbers) -> None:
    order = np.argsort(numbers, kind="stable")
    repeated = np.flatnonzero(np.diff(numbers[order]) == 0)
    if repeated.size:
        first, second = order[repeated[0]], order[repeated[0] + 1]
        raise table.error(
            int(second),
            f"{numbers[first]} occurs twice (first on line {first + 2})",
            "a snapshot has one row for each component; check that this is not a Full file",
        )


# ---------------------------------------------------------------- what they say


def _read_concepts(tables: Sequence[Rf2Table], left_out: dict[str, int]) -> tuple[Numbers, Numbers]:
    """The numbers of the active concepts, and of the inactive ones, in ascending order."""
    every = [table.numbers("id") for table in tables]
    for table, numbers in zip(tables, every, strict=True):
        _check_distinct(table, numbers)
    active = _sorted_distinct([table.numbers("id", rows) for table, rows in _active_rows(tables)])
    inactive = _sorted_distinct(every)
    inactive = inactive[~_is_among(inactive, active)]
    left_out["inactive concepts"] = len(inactive)
    return active, inactive


def _read_links(
    tables: Sequence[Rf2Table], active: Numbers, inactive: Numbers, left_out: dict[str, int]
) -> tuple[Numbers, Numbers]:
    """Children and parents by their places among the active concepts."""
    pairs: list[Numbers] = []
    for table, rows in _active_rows(tables):
        of_kind = rows[table.equals("typeId", IS_A, rows)]
        _add_count(
            left_out, "inactive is-a links", int(table.equals("typeId", IS_A).sum() - len(of_kind))
        )
        child, parent = table.numbers("sourceId", of_kind), table.numbers("destinationId", of_kind)
        retired = _is_among(child, inactive)
        _add_count(left_out, "is-a links of inactive concepts", int(retired.sum()))
        of_kind, child, parent = of_kind[~retired], child[~retired], parent[~retired]
        for role, numbers in (("child", child), ("parent", parent)):
            unknown = np.flatnonzero(~_is_among(numbers, active))
            if unknown.size:
                row = unknown[0]
                state = "inactive" if numbers[row] in inactive else "not a concept of the release"
                raise table.error(
                    int(of_kind[row]),
                    f"{child[row]} is below {parent[row]}, and the {role} is {state}",
                    "put the release and all its extensions into the folder, in matching versions",
                )
        places = np.searchsorted(active, child), np.searchsorted(active, parent)
        pairs.append(places[0] * len(active) + places[1])
    child, parent = np.divmod(_sorted_distinct(pairs), max(len(active), 1))
    return child, parent


def _read_labels(
    tables: Sequence[Rf2Table], sets: Sequence[Rf2Table], active: Numbers, left_out: dict[str, int]
) -> list[tuple[str, ...]]:
    """The terms of each concept, the preferred one first."""
    in_us_english, elsewhere = _preferred_descriptions(sets)
    keys: list[Numbers] = []
    terms: list[str] = []
    ranks = 4 * (1 + max(table.language_place for table in tables))
    for table, rows in _active_rows(tables):
        _add_count(left_out, "inactive descriptions", len(table.ends) - 1 - len(rows))
        concept = table.numbers("conceptId", rows)
        is_active = _is_among(concept, active)
        _add_count(left_out, "descriptions of inactive concepts", int((~is_active).sum()))
        rows, concept = rows[is_active], concept[is_active]
        full_name = table.equals("typeId", FULLY_SPECIFIED_NAME, rows)
        is_term = full_name | table.equals("typeId", SYNONYM, rows)
        rows, concept, full_name = rows[is_term], concept[is_term], full_name[is_term]
        number = table.numbers("id", rows)
        rank = np.full(len(number), 3)
        rank[full_name] = 2
        rank[_is_among(number, elsewhere) & ~full_name] = 1
        rank[_is_among(number, in_us_english) & ~full_name] = 0
        rank += 4 * table.language_place
        keys.append(np.stack([number, np.searchsorted(active, concept) * ranks + rank]))
        terms += table.texts("term", rows)
    key = np.concatenate(keys, axis=1)
    order = np.lexsort(key)
    start = np.searchsorted(key[1][order], np.arange(len(active) + 1) * ranks).tolist()
    ordered = [terms[place] for place in order.tolist()]
    return [
        tuple(dict.fromkeys(filter(None, ordered[begin:end]))) for begin, end in pairwise(start)
    ]


def _preferred_descriptions(sets: Sequence[Rf2Table]) -> tuple[Numbers, Numbers]:
    """The descriptions that US English prefers, and those that other sets do."""
    preferred: dict[bool, list[Numbers]] = {True: [], False: []}
    for table, rows in _active_rows(sets):
        rows = rows[table.equals("acceptabilityId", PREFERRED, rows)]
        us_english = table.equals("refsetId", US_ENGLISH, rows)
        for is_us, part in ((True, rows[us_english]), (False, rows[~us_english])):
            preferred[is_us].append(table.numbers("referencedComponentId", part))
    return _sorted_distinct(preferred[True]), _sorted_distinct(preferred[False])


def _is_among(numbers: Numbers, ordered: Numbers) -> NDArray[np.bool_]:
    """Which numbers are among these, which ascend."""
    place = np.searchsorted(ordered, numbers)
    return np.append(ordered, -1)[place] == numbers


def _sorted_distinct(parts: Sequence[Numbers]) -> Numbers:
    """All numbers once, in ascending order."""
    numbers = np.sort(np.concatenate([np.empty(0, dtype=np.int64), *parts]))
    return numbers[np.append(True, numbers[1:] != numbers[:-1])[: len(numbers)]]


def _add_count(left_out: dict[str, int], reason: str, count: int) -> None:
    left_out[reason] = left_out.get(reason, 0) + count


def _resolve_root(root: str, identifiers: Sequence[str], labels: Sequence[tuple[str, ...]]) -> str:
    if root in identifiers:
        return root
    matches = [i for i, names in zip(identifiers, labels, strict=True) if root in names]
    if len(matches) == 1:
        return matches[0]
    raise UnknownConceptError(
        f"root must be a concept of the release, got {root!r}"
        + (f", a name of {len(matches)} concepts" if matches else ""),
        f"use one of {quote_names(matches)}"
        if matches
        else "use the number or the exact term of a concept",
    )
