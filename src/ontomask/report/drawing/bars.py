"""Bars: two beside each other for what was and what is, or one below the other with their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ontomask.report.drawing.svg import (
    LETTER,
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

__all__ = ["Bar", "Pair", "draw_bars", "draw_paired_bars"]

RIGHT, TOP, BOTTOM = 16, 14, 46
#: A bar that is not shown is an outline of this height, whatever it stands for.
WITHHELD, WITHHELD_HEIGHT = "withheld", 16
#: The colours of the page for the two sides.
COLOURS = ("before", "after")
#: A bar that is not zero can be seen.
LEAST = 1.5
#: The share of the room for a pair that is left empty between it and the next one.
GAP = 0.28
#: So many letters of a slanted name are shown.
SLANTED = 22
#: Rows of horizontal bars; their names take at most so much of the width.
ROW, BAR, NAMES = 26, 16, 0.42


@dataclass(frozen=True)
class Pair:
    """Two values of one category; None for one that is withheld, because few records have it."""

    label: str
    before: float | None
    after: float | None


@dataclass(frozen=True)
class Bar:
    """A value and its name; ``tooltip`` is shown when the pointer is over the bar."""

    label: str
    value: float | None
    tooltip: str = ""


def draw_paired_bars(
    name: str,
    pairs: Sequence[Pair],
    *,
    names: tuple[str, str] = ("original", "masked"),
    across: str = "",
    up: str = "",
    size: tuple[int, int] = (760, 300),
    shown: Callable[[float], str] = format_figure,
    ticks: Callable[[float], str] = format_tick,
) -> Markup:
    """Two upright bars for every category, from 0 up, in the order given; none below 0.

    What is not shown is a thin outline with the word "withheld": its height says nothing.
    """
    if not pairs:
        return Markup("")
    scale = axis_ticks(
        [0.0, *finite_numbers(v for pair in pairs for v in (pair.before, pair.after))]
    )
    chart = _PairedBars(pairs, names, scale, across, up, size, shown, ticks)
    return chart.draw(name)


@dataclass(frozen=True)
class _PairedBars:
    pairs: Sequence[Pair]
    names: tuple[str, str]
    scale: Sequence[float]
    across: str
    up: str
    size: tuple[int, int]
    format_value: Callable[[float], str]
    ticks: Callable[[float], str]

    def draw(self, name: str) -> Markup:
        width, height = self.size
        middle = (self.left + width - RIGHT) / 2
        bottom = height + self.slanted_height
        parts = [
            *self._draw_axis(),
            *(part for place in range(len(self.pairs)) for part in self._draw_pair(place)),
            draw_text(middle, bottom - BOTTOM + 38, self.across, "middle"),
            *_draw_legend(self.names, self.left, bottom + 12),
        ]
        if self.up:
            parts.append(draw_text(4, 14, self.up))
        return draw_svg(name, width, bottom + 26, parts)

    @property
    def left(self) -> float:
        return max(34.0, 14 + max(text_width(self.ticks(step)) for step in self.scale))

    @property
    def pair_width(self) -> float:
        """The width that a pair has, with its gap."""
        return (self.size[0] - self.left - RIGHT) / len(self.pairs)

    @property
    def slanted_height(self) -> float:
        """The room that names need below the axis when they are slanted."""
        longest = max(len(pair.label) for pair in self.pairs)
        fits = LETTER * longest <= self.pair_width - 6
        return 0 if fits else slanted_text_height(min(longest, SLANTED))

    def y(self, value: float) -> float:
        bottom, top = self.size[1] - BOTTOM, TOP + (20 if self.up else 0)
        return bottom - value / self.scale[-1] * (bottom - top)

    def _draw_axis(self) -> Iterator[Markup]:
        for step in self.scale:
            kind, y = "zero" if step == 0 else "grid", self.y(step)
            yield draw_horizontal_line(kind, self.left, self.size[0] - RIGHT, y)
            yield draw_text(self.left - 8, y + 4, self.ticks(step), "end")

    def _draw_pair(self, place: int) -> Iterator[Markup]:
        pair = self.pairs[place]
        wide = min(max(self.pair_width * (1 - GAP) / 2, 2), 56)
        middle = self.left + (place + 0.5) * self.pair_width
        values = (pair.before, pair.after)
        for side, value in enumerate(values):
            tooltip = f"{pair.label}, {self.names[side]}"
            yield self._draw_bar(middle + (side - 1) * wide, wide, value, tooltip, COLOURS[side])
        if withheld_sides := [side for side, value in enumerate(values) if value is None]:
            # one word for both, where both are withheld
            at = middle + (sum(withheld_sides) / len(withheld_sides) - 0.5) * wide
            if text_width(WITHHELD) <= max(wide, (self.pair_width - 4) * (len(withheld_sides) - 1)):
                yield draw_text(at, self.y(0) - WITHHELD_HEIGHT - 5, WITHHELD, "middle")
        yield self._draw_name(middle, pair.label)

    def _draw_bar(
        self, x: float, wide: float, value: float | None, tooltip: str, colour: str
    ) -> Markup:
        zero = self.y(0)
        if value is None:
            x, wide, tooltip = x + 1, wide - 2, f"{tooltip}: {WITHHELD}"
            return _draw_outline(x, zero - WITHHELD_HEIGHT, wide, WITHHELD_HEIGHT, colour, tooltip)
        high = _visible_length(zero - self.y(value))
        tooltip = f"{tooltip}: {self.format_value(value)}"
        return _draw_rectangle(x + 0.5, zero - high, wide - 1, high, colour, tooltip)

    def _draw_name(self, middle: float, label: str) -> Markup:
        bottom = self.size[1] - BOTTOM
        if not self.slanted_height:
            return draw_text(middle, bottom + 18, label, "middle")
        return draw_slanted_text(middle + 4, bottom + 14, label, SLANTED)


def _draw_legend(names: tuple[str, str], left: float, y: float) -> Iterator[Markup]:
    x = left
    for name, colour in zip(names, COLOURS, strict=True):
        yield _draw_rectangle(x, y - 6, 12, 12, colour)
        yield draw_text(x + 19, y + 4, name)
        x += text_width(name) + 40


def draw_bars(
    name: str,
    rows: Sequence[Bar],
    *,
    width: int = 760,
    shown: Callable[[float], str] = format_figure,
    colour: str = "after",
) -> Markup:
    """A bar for every row, from 0 to the right, its name at the left and its value at the right.

    ``colour`` is one of the page. A long name has its middle left out, and whole where it is
    pointed at.
    """
    if not rows:
        return Markup("")
    values = [_format_bar(row, shown) for row in rows]
    letters = min(max(len(row.label) for row in rows), int(width * NAMES / LETTER))
    left = LETTER * letters + 20
    right = width - max(map(text_width, values)) - 16
    largest = max(finite_numbers(row.value for row in rows), default=0.0) or 1.0
    parts: list[Markup] = []
    for place, (row, value) in enumerate(zip(rows, values, strict=True)):
        y = place * ROW + ROW / 2
        long = _visible_length((row.value or 0) / largest * (right - left))
        tooltip = row.tooltip or f"{row.label}: {value}"
        parts.append(draw_text(left - 8, y + 4, row.label, "end", letters=letters))
        parts.append(_draw_rectangle(left, y - BAR / 2, long, BAR, colour, tooltip))
        parts.append(draw_text(left + long + 8, y + 4, value))
    return draw_svg(name, width, len(rows) * ROW, parts)


def _visible_length(long: float) -> float:
    """The length of a bar, that can be seen unless it is zero."""
    return max(long, LEAST) if long > 0 else 0.0


def _format_bar(row: Bar, format_value: Callable[[float], str]) -> str:
    return WITHHELD if row.value is None else format_value(row.value)


def _draw_rectangle(
    x: float, y: float, wide: float, high: float, colour: str, tooltip: str = ""
) -> Markup:
    return _draw_box(x, y, wide, high, f'fill="var(--{colour})"', tooltip)


def _draw_outline(
    x: float, y: float, wide: float, high: float, colour: str, tooltip: str
) -> Markup:
    style = f'fill="none" stroke="var(--{colour})" stroke-dasharray="2 2"'
    return _draw_box(x, y, wide, high, style, tooltip)


def _draw_box(x: float, y: float, wide: float, high: float, style: str, tooltip: str) -> Markup:
    return Markup('<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" {}>{}</rect>').format(
        x, y, wide, high, Markup(style), draw_tooltip(tooltip)
    )
