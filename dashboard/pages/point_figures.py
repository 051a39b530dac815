"""The eight figures at the head of a point's page, each with the number of requests behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from components.figure_row import BigFigure
from components.point_row import number, text
from dashboard.domain.columns import Columns
from dashboard.domain.fitness import absences, few_requests, sample_size
from dashboard.domain.metrics import DEFAULT_STAT, REGISTRY, Economics, Metric, quantity_name
from dashboard.domain.units import (
    THIN,
    count,
    exact,
    format_number,
    percent,
    seconds,
    significant,
    usd,
    with_unit,
)
from dashboard.links import method_url

Row = Mapping[str, Any]

#: Keys of the registry, left to right; the share of cached prompt tokens and the requests stand among them.
_BEFORE = ("tput_total", "interactivity", "ttft", "e2el", "tput_output")
_AFTER = ("cost_total",)
_ARROWS = {"higher": "→", "lower": "←", "neither": ""}
#: Shares of prompt tokens from cache, the whole first; the parts that make it up.
_HITS = ("overall_hit_rate", "hbm_hit_rate", "offload_hit_rate")
#: Requests that did not complete, or not in the profiling phase.
_OTHERS = (("failed", "requests_failed"), ("cancelled", "requests_cancelled"), ("warm-up", "requests_warmup"))


def point_figures(row: Row, economics: Economics) -> tuple[BigFigure, ...]:
    """Throughput, the three latencies, output throughput, cache, requests, cost; a missing one says why."""
    return (
        *[_measured(REGISTRY[key], row, economics) for key in _BEFORE],
        _cached(row),
        _completed(row),
        *[_measured(REGISTRY[key], row, economics) for key in _AFTER],
    )


def _measured(metric: Metric, row: Row, economics: Economics) -> BigFigure:
    """A metric of the registry at its default statistic."""
    columns = _columns(metric, row)
    value = float(metric.values(columns, DEFAULT_STAT, economics)[0])
    missing = not math.isfinite(value)
    seconds_long = metric.unit == "s" and not missing
    words, unit = _split(seconds(value)) if seconds_long else (format_number(metric, value), _unit(metric))
    return BigFigure(
        label=quantity_name(metric, DEFAULT_STAT),
        value=words,
        unit=unit,
        note=_why_missing(metric, columns, economics) if missing else _basis(metric, columns, economics),
        better=_ARROWS[metric.better],
        explanation=metric.explanation,
        exact=with_unit(exact(value), metric.unit),
        few=not missing and bool(few_requests(columns, metric, DEFAULT_STAT)[0]),
        href=method_url(metric.key),
    )


def _columns(metric: Metric, row: Row) -> Columns:
    """The columns that the metric and its judgement read, of one row."""
    names = (*metric.columns(DEFAULT_STAT), metric.sample_size_column or "", "requests_ok", "hardware")
    return {name: _column(row.get(name)) for name in dict.fromkeys(names) if name}


def _column(value: object) -> np.ndarray[Any, Any]:
    if isinstance(value, str):
        return np.array([value], dtype=object)
    return np.array([np.nan if value is None else value], dtype=np.float64)


def _unit(metric: Metric) -> str:
    """The unit beside the figure, which is too long for its label: per GPU, per million tokens."""
    return f"{metric.unit}/GPU" if metric.key.startswith("tput_") else metric.unit


def _split(figure: str) -> tuple[str, str]:
    """A duration as figure and unit: "2.61", "s"; one of several units stays whole: "1 min 08 s"."""
    parts = figure.split(THIN)
    return (parts[0], parts[1]) if len(parts) == 2 else (figure, "")


def _basis(metric: Metric, columns: Columns, economics: Economics) -> str:
    """What the figure rests on: requests; for money the price."""
    if metric.reading.needs_hardware:
        price = usd(economics.usd_per_gpu_hour.get(str(columns["hardware"][0])))
        return f"{price}/GPU/h · {economics.price_note}"
    n = count(float(sample_size(columns, metric)[0]))
    formed = f" · 1 / {DEFAULT_STAT} ITL" if metric.key == "interactivity" else ""
    return f"n {n}{formed}" if n else "n not reported"


def _why_missing(metric: Metric, columns: Columns, economics: Economics) -> str:
    values = metric.values(columns, DEFAULT_STAT, economics)
    reasons = absences(columns, metric, DEFAULT_STAT, values)
    why = next((reason for reason, mask in reasons.items() if mask[0]), "")
    return why if why and not why.startswith(f"no {quantity_name(metric, DEFAULT_STAT)}") else "not reported"


def _cached(row: Row) -> BigFigure:
    """The share of prompt tokens from any cache tier, else from HBM; above 100 % it is a conflict."""
    found = [(key, share) for key in _HITS if (share := number(row, key)) is not None]
    key, share = next(iter(found), (_HITS[0], None))
    metric = REGISTRY[key]
    parts = [f"{REGISTRY[name].label.split()[0]} {percent(part)}" for name, part in found if name != key]
    if key == _HITS[0]:
        parts = [" + ".join(parts)] if parts else []
    basis = text(row, "hit_rate_basis")
    over = share is not None and share > 1
    notes = ["above 100 %: the sources count differently"] if over else [*parts, basis or "by prompt tokens"]
    return BigFigure(
        label="Prefix hit share",
        value=significant(None if share is None else share * 100),
        unit="%",
        note=" · ".join(notes) if share is not None else "no cache counts reported",
        better=_ARROWS[metric.better],
        explanation=metric.explanation,
        exact=exact(share),
        tone="conflict" if over else "",
        href=method_url(key),
    )


def _completed(row: Row) -> BigFigure:
    """Requests that succeeded; the others are counted beside them."""
    others = (
        ("failed", "requests_failed"),
        ("cancelled", "requests_cancelled"),
        ("warm-up", "requests_warmup"),
    )
    told = [f"{figure} {word}" for word, name in others if (figure := count(number(row, name)))]
    done = count(number(row, "requests_ok"))
    return BigFigure(
        label="Completed",
        value=done,
        unit="requests",
        note=" · ".join(told) if done else "not reported",
        explanation=REGISTRY["requests_ok"].explanation,
        tone="failed" if number(row, "requests_failed") else "",
        href=method_url("requests_ok"),
    )
