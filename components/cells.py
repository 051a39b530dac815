"""Single cells of columns: reading a few rows must not cost as much as reading ten thousand."""

from __future__ import annotations

from dashboard.domain.columns import Columns, Rows


def text_cells(columns: Columns, name: str, rows: Rows) -> list[str | None]:
    """A text column at some rows, None where missing or not selected."""
    column = columns.get(name)
    return [None] * len(rows) if column is None else list(column[rows].tolist())


def text_cell(columns: Columns, name: str, row: int) -> str | None:
    """A text column at one row."""
    column = columns.get(name)
    return None if column is None else column[row]
