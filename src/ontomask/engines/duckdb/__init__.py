"""Tables in files, counted, masked and verified inside DuckDB."""
