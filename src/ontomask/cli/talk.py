"""How commands talk: errors, progress, and results for people or for machines."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ontomask.errors import OntomaskError

__all__ = ["as_json", "failed", "table", "working"]


def failed(error: OntomaskError) -> None:
    """Say what went wrong, on standard error."""
    sys.stderr.write(f"Error: {error}\n")


@contextmanager
def working(on: str) -> Iterator[Callable[[str], None]]:
    """Show that something is going on; only to a person at a terminal.

    What it gives says that it is something else now.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{on} …") as status:
        yield lambda now: status.update(f"{now} …")


def as_json(result: Any) -> None:
    """The result for a machine, on standard output."""
    sys.stdout.write(json.dumps(result, ensure_ascii=False, indent=2) + "\n")


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
