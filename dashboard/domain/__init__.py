"""Pure functions and frozen records: no files, no SQL, no framework."""
