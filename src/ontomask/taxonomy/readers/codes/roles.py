"""What the columns of a code list are for, and what the user says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ontomask.taxonomy.readers.text.delimited import Row

__all__ = ["Columns", "Level", "Request", "depth_of", "has_steps"]


class Level(NamedTuple):
    """The columns of one level: codes, names or both."""

    title: str
    code: int | None
    name: int | None
    about: tuple[str, ...] = ()

    @property
    def key(self) -> int:
        """The column that tells the concepts apart."""
        place = self.code if self.code is not None else self.name
        assert place is not None
        return place


@dataclass
class Columns:
    """The place of each kind of column; levels from coarse to fine."""

    code: int | None = None
    names: list[int] = field(default_factory=list)
    synonyms: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    depth: int | None = None
    levels: list[Level] = field(default_factory=list)
    aliases: list[int] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)


class Request(NamedTuple):
    """The columns that the user names."""

    code: str | None = None
    label: str | None = None
    parent: str | None = None
    synonyms: str | None = None
    levels: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """All names of columns in it."""
        single = (self.code, self.label, self.parent, self.synonyms)
        return [name for name in (*single, *self.levels) if name]


#: Kinds of groups from coarse to fine, as publishers name them in a column of kinds.
GROUP_KINDS = (
    ("major", "submajor", "minor", "broad", "unit", "detailed"),
    ("section", "subsection", "division", "group", "class", "subclass"),
    ("chapter", "block", "category", "subcategory"),
)
_DEPTHS = {word: depth for kinds in GROUP_KINDS for depth, word in enumerate(kinds)}


def depth_of(cell: str) -> int | None:
    """The depth in a cell such as ``2``, ``Tier 2`` or ``Minor group``.

    >>> [depth_of(cell) for cell in ("2", "Tier 2", "Minor group", "Sub-major", "nurse")]
    [2, 2, 2, 1, None]
    """
    word = cell.casefold().replace("-", "").removesuffix(" group").removesuffix(" occupation")
    if word in _DEPTHS:
        return _DEPTHS[word]
    digits = cell.rsplit(maxsplit=1)[-1] if cell else ""
    return int(digits) if digits.isdigit() and len(digits) < 3 and len(cell) < 20 else None


def has_steps(rows: Sequence[Row], levels: Sequence[Level]) -> bool:
    """Whether most rows leave the coarsest level of the table empty, as merged cells do."""
    if len(levels) < 2:
        return False
    keys = sorted(level.key for level in levels)
    empty = sum(not row.cells[keys[0]] for row in rows)
    return empty >= 0.5 * len(rows) and bool(rows) and bool(rows[0].cells[keys[0]])
