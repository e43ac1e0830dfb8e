"""Charts of an experiment's table: our figures and, beside them, the published ones.

Both charts share one scale, unless one of them would look flat on it. Then each chart has its own
scale, and the caption says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from experiments.experiment import Cell, Result
from experiments.lines import Series, draw_lines
from ontomask.report.drawing.svg import as_number, finite_numbers

__all__ = ["Panel", "panels"]

#: Both charts share a scale if the larger maximum is at most this many times the smaller one.
COMPARABLE = 4.0
OURS, PAPER = "ours", "the paper"
OWN_SCALE = "on its own scale"
#: The size of a single chart, and of each of two charts side by side.
ALONE, BESIDE = (860, 340), (520, 330)


@dataclass(frozen=True)
class Panel:
    """A chart and its caption, which is empty if there is only one chart."""

    caption: str
    drawing: Markup


def panels(result: Result) -> list[Panel]:
    """Draw our figures and the published ones; tables without numbers have no charts."""
    rows = [(place, row) for place, row in enumerate(result.rows) if finite_numbers(row.ours)]
    ours = [_series(result, row.label, row.ours, place) for place, row in rows]
    printed = [
        _series(result, row.label, row.printed, place, printed=True)
        for place, row in enumerate(result.rows)
        if row.printed is not None and finite_numbers(row.printed)
    ]
    if ours and printed:
        return _draw_side_by_side(result, ours, printed)
    return [
        Panel("", _draw_lines(result, result.title, series, None, ALONE))
        for series in (ours,)
        if series
    ]


def _draw_side_by_side(result: Result, ours: list[Series], printed: list[Series]) -> list[Panel]:
    comparable = _is_comparable(ours, printed)
    span = _span([*ours, *printed]) if comparable else None
    captions = (OURS, PAPER) if comparable else (OURS, f"{PAPER}, {OWN_SCALE}")
    return [
        Panel(caption, _draw_lines(result, f"{result.title}: {caption}", series, span, BESIDE))
        for caption, series in zip(captions, (ours, printed), strict=True)
    ]


def _series(
    result: Result, label: str, cells: Sequence[Cell], place: int, *, printed: bool = False
) -> Series:
    """A row of the table. The same row has the same colour in both charts."""
    name = f"{label}, published" if printed else label
    tooltips = [
        f"{name}, {result.across} {result.format_cell(column)}: {result.format_cell(cell)}"
        for column, cell in zip(result.columns, cells, strict=True)
    ]
    return Series(label, [*map(as_number, cells)], colour=place, dashed=printed, tooltip=tooltips)


def _draw_lines(
    result: Result,
    name: str,
    series: Sequence[Series],
    span: tuple[float, float] | None,
    size: tuple[int, int],
) -> Markup:
    columns = [
        column if isinstance(column, int | float) else str(column) for column in result.columns
    ]
    return draw_lines(name, columns, series, across=result.across, span=span, size=size)


def _span(series: Sequence[Series]) -> tuple[float, float]:
    values = finite_numbers(v for line in series for v in line.values)
    return min(values), max(values)


def _is_comparable(ours: list[Series], printed: list[Series]) -> bool:
    largest = [max(map(abs, _span(series))) for series in (ours, printed)]
    return max(largest) <= COMPARABLE * min(largest)
