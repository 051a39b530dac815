"""What a chart of curves shows, as plain data: axes, series, frontiers, lines, and what is not drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dashboard.domain.columns import Columns, Mask, Numbers, Rows
from dashboard.domain.metrics import AxisTitle, Metric, Scale

ScaleChoice = Literal["auto", "linear", "log"]
RunChoice = Literal["newest", "per_config", "all"]
Provenance = Literal["official", "unofficial", "simulated"]


@dataclass(frozen=True, slots=True)
class AxisChoice:
    """What the reader wants on one axis; keys of the metric registry and of `STATS`."""

    metric: str
    stat: str = "p90"
    scale: ScaleChoice = "auto"


@dataclass(frozen=True, slots=True)
class CurveRules:
    """How rows become curves.

    `panels` holds the x axis of each chart, left to right; all share `y`. `hide` and `only` hold series
    keys or their dotted beginnings ("b300", "b300.vllm"); a token that equals a whole key means that series
    alone.
    """

    panels: tuple[AxisChoice, ...]
    y: AxisChoice
    runs: RunChoice = "newest"
    dominated: bool = False
    hide: tuple[str, ...] = ()
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResolvedAxis:
    """One axis with its scale decided; `values`: one per row of the scene's columns, NaN if undrawable."""

    metric: Metric
    stat: str
    scale: Scale
    scale_is_automatic: bool
    title: AxisTitle
    values: Numbers


@dataclass(frozen=True, slots=True)
class PanelCurve:
    """One series in one chart.

    `x`, `y`: one value per row of `Series.rows`, NaN where the row is not in this chart. `frontier`,
    `dominated`: the rows to draw (indices into the scene's columns), by rising x; rows that failed too
    often are among the dominated. On an axis without direction all rows stand in `frontier`, and lines join
    the rows of one configuration and run. `line_x`, `line_y`: the interpolated line through the frontier,
    NaN between pieces. `gap_x`, `gap_y`: straight connections over stretches that nobody measured, NaN
    between them.
    """

    x: Numbers
    y: Numbers
    frontier: Rows
    dominated: Rows
    line_x: Numbers
    line_y: Numbers
    gap_x: Numbers
    gap_y: Numbers


@dataclass(frozen=True, slots=True)
class Series:
    """One curve: the points of one stack and precision.

    In fixed-sequence scenarios speculative method, deployment and offload tell curves apart too. `key` is
    URL-safe and never depends on what else is shown. `rows` are the rows of its chosen runs, drawn or not,
    rising. `coloured` is false for those that stay grey because eight others are in colour.
    """

    key: str
    hardware: str | None
    vendor: str | None
    engine: str | None
    precision: str | None
    hardware_label: str
    engine_label: str
    precision_label: str
    label: str
    qualifiers: str
    provenance: Provenance
    rows: Rows
    panels: tuple[PanelCurve, ...]
    coloured: bool
    mixed_dates: bool


@dataclass(frozen=True, slots=True)
class HiddenSeries:
    """One curve that is not drawn, and why, as a sentence for the reader."""

    key: str
    label: str
    qualifiers: str
    hardware: str | None
    vendor: str | None
    engine: str | None
    precision: str | None
    points: int
    reason: str
    by_choice: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything that a figure, its legend, its counts and its table need.

    `series`: best first, so that a figure draws them in reverse. `rows`: the rows drawn in at least one
    chart, rising. `on_frontier`: per row of the columns, on a frontier of at least one chart. `failing`:
    per row, more than a tenth of its requests failed, which takes it off the frontier. `few_requests`: per
    row, a shown percentile has fewer than ten observations beyond it. `dominated_hidden`: points left out
    because another of their series is better in every chart. `older_points`: points of older runs left out.
    `unplotted`: other points left out, by reason. `unmatched`: tokens of `hide` and `only` that name no
    series.
    """

    columns: Columns
    rules: CurveRules
    panels: tuple[ResolvedAxis, ...]
    y: ResolvedAxis
    series: tuple[Series, ...]
    hidden: tuple[HiddenSeries, ...]
    rows: Rows
    on_frontier: Mask
    failing: Mask
    few_requests: Mask
    dominated_hidden: int
    older_points: int
    unplotted: Mapping[str, int]
    unmatched: tuple[str, ...]
