"""The rows under the charts: the points drawn, best first, as plain values for the grid and as words for
cards.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dashboard.domain.columns import Numbers, Rows, moments, numbers, texts
from dashboard.domain.scene import ResolvedAxis, Scene, Series
from dashboard.domain.stacks import Naming, label_or_unknown

#: Columns of the store that the table reads beside those of the scene.
TABLE_COLUMNS = (
    "point_id", "topology_label", "gpus", "concurrency", "offload", "offload_backend", "hbm_hit_rate",
    "requests_ok", "requests_failed", "run_date",
)  # fmt: skip

PointHref = Callable[[str], str]

#: Rows that the browser gets; the downloads hold all.
MOST_ROWS = 2_000


def best_first(scene: Scene) -> Rows:
    """The drawn rows, best y first, ties by row."""
    sign = -1.0 if scene.y.metric.better == "higher" else 1.0
    order = np.argsort(sign * scene.y.values[scene.rows], kind="stable")
    return np.asarray(scene.rows[order])


def axes_of(scene: Scene) -> tuple[tuple[str, ResolvedAxis], ...]:
    """The axes with the names of their columns: y, then x of each chart."""
    xs = (("x" if place == 0 else f"x{place + 1}", axis) for place, axis in enumerate(scene.panels))
    return (("y", scene.y), *xs)


def table_rows(scene: Scene, naming: Naming, href: PointHref) -> list[dict[str, Any]]:
    """One plain row per drawn point, the best `MOST_ROWS`; missing values are None: last in order, blank."""
    rows = best_first(scene)[:MOST_ROWS]
    stacks = {row: stack for one in scene.series for stack in [_stack(one)] for row in one.rows.tolist()}
    columns = _row_columns(scene, rows, naming)
    points = zip(*columns.values(), strict=True)
    return [
        stacks[row] | dict(zip(columns, values, strict=True)) | {"href": href(values[0])}
        for row, values in zip(rows.tolist(), points, strict=True)
    ]


def _stack(series: Series) -> dict[str, Any]:
    stack = " ".join(part for part in (series.engine_label, series.qualifiers) if part)
    return {
        "series": series.key,
        "hardware": series.hardware_label,
        "tone": series.hardware or "other" if series.coloured else None,
        "stack": stack,
        "precision": series.precision_label,
        "origin": series.provenance,
    }


def _row_columns(scene: Scene, rows: Rows, naming: Naming) -> dict[str, list[Any]]:
    """The table's columns besides the stack's, at the rows; the id comes first."""
    cells = {name: column[rows] for name, column in scene.columns.items() if name in TABLE_COLUMNS}
    offload = zip(texts(cells, "offload"), texts(cells, "offload_backend"), strict=True)
    days = moments(cells, "run_date", "D").tolist()
    return {
        "id": texts(cells, "point_id"),
        "topology": texts(cells, "topology_label"),
        "offload": [_offload(kind, backend, naming) for kind, backend in offload],
        "gpus": _values(numbers(cells, "gpus")),
        "concurrency": _values(numbers(cells, "concurrency")),
        "hbm": _values(numbers(cells, "hbm_hit_rate")),
        "ok": _values(numbers(cells, "requests_ok")),
        "failed": _values(numbers(cells, "requests_failed")),
        "run": [day.isoformat() if day is not None else None for day in days],
        "few": scene.few_requests[rows].tolist(),
    } | {name: _values(axis.values[rows]) for name, axis in axes_of(scene)}


def _values(figures: Numbers) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in figures.tolist()]


def _offload(kind: str | None, backend: str | None, naming: Naming) -> str:
    if kind is None:
        return ""
    where = label_or_unknown(naming, "offload", kind)
    return f"{where}, {naming('offload_backend', backend)}" if backend and kind != "none" else where
