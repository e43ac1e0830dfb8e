"""Excel workbooks, where DuckDB's extension is installed; every cell as text."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Self

import duckdb

from ontomask.engines.duckdb.connection import (
    file_literal,
    literal,
    load_extension,
    result_types,
    translate_read_errors,
)
from ontomask.engines.formats.stored_table import FileOptions, StoredTable, check_names
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["ExcelTable"]


class ExcelTable(StoredTable):
    """A sheet of a workbook; the first one where none is named."""

    format: ClassVar[str] = "excel"
    accepted_options: ClassVar[frozenset[str]] = frozenset({"table"})

    def _open(self, options: FileOptions) -> None:
        with Source(self.path).open():
            load_extension(self.connection, "excel", "save the sheet as CSV")
        self.sheet = options.table
        sheet = f", sheet = {literal(options.table)}" if options.table else ""
        file = file_literal(self.path)
        with translate_read_errors(self.path):
            read = f"read_xlsx({file}, header = true, all_varchar = true{sheet})"
            self.types = result_types(self.connection, f"select * from {read}")
            self.names = check_names(self, list(self.types))
            self._load_rows(f"select * from {read}")
        self.options = FileOptions(table=self.sheet)

    @classmethod
    def write_rows(
        cls, connection: duckdb.DuckDBPyConnection, query: str, path: Path, like: Self | None
    ) -> int:
        load_extension(connection, "excel", "write CSV")
        sheet = f", sheet {literal(like.sheet)}" if like and like.sheet else ""
        written = connection.execute(
            f"copy ({query}) to {literal(str(path))} (format xlsx, header true{sheet})"
        ).fetchall()
        return int(written[0][0])
