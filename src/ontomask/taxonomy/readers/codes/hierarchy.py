"""The concepts of a code list: what its rows stand for, and how they hang together."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from ontomask.errors import quote_names
from ontomask.taxonomy.readers.codes.roles import Columns, has_steps
from ontomask.taxonomy.readers.codes.table import CodeTable, is_code
from ontomask.taxonomy.readers.text.delimited import Row

__all__ = ["CodeList", "CodeHierarchy", "split_names"]

_BETWEEN_NAMES = re.compile(r"\s*(?:[|\n;]|\r\n)\s*")


@dataclass
class CodeHierarchy:
    """The concepts of a table with their links, names and other identifiers."""

    parents: dict[str, list[str]] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    aliases: list[tuple[str, str]] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    is_told_by_codes: bool = False

    def add(self, concept: str, parent: str | None = None) -> None:
        """Add a concept, and its link where it has a parent."""
        links = self.parents.setdefault(concept, [])
        if parent is not None and parent != concept and parent not in links:
            links.append(parent)
            self.parents.setdefault(parent, [])

    def name(self, concept: str, *names: str) -> None:
        """Add names of a concept, the preferred one first."""
        known = self.names.setdefault(concept, [])
        known += [name for name in names if name and name not in known]


def split_names(cell: str) -> list[str]:
    """The synonyms in a cell.

    >>> split_names("nurse | carer"), split_names("nurse; carer"), split_names("nurse, general")
    (['nurse', 'carer'], ['nurse', 'carer'], ['nurse, general'])
    """
    return [name for name in _BETWEEN_NAMES.split(cell) if name]


class CodeList:
    """The rows of a table that have a concept, and the columns that describe it."""

    def __init__(
        self, table: CodeTable, rows: list[Row], columns: Columns, titles: list[str]
    ) -> None:
        self.table, self.columns, self.titles = table, columns, titles
        self.left_out: Counter[str] = Counter()
        #: Whether a row stands below the last one that fills a coarser level.
        self.steps = has_steps(rows, columns.levels)
        self.rows = [row for row in rows if self._has_concept(row)]
        if not self.rows:
            raise table.error(
                "the table has a header and no rows", "use a file that contains concepts"
            )

    def title(self, place: int) -> str:
        """How messages call a column."""
        return repr(self.titles[place]) if self.titles[place] else f"column {place + 1}"

    def code_of(self, row: Row) -> str:
        """The identifier of the concept of a row: its code, or else its name."""
        if self.columns.code is not None:
            return row.cells[self.columns.code]
        if self.steps:
            cells = (row.cells[level.key] for level in self.columns.levels)
            return next((cell for cell in cells if cell), "")
        return next((row.cells[place] for place in self.columns.names if row.cells[place]), "")

    def _has_concept(self, row: Row) -> bool:
        code = self.code_of(row)
        only = sum(map(bool, row.cells)) == 1 and len(row.cells) > 1
        if self.columns.levels and self.columns.code is None:
            return any(row.cells[level.key] for level in self.columns.levels)
        if not code or code == "nan":
            if self.columns.levels and any(row.cells[lv.key] for lv in self.columns.levels):
                return True
            self.left_out["rows without a code"] += 1
            return False
        if only and self.columns.code is not None and not is_code(code):
            self.left_out["rows without a code"] += 1  # a footnote
            return False
        return True

    def codes(self) -> list[str]:
        """The distinct identifiers of the rows, in their order."""
        return list(dict.fromkeys(filter(None, map(self.code_of, self.rows))))

    def refuse_several_names(self) -> None:
        """Refuse codes that stand for different things in different rows."""
        if not self.columns.names or self.columns.names[0] in self.columns.synonyms:
            return
        names: dict[str, set[str]] = defaultdict(set)
        for row in self.rows:
            names[self.code_of(row)].add(row.cells[self.columns.names[0]].casefold())
        several = [code for code, values in names.items() if len(values) > 1]
        if len(several) > max(1, 0.05 * len(names)):
            title = self.title(self.columns.names[0])
            example = sorted(names[several[0]])[:2]
            raise self.table.error(
                f"{len(several):,} of {len(names):,} codes have several names in {title}: "
                f"{several[0]!r} is {quote_names(example)}",
                f"if these are synonyms, set synonyms={title}; "
                "otherwise name the column that identifies a row: code='...'",
            )

    def finish(self, hierarchy: CodeHierarchy, told: str) -> CodeHierarchy:
        """Add the names and aliases of the rows, and say how the hierarchy was told."""
        hierarchy.notes["hierarchy"] = told
        hierarchy.left_out = self.left_out
        for row in self.rows:
            code = self.code_of(row)
            if code and code != "nan":
                hierarchy.add(code)
                hierarchy.name(code, *self._row_names(row))
                for place in self.columns.aliases:
                    if row.cells[place]:
                        hierarchy.aliases.append((row.cells[place], code))
        if self.columns.code is not None:
            hierarchy.notes["codes"] = self.title(self.columns.code)
        if self.columns.names:
            hierarchy.notes["names"] = ", ".join(map(self.title, self.columns.names))
        if self.columns.synonyms:
            hierarchy.notes["synonyms"] = ", ".join(map(self.title, self.columns.synonyms))
        if self.columns.aliases:
            hierarchy.notes["other codes"] = ", ".join(map(self.title, self.columns.aliases))
        return hierarchy

    def _row_names(self, row: Row) -> Iterator[str]:
        for place in self.columns.names:
            yield " ".join(row.cells[place].split())
        if self.steps and not self.columns.names:
            for level in self.columns.levels:
                if level.name is not None and self.columns.code is not None:
                    yield row.cells[level.name]
        for place in self.columns.synonyms:
            yield from split_names(row.cells[place])
