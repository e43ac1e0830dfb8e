"""A column of numbers, levels or days before and after masking, in bins for a histogram.

Bins begin at round numbers and depend on no single record: how wide they are is chosen from the
range that is left without one in a hundred records at either end, and no fewer than the threshold.
Neighbours are merged until each bin has enough records on both sides. The first and the last are
open, so the least and the greatest value are not told. Levels that few records hold are in their
bin without their name.

Where masking did nothing to a column but blank cells, records before less those after are the
blanked ones; so those of each bin must be none or enough. Where they are too few in the whole
column, it is shown as it is after masking only. How many cells are blank is no secret: a reader of
the released table can count them.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ontomask.disclosure.folding import Flags, Longs, fine
from ontomask.disclosure.moves import Floats, moves
from ontomask.disclosure.values import EPOCH, value
from ontomask.errors import InternalError
from ontomask.microdata.attributes import NumericalAttribute
from ontomask.microdata.schema import Date, Ordinal
from ontomask.microdata.tuples import Transitions

__all__ = ["Spread", "bins", "spread"]

Edges = Sequence[float]

#: There are no more edges between bins than this.
MOST_EDGES = 19
#: Bins are as wide as the range without one record in so many at either end asks for.
END = 100
#: Bins of days: so many months, after a day and a week.
MONTHS = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200)


def bins(plan: Transitions, j: int, least: int, schema_column: Any = None) -> list[dict[str, Any]]:
    """The records of a column in bins: the ``label`` of each, and records ``before`` and ``after``.

    A side that cannot be shown is None in every bin. Empty where there are too few records, or only
    one bin would be left.
    """
    found = spread(plan, j, least, schema_column)
    if len(found.labels) < 2:
        return []
    return [
        {"label": label, "before": before, "after": after}
        for label, before, after in zip(
            found.labels, found.counts("before"), found.counts("after"), strict=True
        )
    ]


@dataclass(frozen=True, eq=False)
class Spread:
    """Bins between ``edges``, which are where the next bin begins."""

    labels: Sequence[str]
    edges: Floats
    count: Longs
    numbers: dict[str, Floats]
    shown: frozenset[str]

    def part(self, side: str) -> Longs:
        """The bin of each move; what is suppressed has one of its own, after the last."""
        numbers = self.numbers[side]
        if side not in self.shown or len(self.labels) < 2:
            return np.zeros(len(numbers), dtype=np.int64)
        return _binned(self.edges, numbers)

    def counts(self, side: str) -> list[int | None]:
        """The records in each bin."""
        if side not in self.shown:
            return [None] * len(self.labels)
        size = len(self.labels)
        sums = np.bincount(self.part(side), weights=self.count, minlength=size)[:size]
        return [int(it) for it in sums]


def spread(plan: Transitions, j: int, least: int, column: Any) -> Spread:
    """The bins of a column, merged until each may be shown."""
    attribute = plan.tuples.attributes[j]
    if not isinstance(attribute, NumericalAttribute):
        raise InternalError(f"column {attribute.name!r} is no column of numbers")
    least = max(int(least), 1)
    its = moves(plan, j)
    numbers = {"before": its.start, "after": its.end}
    shown = {side for side, it in numbers.items() if not np.isnan(it).all()}
    if not fine(int(its.blanked.sum()), least):
        shown.discard("before")
    live = [numbers[side] for side in sorted(shown)]
    enough = [its.count * ~np.isnan(it) for it in live]
    if not live or any(int(it.sum()) < least for it in enough):
        return Spread([], np.empty(0), its.count, numbers, frozenset())
    ends = [_ends(it, its.count, least) for it in live]
    edges, label = _edges(min(e[0] for e in ends), max(e[1] for e in ends), attribute, column)
    table = [_sums(edges, it, its.count) for it in live]
    guard = [_sums(edges, numbers["before"], its.blanked)] if "before" in shown else []
    if isinstance(column, Ordinal):
        often = _often(column, live, its.count, least)
        label = _levels_label(column, often)
        # A bin needs a level that may be named; it counts for enough.
        table.append(
            _sums(edges, np.flatnonzero(often).astype(np.float64), np.full(often.sum(), least))
        )
    kept = edges[_merged(table, guard, least)]
    ranges = zip([None, *kept.tolist()], [*kept.tolist(), None], strict=True)
    labels = [label(low, high) for low, high in ranges]
    return Spread(labels, kept, its.count, numbers, frozenset(shown))


def _binned(edges: Floats, numbers: Floats) -> Longs:
    found = np.searchsorted(edges, numbers, side="right")
    return np.where(np.isnan(numbers), len(edges) + 1, found).astype(np.int64)


def _sums(edges: Floats, numbers: Floats, count: Longs) -> Longs:
    size = len(edges) + 1
    sums = np.bincount(_binned(edges, numbers), weights=count, minlength=size)[:size]
    return sums.astype(np.int64)


def _merged(table: Sequence[Longs], guard: Sequence[Longs], least: int) -> list[int]:
    """Which edges stay: from the left, a bin ends as soon as it and the rest may be shown."""
    kept, start = [], 0
    for edge in range(len(table[0]) - 1):
        enough = all(
            it[start : edge + 1].sum() >= least and it[edge + 1 :].sum() >= least for it in table
        )
        if enough and all(
            fine(it[start : edge + 1].sum(), least) and fine(it[edge + 1 :].sum(), least)
            for it in guard
        ):
            kept.append(edge)
            start = edge + 1
    return kept


def _ends(numbers: Floats, count: Longs, least: int) -> tuple[float, float]:
    """What enough records lie at or below, and at or above."""
    held = ~np.isnan(numbers)
    order = np.argsort(numbers[held], kind="stable")
    ordered, until = numbers[held][order], np.cumsum(count[held][order])
    beyond = max(least, int(until[-1]) // END)
    low, high = np.searchsorted(until, [beyond, until[-1] - beyond + 1])
    return float(ordered[low]), float(ordered[high])


# ---------------------------------------------------------------------- edges and their labels

Label = Callable[[float | None, float | None], str]


def _edges(
    low: float, high: float, attribute: NumericalAttribute, column: Any
) -> tuple[Floats, Label]:
    """Where bins between two numbers may begin, and what one is called."""
    if high <= low:
        return np.empty(0), lambda *_: ""
    if isinstance(column, Ordinal):
        step = math.ceil((high - low) / MOST_EDGES)
        return np.arange(low + step, high + 1, step), lambda *_: ""
    if isinstance(column, Date):
        return _days(round(low), round(high))
    return _round_numbers(low, high, attribute.decimals)


def _round_numbers(low: float, high: float, decimals: int) -> tuple[Floats, Label]:
    wanted = max(high / MOST_EDGES - low / MOST_EDGES, 10.0**-decimals)
    power = math.floor(math.log10(wanted))
    factor, power = next(
        (f, p) for p in (power, power + 1) for f in (1, 2, 5) if f * 10.0**p >= wanted * (1 - 1e-9)
    )
    width, digits = factor * 10.0**power, max(0, -power)
    first, last = math.floor(low / width) + 1, math.floor(high / width)
    edges = np.unique([round(it * width, digits) for it in range(first, last + 1)])
    return edges[edges > low], _numbers_label(digits, decimals == 0)


def _numbers_label(digits: int, whole: bool) -> Label:
    def text(number: float) -> str:
        return f"{number:,.{digits}f}"

    def label(low: float | None, high: float | None) -> str:
        if low is None or high is None:
            return f"below {text(high or 0.0)}" if low is None else f"{text(low)} and more"
        if not whole:
            return f"{text(low)} to below {text(high)}"
        return text(low) if high - low == 1 else f"{text(low)} to {text(high - 1)}"

    return label


def _days(low: int, high: int) -> tuple[Floats, Label]:
    if high - low <= MOST_EDGES:
        return np.arange(low + 1.0, high + 1.0), _days_label(_day)
    monday = low + 1 + (3 - low) % 7  # the fifth day of 1970, day 4, was one
    if (high - monday) // 7 < MOST_EDGES:
        return np.arange(float(monday), high + 1.0, 7), _days_label(_day)
    first, last = _month(low), _month(high)
    step = next((it for it in MONTHS if (last - first) // it < MOST_EDGES), MONTHS[-1])
    months = range(first // step * step + step, last + 1, step)
    days = [datetime.date(*_split(it), 1).toordinal() - EPOCH for it in months]
    return np.array(days, dtype=np.float64), _days_label(_year if step >= 12 else _month_name)


def _days_label(name: Callable[[int], str]) -> Label:
    def label(low: float | None, high: float | None) -> str:
        if low is None or high is None:
            return (
                f"before {name(int(high or 0))}" if low is None else f"{name(int(low))} and later"
            )
        begin, end = name(int(low)), name(int(high) - 1)
        return begin if begin == end else f"{begin} to {end}"

    return label


def _day(day: int) -> str:
    return datetime.date.fromordinal(day + EPOCH).isoformat()


def _month_name(day: int) -> str:
    return _day(day)[:7]


def _year(day: int) -> str:
    return _day(day)[:4]


def _month(day: int) -> int:
    date = datetime.date.fromordinal(day + EPOCH)
    return date.year * 12 + date.month - 1


def _split(month: int) -> tuple[int, int]:
    return month // 12, month % 12 + 1


def _often(column: Ordinal, live: Sequence[Floats], count: Longs, least: int) -> Flags:
    """Which levels enough records hold, on one side at least."""
    often = np.zeros(len(list(column.levels)), dtype=bool)
    for numbers in live:
        held = ~np.isnan(numbers)
        ranks = np.rint(numbers[held]).astype(np.int64)
        often |= np.bincount(ranks, weights=count[held], minlength=len(often)) >= least
    return often


def _levels_label(column: Ordinal, often: Flags) -> Label:
    def label(low: float | None, high: float | None) -> str:
        inside = range(round(low or 0), len(often) if high is None else round(high))
        named = [str(value(column, rank)) for rank in inside if often[rank]]
        if len(named) < len(inside):
            named.append("others")
        return " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)

    return label
