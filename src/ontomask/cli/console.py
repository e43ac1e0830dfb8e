"""Output of commands: errors, warnings, progress, and results as text or JSON.

Names and values may contain characters that a terminal obeys: they could rewrite the screen, its
title or the direction of text. :func:`guard_terminal` escapes them in all that is printed.
"""

from __future__ import annotations

import json
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO, cast

from ontomask.cli.stopping import stop_if_requested
from ontomask.errors import OntomaskError, OntomaskWarning

__all__ = [
    "escape_controls",
    "guard_terminal",
    "print_json",
    "print_error",
    "print_table",
    "print_warning",
    "print_library_warnings",
    "show_progress",
]


#: Control characters but tabs and ends of lines, marks of direction, and bytes of file names that
#: are not text.
CONTROLS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
    "|\r(?!\n)"
)


def escape_controls(text: str) -> str:
    r"""Escape the characters of a text that a terminal obeys, as JSON does.

    >>> print(escape_controls("a\x1b[2Jb"))
    a\u001b[2Jb
    """
    return CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


class _GuardedStream:
    """A stream whose text is escaped; there is no way around it to its bytes."""

    def __init__(self, stream: TextIO) -> None:
        self.unguarded = stream

    def write(self, text: str) -> int:
        self.unguarded.write(escape_controls(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":
            raise AttributeError(name)
        return getattr(self.unguarded, name)


@contextmanager
def guard_terminal() -> Iterator[None]:
    """Escape what a terminal would obey in everything that is printed."""
    out, err = (cast(TextIO, _GuardedStream(stream)) for stream in (sys.stdout, sys.stderr))
    with redirect_stdout(out), redirect_stderr(err):
        yield


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
    from rich.text import Text

    def describe(step: str) -> Text:
        return Text(f"{escape_controls(step)} …")

    stream = getattr(sys.stderr, "unguarded", sys.stderr)  # it draws with control characters
    with Console(file=stream).status(describe(activity)) as status:

        def say(step: str) -> None:
            stop_if_requested()
            status.update(describe(step))

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


def print_table(rows: Sequence[Sequence[object]], indent: str = "  ") -> None:
    """Print rows in columns to standard output; numbers are aligned to the right."""
    cells = [
        [f"{c:,}" if isinstance(c, int) else escape_controls(str(c)) for c in row] for row in rows
    ]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))] if cells else []
    for row, original in zip(cells, rows, strict=True):
        padded = [
            cell.rjust(width) if isinstance(value, int) else cell.ljust(width)
            for cell, value, width in zip(row, original, widths, strict=True)
        ]
        sys.stdout.write(f"{indent}{'  '.join(padded).rstrip()}\n")
