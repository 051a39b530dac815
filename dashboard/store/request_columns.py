"""The requests of one point as plain columns, for a scatter of each against each."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from dashboard.domain.columns import Columns
from dashboard.domain.request_quantities import REQUEST_COLUMNS
from dashboard.store import requests
from dashboard.store.columns import to_columns
from dashboard.store.connection import Store

_SAID = ("request_id", "phase", "kind", "failed", "cancelled")
_MOMENTS = ("credit_ns", "start_ns", "end_ns")


def request_columns(store: Store, point_id: str) -> Columns | None:
    """All requests of a point in their stored order, by start; None where it has none.

    Moments are ns after the earliest one of the run: whole numbers that a float64 holds exactly.
    """
    table = requests.read(store, point_id, (*_SAID, *REQUEST_COLUMNS))
    return None if table is None else to_columns(_since_the_first(table))


def _since_the_first(table: pa.Table) -> pa.Table:
    known = [moment for name in _MOMENTS if (moment := pc.min(table[name]).as_py()) is not None]
    first = pa.scalar(min(known, default=0), pa.int64())
    for name in _MOMENTS:
        place = table.column_names.index(name)
        table = table.set_column(place, name, pc.subtract(table[name], first))
    return table
