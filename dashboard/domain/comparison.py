"""How one point compares: with the frontier of its series, and with the best line at the same x."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dashboard.domain.columns import Numbers, Rows, texts
from dashboard.domain.frontier import value_at
from dashboard.domain.scene import PanelCurve, ResolvedAxis, Scene, Series

Verdict = Literal["frontier", "dominated", "failing", "no_frontier", "not_shown", "not_drawable"]


@dataclass(frozen=True, slots=True)
class BestLine:
    """The best of all shown lines at the point's x: whose it is, its value, and y of the point over that
    value.

    `measured` is whether the line has a measured point at this very x; otherwise the value is interpolated.
    """

    series: str
    y: float
    factor: float
    measured: bool


@dataclass(frozen=True, slots=True)
class PanelComparison:
    """One point in one chart; x and y are None where the point has no such value.

    `verdict`: on the frontier of its series; dominated, then `dominated_by` is the row of the frontier
    point nearest in x that is at least as good in both; failing, kept off the frontier; no_frontier on an
    axis without direction; not_shown, of an older run, a hidden series or withheld; not_drawable without
    both values. `best` is None where no shown line reaches the point's x.
    """

    x: float | None
    y: float | None
    verdict: Verdict
    dominated_by: int | None
    best: BestLine | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """One point against a scene: its row, the key of its series (None if not shown), one entry per chart."""

    row: int
    series: str | None
    panels: tuple[PanelComparison, ...]


def comparison(scene: Scene, point_id: str) -> Comparison | None:
    """The point against the frontiers of the scene; None when the scene's rows do not hold the point.

    A point that the scene does not draw (an older run, a hidden series) is still held against the best line.
    """
    row = next((row for row, known in enumerate(texts(scene.columns, "point_id")) if known == point_id), None)
    if row is None:
        return None
    own = next((series for series in scene.series if _holds(series.rows, row)), None)
    panels = tuple(_in_panel(scene, panel, own, row) for panel in range(len(scene.panels)))
    return Comparison(row, own.key if own else None, panels)


def _holds(rows: Rows, row: int) -> bool:
    return bool((rows == row).any())


def _in_panel(scene: Scene, panel: int, own: Series | None, row: int) -> PanelComparison:
    axis = scene.panels[panel]
    x, y = float(axis.values[row]), float(scene.y.values[row])
    if np.isnan(x) or np.isnan(y):
        known = [None if np.isnan(value) else value for value in (x, y)]
        return PanelComparison(known[0], known[1], "not_drawable", None, None)
    best = _best_line(scene, panel, x, y)
    verdict = _verdict(scene, panel, own, row)
    dominated_by = _dominator(scene, axis, own.panels[panel], row) if own and verdict == "dominated" else None
    return PanelComparison(x, y, verdict, dominated_by, best)


def _verdict(scene: Scene, panel: int, own: Series | None, row: int) -> Verdict:
    """Where a row with both values stands among the shown rows of its series."""
    if own is None:
        return "not_shown"
    if scene.panels[panel].metric.better == "neither":
        return "no_frontier"
    if scene.failing[row]:
        return "failing"
    return "frontier" if _holds(own.panels[panel].frontier, row) else "dominated"


def _dominator(scene: Scene, axis: ResolvedAxis, curve: PanelCurve, row: int) -> int:
    """The frontier point nearest in x of those that are at least as good as the row in both directions."""
    rows = curve.frontier
    ahead = _gain(axis)[rows] >= _gain(axis)[row]
    above = _gain(scene.y)[rows] >= _gain(scene.y)[row]
    candidates = rows[ahead & above]
    distance = np.abs(axis.values[candidates] - axis.values[row])
    return int(candidates[np.argmin(distance)])


def _gain(axis: ResolvedAxis) -> Numbers:
    """The values so that more is better."""
    return axis.values if axis.metric.better == "higher" else -axis.values


def _best_line(scene: Scene, panel: int, x: float, y: float) -> BestLine | None:
    """The best value at x over all shown lines; none on an axis without direction."""
    axis = scene.panels[panel]
    if axis.metric.better == "neither":
        return None
    found = [(series, _line_value(scene, axis, series.panels[panel], x)) for series in scene.series]
    reached = [(series, value) for series, value in found if not np.isnan(value)]
    if not reached:
        return None
    pick = max if scene.y.metric.better == "higher" else min
    series, value = pick(reached, key=lambda pair: pair[1])
    measured = bool((axis.values[series.panels[panel].frontier] == x).any())
    return BestLine(series.key, value, y / value, measured)


def _line_value(scene: Scene, axis: ResolvedAxis, curve: PanelCurve, x: float) -> float:
    """The value of one line at x; a reciprocal metric's through its throughput, as the line is drawn."""
    at, values = axis.values[curve.frontier], scene.y.values[curve.frontier]
    if scene.y.metric.reciprocal_of is None:
        return value_at(at, values, x, axis.scale)
    return 1.0 / value_at(at, 1.0 / values, x, axis.scale)
