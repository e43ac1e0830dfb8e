"""ARX hierarchies: one row per leaf, coarser to the right, everything in the last column.

::

    influenza;viral infection;disease
    common cold;viral infection;disease
    sprain;sprain;injury;disease

Equal labels in neighbouring columns of a row are one concept, so rows may be filled up to the
same length by repeating a label.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import TextIO

from ontomask.errors import SeveralParentsError, quote_names
from ontomask.taxonomy.about import About
from ontomask.taxonomy.readers.text.delimited import (
    DelimitedTable,
    Row,
    first_row,
    is_plain_list,
    read_table,
    top_rows,
)
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["looks_like", "read", "recognises", "write"]


def looks_like(source: Source) -> bool:
    """Any table of three columns or more that nothing else claims, and that groups values."""
    return len(first_row(source)) > 2 and not is_plain_list(top_rows(source))


def groups_values(rows: Sequence[Sequence[str]]) -> bool:
    """Whether each column tells the next one, and the last has far fewer values than the first.

    >>> groups_values([("flu", "viral", "*"), ("cold", "viral", "*"), ("sprain", "injury", "*")])
    True
    """
    if any(len(row) != len(rows[0]) or not all(row) for row in rows):
        return False
    columns = list(zip(*rows, strict=True))
    told = all(
        len(set(zip(fine, coarse, strict=True))) == len(set(fine))
        for fine, coarse in pairwise(columns)
    )
    return told and 2 * len(set(columns[-1])) <= len(set(columns[0]))


def recognises(source: Source) -> bool:
    """A table whose name says that it is a hierarchy, as in ``adult_hierarchy_age.csv``."""
    return "hierarch" in source.path.name.lower() and looks_like(source)


def read(source: Source, *, delimiter: str | None = None, encoding: str = "utf-8-sig") -> Taxonomy:
    """Read a hierarchy as ARX writes it."""
    table = read_table(source, delimiter, encoding)
    parent: dict[str, tuple[str, Row]] = {}
    tops: set[str] = set()
    for row in table.rows:
        steps = _row_labels(table, row)
        tops.add(steps[-1])
        for child, above in pairwise(steps):
            earlier_parent, earlier_row = parent.setdefault(child, (above, row))
            if earlier_parent != above:
                raise table.error(
                    row.line,
                    f"{child!r} has two parents, {earlier_parent!r} and {above!r}:\n"
                    f"  line {earlier_row.line}: {_format_row(table, earlier_row)}\n"
                    f"  line {row.line}: {_format_row(table, row)}",
                    "an ARX hierarchy is a tree: rename one of them. If this is a child-parent "
                    "table, set child and parent to its columns",
                )
    edges: list[tuple[str, str | None]] = [(c, above) for c, (above, _) in parent.items()]
    return Taxonomy.from_edges(
        [*edges, *((top, None) for top in sorted(tops))],
        about=About(source.name, source.path.name),
    )


def _row_labels(table: DelimitedTable, row: Row) -> list[str]:
    """The distinct labels of a row from fine to coarse."""
    width = len(table.rows[0].cells)
    if len(row.cells) != width:
        raise table.error(
            row.line,
            f"expected {width} columns as in the first row, got {len(row.cells)}",
            "repeat a label to fill the row",
        )
    if not all(row.cells):
        raise table.error(
            row.line,
            f"column {row.cells.index('') + 1} is empty",
            "repeat the label to its left or right: equal neighbours are one concept",
        )
    steps = [label for label, _ in groupby(row.cells)]
    if len(set(steps)) < len(steps):
        repeated = next(label for label in steps if steps.count(label) > 1)
        raise table.error(row.line, f"{repeated!r} is above itself", "rename the more general one")
    return steps


def _format_row(table: DelimitedTable, row: Row) -> str:
    return table.delimiter.join(row.cells)


def write(taxonomy: Taxonomy, file: TextIO, path: Path) -> None:
    """One row per leaf; a leaf nearer to the root is repeated to fill its row up."""
    several = [c for c in taxonomy if len(taxonomy.parents(c)) > 1]
    if several:
        raise SeveralParentsError(
            f"an ARX hierarchy is a tree, and {len(several):,} concepts have several parents: "
            f"{quote_names(several)}",
            "write it in the format child-parent instead",
        )
    writer = csv.writer(file, delimiter=";", lineterminator="\n")
    for concept in taxonomy:
        if concept in taxonomy.leaves:
            steps = [concept]
            while above := taxonomy.parents(steps[-1]):
                steps.append(above[0])
            writer.writerow([concept] * (taxonomy.height - len(steps)) + steps)
