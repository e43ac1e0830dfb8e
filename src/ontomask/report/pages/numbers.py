"""How numbers are written on a page."""

from __future__ import annotations

from typing import Any

from ontomask.errors import NOT_AVAILABLE

__all__ = ["format_figure", "format_value", "format_integer"]


def format_integer(number: int | None) -> str:
    """Format a count.

    >>> format_integer(12345), format_integer(None)
    ('12,345', 'not available')
    """
    return NOT_AVAILABLE if number is None else f"{number:,}"


def format_figure(number: float | int | None) -> str:
    """Format a figure with three significant digits; integers are written in full.

    >>> tuple(format_figure(number) for number in (0.12345, 1234.5, 12, 0.00001234, None))
    ('0.123', '1,234', '12', '1.23e-05', 'not available')
    """
    if number is None:
        return NOT_AVAILABLE
    if isinstance(number, int) or abs(number) >= 100:
        return f"{round(number):,}" if isinstance(number, int) else f"{number:,.0f}"
    if number == 0:
        return "0"
    digits = f"{number:#.3g}"
    if "e" in digits:
        digits = f"{number:.3g}" if abs(number) < 1e-4 else f"{number:.8f}".rstrip("0")
    return digits.rstrip(".")


def format_value(setting: Any) -> str:
    """Format the value of a setting."""
    if setting is None:
        return "none"
    if isinstance(setting, bool):
        return "yes" if setting else "no"
    return format_figure(setting) if isinstance(setting, int | float) else str(setting)
