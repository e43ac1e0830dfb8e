"""The tables of ``docs/reproduction.md``, and the file of results that they come from.

``python -m experiments --write-tables`` writes both. The file ``tables.json`` has every table of
every experiment as text; the page shows some of them, at places that are marked like this::

    <!-- table: sf-figures-4-5 1 -->
    <!-- end of table -->

The number counts the tables of the experiment from 1. A range such as ``1-6`` puts several tables
with the same rows side by side.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from experiments.experiment import Cell, Outcome, Result
from experiments.text import better_when

__all__ = ["FILE", "PAGE", "Tables", "fill_page", "format_result", "read_tables", "write_tables"]

FILE = Path(__file__).with_name("tables.json")
PAGE = Path(__file__).parents[1] / "docs" / "reproduction.md"

PLACE = re.compile(
    r"(?P<begin><!-- table: (?P<name>[a-z0-9-]+) (?P<first>\d+)(?:-(?P<last>\d+))? -->\n)"
    r".*?(?P<end><!-- end of table -->)",
    re.DOTALL,
)
PUBLISHED = "published"


@dataclass(frozen=True)
class StoredTable:
    """A table as text; the first row is the header."""

    title: str
    better: str
    rows: list[list[str]]


#: The tables of every experiment, by its name.
Tables = Mapping[str, Sequence[StoredTable]]


def format_result(result: Result) -> StoredTable:
    """Format every cell; published figures have a row of their own.

    >>> from experiments import Result, Row
    >>> result = Result("SSE", "k", (2, 5), [Row("recoding", (95.1, 396.0), (None, 645))])
    >>> format_result(result).rows
    [['k', '2', '5'], ['recoding', '95.10', '396.00'], ['published', '', '645']]
    """

    def cells(row: Sequence[Cell]) -> list[str]:
        return ["" if cell is None else result.format_cell(cell) for cell in row]

    rows = [[result.across, *cells(result.columns)]]
    for row in result.rows:
        rows.append([row.label, *cells(row.ours)])
        if row.printed is not None:
            rows.append([PUBLISHED, *cells(row.printed)])
    return StoredTable(result.title, better_when(result), rows)


def read_tables(path: Path = FILE) -> dict[str, list[StoredTable]]:
    """Read the stored tables."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    return {
        name: [
            StoredTable(t["title"], t["better"], [row.split(" | ") for row in t["rows"]])
            for t in tables
        ]
        for name, tables in stored.items()
    }


def write_tables(outcomes: Sequence[Outcome], path: Path = FILE, page: Path = PAGE) -> None:
    """Replace the stored tables of these experiments, and those on the page."""
    known: dict[str, list[StoredTable]] = read_tables(path) if path.exists() else {}
    for outcome in outcomes:
        known[outcome.experiment.name] = [format_result(result) for result in outcome.results]
    stored = {
        name: [
            {**asdict(table), "rows": [" | ".join(row) for row in table.rows]} for table in tables
        ]
        for name, tables in known.items()
    }
    text = json.dumps(stored, ensure_ascii=False, indent=1) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")
    filled = fill_page(page.read_text(encoding="utf-8"), known)
    page.write_text(filled, encoding="utf-8", newline="\n")


def fill_page(text: str, tables: Tables) -> str:
    """Write the stored tables at their places on the page."""

    def fill(place: re.Match[str]) -> str:
        first = int(place["first"])
        chosen = tables[place["name"]][first - 1 : int(place["last"] or first)]
        table = _markdown(chosen[0]) if place["last"] is None else _side_by_side(chosen)
        return f"{place['begin']}\n{table}\n{place['end']}"

    return PLACE.sub(fill, text)


def _markdown(table: StoredTable) -> str:
    title = f"**{table.title}**" + (f" ({table.better})" if table.better else "")
    return f"{title}\n\n{_lines(table.rows)}"


def _side_by_side(tables: Sequence[StoredTable]) -> str:
    """Several tables with the same rows as one, with all columns of a table in one cell."""
    names, _, subjects = zip(*(table.title.partition(": ") for table in tables), strict=True)
    across, *columns = tables[0].rows[0]
    title = f"**{subjects[0]}, {across} = {' / '.join(columns)}**"
    rows = [["method", *names]]
    for same in zip(*(table.rows[1:] for table in tables), strict=True):
        rows.append([same[0][0], *(_join(row[1:]) for row in same)])
    return f"{title}\n\n{_lines(rows)}"


def _join(cells: Sequence[str]) -> str:
    return cells[0] if len(set(cells)) == 1 else " / ".join(cells)


def _lines(rows: Sequence[Sequence[str]]) -> str:
    """The lines of a Markdown table; published figures are in italics."""
    header, *body = rows
    lines = [_line(header), "|" + "---|" * len(header)]
    for row in body:
        italic = row[0] == PUBLISHED
        lines.append(_line([f"*{cell}*" if italic and cell else cell for cell in row]))
    return "".join(f"{line}\n" for line in lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
