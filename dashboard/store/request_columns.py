"""The requests of one point as plain columns, for a scatter of each against each."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from dashboard.domain.columns import Columns
from dashboard.domain.request_quantities import REQUEST_COLUMNS
from dashboard.store import requests
from dashboard.store.columns import to_columns
from dashboard.store.connection import Store
from dashboard.store.point_runs import axis_of

_SAID = ("request_id", "phase", "kind", "failed", "cancelled")
_MOMENTS = ("credit_ns", "start_ns", "end_ns")


def request_columns(store: Store, point_id: str) -> Columns | None:
    """All requests of a point in their stored order, by start; None where it has none.

    Moments are ns after the earliest one of the run: whole numbers that a float64 holds exactly. `start_s`
    and `end_s` are seconds on the run's axis.
    """
    table = requests.read(store, point_id, (*_SAID, *REQUEST_COLUMNS))
    if table is None:
        return None
    axis = axis_of(table)
    zero = pa.scalar(axis.zero_ns if axis else 0, pa.int64())
    ends = [pc.subtract(table[f"{name}_ns"], zero) for name in ("start", "end")]
    on_axis = to_columns(pa.Table.from_arrays(ends, names=["start_s", "end_s"]))
    seconds = {name: column / 1e9 for name, column in on_axis.items()}
    return {**to_columns(_since_the_first(table)), **seconds}


def _since_the_first(table: pa.Table) -> pa.Table:
    known = [moment for name in _MOMENTS if (moment := pc.min(table[name]).as_py()) is not None]
    first = pa.scalar(min(known, default=0), pa.int64())
    for name in _MOMENTS:
        place = table.column_names.index(name)
        table = table.set_column(place, name, pc.subtract(table[name], first))
    return table
