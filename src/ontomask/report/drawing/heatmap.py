"""How strongly every two columns go together, as coloured squares with the figures in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from markupsafe import Markup

from ontomask.report.drawing.bars import WITHHELD
from ontomask.report.drawing.colours import CONTRAST_TURN
from ontomask.report.drawing.svg import LETTER, as_number, draw_svg, draw_text, draw_tooltip

__all__ = ["draw_heatmap"]

#: A square is at most and at least so large; the drawing about so wide.
LARGEST, SMALLEST, WIDTH = 62, 31, 620
#: So many letters of a name are shown.
LETTERS = 24
#: Names this much wider than a square are written upwards.
SLACK = 4
NONE = "–"


def format_two_digits(value: float) -> str:
    """A share without its zero, which every square would repeat.

    >>> format_two_digits(0.456), format_two_digits(1.0), format_two_digits(0)
    ('.46', '1', '0')
    """
    return f"{value:.2f}".removeprefix("0") if 0 < round(value, 2) < 1 else f"{value:.0f}"


def draw_heatmap(
    name: str,
    names: Sequence[str],
    values: Sequence[Sequence[float | None]],
    *,
    shown: Callable[[float], str] = format_two_digits,
) -> Markup:
    """A square table of values from 0 to 1, or None where there is none, with names on both sides.

    Names that do not fit above their column are written upwards.
    """
    if not names:
        return Markup("")
    longest = min(max(map(len, names)), LETTERS)
    left = LETTER * longest + 18
    side = min(LARGEST, max(SMALLEST, (WIDTH - left) / len(names)))
    upwards = LETTER * longest > side - SLACK
    top = LETTER * longest + 18 if upwards else 24.0
    parts = [
        *(
            _column_name(left + (place + 0.5) * side, top, column, upwards)
            for place, column in enumerate(names)
        ),
        *(
            draw_text(left - 8, top + (place + 0.5) * side + 4, column, "end", letters=LETTERS)
            for place, column in enumerate(names)
        ),
        *_squares(names, values, (left, top), side, shown),
    ]
    end = side * len(names) + 2
    return draw_svg(name, left + end, top + end, parts)


def _column_name(x: float, top: float, name: str, upwards: bool) -> Markup:
    if not upwards:
        return draw_text(x, top - 8, name, "middle")
    turned = f'transform="rotate(-90 {x + 4:.1f} {top - 8:.1f})"'
    return draw_text(x + 4, top - 8, name, letters=LETTERS, more=turned)


def _squares(
    names: Sequence[str],
    values: Sequence[Sequence[float | None]],
    corner: tuple[float, float],
    side: float,
    format_value: Callable[[float], str],
) -> Iterator[Markup]:
    for i, row in enumerate(values):
        for j, value in enumerate(as_number(cell) for cell in row):
            x, y = corner[0] + j * side, corner[1] + i * side
            words = NONE if value is None else format_value(value)
            yield Markup(
                '<g><rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="2" '
                'style="fill:{}"/>{}{}</g>'
            ).format(
                x,
                y,
                side - 1.5,
                side - 1.5,
                _colour(value),
                _square_text(x + side / 2 - 0.75, y + side / 2 + 3.5, words, value),
                draw_tooltip(f"{names[i]}, {names[j]}: {WITHHELD if value is None else words}"),
            )


def _colour(value: float | None) -> str:
    if value is None:
        return "var(--panel)"
    return f"color-mix(in srgb, var(--high) {100 * min(max(value, 0), 1):.1f}%, var(--low))"


def _square_text(x: float, y: float, words: str, value: float | None) -> Markup:
    over = "high" if value is not None and value > CONTRAST_TURN else "low"
    return draw_text(x, y, words, "middle", more=f'style="fill:var(--on-{over})"')
