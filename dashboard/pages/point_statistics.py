"""The statistics of one point as lines of a table: its profiling phase, then other phases and kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from components.stat_table import STATISTICS, Figure, Line, Part
from dashboard.domain.fitness import OBSERVATIONS_BEYOND
from dashboard.domain.metrics import REGISTRY, Metric
from dashboard.domain.records import Distribution
from dashboard.domain.units import count, format_number
from dashboard.store import requests
from dashboard.store.connection import Store

#: Metric of the registry, and the stored quantity that it is read from.
_QUANTITIES = (
    ("ttft", "ttft_s"),
    ("itl", "itl_s"),
    ("interactivity", "itl_s"),
    ("e2el", "e2el_s"),
    ("e2e_interactivity", "e2e_per_token_s"),
    ("isl", "isl"),
    ("osl", "osl"),
    ("uncached_isl", "uncached_isl"),
)
_PARTS = {
    "warmup": "Warm-up phase",
    "main": "Main requests",
    "subagent": "Subagent requests",
    "auxiliary": "Auxiliary requests",
}


def point_statistics(store: Store, row: Mapping[str, object]) -> tuple[Part, ...]:
    """The profiling phase as the store states it, then what only the stored requests tell apart."""
    point_id = str(row["point_id"])
    profiling = Part("Profiling phase", lines(_published(row)))
    others = [part for part in requests.statistics_by(store, point_id, "phase") if part.part != "profiling"]
    kinds = requests.statistics_by(store, point_id, "kind")
    told_apart = (*others, *(kinds if len(kinds) > 1 else ()))
    stored = [Part(_PARTS.get(part.part, part.part), lines(part.statistics)) for part in told_apart]
    return tuple(part for part in (profiling, *stored) if part.lines)


def _published(row: Mapping[str, object]) -> Mapping[str, Distribution]:
    names = [field.name for field in fields(Distribution)]
    quantities = dict.fromkeys(quantity for _, quantity in _QUANTITIES)
    return {
        quantity: Distribution(**{name: row.get(f"{quantity}_{name}") for name in names})  # type: ignore[arg-type]
        for quantity in quantities
    }


def lines(statistics: Mapping[str, Distribution]) -> tuple[Line, ...]:
    """The lines of a table, in its order; a quantity that nothing is known of has none."""
    found = [
        _line(REGISTRY[key], statistics[quantity]) for key, quantity in _QUANTITIES if quantity in statistics
    ]
    return tuple(line for line in found if any(figure.words for figure in line.figures))


def _line(metric: Metric, values: Distribution) -> Line:
    reciprocal = metric.key.endswith("interactivity")
    return Line(
        metric=metric.key,
        label=metric.label,
        unit=metric.unit,
        explanation=metric.explanation,
        n=count(values.n),
        figures=tuple(_figure(metric, stat, values, reciprocal) for stat in STATISTICS),
    )


def _figure(metric: Metric, stat: str, values: Distribution, reciprocal: bool) -> Figure:
    value: float | None = getattr(values, stat)
    if reciprocal and value is not None:
        value = 1 / value if value > 0 else None
    few = stat.startswith("p") and values.n is not None and _beyond(stat, values.n) < OBSERVATIONS_BEYOND
    words = format_number(metric, value)
    return Figure(words, few and bool(words))


def _beyond(stat: str, n: int) -> float:
    """Observations beyond a percentile in a sample of n."""
    return n * (100 - int(stat[1:])) / 100
