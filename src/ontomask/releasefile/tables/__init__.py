"""Release files with several tables of the same people: read, check, mask and write them."""

from ontomask.releasefile.tables.model import TablesFile, has_tables, load_tables_file

__all__ = ["TablesFile", "has_tables", "load_tables_file"]
