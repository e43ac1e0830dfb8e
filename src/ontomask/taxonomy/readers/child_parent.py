"""A table of children and parents: the simplest form of a taxonomy.

One row per link, with a header that names the columns::

    child,parent,label,synonyms
    disease,,Disease,
    flu,disease,Influenza,grippe|flu
    hepatitis,viral infection,Hepatitis,
    hepatitis,liver disease,Hepatitis,

A second row for a concept gives it a second parent. If any row leaves the parent empty, the table
declares its concepts: a parent without a row of its own is then an error. Without a header there
are two columns, child and parent, and a parent that is nobody's child is a root.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TextIO

from ontomask._runtime.own_warnings import warn
from ontomask.errors import HeaderWarning
from ontomask.taxonomy.about import About
from ontomask.taxonomy.readers.text.delimited import (
    DelimitedTable,
    Row,
    find_column,
    first_row,
    is_plain_list,
    read_table,
    top_rows,
)
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["looks_like", "read", "recognises", "write"]

CHILD = ("child", "code", "concept", "id", "identifier", "node", "term", "value")
PARENT = ("parent", "parent_code", "parent_id", "broader", "is_a")
LABEL = ("label", "preferred_label", "name", "title", "description")
SYNONYMS = ("synonyms", "synonym", "alt_labels", "alt_label")
ALIASES = ("aliases", "alias")
NAME_SEPARATOR = "|"  # between two synonyms of one cell


class LinkColumns(NamedTuple):
    """Where each kind of cell stands; None for what the table does not have."""

    child: int
    parent: int
    label: int | None = None
    synonyms: int | None = None
    aliases: int | None = None


def looks_like(source: Source) -> bool:
    """Two columns, or a first row that names a child and a parent column."""
    if has_header(source):
        return True
    rows = top_rows(source)
    return bool(rows) and len(rows[0]) == 2 and not is_plain_list(rows)


def has_header(source: Source) -> bool:
    """Whether the first row names a child and a parent column."""
    return _columns_by_name(first_row(source)) is not None


def recognises(source: Source) -> bool:
    """A first row that names a child and a parent column; two columns may be anything."""
    return _columns_by_name(first_row(source)) is not None


def read(
    source: Source,
    *,
    delimiter: str | None = None,
    encoding: str = "utf-8-sig",
    child: str | None = None,
    parent: str | None = None,
    label: str | None = None,
    header: bool | None = None,
) -> Taxonomy:
    """Read a table of links; ``child``, ``parent`` and ``label`` name unusual columns."""
    table = read_table(source, delimiter, encoding)
    columns, rows = _find_columns(table, child, parent, label, header)
    _check_widths(table, columns, rows)
    return _build_taxonomy(table, columns, rows)


def _find_columns(
    table: DelimitedTable,
    child: str | None,
    parent: str | None,
    label: str | None,
    header: bool | None,
) -> tuple[LinkColumns, list[Row]]:
    first = table.rows[0].cells
    if child or parent or label:
        wanted = {"child": child, "parent": parent, "label": label}
        for argument, name in wanted.items():
            if name and find_column(first, [name.casefold().replace(" ", "_")]) is None:
                raise table.error(
                    table.rows[0].line,
                    f"{argument} must be a column of the table, got {name!r}",
                    f"the columns are {', '.join(map(repr, first))}",
                )
        header = True
    columns = _columns_by_name(first, child, parent, label)
    if columns is not None and header is not False:
        return columns, table.rows[1:]
    if child or parent or label or len(first) != 2:
        raise table.error(
            table.rows[0].line,
            "the columns child and parent are missing; the columns are "
            + ", ".join(repr(cell) for cell in first[:6]),
            "name them with child and parent, or write two columns without a header",
        )
    if header is None:
        header = _looks_like_header(table)
    return LinkColumns(0, 1), table.rows[1:] if header else table.rows


def _columns_by_name(
    header: list[str], child: str | None = None, parent: str | None = None, label: str | None = None
) -> LinkColumns | None:
    def find_place(name: str | None, usual_names: tuple[str, ...]) -> int | None:
        return find_column(header, [name.casefold().replace(" ", "_")] if name else usual_names)

    at_child, at_parent = find_place(child, CHILD), find_place(parent, PARENT)
    if at_child is None or at_parent is None:
        return None
    return LinkColumns(
        at_child,
        at_parent,
        find_place(label, LABEL),
        find_place(None, SYNONYMS),
        find_place(None, ALIASES),
    )


def _looks_like_header(table: DelimitedTable) -> bool:
    """A first link that touches none of at least two others is a header."""
    (top, *others) = table.rows
    linked = {cell for row in others for cell in row.cells}
    if len(others) < 2 or linked.intersection(top.cells):
        return False
    warn(
        HeaderWarning(
            f"{table.source.path}: the first row, {top.cells[0]!r} and {top.cells[1]!r}, occurs "
            "nowhere else and was read as a header; header=False reads it as a link"
        ),
        stacklevel=5,
    )
    return True


def _check_widths(table: DelimitedTable, columns: LinkColumns, rows: list[Row]) -> None:
    width = len(table.rows[0].cells)
    for row in rows:
        if len(row.cells) != width:
            raise table.error(
                row.line,
                f"expected {width} columns as in the first row, got {len(row.cells)}",
                "quote cells that contain the delimiter",
            )
        if not row.cells[columns.child]:
            raise table.error(row.line, "the child is empty", "name the concept of this row")


def _build_taxonomy(table: DelimitedTable, columns: LinkColumns, rows: list[Row]) -> Taxonomy:
    declares = any(not row.cells[columns.parent] for row in rows)
    first_line: dict[tuple[str, str], int] = {}
    labels: dict[str, tuple[int, list[str]]] = {}
    aliases: dict[str, str] = {}
    for row in rows:
        child, parent = row.cells[columns.child], row.cells[columns.parent]
        earlier = first_line.setdefault((child, parent), row.line)
        if declares and earlier != row.line:
            raise table.error(
                row.line,
                f"{child!r} occurs twice below the same parent (first on line {earlier})",
                "give every concept its own identifier, or remove the row",
            )
        names = [n for n in _row_names(row, columns) if n]
        line, earlier_names = labels.setdefault(child, (row.line, names))
        if names and earlier_names and names[0] != earlier_names[0]:
            raise table.error(
                row.line,
                f"{child!r} is called {names[0]!r} here and {earlier_names[0]!r} on line {line}",
                "give every concept its own identifier, or one label",
            )
        if names and not earlier_names:
            labels[child] = row.line, names
        if columns.aliases is not None:
            aliases.update(dict.fromkeys(_split_names(row.cells[columns.aliases]), child))
    if declares:
        _check_parents(table, first_line)
    return Taxonomy.from_edges(
        first_line,
        {child: names for child, (_, names) in labels.items()},
        aliases=aliases,
        about=About(table.source.name, table.source.path.name),
    )


def _row_names(row: Row, columns: LinkColumns) -> Iterator[str]:
    if columns.label is not None:
        yield row.cells[columns.label]
    if columns.synonyms is not None:
        yield from _split_names(row.cells[columns.synonyms])


def _check_parents(table: DelimitedTable, first_line: dict[tuple[str, str], int]) -> None:
    declared = {child for child, _ in first_line}
    for (child, parent), line in first_line.items():
        if parent and parent not in declared:
            raise table.error(
                line,
                f"the parent {parent!r} of {child!r} has no row of its own",
                "add a row for it (with an empty parent if it is a root), or correct it",
            )


def _split_names(cell: str) -> list[str]:
    r"""``a|b\|c`` is two names, ``a`` and ``b|c``; a backslash may be written ``\\``."""
    parts = re.findall(r"(?:\\[\\|]|[^|])+", cell)
    names = (re.sub(r"\\([\\|])", r"\1", part).strip() for part in parts)
    return [name for name in names if name]


def _join_names(names: tuple[str, ...]) -> str:
    return NAME_SEPARATOR.join(re.sub(r"([\\|])", r"\\\1", name) for name in names)


def write(taxonomy: Taxonomy, file: TextIO, path: Path) -> None:
    """One row per link, the root with an empty parent; tab-separated where the name says .tsv."""
    delimiter = "\t" if ".tsv" in path.suffixes else ","
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["child", "parent", "label", "synonyms", "aliases"])
    alias: dict[str, list[str]] = {}
    for other, concept in taxonomy.alias_items():
        alias.setdefault(concept, []).append(other)
    for concept in taxonomy:
        names = taxonomy.labels(concept)
        rest = [
            names[0] if names else "",
            _join_names(names[1:]),
            _join_names(tuple(alias.get(concept, ()))),
        ]
        for parent in taxonomy.parents(concept) or ("",):
            writer.writerow([concept, parent, *rest])
