"""What every drawing is made of: words at a place, round numbers for an axis, and the frame.

A browser measures letters only when it draws them; where words must fit, ``LETTER`` is how wide one
usually is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import cos, floor, isfinite, log10, radians, sin

from markupsafe import Markup

__all__ = [
    "LETTER",
    "finite_numbers",
    "slanted_text_height",
    "draw_horizontal_line",
    "as_number",
    "format_tick",
    "shorten_text",
    "draw_slanted_text",
    "axis_ticks",
    "draw_svg",
    "draw_text",
    "draw_tooltip",
    "text_width",
]

#: A letter is about so wide.
LETTER = 7.0
#: What stands where letters were left out.
LEFT_OUT = "…"
#: How steep slanted words are, in degrees.
SLANT = 38


def draw_svg(label: str, width: float, height: float, parts: Iterable[Markup]) -> Markup:
    """An SVG drawing of its natural size; a page may shrink it."""
    return Markup(
        '<svg role="img" aria-label="{}" width="{:.0f}" height="{:.0f}" '
        'viewBox="0 0 {:.0f} {:.0f}">{}</svg>'
    ).format(label, width, height, width, height, Markup("").join(parts))


def draw_text(
    x: float, y: float, words: str, anchor: str = "start", *, letters: int = 0, more: str = ""
) -> Markup:
    """Draw text at a position; beyond ``letters`` characters, its middle is left out.

    ``more`` are attributes of ours, and no words from data.
    """
    short = shorten_text(words, letters) if letters else words
    full = draw_tooltip(words) if short != words else Markup("")
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}"{}>{}{}</text>').format(
        x, y, anchor, Markup(more and f" {more}"), full, short
    )


def draw_tooltip(words: str) -> Markup:
    """A tooltip, shown when the pointer is over the element around it."""
    return Markup("<title>{}</title>").format(words) if words else Markup("")


def draw_slanted_text(x: float, y: float, words: str, letters: int) -> Markup:
    """Draw slanted text that rises to a position, shortened to the room at its left."""
    letters = min(letters, int((x - 12) / cos(radians(SLANT)) / LETTER))
    rotation = f'transform="rotate(-{SLANT} {x:.1f} {y:.1f})"'
    return draw_text(x, y, words, "end", letters=letters, more=rotation)


def slanted_text_height(letters: int) -> float:
    """The height of slanted text with this number of letters."""
    return sin(radians(SLANT)) * LETTER * letters


def draw_horizontal_line(kind: str, left: float, right: float, y: float) -> Markup:
    """Draw a horizontal line; ``kind`` is ``grid`` or ``zero``."""
    return Markup('<line class="{}" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>').format(
        kind, left, right, y, y
    )


def shorten_text(words: str, letters: int) -> str:
    """Shorten text that is too long to its beginning and its end.

    >>> shorten_text("disorder of nervous system", 15)
    'disorde… system'
    """
    if len(words) <= letters:
        return words
    end = max(letters - 1, 0) // 2
    return words[: max(letters - 1 - end, 0)] + LEFT_OUT + words[len(words) - end :]


def text_width(words: str) -> float:
    """The approximate width of a text."""
    return LETTER * len(words)


def finite_numbers(values: Iterable[object]) -> list[float]:
    """The finite numbers among the values."""
    return [float(value) for value in values if isinstance(value, int | float) and isfinite(value)]


def as_number(value: object) -> float | None:
    """A value that is a number, or None."""
    return next(iter(finite_numbers([value])), None)


def format_tick(value: float) -> str:
    """Format a round number for an axis.

    >>> format_tick(0.30000000000000004), format_tick(12000.0)
    ('0.3', '12,000')
    """
    return f"{value:,.10g}"


def axis_ticks(numbers: Sequence[float]) -> list[float]:
    """Round numbers that enclose the given ones, from 0 where that is not far.

    >>> axis_ticks([1.2, 4.7])
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    """
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
