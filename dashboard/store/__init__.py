"""The only room that knows SQL, DuckDB and the files of a store."""
