"""One metric over the points of a run: its percentiles against concurrency, and why a point has none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dashboard.domain.columns import Columns, Mask, Numbers, Rows, groups, length, numbers, texts
from dashboard.domain.fitness import absences, drawable_values, few_requests
from dashboard.domain.metrics import DEFAULT_STAT, REGISTRY, Economics, Metric, Scale

#: Percentiles that stand beside each other, in the order of their lines.
PERCENTILES = ("p50", "p75", "p90", "p95", "p99")
#: Ratio of the largest to the smallest value above which an axis is logarithmic.
_DECADES = 100.0


@dataclass(frozen=True, slots=True)
class AcrossLine:
    """One statistic of the metric: a value per row of the columns, NaN where there is none; `few` where too
    few requests lie beyond the percentile.
    """

    stat: str
    values: Numbers
    few: Mask


@dataclass(frozen=True, slots=True)
class Across:
    """A metric over a run. `configurations`: the drawable rows of each, by rising concurrency.

    `absent` counts the points without any value, by reason.
    """

    metric: Metric
    concurrency: Numbers
    lines: tuple[AcrossLine, ...]
    configurations: tuple[Rows, ...]
    scale: Scale
    absent: Mapping[str, int]

    @property
    def main(self) -> AcrossLine:
        """The line that the Curves page shows: p90, or the only one."""
        return next((line for line in self.lines if line.stat == DEFAULT_STAT), self.lines[0])


def across_columns(key: str) -> tuple[str, ...]:
    """The store columns that `across` reads for a metric, each once."""
    metric = REGISTRY[key]
    read = [column for stat in _statistics(metric) for column in metric.columns(stat)]
    size = [metric.sample_size_column] if metric.sample_size_column else []
    return tuple(dict.fromkeys(("config_id", "concurrency", "requests_ok", *read, *size)))


def across(columns: Columns, key: str, economics: Economics) -> Across:
    """The metric over all rows; KeyError for a metric that the registry does not have."""
    metric = REGISTRY[key]
    found = {stat: _values(columns, metric, stat, economics) for stat in _statistics(metric)}
    lines = tuple(
        AcrossLine(stat, values, few_requests(columns, metric, stat))
        for stat, values in found.items()
        if np.isfinite(values).any()
    ) or (AcrossLine(DEFAULT_STAT, next(iter(found.values())), np.zeros(length(columns), dtype=np.bool_)),)
    load = numbers(columns, "concurrency")
    some = np.logical_or.reduce([np.isfinite(line.values) for line in lines]) & np.isfinite(load)
    return Across(
        metric=metric,
        concurrency=load,
        lines=lines,
        configurations=_configurations(columns, load, some),
        scale=_scale(np.concatenate([line.values[some] for line in lines])),
        absent=_absent(columns, metric, economics, some),
    )


def _statistics(metric: Metric) -> tuple[str, ...]:
    return PERCENTILES if metric.takes_statistic else (DEFAULT_STAT,)


def _values(columns: Columns, metric: Metric, stat: str, economics: Economics) -> Numbers:
    """The values; a zero is a measurement of a share or a count, and an unmeasured rate, time or price."""
    values = metric.values(columns, stat, economics)
    return values if metric.role == "detail" else drawable_values(values)


def _configurations(columns: Columns, load: Numbers, some: Mask) -> tuple[Rows, ...]:
    rows = np.flatnonzero(some)
    configs = texts(columns, "config_id")
    found = groups([[configs[row] for row in rows.tolist()]]).values()
    return tuple(rows[members][np.argsort(load[rows[members]], kind="stable")] for members in found)


def _scale(values: Numbers) -> Scale:
    shown = values[np.isfinite(values)]
    if not len(shown) or shown.min() <= 0:
        return "linear"
    return "log" if shown.max() > _DECADES * shown.min() else "linear"


def _absent(columns: Columns, metric: Metric, economics: Economics, some: Mask) -> Mapping[str, int]:
    """Points without a value by reason; a point has one reason."""
    missing = ~some
    reasons: dict[str, int] = {}
    values = metric.values(columns, DEFAULT_STAT, economics)
    for reason, mask in absences(columns, metric, DEFAULT_STAT, values).items():
        if count := int(np.count_nonzero(mask & missing)):
            reasons[reason] = count
        missing &= ~mask
    if rest := int(np.count_nonzero(missing)):
        reasons["no concurrency, or no value that can be drawn"] = rest
    return reasons
