"""Tables in files: opened through DuckDB without loading them, and written back as they were.

One file per format; :mod:`~ontomask.engines.formats.stored_table` is what they have in common.
"""

from ontomask.engines.duckdb.connection import connect
from ontomask.engines.formats.formats import open_table, write_frame
from ontomask.engines.formats.stored_table import StoredTable

__all__ = ["StoredTable", "connect", "open_table", "write_frame"]
