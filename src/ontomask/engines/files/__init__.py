"""Tables in files: opened through DuckDB without loading them, and written back as they were.

One file per format; :mod:`~ontomask.engines.files.stored` is what they have in common.
"""

from ontomask.engines.files.connection import connect
from ontomask.engines.files.formats import open_table, write_frame
from ontomask.engines.files.stored import StoredTable

__all__ = ["StoredTable", "connect", "open_table", "write_frame"]
