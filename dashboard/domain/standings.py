"""The axes of a chart before their scale is known, and how the points of one series stand on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dashboard.domain.columns import Columns, Mask, Numbers, Rows
from dashboard.domain.fitness import absences, drawable_values
from dashboard.domain.frontier import pareto
from dashboard.domain.metrics import REGISTRY, Economics, Metric, Scale, title_parts
from dashboard.domain.scene import AxisChoice, ResolvedAxis


@dataclass(frozen=True, slots=True)
class Axis:
    """What the reader chose for an axis: per row a drawable value or NaN; `absent` says why, by reason."""

    choice: AxisChoice
    metric: Metric
    values: Numbers
    absent: Mapping[str, Mask]


@dataclass(frozen=True, slots=True)
class Standing:
    """The drawable rows of one series in one chart, by rising x: those on the frontier, and those off it."""

    frontier: Rows
    off: Rows

    @property
    def drawable(self) -> int:
        """How many rows have a place in the chart."""
        return len(self.frontier) + len(self.off)


def read_axis(columns: Columns, choice: AxisChoice, economics: Economics) -> Axis:
    """The values of the chosen metric; KeyError for a metric that the registry does not have."""
    metric = REGISTRY[choice.metric]
    values = metric.values(columns, choice.stat, economics)
    return Axis(choice, metric, drawable_values(values), absences(columns, metric, choice.stat, values))


def stand(rows: Rows, x: Axis, y: Axis, failing: Mask) -> Standing:
    """Where rows stand: the Pareto set in the axes' own directions; failing rows are never on it.

    An axis without direction has no frontier: all rows that do not fail count as standing on it.
    """
    there = rows[~np.isnan(x.values[rows]) & ~np.isnan(y.values[rows])]
    sound = np.flatnonzero(~failing[there])
    able = there[sound]
    if x.metric.better == "neither":
        return Standing(_by_x(able, x.values), _by_x(there[failing[there]], x.values))
    best = pareto(
        x.values[able],
        y.values[able],
        maximise_x=x.metric.better == "higher",
        maximise_y=y.metric.better == "higher",
    )
    off = np.ones(len(there), dtype=np.bool_)
    off[sound[best]] = False
    return Standing(able[best], _by_x(there[off], x.values))


def _by_x(rows: Rows, x: Numbers) -> Rows:
    return rows[np.argsort(x[rows], kind="stable")]


def resolve(axis: Axis, drawn: Rows, side: Literal["x", "y"]) -> ResolvedAxis:
    """The axis with its scale: the reader's, else log where drawn values span more than the metric allows."""
    scale: Scale = "linear" if axis.choice.scale == "auto" else axis.choice.scale
    values = axis.values[drawn]
    beyond = axis.metric.log_beyond
    if axis.choice.scale == "auto" and beyond is not None and len(values):
        scale = "log" if values.max() > beyond * values.min() else "linear"
    return ResolvedAxis(
        metric=axis.metric,
        stat=axis.choice.stat,
        scale=scale,
        scale_is_automatic=axis.choice.scale == "auto",
        title=title_parts(axis.metric, axis.choice.stat, scale, side),
        values=axis.values,
    )
