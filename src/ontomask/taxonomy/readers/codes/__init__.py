"""Code lists, as statistical offices and health agencies publish them: CSV, TSV and Excel.

A row for each concept, with its code and its name::

    code,name
    A,Alimentary tract and metabolism
    A02,Drugs for acid related disorders
    A02B,Drugs for peptic ulcer

The hierarchy is told by a column of parents, by the beginnings of the codes, by a column of depths
in the order of the rows, or by a column or two for each level::

    section,section_title,division,title
    A,Agriculture,01,Crop and animal production
    A,Agriculture,02,Forestry

Columns are told by their headers, in several languages, and by what they contain. A table that
has no hierarchy is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from ontomask.errors import EmptyTaxonomyError, FileFormatError, ParameterError
from ontomask.taxonomy.about import About
from ontomask.taxonomy.readers import arx, child_parent
from ontomask.taxonomy.readers.codes.columns import choose_columns
from ontomask.taxonomy.readers.codes.headings import Heading
from ontomask.taxonomy.readers.codes.hierarchy import CodeHierarchy, CodeList
from ontomask.taxonomy.readers.codes.roles import Request
from ontomask.taxonomy.readers.codes.shapes import build_hierarchy
from ontomask.taxonomy.readers.codes.spreadsheets import is_spreadsheet
from ontomask.taxonomy.readers.codes.table import (
    CodeTable,
    find_header,
    is_code,
    read_code_tables,
)
from ontomask.taxonomy.readers.text.aliases import certain_aliases
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["looks_like", "read", "recognises"]


def looks_like(source: Source) -> bool:
    """A spreadsheet, or a table whose header or codes tell a hierarchy."""
    if source.is_folder:
        return False
    if is_spreadsheet(source):
        return True
    start = source.head_text.lstrip()[:1]
    if not start or start in "{[<" or child_parent.has_header(source):
        return False
    try:
        (table,) = read_code_tables(source, None, None, None)
        header = find_header(table)
        if header.is_present and _says_hierarchy(header.headings):
            return True
        if header.is_present and any(heading.kind == "name" for heading in header.headings):
            rows = table.rows[header.first :]
            return choose_columns(table, header, rows, Request()).code is not None
        cells = [row.cells for row in table.rows]
        if arx.groups_values(cells) or _may_be_links(cells):
            return False
        hierarchy = _read_table(table, Request(), ())
    except (FileFormatError, EmptyTaxonomyError):
        return False
    return hierarchy.is_told_by_codes


def recognises(source: Source) -> bool:
    """Whether a file that nobody named is a code list: its header says so, and it can be read.

    In a table of data many rows have the same concept.
    """
    if source.is_folder or not (is_spreadsheet(source) or looks_like(source)):
        return False
    try:
        for table in read_code_tables(source, None, None, None):
            header = find_header(table)
            if header.is_present and _says_hierarchy(header.headings):
                hierarchy = _read_table(table, Request(), ())
                return 2 * len(hierarchy.parents) > len(table.rows)
    except (FileFormatError, EmptyTaxonomyError):
        pass
    return False


def _may_be_links(rows: list[list[str]]) -> bool:
    """Whether the second of two columns may have the parents of the first: codes, or groups."""
    if len(rows[0]) != 2:
        return False
    children, parents = ({row[place] for row in rows} for place in (0, 1))
    return (
        2 * len(parents) <= len(rows)
        or 2 * sum(map(is_code, parents)) > len(parents)
        or len(parents & children) > 0.1 * len(parents)
    )


def _says_hierarchy(headings: Sequence[Heading]) -> bool:
    """Whether a header has the words of a code list."""
    kinds = {heading.kind for heading in headings if not heading.is_level}
    levels = {(heading.about, heading.number) for heading in headings if heading.is_level}
    named = kinds & {"code", "name"}
    return (
        {"code", "name"} <= kinds
        or len(levels) > 1
        or bool(named and (levels or kinds & {"parent", "depth"}))
    )


def read(
    source: Source,
    *,
    code: str | None = None,
    label: str | None = None,
    parent: str | None = None,
    synonyms: str | None = None,
    levels: str | Sequence[int | str] | None = None,
    sheet: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Taxonomy:
    """Read a code list; names of columns, and lengths of prefixes or columns of levels."""
    lengths, names = _parse_levels(levels)
    request = Request(code, label, parent, synonyms, names)
    problem: FileFormatError | None = None
    for table in read_code_tables(source, delimiter, encoding, sheet):
        try:
            hierarchy = _read_table(table, request, lengths)
        except FileFormatError as error:
            problem = problem or error
        else:
            return _make_taxonomy(source, hierarchy)
    raise problem or source.error("the spreadsheet has no table")


def _parse_levels(
    levels: str | Sequence[int | str] | None,
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Lengths of prefixes, or names of columns; the command line writes them with commas."""
    if levels is None:
        return (), ()
    parts = levels.split(",") if isinstance(levels, str) else list(levels)
    texts = [str(part).strip() for part in parts]
    if texts and all(text.isdigit() for text in texts):
        lengths = tuple(map(int, texts))
        if lengths == tuple(sorted(set(lengths))) and lengths[0] > 0:
            return lengths, ()
    elif texts and all(texts) and not any(text.isdigit() for text in texts):
        return (), tuple(texts)
    raise ParameterError(
        f"levels must be increasing lengths of codes or names of columns, got {levels!r}",
        "write levels=[1, 3, 4] or levels=['section', 'division'], coarse levels first",
    )


def _read_table(table: CodeTable, request: Request, lengths: Sequence[int]) -> CodeHierarchy:
    header = find_header(table, request.names)
    rows = [row for row in table.rows[header.first :] if not row.cells[0].startswith("#")]
    titles = [heading.text for heading in header.headings]
    if not rows:
        raise table.error("the table has a header and no rows", "use a file that contains concepts")
    columns = choose_columns(table, header, rows, request)
    hierarchy = build_hierarchy(CodeList(table, rows, columns, titles), lengths)
    above = header.first - header.is_present
    notes = dict(table.notes)
    if columns.unused:
        notes["not used"] = ", ".join(map(repr, columns.unused)) + " (other groups)"
    if above:
        notes["skipped"] = (
            f"{above} rows above the header" if above > 1 else ("a row above the header")
        )
    hierarchy.notes = {**hierarchy.notes, **notes}
    hierarchy.is_told_by_codes = columns.code is not None
    return hierarchy


def _make_taxonomy(source: Source, hierarchy: CodeHierarchy) -> Taxonomy:
    if len(hierarchy.parents) < 2:
        raise source.error("the table has a single concept", "use a file that contains a hierarchy")
    aliases, unclear = certain_aliases(hierarchy.aliases, hierarchy.parents)
    if unclear:
        hierarchy.left_out["other codes that lead to two concepts"] = unclear
    edges: list[tuple[str, str | None]] = []
    for concept, parents in hierarchy.parents.items():
        edges += [(concept, parent) for parent in parents] or [(concept, None)]
    return Taxonomy.from_edges(
        edges,
        hierarchy.names,
        aliases=aliases,
        about=About(
            source.name,
            source.file_name,
            left_out=dict(hierarchy.left_out),
            reading=hierarchy.notes,
        ),
        warn=False,
    )
