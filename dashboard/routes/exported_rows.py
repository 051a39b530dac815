"""The rows of a view as a table that stands on its own: what is shown, identity, statistics, source."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from dashboard import __version__
from dashboard.domain.columns import Array, Numbers, Rows
from dashboard.domain.metrics import REGISTRY
from dashboard.domain.scene import ResolvedAxis, Scene
from dashboard.pages.curves_view import Answer
from dashboard.services import Services
from dashboard.store import points
from dashboard.store.schema import POINTS

MIME = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}
#: The second chart's x is there in every export, blank where there is one chart: columns never shift.
_AXES = ("x", "x2", "y")


def exported_rows(services: Services, answer: Answer) -> pa.Table:
    """One row per drawn point, best series first: what is shown of it, then all columns of `POINTS`."""
    scene = answer.scene
    columns = points.rows(services.store, answer.applied, POINTS.names)
    rows, series = _rows_by_series(scene)
    shown: dict[str, pa.Array[Any]] = {
        "series": pa.array(series, pa.string()),
        "on_frontier": pa.array(scene.on_frontier[rows], pa.bool_()),
        **_axis_columns(scene, rows),
        "price_note": pa.array([_price_note(answer)] * len(rows), pa.string()),
    }
    stored = {field.name: _stored(columns[field.name][rows], field.type) for field in POINTS}
    return pa.table(shown | stored | _source(answer, len(rows)))


def encoded(table: pa.Table, file_format: str, query: str) -> bytes:
    """The table as the bytes of a file; JSON repeats the query and counts the rows."""
    if file_format == "parquet":
        return _parquet(table)
    return _csv(table) if file_format == "csv" else _json(table, query)


def _rows_by_series(scene: Scene) -> tuple[Rows, list[str]]:
    drawn = set(scene.rows.tolist())
    pairs = [(row, one.key) for one in scene.series for row in one.rows.tolist() if row in drawn]
    return np.array([row for row, _ in pairs], np.intp), [key for _, key in pairs]


def _axis_columns(scene: Scene, rows: Rows) -> dict[str, pa.Array[Any]]:
    axes: dict[str, ResolvedAxis | None] = {"x": scene.panels[0], "x2": None, "y": scene.y}
    if len(scene.panels) > 1:
        axes["x2"] = scene.panels[1]
    found: dict[str, pa.Array[Any]] = {}
    for name in _AXES:
        axis = axes[name]
        words = (axis.title.quantity, axis.title.unit) if axis else (None, None)
        values = axis.values[rows] if axis else np.full(len(rows), np.nan)
        found[f"{name}_quantity"] = pa.array([words[0]] * len(rows), pa.string())
        found[f"{name}_unit"] = pa.array([words[1]] * len(rows), pa.string())
        found[name] = _numbers(values, pa.float64())
    return found


def _price_note(answer: Answer) -> str | None:
    return answer.price_note if REGISTRY[answer.asked.y].reading.needs_hardware else None


def _source(answer: Answer, count: int) -> dict[str, pa.Array[Any]]:
    """Store and program, in every row: a row stays what it is when it is copied elsewhere."""
    created = answer.info.created_at.isoformat() if answer.info.created_at else None
    said = {"store": answer.info.name, "store_created_at": created, "product_version": __version__}
    return {name: pa.array([text] * count, pa.string()) for name, text in said.items()}


def _stored(values: Array, kind: pa.DataType) -> pa.Array[Any]:
    """A column of the store in its own type again, with null for what is missing."""
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _numbers(values, kind)
    if pa.types.is_temporal(kind):
        return pa.array(values).cast(kind)
    return pa.array(values.tolist(), kind)


def _numbers(values: Numbers, kind: pa.DataType) -> pa.Array[Any]:
    return pa.array(values, pa.float64(), mask=~np.isfinite(values)).cast(kind)


def _parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def _csv(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pa_csv.write_csv(pa.table([_flat(column) for column in table.columns], table.column_names), sink)
    return sink.getvalue()


def _flat(column: pa.ChunkedArray[Any]) -> pa.ChunkedArray[Any] | pa.Array[Any]:
    """A list of texts as one text, for CSV."""
    if not pa.types.is_list(column.type):
        return column
    return pa.array(
        [None if items is None else "; ".join(items) for items in column.to_pylist()], pa.string()
    )


def _json(table: pa.Table, query: str) -> bytes:
    rows: list[dict[str, Any]] = table.to_pylist()
    for row in rows:
        row["error_categories"] = orjson.loads(row["error_categories"] or "{}")
    return orjson.dumps({"query": query, "count": len(rows), "points": rows})
