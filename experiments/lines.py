"""Line charts over numbers, or points over words. Each series has its own marker.

Markers help readers who cannot distinguish the colours, and in print. Tooltips give the values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from ontomask.report.drawing.colours import LINE_COLOURS
from ontomask.report.drawing.svg import (
    LETTER,
    as_number,
    axis_ticks,
    draw_horizontal_line,
    draw_slanted_text,
    draw_svg,
    draw_text,
    draw_tooltip,
    finite_numbers,
    format_tick,
    slanted_text_height,
    text_width,
)
from ontomask.report.pages.numbers import format_figure

__all__ = ["Series", "draw_lines"]

Point = tuple[float, float]

#: The corners of each marker; a circle has none.
CORNERS: tuple[tuple[Point, ...], ...] = (
    (),
    ((-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6)),
    ((0, -5), (5, 0), (0, 5), (-5, 0)),
    ((0, -5), (4.6, 3.6), (-4.6, 3.6)),
    ((0, 5), (4.6, -3.6), (-4.6, -3.6)),
    ((-6, -1.6), (6, -1.6), (6, 1.6), (-6, 1.6)),
)
RIGHT, TOP, BOTTOM = 16, 14, 46
#: Distance of points from the sides.
INSET = 14
#: Largest number of letters of a slanted word.
SLANTED = 26
LEGEND_LINE = 22


@dataclass(frozen=True)
class Series:
    """Values over x, and their name; None leaves a gap.

    ``x`` gives the positions if the series do not share them. ``colour`` is a number, by default
    the position among the series. ``tooltip`` has a text for every marker.
    """

    label: str
    values: Sequence[float | None]
    x: Sequence[float] | None = None
    colour: int | None = None
    dashed: bool = False
    tooltip: Sequence[str] | None = None


def draw_lines(
    name: str,
    x: Sequence[float | int | str],
    series: Sequence[Series],
    *,
    across: str = "",
    up: str = "",
    span: tuple[float, float] | None = None,
    size: tuple[int, int] = (760, 330),
    shown: Callable[[float], str] = format_figure,
    ticks: Callable[[float], str] = format_tick,
) -> Markup:
    """Draw series over shared or own positions; empty if there are no numbers.

    Numbers that ascend stand at their value, and lines join them; anything else stands one after
    the other, and nothing joins it. The axis upwards holds ``span`` as well: drawings of one span,
    that holds the values of each, have one scale. ``across`` and ``up`` say what the axes are.
    """
    values = finite_numbers(v for line in series for v in line.values)
    if not values:
        return Markup("")
    chart = _LineChart(
        tuple(x), series, axis_ticks([*values, *(span or ())]), across, up, shown, ticks
    )
    return chart.draw(name, *size)


@dataclass(frozen=True)
class _LineChart:
    x: Sequence[float | int | str]
    series: Sequence[Series]
    steps: Sequence[float]
    across: str
    up: str
    format_value: Callable[[float], str]
    ticks: Callable[[float], str]

    def draw(self, name: str, width: int, height: int) -> Markup:
        area = self._plot_area(width, height)
        legend, end = self._draw_legend(area.left, width, height + area.slanted_height)
        marks = [
            part
            for place, series in enumerate(self.series)
            for part in self._draw_series(place, series, area)
        ]
        return draw_svg(name, width, end, [*self._draw_axes(area), *marks, *legend])

    @property
    def is_numerical(self) -> bool:
        """Whether x are numbers in their order."""
        numbers = finite_numbers(self.x)
        return len(numbers) == len(self.x) and all(a < b for a, b in pairwise(numbers))

    def positions(self, series: Series) -> Sequence[float]:
        """The positions of the values of a series."""
        if series.x is not None:
            return series.x
        return finite_numbers(self.x) if self.is_numerical else [*map(float, range(len(self.x)))]

    def _plot_area(self, width: int, height: int) -> _PlotArea:
        left = max(34.0, 14 + max(text_width(self.ticks(step)) for step in self.steps))
        top = TOP + (20 if self.up else 0)
        return _PlotArea(
            (left, width - RIGHT),
            (height - BOTTOM, top),
            self._across_range(),
            self.steps,
            self._slanted_height(width - RIGHT - left),
        )

    def _across_range(self) -> Point:
        """The numbers at the two ends of the axis across."""
        across = [
            position
            for series in self.series
            for position in finite_numbers(self.positions(series))
        ]
        if not self.is_numerical:
            return -0.5, len(self.x) - 0.5  # the same room for every word
        if not self.x:
            across = axis_ticks(across)
        return min(across), max(across)

    def _slanted_height(self, width: float) -> float:
        """The height of slanted words, which are used if words would overlap."""
        longest = 0 if self.is_numerical else max(len(str(label)) for label in self.x)
        fits = LETTER * longest <= width / max(len(self.x), 1) - 8
        return 0 if fits or self.is_numerical else slanted_text_height(min(longest, SLANTED))

    def _draw_axes(self, area: _PlotArea) -> Iterator[Markup]:
        (left, right), bottom = area.across, area.upwards[0]
        for step in self.steps:
            kind = "zero" if step == 0 else "grid"
            yield draw_horizontal_line(kind, left, right, area.y(step))
            yield draw_text(left - 8, area.y(step) + 4, self.ticks(step), "end")
        yield from self._draw_axis_labels(area)
        yield draw_text(
            (left + right) / 2, bottom + 38 + area.slanted_height, self.across, "middle"
        )
        if self.up:
            yield draw_text(4, 14, self.up)

    def _draw_axis_labels(self, area: _PlotArea) -> Iterator[Markup]:
        """The labels of the horizontal axis; numbers that would overlap are omitted."""
        bottom = area.upwards[0]
        if not self.is_numerical:
            for place, words in enumerate(map(str, self.x)):
                x = area.x(place)
                if area.slanted_height:
                    yield draw_slanted_text(x + 4, bottom + 14, words, SLANTED)
                else:
                    yield draw_text(x, bottom + 18, words, "middle")
            return
        free = -INSET * 2.0
        for position in finite_numbers(self.x) or axis_ticks(area.across_range):
            words = format_tick(position)
            x, half = area.x(position), text_width(words) / 2
            if x - half >= free:
                yield draw_text(x, bottom + 18, words, "middle")
                free = x + half + 5

    def _draw_series(self, place: int, series: Series, area: _PlotArea) -> Iterator[Markup]:
        style = _series_style(place, series)
        points = [
            (area.x(x), area.y(value)) if value is not None else None
            for x, value in zip(self.positions(series), map(as_number, series.values), strict=True)
        ]
        if self.is_numerical:
            yield from (style.line(run) for run in _split_at_gaps(points) if len(run) > 1)
        for index, point in enumerate(points):
            if point is not None:
                yield style.marker(point, self._tooltip(series, index))

    def _tooltip(self, series: Series, index: int) -> str:
        if series.tooltip is not None:
            return series.tooltip[index]
        value = self.format_value(series.values[index] or 0.0)
        if series.x is not None:
            where = f"{self.across} {self.format_value(series.x[index])}"
        else:
            x = self.x[index]
            where = f"{self.across} {x if isinstance(x, str) else format_tick(x)}"
        return ", ".join(filter(None, [series.label, where.strip()])) + f": {value}"

    def _draw_legend(self, left: float, width: float, top: float) -> tuple[list[Markup], float]:
        """The legend below the drawing, and where it ends."""
        parts: list[Markup] = []
        x, y = left, top + 12
        letters = int((width - left - 44) / LETTER)
        for place, series in enumerate(self.series):
            if not series.label:
                continue
            wide = 44 + LETTER * min(len(series.label), letters)
            if x > left and x + wide > width:
                x, y = left, y + LEGEND_LINE
            style = _series_style(place, series)
            if self.is_numerical:
                parts.append(style.line([(x, y), (x + 26, y)]))
            parts.append(style.marker((x + 13, y)))
            parts.append(draw_text(x + 32, y + 4, series.label, letters=letters))
            x += wide + 8
        return parts, y + 14 if parts else top


@dataclass(frozen=True)
class _PlotArea:
    """Maps numbers to positions in the drawing; ``hanging`` is the height of slanted words."""

    across: Point
    upwards: Point
    across_range: Point
    steps: Sequence[float]
    slanted_height: float

    @property
    def left(self) -> float:
        return self.across[0]

    def x(self, value: float) -> float:
        (left, right), (low, high) = self.across, self.across_range
        if low == high:
            return (left + right) / 2
        return left + INSET + (value - low) / (high - low) * (right - left - 2 * INSET)

    def y(self, value: float) -> float:
        (bottom, top), low, high = self.upwards, self.steps[0], self.steps[-1]
        return bottom - (value - low) / (high - low) * (bottom - top)


def _split_at_gaps(points: Sequence[Point | None]) -> Iterator[list[Point]]:
    """Groups of points without gaps."""
    run: list[Point] = []
    for point in points:
        if point is not None:
            run.append(point)
        elif run:
            yield run
            run = []
    if run:
        yield run


@dataclass(frozen=True)
class _Style:
    """Filled markers and a solid line, or hollow markers and a dashed line."""

    number: int
    dashed: bool

    @property
    def colour(self) -> str:
        return f"var(--line-{self.number % len(LINE_COLOURS['light'])})"

    def line(self, points: Sequence[Point]) -> Markup:
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashes = Markup(' stroke-dasharray="6 4"') if self.dashed else ""
        return Markup('<polyline points="{}" fill="none" stroke="{}" stroke-width="2"{}/>').format(
            joined, self.colour, dashes
        )

    def marker(self, point: Point, tooltip: str = "") -> Markup:
        x, y = point
        style = Markup('fill="{}" stroke="{}" stroke-width="1.5"').format(
            "var(--page)" if self.dashed else self.colour, self.colour
        )
        corners = CORNERS[self.number % len(CORNERS)]
        if not corners:
            return Markup('<circle cx="{:.1f}" cy="{:.1f}" r="4" {}>{}</circle>').format(
                x, y, style, draw_tooltip(tooltip)
            )
        joined = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
        return Markup('<polygon points="{}" {}>{}</polygon>').format(
            joined, style, draw_tooltip(tooltip)
        )


def _series_style(place: int, series: Series) -> _Style:
    return _Style(place if series.colour is None else series.colour, series.dashed)
