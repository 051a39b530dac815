"""Columns of many points at once: one array per store column, all of the same length.

Numbers are float64 with NaN for missing; text is an object array with None; booleans are bool or object
arrays with None; dates and times are datetime64 in UTC with NaT. A column that a question did not ask for
reads as wholly missing, so that pure functions need not know what was selected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Numbers = NDArray[np.float64]
Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]
Columns = Mapping[str, Array]


def length(columns: Columns) -> int:
    """How many points the columns hold; 0 for no columns at all."""
    return next((len(column) for column in columns.values()), 0)


def numbers(columns: Columns, name: str) -> Numbers:
    """One numeric column as float64, NaN where missing."""
    column = columns.get(name)
    if column is None:
        return np.full(length(columns), np.nan)
    return np.asarray(column, dtype=np.float64)


def texts(columns: Columns, name: str) -> list[str | None]:
    """One text column as a list, None where missing."""
    column = columns.get(name)
    return [None] * length(columns) if column is None else list(column.tolist())


def truths(columns: Columns, name: str, *, missing: bool) -> Mask:
    """One boolean column; `missing` is what a null counts as."""
    column = columns.get(name)
    if column is None:
        return np.full(length(columns), missing)
    if column.dtype == np.bool_:
        return np.asarray(column, dtype=np.bool_)
    values = [missing if value is None or value != value else bool(value) for value in column.tolist()]
    return np.array(values, dtype=np.bool_)


def moments(columns: Columns, name: str, unit: str) -> NDArray[np.datetime64]:
    """One date or time column as datetime64[`unit`], NaT where missing."""
    column = columns.get(name)
    if column is None:
        return np.full(length(columns), np.datetime64("NaT"), dtype=f"datetime64[{unit}]")
    return np.asarray(column, dtype=f"datetime64[{unit}]")


def groups(keys: Sequence[Sequence[Any]]) -> dict[tuple[Any, ...], Rows]:
    """Rows with equal keys, in order of first appearance; `keys` holds one sequence per key column."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for row, key in enumerate(zip(*keys, strict=True)):
        found.setdefault(key, []).append(row)
    return {key: np.array(rows, dtype=np.intp) for key, rows in found.items()}
