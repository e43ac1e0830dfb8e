"""Lines over the columns of a table, or points over words, as SVG that stands inside a page.

Colours are CSS variables, ``--line-0`` and so on, so that the page sets them for light and dark;
every line has a marker of its own as well, for those who do not tell the colours apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, isfinite, log10

from ontomask.reproduce.experiment import Cell, Result

__all__ = ["COLOURS", "chart"]

Point = tuple[float, float]

#: Line colours for light and for dark pages, after Okabe and Ito.
COLOURS = {
    "light": ("#0072b2", "#d55e00", "#008a63", "#a3548a", "#a37200", "#2c8fc4", "#444444"),
    "dark": ("#56b4e9", "#ff8a3d", "#2fc99a", "#e29bc6", "#e6b422", "#9ad1f5", "#cccccc"),
}
#: The corners of each marker; a circle has none.
CORNERS: tuple[tuple[Point, ...], ...] = (
    (),
    ((-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6)),
    ((0, -5), (5, 0), (0, 5), (-5, 0)),
    ((0, -5), (4.6, 3.6), (-4.6, 3.6)),
    ((0, 5), (4.6, -3.6), (-4.6, -3.6)),
    ((-6, -1.6), (6, -1.6), (6, 1.6), (-6, 1.6)),
)

WIDTH, HEIGHT = 760, 330
LEFT, RIGHT, TOP, BOTTOM = 66, 16, 14, 48
LEGEND_LINE = 22
#: A letter of the legend is about so wide.
LETTER = 7.2
#: Printed values are drawn unless they are so many times larger or smaller than ours.
COMPARABLE = 4.0


@dataclass(frozen=True)
class _Line:
    label: str
    colour: int
    cells: Sequence[Cell]
    printed: bool = False


def chart(result: Result) -> str:
    """The table as a drawing; empty where it holds no numbers."""
    lines = _lines(result)
    if not lines:
        return ""
    across = _across(result.columns)
    steps = _steps([y for line in lines for y in _numbers(line.cells)])
    place = _Places(min(across), max(across), steps[0], steps[-1])
    legend, height = _legend(lines)
    parts = [
        *_axes(result, across, steps, place),
        *(part for line in lines for part in _drawn(result, line, across, place)),
        *legend,
    ]
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(result.title)}">{"".join(parts)}</svg>'
    )


def _lines(result: Result) -> list[_Line]:
    rows = [row for row in result.rows if _numbers(row.ours)]
    ours = [_Line(row.label, place, row.ours) for place, row in enumerate(rows)]
    printed = [
        _Line(f"{row.label}, printed", place, row.printed, printed=True)
        for place, row in enumerate(rows)
        if row.printed is not None and _numbers(row.printed)
    ]
    return ours + (printed if _comparable(ours, printed) else [])


def _comparable(ours: list[_Line], printed: list[_Line]) -> bool:
    largest = [
        max((abs(y) for line in lines for y in _numbers(line.cells)), default=0.0)
        for lines in (ours, printed)
    ]
    return max(largest) <= COMPARABLE * min(largest)


def _numbers(cells: Sequence[Cell]) -> list[float]:
    return [float(c) for c in cells if isinstance(c, int | float) and isfinite(c)]


def _ascending(columns: Sequence[Cell]) -> bool:
    """Whether columns are numbers in their order; between words nothing is drawn."""
    numbers = _numbers(columns)
    return len(numbers) == len(columns) and numbers == sorted(set(numbers))


def _across(columns: Sequence[Cell]) -> list[float]:
    """Where the columns stand: numbers at their value, words one after the other."""
    return _numbers(columns) if _ascending(columns) else [*map(float, range(len(columns)))]


def _steps(numbers: Sequence[float]) -> list[float]:
    """Round numbers that enclose the given ones, from 0 where that is not far."""
    low, high = min(numbers), max(numbers)
    if 0 < low < high / 2:
        low = 0.0
    if low == high:
        low, high = min(low, 0.0), max(high, 0.0) or 1.0
    rough = (high - low) / 5
    power = 10.0 ** floor(log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
    first, last = floor(low / step + 1e-9), -floor(-high / step + 1e-9)
    return [place * step for place in range(first, last + 1)]


@dataclass(frozen=True)
class _Places:
    """From the numbers of the axes to places in the drawing."""

    left: float
    right: float
    low: float
    high: float

    def x(self, number: float) -> float:
        if self.left == self.right:
            return (LEFT + WIDTH - RIGHT) / 2
        share = (number - self.left) / (self.right - self.left)
        return LEFT + 14 + share * (WIDTH - LEFT - RIGHT - 28)

    def y(self, number: float) -> float:
        share = (number - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _axes(
    result: Result, across: Sequence[float], steps: Sequence[float], place: _Places
) -> Iterator[str]:
    for step in steps:
        y = place.y(step)
        strong = ' class="zero"' if step == 0 else ' class="grid"'
        yield f'<line{strong} x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield _text(LEFT - 8, y + 4, f"{step:,.10g}", "end")
    for column, at in zip(result.columns, across, strict=True):
        yield _text(place.x(at), HEIGHT - BOTTOM + 18, result.shown(column), "middle")
    yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 38, result.across, "middle")


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _drawn(result: Result, line: _Line, across: Sequence[float], place: _Places) -> Iterator[str]:
    for run in _runs(line.cells, across) if _ascending(result.columns) else ():
        points = [(place.x(x), place.y(y)) for x, y in run]
        if len(points) > 1:
            yield _path(points, line)
    for column, cell, at in zip(result.columns, line.cells, across, strict=True):
        if _numbers([cell]):
            told = f"{line.label}, {result.across} {result.shown(column)}: {result.shown(cell)}"
            yield _marker((place.x(at), place.y(_numbers([cell])[0])), line, told)


def _runs(cells: Sequence[Cell], across: Sequence[float]) -> Iterator[list[Point]]:
    """Points that follow each other without a gap."""
    run: list[Point] = []
    for cell, at in zip(cells, across, strict=True):
        if numbers := _numbers([cell]):
            run.append((at, numbers[0]))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _path(points: Sequence[Point], line: _Line) -> str:
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashed = ' stroke-dasharray="6 4"' if line.printed else ""
    return f'<polyline points="{joined}" fill="none" stroke="{_colour(line)}"{dashed}/>'


def _colour(line: _Line) -> str:
    return f"var(--line-{line.colour % len(COLOURS['light'])})"


def _marker(point: Point, line: _Line, told: str = "") -> str:
    """Filled for ours, hollow for what is printed; its words are shown when pointed at."""
    x, y = point
    fill = "var(--page)" if line.printed else _colour(line)
    style = f'fill="{fill}" stroke="{_colour(line)}"'
    corners = CORNERS[line.colour % len(CORNERS)]
    title = f"<title>{escape(told)}</title>" if told else ""
    if not corners:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" {style}>{title}</circle>'
    joined = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon points="{joined}" {style}>{title}</polygon>'


def _legend(lines: Sequence[_Line]) -> tuple[list[str], int]:
    """Below the drawing, in as many lines as it takes; and the height of the whole."""
    parts = []
    x, y = float(LEFT), HEIGHT + 12
    for line in lines:
        width = 44 + LETTER * len(line.label)
        if x > LEFT and x + width > WIDTH:
            x, y = float(LEFT), y + LEGEND_LINE
        parts.append(_path([(x, y), (x + 26, y)], line))
        parts.append(_marker((x + 13, y), line))
        parts.append(_text(x + 32, y + 4, line.label, "start"))
        x += width + 8
    return parts, y + 14
