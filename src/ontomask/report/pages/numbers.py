"""How numbers are written on a page."""

from __future__ import annotations

from typing import Any

__all__ = ["format_figure", "format_percent", "format_value", "format_integer"]

#: Where there is no figure.
NONE = "not available"


def format_integer(number: int | None) -> str:
    """Format a count.

    >>> format_integer(12345), format_integer(None)
    ('12,345', 'not available')
    """
    return NONE if number is None else f"{number:,}"


def format_figure(number: float | int | None) -> str:
    """Format a figure with three significant digits; integers are written in full.

    >>> tuple(format_figure(number) for number in (0.12345, 1234.5, 12, 0.00001234, None))
    ('0.123', '1,234', '12', '1.23e-05', 'not available')
    """
    if number is None:
        return NONE
    if isinstance(number, int) or abs(number) >= 100:
        return f"{round(number):,}" if isinstance(number, int) else f"{number:,.0f}"
    if number == 0:
        return "0"
    digits = f"{number:#.3g}"
    if "e" in digits:
        digits = f"{number:.3g}" if abs(number) < 1e-4 else f"{number:.8f}".rstrip("0")
    return digits.rstrip(".")


def format_percent(share: float | None) -> str:
    """Format a share in percent; only exactly 0 and 1 are written as 0 % and 100 %.

    >>> tuple(format_percent(share) for share in (0.1234, 0.00001, 0.99999, 1.0))
    ('12.3 %', 'below 0.1 %', 'above 99.9 %', '100 %')
    """
    if share is None:
        return NONE
    if 0 < share < 0.0005:
        return "below 0.1 %"
    if 0.9995 < share < 1:
        return "above 99.9 %"
    return (
        f"{100 * share:.1f} %".replace(".0 %", " %") if share in (0, 1) else f"{100 * share:.1f} %"
    )


def format_value(setting: Any) -> str:
    """Format the value of a setting."""
    if setting is None:
        return "none"
    if isinstance(setting, bool):
        return "yes" if setting else "no"
    return format_figure(setting) if isinstance(setting, int | float) else str(setting)
