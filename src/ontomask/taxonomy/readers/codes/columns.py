"""Which column of a code list has codes, names, synonyms, parents, depths or levels."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from ontomask.errors import quote_names
from ontomask.taxonomy.readers.codes.headings import Heading
from ontomask.taxonomy.readers.codes.roles import Columns, Level, Request, depth_of, has_steps
from ontomask.taxonomy.readers.codes.table import CodeTable, Header, is_code
from ontomask.taxonomy.readers.codes.words import LEVEL_WORDS, QUALIFIERS
from ontomask.taxonomy.readers.text.delimited import Row

__all__ = ["choose_columns"]

#: This part of the filled cells of a column must be codes.
MOSTLY = 0.9
#: In how many groups a value of a finer level may stand on average: names such as "Other" repeat.
MOST_GROUPS = 1.5
#: The same where the finest level has the lowest number.
MOST_GROUPS_BACKWARDS = 1.05


def choose_columns(table: CodeTable, header: Header, rows: list[Row], request: Request) -> Columns:
    """Tell the columns by what the user names, by the header, and by what they contain."""
    chooser = _Chooser(table, header.headings, rows)
    columns = Columns()
    columns.code = chooser.find(request.code, "code")
    label = chooser.find(request.label, "label")
    parent = chooser.find(request.parent, "parent")
    synonyms = chooser.find(request.synonyms, "synonyms")
    columns.levels = [
        chooser.named_level(place)
        for name in request.levels
        if (place := chooser.find(name, "levels")) is not None
    ]
    chooser.taken.update(level.key for level in columns.levels)
    if not columns.levels:
        columns.levels = chooser.levels()
    columns.parents = [parent] if parent is not None else chooser.of_kind("parent")
    columns.depth = chooser.depth()
    if columns.code is None:
        columns.code = chooser.code(columns)
    if not request.levels:
        columns.levels = chooser.order(columns)
    columns.names = chooser.names(columns, label)
    columns.synonyms = [synonyms] if synonyms is not None else chooser.of_kind("synonyms")
    columns.aliases = chooser.aliases(columns)
    return columns


class _Chooser:
    def __init__(self, table: CodeTable, headings: list[Heading], rows: list[Row]) -> None:
        self.table, self.headings, self.rows = table, headings, rows
        self.cells = [[row.cells[place] for row in rows] for place in range(len(headings))]
        self.distinct = [set(filter(None, cells)) for cells in self.cells]
        self.taken: set[int] = set()
        self.names_of_codes: list[int] = []

    def find(self, name: str | None, argument: str) -> int | None:
        if name is None:
            return None
        for place, heading in enumerate(self.headings):
            if heading.is_called(name):
                self.taken.add(place)
                return place
        titles = [heading.text for heading in self.headings if heading.text]
        raise self.table.error(
            f"{argument} must be a column of the table, got {name!r}",
            f"the columns are {quote_names(titles, most=20)}"
            if titles
            else "the table has no header",
        )

    def is_code_column(self, place: int) -> bool:
        values = self.distinct[place]
        return (
            bool(values)
            and sum(map(is_code, values)) >= MOSTLY * len(values)
            and any(
                any(letter.isdigit() for letter in value) or len(value) <= 4 for value in values
            )
        )

    def is_address_column(self, place: int) -> bool:
        return any(":" in value and "/" in value for value in list(self.distinct[place])[:20])

    def of_kind(self, kind: str) -> list[int]:
        return [
            place
            for place, heading in enumerate(self.headings)
            if heading.kind == kind and place not in self.taken and self.distinct[place]
        ]

    def depth(self) -> int | None:
        """A column of small numbers, or of words with a number such as ``Tier 2``."""
        kinds = [p for p in range(len(self.headings)) if self._names_of_levels(p)]
        for place in (*self.of_kind("depth"), *kinds):
            numbers = [depth_of(cell) for cell in self.cells[place] if cell]
            if len(set(numbers)) > 1 and None not in numbers:
                return place
        return None

    def named_level(self, place: int) -> Level:
        heading = self.headings[place]
        partner = next(
            (
                other
                for other, candidate in enumerate(self.headings)
                if other != place
                and other not in self.taken
                and (candidate.about, candidate.number) == (heading.about, heading.number)
                and heading.about
            ),
            None,
        )
        return self._level(heading, [place] if partner is None else [place, partner])

    def levels(self) -> list[Level]:
        """Levels by the header: columns about the same level are its codes and names."""
        places: dict[tuple[tuple[str, ...], int | None], list[int]] = {}
        numbered = self._numbered()
        for place, heading in enumerate(self.headings):
            if (
                (heading.is_level or heading.about in numbered)
                and place not in self.taken
                and self.distinct[place]
            ):
                if self._names_of_levels(place):
                    continue
                places.setdefault((heading.about, heading.number), []).append(place)
        levels = [self._level(self.headings[group[0]], group) for group in places.values()]
        for level in levels:
            others = [other for other in levels if other is not level]
            if (
                level.name is not None
                and level.code is None
                and has_steps(self.rows, others)
                and (all(self.cells[level.name]))
            ):
                self.names_of_codes = [level.name]  # such as "Group title", next to the steps
                return others
        return levels

    def _numbered(self) -> set[tuple[str, ...]]:
        """What several columns of codes are about that differ in their numbers: id1 and id5."""
        numbers: dict[tuple[str, ...], set[int]] = {}
        for heading in self.headings:
            if heading.kind == "code" and heading.number is not None:
                numbers.setdefault(heading.about, set()).add(heading.number)
        return {about for about, values in numbers.items() if len(values) > 1}

    def _names_of_levels(self, place: int) -> bool:
        """Whether the cells say the kind of a row, such as *Major* or *chapter*."""
        values = {value.casefold() for value in self.distinct[place]}
        return len(values) > 1 and (
            sum(value in LEVEL_WORDS or value in QUALIFIERS for value in values)
            >= 0.6 * len(values)
        )

    def _level(self, heading: Heading, group: list[int]) -> Level:
        codes = [p for p in group if self.headings[p].kind == "code"]
        names = [p for p in group if self.headings[p].kind == "name"]
        others = [p for p in group if p not in codes and p not in names]
        if not codes:
            codes = [p for p in others if self.is_code_column(p)][:1]
        if not codes and not others and len(names) == 1 and self.is_code_column(names[0]):
            codes, names = names, []
        names += [p for p in others if p not in codes]
        return Level(
            heading.text, codes[0] if codes else None, names[0] if names else None, heading.about
        )

    def code(self, columns: Columns) -> int | None:
        """The column of codes: the one with the most distinct values, no address if possible."""
        levels = {place for level in columns.levels for place in (level.code, level.name)}
        places = [p for p in self.of_kind("code") if p not in levels]
        places = [p for p in places if len(self.distinct[p]) > 1 and self._is_filled(p)]
        if places:
            best = max(len(self.distinct[p]) for p in places)
            good = [p for p in places if len(self.distinct[p]) >= 0.95 * best]
            if any(len(self.distinct[level.key]) > 1.1 * best for level in columns.levels):
                return None  # codes of something else, such as the currency of a country
            plain = [
                p
                for p in places
                if not self.headings[p].about and len(self.distinct[p]) >= 0.5 * best
            ]
            return min(good + plain, key=lambda p: (self.is_address_column(p), p not in plain, p))
        single = [
            level
            for level in columns.levels
            if level.code is not None and len(columns.levels) == 1 and level.name is None
        ]
        if single and self._is_key(single[0].key):
            columns.levels = []
            return single[0].key
        if columns.levels:
            return None
        for place in range(len(self.headings)):
            if (
                place not in self.taken
                and self.headings[place].kind in ("", "index")
                and (self._is_key(place) and not self._is_running_number(place))
            ):
                return place
        return None

    def _is_filled(self, place: int) -> bool:
        return sum(map(bool, self.cells[place])) >= 0.5 * len(self.rows)

    def _is_key(self, place: int) -> bool:
        return (
            self._is_filled(place)
            and self.is_code_column(place)
            and len(self.distinct[place]) >= 0.5 * len(self.rows)
        )

    def _is_running_number(self, place: int) -> bool:
        """Whether a column only numbers the rows."""
        values = self.cells[place]
        return (
            len(values) > 3
            and all(value.isdigit() for value in values)
            and (
                [int(value) for value in values]
                in (list(range(len(values))), list(range(1, len(values) + 1)))
            )
        )

    def names(self, columns: Columns, label: int | None) -> list[int]:
        """The columns of names, one for each language, the preferred one first."""
        levels = {place for level in columns.levels for place in (level.code, level.name)}
        used = {columns.code, *columns.parents, columns.depth, *levels}
        places = [p for p in self.of_kind("name") if p not in used]
        strong = [p for p in places if not self.headings[p].is_weak] or places
        if self.names_of_codes and not strong:
            strong = self.names_of_codes
        elif strong:
            own = self.headings[columns.code].about if columns.code is not None else ()
            strong.sort(key=lambda p: (self.headings[p].about not in (own, ()), p))
            first = self.headings[strong[0]]
            strong = [p for p in strong if self.headings[p].about == first.about]
        elif all(level.name is None for level in columns.levels) or (
            columns.code is not None and not has_steps(self.rows, columns.levels)
        ):
            strong = self._texts(used, columns)[:1]
        if label is not None:
            return [
                label,
                *(
                    p
                    for p in strong
                    if p != label and self.headings[label].about == self.headings[p].about
                ),
            ]
        return strong

    def _texts(self, used: set[int | None], columns: Columns) -> list[int]:
        """Columns of text that have no role, the one with the most distinct values first."""
        places = [
            p
            for p in range(len(self.headings))
            if p not in used
            and p not in self.taken
            and self.headings[p].kind == ""
            and not self.headings[p].is_level
            and self.distinct[p]
            and not self.is_code_column(p)
            and not self._names_of_levels(p)
        ]
        best = max((len(self.distinct[p]) for p in places), default=0)
        if columns.code is not None:
            best = max(best, len(self.distinct[columns.code]) // 2)
        return [p for p in places if len(self.distinct[p]) >= 0.8 * best]

    def order(self, columns: Columns) -> list[Level]:
        """The levels that group the rows, from coarse to fine."""
        levels = columns.levels
        if columns.code is not None and not has_steps(self.rows, levels):
            own = columns.code
            kept = []
            for level in levels:
                if self.determines(own, level.key) < 0.98:
                    continue
                if len(self.distinct[level.key]) < 0.9 * len(self.distinct[own]):
                    kept.append(level)
                elif self.determines(level.key, own) >= 0.9:  # another column of the same concepts
                    self.names_of_codes += [level.name] if level.name is not None else []
            levels = kept
        return self._nest(columns, sorted(levels, key=self._coarseness(levels)))

    def _coarseness(self, levels: list[Level]) -> Callable[[Level], tuple[int, int, int]]:
        """What sorts levels: how many others tell one, then their numbers and places."""
        told = {(a, b): self.determines(a.key, b.key) for a in levels for b in levels if a is not b}
        wins = {
            level: sum(
                told[other, level] > told[level, other] for other in levels if other is not level
            )
            for level in levels
        }
        numbers = {level: self.headings[level.key].number or 0 for level in levels}
        ascending = sum(
            (wins[a] > wins[b]) - (wins[a] < wins[b])
            for a in levels
            for b in levels
            if (numbers[a], a.key) < (numbers[b], b.key)
        )
        sign = 1 if ascending >= 0 else -1
        return lambda level: (-wins[level], sign * numbers[level], sign * level.key)

    def _nest(self, columns: Columns, levels: list[Level]) -> list[Level]:
        """The levels without those that group the rows in another way."""
        kept: list[Level] = []
        for level in levels:
            is_leaf = columns.code is None and level is levels[-1]
            if (
                not kept
                or is_leaf
                or has_steps(self.rows, levels)
                or self.groups_per_value(level.key, kept[-1].key) <= MOST_GROUPS
            ):
                kept.append(level)
        columns.unused += [level.title for level in levels if level not in kept]
        for about in {level.about for level in levels}:
            same = [level for level in levels if level.about == about]
            numbers = [self.headings[level.key].number or 0 for level in same]
            if len(same) > 1 and (
                not set(same) <= set(kept)
                or numbers not in (sorted(numbers), sorted(numbers, reverse=True))
                or (
                    numbers != sorted(numbers)
                    and any(
                        self.groups_per_value(fine.key, coarse.key) > MOST_GROUPS_BACKWARDS
                        for coarse, fine in pairwise(same)
                    )
                )
            ):
                titles = [level.title for level in same]
                raise self.table.error(
                    f"the columns {quote_names(titles)} do not group each other in their order",
                    "name the columns of the levels, coarse levels first: levels=['...', '...']",
                )
        return kept

    def groups_per_value(self, fine: int, coarse: int) -> float:
        """With how many values of a column one of another stands on average."""
        pairs = {
            (low, high)
            for low, high in zip(self.cells[fine], self.cells[coarse], strict=True)
            if low
        }
        return len(pairs) / max(len(self.distinct[fine]), 1)

    def determines(self, fine: int, coarse: int) -> float:
        """The part of the values of a column that stand with one value of another only."""
        seen: dict[str, set[str]] = {}
        for low, high in zip(self.cells[fine], self.cells[coarse], strict=True):
            if low:
                seen.setdefault(low, set()).add(high)
        if not seen:
            return 0.0
        return sum(len(values) == 1 for values in seen.values()) / len(seen)

    def aliases(self, columns: Columns) -> list[int]:
        """Other columns that identify the concepts of the rows."""
        if columns.code is None:
            return []
        used = {columns.code, columns.depth, *columns.names, *columns.synonyms, *columns.parents}
        used |= {place for level in columns.levels for place in (level.code, level.name)}
        own = self.distinct[columns.code]
        is_nameless = not any(heading.text for heading in self.headings)
        return [
            place
            for place, values in enumerate(self.distinct)
            if place not in used
            and self.headings[place].kind not in ("note", "depth", "index", "name")
            and (self.headings[place].kind == "code" or self.headings[place].text or is_nameless)
            and len(values) >= 0.9 * len(own)
            and all(" " not in value for value in values)
            and self.is_code_column(place)
            and not self._is_running_number(place)
            and (
                self.headings[place].kind == "code"
                or not all(value.replace(".", "").isdigit() for value in values)
            )
            and self.determines(place, columns.code) == 1
        ]
