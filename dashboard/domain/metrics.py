"""The one metric registry, for chart, table, hover, export, API and method page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from dashboard.domain.chart_metrics import X_AXES, Y_AXES
from dashboard.domain.detail_metrics import DETAILS
from dashboard.domain.metric import STATS, Better, Economics, Metric, Scale

__all__ = [
    "DEFAULT_STAT", "DEFAULT_Y", "PAIR", "REGISTRY", "STATS", "X_METRICS", "Y_METRICS", "AxisTitle", "Better",
    "Economics", "Metric", "Scale", "quantity_name", "title_parts",
]  # fmt: skip

REGISTRY: Mapping[str, Metric] = MappingProxyType({m.key: m for m in (*X_AXES, *Y_AXES, *DETAILS)})
X_METRICS = tuple(metric.key for metric in X_AXES)
Y_METRICS = tuple(metric.key for metric in Y_AXES)

#: What a reader sees who chose nothing: total throughput against p90 interactivity and against p90 TTFT.
DEFAULT_Y = "tput_total"
DEFAULT_STAT = "p90"
PAIR = ("interactivity", "ttft")

_ARROWS = {
    ("x", "higher"): "better →",
    ("x", "lower"): "← better",
    ("y", "higher"): "↑ better",
    ("y", "lower"): "↓ better",
}


@dataclass(frozen=True, slots=True)
class AxisTitle:
    """The pieces of an axis title, so that a chart can set each in its own weight and place."""

    quantity: str  # "p90 TTFT"
    unit: str  # "s"
    scale: str  # "log", or "" for linear
    better: str  # "← better", or "" where neither way is


def quantity_name(metric: Metric, stat: str) -> str:
    """The metric and its statistic as text: "p90 interactivity", "mean TTFT", "Total throughput per GPU"."""
    if not metric.takes_statistic:
        return metric.label
    first, _, rest = metric.label.partition(" ")
    plain = first.lower() if first[1:].islower() else first
    return f"{stat} {plain} {rest}".rstrip()


def title_parts(metric: Metric, stat: str, scale: Scale, axis: Literal["x", "y"] | None = None) -> AxisTitle:
    """Quantity, statistic, unit, scale and direction of an axis; `axis` defaults to the metric's own role."""
    side = axis or ("y" if metric.role == "y" else "x")
    return AxisTitle(
        quantity=quantity_name(metric, stat),
        unit=metric.unit,
        scale="log" if scale == "log" else "",
        better=_ARROWS.get((side, metric.better), ""),
    )
