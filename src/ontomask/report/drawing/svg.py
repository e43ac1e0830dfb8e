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
    "finite",
    "hanging",
    "horizontal",
    "number",
    "plain",
    "shortened",
    "slanted",
    "steps",
    "svg",
    "text",
    "title",
    "width_of",
]

#: A letter is about so wide.
LETTER = 7.0
#: What stands where letters were left out.
LEFT_OUT = "…"
#: How steep slanted words are, in degrees.
SLANT = 38


def svg(label: str, width: float, height: float, parts: Iterable[Markup]) -> Markup:
    """An SVG drawing of its natural size; a page may shrink it."""
    return Markup(
        '<svg role="img" aria-label="{}" width="{:.0f}" height="{:.0f}" '
        'viewBox="0 0 {:.0f} {:.0f}">{}</svg>'
    ).format(label, width, height, width, height, Markup("").join(parts))


def text(
    x: float, y: float, words: str, anchor: str = "start", *, letters: int = 0, more: str = ""
) -> Markup:
    """Draw text at a position; beyond ``letters`` characters, its middle is left out.

    ``more`` are attributes of ours, and no words from data.
    """
    short = shortened(words, letters) if letters else words
    full = title(words) if short != words else Markup("")
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}"{}>{}{}</text>').format(
        x, y, anchor, Markup(more and f" {more}"), full, short
    )


def title(words: str) -> Markup:
    """A tooltip, shown when the pointer is over the element around it."""
    return Markup("<title>{}</title>").format(words) if words else Markup("")


def slanted(x: float, y: float, words: str, letters: int) -> Markup:
    """Draw slanted text that rises to a position, shortened to the room at its left."""
    letters = min(letters, int((x - 12) / cos(radians(SLANT)) / LETTER))
    rotation = f'transform="rotate(-{SLANT} {x:.1f} {y:.1f})"'
    return text(x, y, words, "end", letters=letters, more=rotation)


def hanging(letters: int) -> float:
    """The height that slanted text of so many letters takes."""
    return sin(radians(SLANT)) * LETTER * letters


def horizontal(kind: str, left: float, right: float, y: float) -> Markup:
    """Draw a horizontal line; ``kind`` is ``grid`` or ``zero``."""
    return Markup('<line class="{}" x1="{:.1f}" x2="{:.1f}" y1="{:.1f}" y2="{:.1f}"/>').format(
        kind, left, right, y, y
    )


def shortened(words: str, letters: int) -> str:
    """Shorten text that is too long to its beginning and its end.

    >>> shortened("disorder of nervous system", 15)
    'disorde… system'
    """
    if len(words) <= letters:
        return words
    end = max(letters - 1, 0) // 2
    return words[: max(letters - 1 - end, 0)] + LEFT_OUT + words[len(words) - end :]


def width_of(words: str) -> float:
    """The approximate width of a text."""
    return LETTER * len(words)


def finite(values: Iterable[object]) -> list[float]:
    """The finite numbers among the values."""
    return [float(value) for value in values if isinstance(value, int | float) and isfinite(value)]


def number(value: object) -> float | None:
    """A value that is a number, or None."""
    return next(iter(finite([value])), None)


def plain(value: float) -> str:
    """Format a round number for an axis.

    >>> plain(0.30000000000000004), plain(12000.0)
    ('0.3', '12,000')
    """
    return f"{value:,.10g}"


def steps(numbers: Sequence[float]) -> list[float]:
    """Round numbers that enclose the given ones, from 0 where that is not far.

    >>> steps([1.2, 4.7])
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
