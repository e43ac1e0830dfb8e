"""A column of numbers, levels or days before and after masking, in bins for a histogram.

Bins begin at round numbers and do not depend on a single record. Their width is chosen from the
range of the values without one percent of the records at each end, and without at least as many
records as the threshold. Neighbouring bins are merged until each has enough records before and
after masking. The first and the last bin are open, so the minimum and the maximum are not revealed.
Levels that few records have are part of their bin without their name.

If masking only blanked cells of a column, the records before masking minus those after it are the
blanked ones. Their number in each bin must then be 0 or enough. If too few cells of the column were
blanked or changed, only the column after masking is shown. The number of blank cells is not
protected, because a reader of the released table can count them.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ontomask.disclosure.folding import Flags, Longs, is_safe_count
from ontomask.disclosure.moves import Floats, column_transitions
from ontomask.disclosure.values import EPOCH, decode_number
from ontomask.errors import InternalError
from ontomask.microdata.attributes import NumericalAttribute
from ontomask.microdata.schema import Date, Ordinal
from ontomask.microdata.tuples import Transitions

__all__ = ["Histogram", "histogram_bins", "make_histogram"]


#: There are no more edges between bins than this.
MOST_EDGES = 19
#: The width of bins follows from the range without one record in this number at either end.
TAIL_PART = 100
#: Widths of bins of days, in months, after a day and a week.
MONTHS = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200)


def histogram_bins(
    plan: Transitions, j: int, least: int, schema_column: Any = None
) -> list[dict[str, Any]]:
    """The records of a column in bins: the ``label`` of each, and records ``before`` and ``after``.

    A side that cannot be shown is None in every bin. Empty where there are too few records, or only
    one bin would be left.
    """
    histogram = make_histogram(plan, j, least, schema_column)
    if len(histogram.labels) < 2:
        return []
    return [
        {"label": label, "before": before, "after": after}
        for label, before, after in zip(
            histogram.labels, histogram.counts("before"), histogram.counts("after"), strict=True
        )
    ]


@dataclass(frozen=True, eq=False)
class Histogram:
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
        return _bin_numbers(self.edges, numbers)

    def counts(self, side: str) -> list[int | None]:
        """The records in each bin."""
        if side not in self.shown:
            return [None] * len(self.labels)
        size = len(self.labels)
        sums = np.bincount(self.part(side), weights=self.count, minlength=size)[:size]
        return [int(total) for total in sums]


def make_histogram(plan: Transitions, j: int, least: int, column: Any) -> Histogram:
    """Make the histogram of a column; bins are merged until each may be shown."""
    attribute = plan.tuples.attributes[j]
    if not isinstance(attribute, NumericalAttribute):
        raise InternalError(f"column {attribute.name!r} must be numerical")
    least = max(int(least), 1)
    pairs = column_transitions(plan, j)
    numbers = {
        side: np.where(np.isfinite(values), values, np.nan)  # missing is not shown, either
        for side, values in (("before", pairs.start), ("after", pairs.end))
    }
    shown = {side for side, values in numbers.items() if not np.isnan(values).all()}
    told_by_bins = [
        pairs.suppressed_counts.sum(),
        pairs.count[pairs.changed].sum(),
        pairs.count[np.isnan(numbers["before"])].sum(),
    ]
    if not is_safe_count(np.array(told_by_bins), least).all():
        shown.discard("before")
    sides = [numbers[side] for side in sorted(shown)]
    counts_with_number = [pairs.count * ~np.isnan(values) for values in sides]
    if not sides or any(int(counts.sum()) < least for counts in counts_with_number):
        return Histogram([], np.empty(0), pairs.count, numbers, frozenset())
    ends = [_trimmed_range(values, pairs.count, least) for values in sides]
    edges, label = _make_edges(min(e[0] for e in ends), max(e[1] for e in ends), attribute, column)
    table = [_sum_by_bin(edges, values, pairs.count) for values in sides]
    guard = (
        [_sum_by_bin(edges, numbers["before"], pairs.suppressed_counts)]
        if "before" in shown
        else []
    )
    if isinstance(column, Ordinal):
        frequent_levels = _frequent_levels(column, sides, pairs.count, least)
        label = _levels_label(column, frequent_levels)
        # A bin needs a level that may be named; it counts for enough.
        table.append(
            _sum_by_bin(
                edges,
                np.flatnonzero(frequent_levels).astype(np.float64),
                np.full(frequent_levels.sum(), least),
            )
        )
    kept_edges = edges[_choose_edges(table, guard, least)]
    ranges = zip([None, *kept_edges.tolist()], [*kept_edges.tolist(), None], strict=True)
    labels = [label(low, high) for low, high in ranges]
    return Histogram(labels, kept_edges, pairs.count, numbers, frozenset(shown))


def _bin_numbers(edges: Floats, numbers: Floats) -> Longs:
    bin_numbers = np.searchsorted(edges, numbers, side="right")
    return np.where(np.isnan(numbers), len(edges) + 1, bin_numbers).astype(np.int64)


def _sum_by_bin(edges: Floats, numbers: Floats, count: Longs) -> Longs:
    size = len(edges) + 1
    sums = np.bincount(_bin_numbers(edges, numbers), weights=count, minlength=size)[:size]
    return sums.astype(np.int64)


def _choose_edges(table: Sequence[Longs], guard: Sequence[Longs], least: int) -> list[int]:
    """Choose the edges to keep: from the left, a bin ends once it and the rest may be shown."""
    kept_edges, start = [], 0
    for edge in range(len(table[0]) - 1):
        enough = all(
            counts[start : edge + 1].sum() >= least and counts[edge + 1 :].sum() >= least
            for counts in table
        )
        if enough and all(
            is_safe_count(counts[start : edge + 1].sum(), least)
            and is_safe_count(counts[edge + 1 :].sum(), least)
            for counts in guard
        ):
            kept_edges.append(edge)
            start = edge + 1
    return kept_edges


def _trimmed_range(numbers: Floats, count: Longs, least: int) -> tuple[float, float]:
    """The numbers that enough records lie at or below, and at or above."""
    has_number = ~np.isnan(numbers)
    order = np.argsort(numbers[has_number], kind="stable")
    ordered, until = numbers[has_number][order], np.cumsum(count[has_number][order])
    beyond = max(least, int(until[-1]) // TAIL_PART)
    low, high = np.searchsorted(until, [beyond, until[-1] - beyond + 1])
    return float(ordered[low]), float(ordered[high])


# ---------------------------------------------------------------------- edges and their labels

Label = Callable[[float | None, float | None], str]


def _make_edges(
    low: float, high: float, attribute: NumericalAttribute, column: Any
) -> tuple[Floats, Label]:
    """Make the edges of bins between two numbers, and a function that labels a bin."""
    if high <= low:
        return np.empty(0), lambda *_: ""
    if isinstance(column, Ordinal):
        step = math.ceil((high - low) / MOST_EDGES)
        return np.arange(low + step, high + 1, step), lambda *_: ""
    if isinstance(column, Date):
        return _day_edges(round(low), round(high))
    return _number_edges(low, high, attribute.decimals)


def _number_edges(low: float, high: float, decimals: int) -> tuple[Floats, Label]:
    least_width = max(high / MOST_EDGES - low / MOST_EDGES, 10.0**-decimals)
    power = math.floor(math.log10(least_width))
    factor, power = next(
        (f, p)
        for p in (power, power + 1)
        for f in (1, 2, 5)
        if f * 10.0**p >= least_width * (1 - 1e-9)
    )
    width, digits = factor * 10.0**power, max(0, -power)
    first, last = math.floor(low / width) + 1, math.floor(high / width)
    edges = np.unique([round(n * width, digits) for n in range(first, last + 1)])
    return edges[edges > low], _numbers_label(digits, decimals == 0)


def _numbers_label(digits: int, integers: bool) -> Label:
    def text(number: float) -> str:
        return f"{number:,.{digits}f}"

    def label(low: float | None, high: float | None) -> str:
        if low is None or high is None:
            return f"below {text(high or 0.0)}" if low is None else f"{text(low)} and more"
        if not integers:
            return f"{text(low)} to below {text(high)}"
        return text(low) if high - low == 1 else f"{text(low)} to {text(high - 1)}"

    return label


def _day_edges(low: int, high: int) -> tuple[Floats, Label]:
    if high - low <= MOST_EDGES:
        return np.arange(low + 1.0, high + 1.0), _days_label(_format_day)
    monday = low + 1 + (3 - low) % 7  # the fifth day of 1970, day 4, was one
    if (high - monday) // 7 < MOST_EDGES:
        return np.arange(float(monday), high + 1.0, 7), _days_label(_format_day)
    first, last = _month_number(low), _month_number(high)
    step = next((n for n in MONTHS if (last - first) // n < MOST_EDGES), MONTHS[-1])
    months = range(first // step * step + step, last + 1, step)
    days = [datetime.date(*_year_and_month(month), 1).toordinal() - EPOCH for month in months]
    return np.array(days, dtype=np.float64), _days_label(
        _format_year if step >= 12 else _format_month
    )


def _days_label(name: Callable[[int], str]) -> Label:
    def label(low: float | None, high: float | None) -> str:
        if low is None or high is None:
            return (
                f"before {name(int(high or 0))}" if low is None else f"{name(int(low))} and later"
            )
        begin, end = name(int(low)), name(int(high) - 1)
        return begin if begin == end else f"{begin} to {end}"

    return label


def _format_day(day: int) -> str:
    return datetime.date.fromordinal(day + EPOCH).isoformat()


def _format_month(day: int) -> str:
    return _format_day(day)[:7]


def _format_year(day: int) -> str:
    return _format_day(day)[:4]


def _month_number(day: int) -> int:
    date = datetime.date.fromordinal(day + EPOCH)
    return date.year * 12 + date.month - 1


def _year_and_month(month: int) -> tuple[int, int]:
    return month // 12, month % 12 + 1


def _frequent_levels(column: Ordinal, sides: Sequence[Floats], count: Longs, least: int) -> Flags:
    """Flag the levels that enough records hold, on one side at least."""
    is_frequent = np.zeros(len(list(column.levels)), dtype=bool)
    for numbers in sides:
        has_level = ~np.isnan(numbers)
        ranks = np.rint(numbers[has_level]).astype(np.int64)
        is_frequent |= (
            np.bincount(ranks, weights=count[has_level], minlength=len(is_frequent)) >= least
        )
    return is_frequent


def _levels_label(column: Ordinal, is_frequent: Flags) -> Label:
    def label(low: float | None, high: float | None) -> str:
        inside = range(round(low or 0), len(is_frequent) if high is None else round(high))
        named = [str(decode_number(column, rank)) for rank in inside if is_frequent[rank]]
        if len(named) < len(inside):
            named.append("others")
        return " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)

    return label
