"""The rows under the charts: the points drawn, best first, as plain values for the grid and as words for
cards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dashboard.domain.columns import Numbers, moments, numbers, texts
from dashboard.domain.scene import ResolvedAxis, Scene, Series
from dashboard.domain.stacks import Naming, label_or_unknown

#: Columns of the store that the table reads beside those of the scene.
TABLE_COLUMNS = (
    "point_id", "topology_label", "gpus", "concurrency", "offload", "offload_backend", "hbm_hit_rate",
    "requests_ok", "requests_failed", "run_date",
)  # fmt: skip

PointHref = Callable[[str], str]


def best_first(scene: Scene) -> list[int]:
    """The drawn rows, best y first, ties by row."""
    sign = -1.0 if scene.y.metric.better == "higher" else 1.0
    order = np.argsort(sign * scene.y.values[scene.rows], kind="stable")
    return [int(row) for row in scene.rows[order]]


def axes_of(scene: Scene) -> tuple[tuple[str, ResolvedAxis], ...]:
    """The axes with the names of their columns: y, then x of each chart."""
    xs = (("x" if place == 0 else f"x{place + 1}", axis) for place, axis in enumerate(scene.panels))
    return (("y", scene.y), *xs)


def table_rows(scene: Scene, naming: Naming, href: PointHref) -> list[dict[str, Any]]:
    """One plain row per drawn point; missing values are None, so that they sort last and show as blank."""
    owners = {row: one for one in scene.series for row in one.rows.tolist()}
    read = _reader(scene, naming)
    return [_stack(owners[row]) | read(row) | {"href": href(read(row)["id"])} for row in best_first(scene)]


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


def _reader(scene: Scene, naming: Naming) -> Callable[[int], dict[str, Any]]:
    columns = scene.columns
    named = {
        name: texts(columns, name) for name in ("point_id", "topology_label", "offload", "offload_backend")
    }
    figures = {
        name: numbers(columns, name) for name in ("gpus", "concurrency", "hbm_hit_rate", "requests_ok")
    }
    failed = numbers(columns, "requests_failed")
    days = moments(columns, "run_date", "D").tolist()
    axes = axes_of(scene)

    def read(row: int) -> dict[str, Any]:
        return {
            "id": named["point_id"][row],
            "topology": named["topology_label"][row],
            "offload": _offload(named["offload"][row], named["offload_backend"][row], naming),
            "gpus": _value(figures["gpus"], row),
            "concurrency": _value(figures["concurrency"], row),
            "hbm": _value(figures["hbm_hit_rate"], row),
            "ok": _value(figures["requests_ok"], row),
            "failed": _value(failed, row),
            "run": days[row].isoformat() if days[row] is not None else None,
            "few": bool(scene.few_requests[row]),
        } | {name: _value(axis.values, row) for name, axis in axes}

    return read


def _value(values: Numbers, row: int) -> float | None:
    value = float(values[row])
    return value if np.isfinite(value) else None


def _offload(kind: str | None, backend: str | None, naming: Naming) -> str:
    if kind is None:
        return ""
    where = label_or_unknown(naming, "offload", kind)
    return f"{where}, {naming('offload_backend', backend)}" if backend and kind != "none" else where
