"""How commands talk: errors, warnings, progress, and results for people or for machines."""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ontomask.cli.stopping import heed
from ontomask.errors import OntomaskError, OntomaskWarning

__all__ = ["as_json", "failed", "percent", "table", "warn", "warned", "working"]


def failed(error: OntomaskError) -> None:
    """Say what went wrong, on standard error."""
    sys.stderr.write(f"Error: {error}\n")


def warn(words: str) -> None:
    """Say what is done and may not be wanted, on standard error."""
    sys.stderr.write(f"Warning: {words}\n")


@contextmanager
def warned() -> Iterator[None]:
    """Warnings of the library are one line each, once, and name no line of code."""
    said: set[str] = set()
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Any, category: Any, *where: Any, **more: Any) -> None:
            if not issubclass(category, OntomaskWarning):
                usual(message, category, *where, **more)
            elif str(message) not in said:
                said.add(str(message))
                warn(str(message))

        warnings.showwarning = show
        warnings.simplefilter("always", OntomaskWarning)
        yield


@contextmanager
def working(on: str) -> Iterator[Callable[[str], None]]:
    """Show that something is going on; only to a person at a terminal.

    What it gives says that it is something else now, unless the command is to end.
    """
    if not sys.stderr.isatty():
        yield lambda _: heed()
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{on} …") as status:

        def say(now: str) -> None:
            heed()
            status.update(f"{now} …")

        yield say


def as_json(result: Any) -> None:
    """The result for a machine, on standard output."""
    sys.stdout.write(json.dumps(_strict(result), ensure_ascii=False, indent=2) + "\n")


def _strict(value: Any) -> Any:
    """The same without NaN and infinity, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _strict(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def percent(share: float) -> str:
    """A share in percent; only all of them are 100.

    >>> percent(1.0), percent(0.9996), percent(0.25)
    ('100.0%', '99.9%', '25.0%')
    """
    return f"{share if share > 1 - 1e-9 else min(share, 0.999):.1%}"


def table(rows: Sequence[Sequence[object]], indent: str = "  ") -> None:
    """Rows in columns, on standard output; numbers to the right, the last column free."""
    cells = [[f"{c:,}" if isinstance(c, int) else str(c) for c in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))] if cells else []
    for row, original in zip(cells, rows, strict=True):
        padded = [
            cell.rjust(width) if isinstance(value, int) else cell.ljust(width)
            for cell, value, width in zip(row, original, widths, strict=True)
        ]
        sys.stdout.write(f"{indent}{'  '.join(padded).rstrip()}\n")
