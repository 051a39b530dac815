"""What the rows of a selection can show: which metrics and statistics have at least one value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dashboard.domain.columns import Columns
from dashboard.domain.metrics import REGISTRY, STATS, X_METRICS, Y_METRICS, Economics
from dashboard.links import CurvesView

#: All columns that any metric of a chart reads, in any statistic.
OFFER_COLUMNS: tuple[str, ...] = tuple(
    dict.fromkeys(
        column
        for metric in (*X_METRICS, *Y_METRICS)
        for stat in STATS
        for column in REGISTRY[metric].columns(stat)
    )
)


@dataclass(frozen=True, slots=True)
class Offers:
    """Metrics with values in the chosen statistic, and statistics with values of the chosen metrics."""

    metrics: frozenset[str]
    stats: frozenset[str]


def offers_in(columns: Columns, view: CurvesView, economics: Economics) -> Offers:
    """What `columns` (with all `OFFER_COLUMNS`) can show next to the present view."""
    return Offers(
        metrics=frozenset(
            metric
            for metric in (*X_METRICS, *Y_METRICS)
            if _has_values(columns, metric, view.stat, economics)
        ),
        stats=frozenset(
            stat
            for stat in STATS
            if any(_has_values(columns, metric, stat, economics) for metric in view.x_metrics)
        ),
    )


def _has_values(columns: Columns, metric: str, stat: str, economics: Economics) -> bool:
    return bool(np.isfinite(REGISTRY[metric].values(columns, stat, economics)).any())
