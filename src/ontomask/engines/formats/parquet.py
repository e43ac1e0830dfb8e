"""Parquet: types and the compression of the original are kept.

Not kept: metadata of other programs (pandas, Arrow; a dictionary column is plain text to them),
the size of row groups, half-precision numbers (they become single precision).
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Self

import duckdb

from ontomask.engines.duckdb.connection import (
    file_literal,
    literal,
    result_types,
    run_copy,
    translate_read_errors,
)
from ontomask.engines.formats.stored_table import ROW, FileOptions, StoredTable, check_names
from ontomask.taxonomy.readers.text.source import Source

__all__ = ["ParquetTable"]

#: What DuckDB writes; zstd stands for the others.
COMPRESSIONS = ("uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw")


class ParquetTable(StoredTable):
    """A Parquet file."""

    format: ClassVar[str] = "parquet"
    stays_in_file: ClassVar[bool] = True

    def _open(self, options: FileOptions) -> None:
        with Source(self.path).open() as file:
            if file.read(4) != b"PAR1":
                raise self.error("this is not a Parquet file", "set format to its format")
        file_text = file_literal(self.path)
        fixed = "hive_partitioning = false, union_by_name = false"
        with translate_read_errors(self.path):
            plain = f"read_parquet({file_text}, {fixed})"
            self.types = result_types(self.connection, f"select * from {plain}")
            self.names = check_names(self, list(self.types))
            counted = self.connection.execute(f"select count(*) from {plain}").fetchall()
            codec_rows = self.connection.execute(
                f"select distinct lower(compression) from parquet_metadata({file_text})"
            ).fetchall()
        self.rows = int(counted[0][0])
        codecs = {codec for (codec,) in codec_rows}
        codec = codecs.pop() if len(codecs) == 1 else "snappy" if not codecs else "zstd"
        self.compression = codec if codec in COMPRESSIONS else "zstd"
        place = "file_row_number"
        if place in map(str.lower, self.names):  # a column has that name: count instead
            place = "row_number() over () - 1"
        self.source = f"(select *, {place} as {ROW} from {plain})"
        self.options = FileOptions()

    @classmethod
    def write_rows(
        cls, connection: duckdb.DuckDBPyConnection, query: str, path: Path, like: Self | None
    ) -> int:
        compression = like.compression if like else "zstd"
        return run_copy(
            connection,
            f"copy ({query}) to {literal(str(path))} "
            f"(format parquet, compression {compression}, use_tmp_file false)",
        )
