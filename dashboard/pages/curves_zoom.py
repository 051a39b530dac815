"""What is wrong with a zoom that came with an address: a log axis cannot show it, or no point lies in it."""

from __future__ import annotations

import numpy as np

from dashboard.domain.scene import ResolvedAxis, Scene
from dashboard.links import PARAMETER_OF, CurvesView, Interval
from dashboard.parameters import Notice, write_interval


def zoom_notices(scene: Scene, view: CurvesView) -> list[Notice]:
    """One notice per zoomed axis that shows something else than the reader may expect."""
    found: list[Notice] = []
    for field, axis in _axes(scene).items():
        ends: Interval | None = getattr(view, field)
        why = _trouble(axis, scene, ends) if ends else ""
        if ends and why:
            found.append(Notice(PARAMETER_OF[field].name, write_interval(ends), why))
    if view.zoom_x2 is not None and len(scene.panels) == 1:
        found.append(Notice("zx2", write_interval(view.zoom_x2), "there is no second chart"))
    return found


def _axes(scene: Scene) -> dict[str, ResolvedAxis]:
    xs = dict(zip(("zoom_x", "zoom_x2"), scene.panels, strict=False))
    return {**xs, "zoom_y": scene.y}


def _trouble(axis: ResolvedAxis, scene: Scene, ends: Interval) -> str:
    if axis.scale == "log" and ends[0] <= 0:
        return "a logarithmic axis starts above 0; the whole axis is shown"
    values = axis.values[scene.rows]
    inside = (values >= ends[0]) & (values <= ends[1])
    return "" if inside.any() or not np.isfinite(values).any() else "no point lies in this range"
