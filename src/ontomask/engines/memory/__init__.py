"""Tables in memory: pandas, polars, pyarrow and DuckDB relations."""
