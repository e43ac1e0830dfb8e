"""The sheets of Excel and OpenDocument files, with their cells as people see them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from datetime import date
from typing import Any

from ontomask.errors import FileFormatError, quote_names
from ontomask.taxonomy.readers.text.delimited import Row
from ontomask.taxonomy.readers.text.source import LARGEST, Source

__all__ = ["is_spreadsheet", "read_sheets"]

OFFICE_MAGIC = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
#: Sheets with a smaller part of the rows of the largest one hold notes.
SMALLEST_SHEET = 0.1
#: A file that becomes larger than this, and so many times as large as it is, is a bomb.
LARGEST_EXPANSION, MOST_GROWTH = 200_000_000, 150


def is_spreadsheet(source: Source) -> bool:
    """Whether a file is an Excel or OpenDocument file."""
    return source.head.startswith(OFFICE_MAGIC)


def read_sheets(source: Source, wanted: str | None) -> Iterator[tuple[str, list[Row]]]:
    """The names and rows of the sheets that may have a table, or of the one that is wanted."""
    from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum

    with source.open() as file:
        content = file.read(LARGEST + 1)
    _refuse_growth(source, content)
    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(content)) as workbook:
            hidden = {
                sheet.name
                for sheet in workbook.sheets_metadata
                if sheet.visible != SheetVisibleEnum.Visible
            }
            names = [name for name in workbook.sheet_names if name not in hidden]
            if wanted is not None:
                if wanted not in workbook.sheet_names:
                    raise source.error(
                        f"sheet must be a sheet of the file, got {wanted!r}",
                        f"the sheets are {quote_names(workbook.sheet_names)}",
                    )
                names = [wanted]
            sheets = {name: _sheet_rows(workbook.get_sheet_by_name(name)) for name in names}
    except (CalamineError, zipfile.BadZipFile, ValueError, OSError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise source.error(
            f"the spreadsheet cannot be read ({str(error)[:120]})",
            "open it and save it again as .xlsx or .csv",
        ) from None
    most = max((len(rows) for rows in sheets.values()), default=0)
    if not most:
        raise source.error("the spreadsheet is empty", "use a file that contains a table")
    for name, rows in sheets.items():
        if rows and len(rows) >= SMALLEST_SHEET * most:
            yield name, rows


def _refuse_growth(source: Source, content: bytes) -> None:
    """Refuse a spreadsheet that a few bytes make too large."""
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = sum(info.file_size for info in archive.infolist())
    if size > max(LARGEST_EXPANSION, MOST_GROWTH * len(content)):
        raise source.error(
            f"the {len(content):,} bytes of the spreadsheet become {size:,}",
            "such a file may exhaust the memory; save its sheet as CSV",
        )


def _sheet_rows(sheet: Any) -> list[Row]:
    first = (sheet.start or (0, 0))[0] + 1
    rows = [
        Row(number, [_cell_text(cell) for cell in cells])
        for number, cells in enumerate(sheet.to_python(skip_empty_area=True), first)
    ]
    return [row for row in rows if any(row.cells)]


def _cell_text(cell: Any) -> str:
    """A cell as people see it: 11 and not 11.0."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return (cell.isoformat() if isinstance(cell, date) else str(cell)).strip()
