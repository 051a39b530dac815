"""From Arrow to the plain arrays of `domain.columns`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dashboard.domain.columns import Array, Columns


def to_columns(table: pa.Table) -> Columns:
    """Null becomes NaN in numbers (float64), NaT in times (datetime64, UTC), None in all the rest."""
    return {name: _array(table[name]) for name in table.column_names}


def _array(column: pa.ChunkedArray[Any]) -> Array:
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return np.asarray(pc.cast(column, pa.float64(), safe=False).to_numpy(), dtype=np.float64)
    if pa.types.is_date(kind):
        return np.asarray(column.to_numpy().astype("datetime64[D]"))
    if pa.types.is_timestamp(kind):
        return np.asarray(column.to_numpy().astype("datetime64[us]"))
    if pa.types.is_list(kind):
        values = np.empty(len(column), dtype=object)
        values[:] = column.to_pylist()
        return values
    return np.asarray(column.to_numpy())
