"""Output of commands: errors, warnings, progress, and results as text or JSON."""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ontomask.cli.stopping import stop_if_requested
from ontomask.errors import OntomaskError, OntomaskWarning

__all__ = [
    "print_json",
    "print_error",
    "format_percent",
    "print_table",
    "print_warning",
    "print_library_warnings",
    "show_progress",
]


def print_error(error: OntomaskError) -> None:
    """Print an error to standard error."""
    sys.stderr.write(f"Error: {error}\n")


def print_warning(words: str) -> None:
    """Print a warning to standard error."""
    sys.stderr.write(f"Warning: {words}\n")


@contextmanager
def print_library_warnings() -> Iterator[None]:
    """Print each warning of the library once, in one line, without a line of code."""
    printed: set[str] = set()
    with warnings.catch_warnings():
        default_show = warnings.showwarning

        def show(message: Any, category: Any, *details: Any, **options: Any) -> None:
            if not issubclass(category, OntomaskWarning):
                default_show(message, category, *details, **options)
            elif str(message) not in printed:
                printed.add(str(message))
                print_warning(str(message))

        warnings.showwarning = show
        warnings.simplefilter("always", OntomaskWarning)
        yield


@contextmanager
def show_progress(activity: str) -> Iterator[Callable[[str], None]]:
    """Show progress, only to a person at a terminal.

    It yields a function that shows the next step, and raises if the command is to stop.
    """
    if not sys.stderr.isatty():
        yield lambda _: stop_if_requested()
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{activity} …") as status:

        def say(step: str) -> None:
            stop_if_requested()
            status.update(f"{step} …")

        yield say


def print_json(result: Any) -> None:
    """Print a result as JSON to standard output."""
    sys.stdout.write(json.dumps(_without_nan(result), ensure_ascii=False, indent=2) + "\n")


def _without_nan(value: Any) -> Any:
    """The same without NaN and infinity, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _without_nan(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def format_percent(share: float) -> str:
    """Format a share in percent; only the whole is 100.

    >>> format_percent(1.0), format_percent(0.9996), format_percent(0.25)
    ('100.0%', '99.9%', '25.0%')
    """
    return f"{share if share > 1 - 1e-9 else min(share, 0.999):.1%}"


def print_table(rows: Sequence[Sequence[object]], indent: str = "  ") -> None:
    """Print rows in columns to standard output; numbers are aligned to the right."""
    cells = [[f"{c:,}" if isinstance(c, int) else str(c) for c in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))] if cells else []
    for row, original in zip(cells, rows, strict=True):
        padded = [
            cell.rjust(width) if isinstance(value, int) else cell.ljust(width)
            for cell, value, width in zip(row, original, widths, strict=True)
        ]
        sys.stdout.write(f"{indent}{'  '.join(padded).rstrip()}\n")
