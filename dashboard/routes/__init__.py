"""Plain HTTP: the data twins of the pages, health, headers."""
