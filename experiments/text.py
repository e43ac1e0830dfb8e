"""Format the tables of experiments as plain text."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill

from experiments.experiment import Outcome, Result

__all__ = ["better_when", "data_name", "outcome_text", "result_text"]

SOURCES = {
    "diabetes": "Diabetes 130-US Hospitals (UCI)",
    "discharges": "synthetic discharges",
}
WIDTH = 100


def data_name(source: str) -> str:
    """The name of a data source."""
    return SOURCES.get(source, source)


def better_when(result: Result) -> str:
    """Say whether lower or higher is better; empty if neither is."""
    return f"{result.better} is better" if result.better else ""


def outcome_text(outcome: Outcome) -> str:
    """Format all tables of an experiment, below its title."""
    experiment = outcome.experiment
    head = f"{experiment.name} ({outcome.seconds:.1f} s): {experiment.title}"
    return "\n\n".join([head, *map(result_text, outcome.results)]) + "\n"


def result_text(result: Result) -> str:
    """Format a table: a line for each row, and below it a line for the published figures."""
    direction = better_when(result)
    title = f"{result.title} ({direction})" if direction else result.title
    rows = list(_rows(result))
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [fill(title, WIDTH, initial_indent="  ", subsequent_indent="  ")]
    for label, *cells in rows:
        padded = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        lines.append("  ".join([f"  {label.ljust(widths[0])}", *padded]).rstrip())
    lines += [fill(n, WIDTH, initial_indent="  * ", subsequent_indent="    ") for n in result.notes]
    return "\n".join(lines)


def _rows(result: Result) -> Iterator[list[str]]:
    yield [result.across, *map(result.format_cell, result.columns)]
    for row in result.rows:
        yield [row.label, *map(result.format_cell, row.ours)]
        if row.printed is not None:
            yield ["  published", *map(result.format_cell, row.printed)]
