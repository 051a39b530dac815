"""The points that were measured together with a point: those of its stack in its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dashboard.domain.columns import Columns
from dashboard.store.columns import to_columns
from dashboard.store.connection import Store
from dashboard.store.schema import POINTS

#: What all points of one stack and run have in common; what is unknown is alike.
_SHARED = (
    "model",
    "scenario",
    "hardware",
    "engine",
    "precision",
    "source",
    "official",
    "run_id",
    "run_attempt",
)
_ORDER = "concurrency NULLS LAST, topology_label NULLS LAST, offload NULLS LAST, measured_at, point_id"


def neighbours(store: Store, row: Mapping[str, object], columns: Sequence[str]) -> Columns:
    """Columns of `POINTS` for all points of a row's stack and run, its own included, by concurrency.

    ValueError for a column that points do not have.
    """
    unknown = [name for name in columns if name not in POINTS.names]
    if unknown or not columns:
        raise ValueError(f"Not columns of a point: {unknown}.")
    terms = " AND ".join(f"{name} IS NOT DISTINCT FROM ?" for name in _SHARED)
    question = f"SELECT {', '.join(dict.fromkeys(columns))} FROM points WHERE {terms} ORDER BY {_ORDER}"
    return to_columns(store.ask(question, [row[name] for name in _SHARED]))
