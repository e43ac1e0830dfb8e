"""Path lists: a line, or a cell, for each concept with all that is above it.

::

    Europe
    Europe > Spain
    Europe > Spain > Reus

A line may begin with an identifier (``3237 - Animals > Live animals``), and a table may have a
column of identifiers. Without them, the identifier of a concept is its whole path; its label is
the last part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ontomask.errors import FileFormatError
from ontomask.taxonomy.about import About
from ontomask.taxonomy.readers.codes.spreadsheets import is_spreadsheet
from ontomask.taxonomy.readers.codes.table import (
    CodeTable,
    find_header,
    read_code_tables,
)
from ontomask.taxonomy.readers.text.aliases import certain_aliases
from ontomask.taxonomy.readers.text.delimited import Row
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["looks_like", "read", "recognises"]

#: What hardly occurs in a name; what a format that is named may have as well.
CERTAIN = ("->", ">", "»", "→", "::")
POSSIBLE = (" / ", " | ", " \\ ", "/", "|", "\\")
#: At least this part of the values are paths, and at most this part begin in their own way.
LEAST_PATHS, MOST_TOPS = 0.5, 0.5
STEP = " > "

_NUMBERED = re.compile(r"(\S+)\s+[-:]\s+(\S.*)")
_HEADER = {"path", "paths", "category", "categories", "taxonomy", "name", "full path"}


Path = tuple[str, ...]


class PathList(NamedTuple):
    """The paths with the lines they stand on and their identifiers, if there are any."""

    paths: list[tuple[int, Path]]
    identifiers: list[str]
    separator: str
    notes: dict[str, str]


def looks_like(source: Source) -> bool:
    """Lines or cells of which most are cut by ``>`` or the like, and begin with the same parts."""
    if source.is_folder or is_spreadsheet(source):
        return False
    if not any(separator in source.head_text for separator in CERTAIN):
        return False
    if source.head_text.lstrip()[:1] in "{[<":
        return False
    try:
        _read_list(source, None, None, None, None, None, None)
    except FileFormatError:
        return False
    return True


def recognises(source: Source) -> bool:
    """Whether a file that nobody named is a path list: it has nothing else on its lines."""
    return looks_like(source) and ">" in source.head_text.lstrip().splitlines()[-1]


def read(
    source: Source,
    *,
    separator: str | None = None,
    path: str | None = None,
    code: str | None = None,
    sheet: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Taxonomy:
    """Read a path list; ``path`` and ``code`` name columns of a table."""
    content = _read_list(source, separator, path, code, sheet, delimiter, encoding)
    place: dict[Path, str] = {}
    for (_, parts), identifier in zip(content.paths, content.identifiers, strict=True):
        place.setdefault(parts, identifier)
    _check_identifiers(source, content, place)
    edges: dict[tuple[str, str | None], None] = {}
    labels: dict[str, str] = {}
    for (_, parts), identifier in zip(content.paths, content.identifiers, strict=True):
        above: str | None = None
        for end in range(1, len(parts) + 1):
            steps = parts[:end]
            concept = identifier if end == len(parts) else place.setdefault(steps, STEP.join(steps))
            labels.setdefault(concept, parts[end - 1])
            edges[concept, above] = None
            above = concept
    paths = ((STEP.join(steps), concept) for steps, concept in place.items())
    aliases, _ = certain_aliases(paths, labels)
    return Taxonomy.from_edges(
        edges,
        labels,
        aliases=aliases,
        about=About(source.name, source.file_name, reading=content.notes),
        warn=False,
    )


def _check_identifiers(source: Source, content: PathList, place: dict[Path, str]) -> None:
    """Refuse identifiers with two paths, and two identifiers of a path that others go through."""
    inner = {parts[:end] for _, parts in content.paths for end in range(1, len(parts))}
    first: dict[str, Path] = {}
    for (line, parts), identifier in zip(content.paths, content.identifiers, strict=True):
        if first.setdefault(identifier, parts) != parts:
            raise source.error(
                f"the identifier {identifier!r} has two paths, "
                f"{STEP.join(first[identifier])!r} and {STEP.join(parts)!r}",
                "give every path its own identifier",
                line=line,
            )
        if parts in inner and place[parts] != identifier:
            raise source.error(
                f"the path {STEP.join(parts)!r} has two identifiers, {place[parts]!r} and "
                f"{identifier!r}, and other paths below it",
                "rename one of them",
                line=line,
            )


def _read_list(
    source: Source,
    separator: str | None,
    path: str | None,
    code: str | None,
    sheet: str | None,
    delimiter: str | None,
    encoding: str | None,
) -> PathList:
    problem: FileFormatError | None = None
    if not (path or code or sheet or delimiter or is_spreadsheet(source)):
        (table,) = read_code_tables(source, None, encoding, None, lines=True)
        try:
            return _read_lines(table, separator)
        except FileFormatError as error:
            problem = error
    for table in read_code_tables(source, delimiter, encoding, sheet):
        try:
            return _read_column(table, separator, path, code)
        except FileFormatError as error:
            problem = error if path or code else problem or error
    raise problem or source.error("the spreadsheet has no table")


def _read_lines(table: CodeTable, separator: str | None) -> PathList:
    """A path on each line, perhaps behind an identifier."""
    lines = [
        (row.line, row.cells[0].strip().strip('"'))
        for row in table.rows
        if not row.cells[0].startswith("#")
    ]
    texts = [text for _, text in lines]
    matches = [_NUMBERED.fullmatch(text) for text in texts]
    identifiers = [match[1] for match in matches if match]
    is_numbered = len(identifiers) == len(texts) and len(set(identifiers)) == len(texts)
    if is_numbered:
        texts = [match[2] for match in matches if match]
    chosen = _tell_separator(table, texts, separator)
    notes = {"hierarchy": f"paths with {chosen.strip()!r}"}
    if not is_numbered and texts and texts[0].casefold() in _HEADER:
        lines, texts = lines[1:], texts[1:]
        notes["skipped"] = "the header"
    paths = [
        (line, _split_path(table, text, chosen, line))
        for (line, _), text in zip(lines, texts, strict=True)
    ]
    if is_numbered:
        notes["codes"] = "before each path"
        return PathList(paths, identifiers, chosen, notes)
    return PathList(paths, [STEP.join(parts) for _, parts in paths], chosen, notes)


def _read_column(
    table: CodeTable, separator: str | None, path: str | None, code: str | None
) -> PathList:
    """A column of paths, and perhaps one of identifiers."""
    header = find_header(table, [name for name in (path, code) if name])
    rows = [row for row in table.rows[header.first :] if any(row.cells)]
    places = {heading.text: place for place, heading in enumerate(header.headings)}

    def find(name: str, argument: str) -> int:
        for place, heading in enumerate(header.headings):
            if heading.is_called(name):
                return place
        raise table.error(
            f"{argument} must be a column of the table, got {name!r}",
            f"the columns are {', '.join(map(repr, filter(None, places)))}",
        )

    at_code = (
        find(code, "code")
        if code
        else next(
            (
                place
                for place, heading in enumerate(header.headings)
                if heading.kind == "code" and _is_key(rows, place)
            ),
            None,
        )
    )
    at_path, chosen = _find_paths(table, rows, separator, find(path, "path") if path else None)
    rows = [row for row in rows if row.cells[at_path]]
    paths = [(row.line, _split_path(table, row.cells[at_path], chosen, row.line)) for row in rows]
    title = header.headings[at_path].text or f"column {at_path + 1}"
    notes = {**table.notes, "hierarchy": f"paths with {chosen.strip()!r} in {title!r}"}
    if at_code is None or at_code == at_path:
        return PathList(paths, [STEP.join(parts) for _, parts in paths], chosen, notes)
    notes["codes"] = repr(header.headings[at_code].text)
    return PathList(paths, [row.cells[at_code] for row in rows], chosen, notes)


def _is_key(rows: list[Row], place: int) -> bool:
    values = [row.cells[place] for row in rows]
    return all(values) and len(set(values)) == len(values)


def _find_paths(
    table: CodeTable, rows: list[Row], separator: str | None, wanted: int | None
) -> tuple[int, str]:
    width = len(table.rows[0].cells)
    problem: FileFormatError | None = None
    for place in range(width) if wanted is None else [wanted]:
        texts = [row.cells[place] for row in rows if row.cells[place]]
        try:
            return place, _tell_separator(table, texts, separator)
        except FileFormatError as error:
            problem = problem or error
    assert problem is not None
    raise problem


def _tell_separator(table: CodeTable, texts: Sequence[str], wanted: str | None) -> str:
    """What cuts the paths: the first that cuts most of them into parts that begin alike."""
    for separator in (wanted,) if wanted else (*CERTAIN, *POSSIBLE):
        cut = [text for text in texts if separator in text.strip(separator)]
        if 2 * len(set(texts)) < len(texts):
            break  # a word about each row
        tops = {text.strip(separator).split(separator)[0].strip() for text in texts}
        if (
            len(texts) > 1
            and len(cut) >= LEAST_PATHS * len(texts)
            and (len(tops) <= MOST_TOPS * len(texts))
        ):
            return separator
    raise table.error(
        f"no column or line has paths with {wanted!r}"
        if wanted
        else "no column or line has paths such as 'Europe > Spain > Reus'",
        "name what stands between the parts: separator=' / '; or the column of the paths: "
        "path='...'",
    )


def _split_path(table: CodeTable, text: str, separator: str, line: int) -> Path:
    parts = tuple(" ".join(part.split()) for part in text.strip().strip(separator).split(separator))
    if not all(parts):
        raise table.error(
            f"the path {text[:60]!r} has an empty part",
            f"write {separator!r} only between two parts",
            line=line,
        )
    return parts
