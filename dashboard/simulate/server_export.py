"""The servers' side of a simulated run: `server_metrics_export.json`, vLLM-style, per rank, 1 s slices."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dashboard.simulate.engine import Rank
from dashboard.simulate.labels import Labels
from dashboard.simulate.lanes import Phase, Trace

Floats = npt.NDArray[np.float64]

_GAUGES = (
    ("vllm:kv_cache_usage_perc", "ratio", "Share of KV blocks in use by requests.", 1),
    ("vllm:num_requests_running", "requests", "Requests being computed.", 2),
    ("vllm:num_requests_waiting", "requests", "Requests waiting.", 3),
)
_SLICE_S = 1.0


@dataclass(frozen=True, slots=True)
class _Window:
    """One phase on the grid of slices: `edges` in seconds of the simulation."""

    phase: Phase
    edges: Floats

    @property
    def widths(self) -> Floats:
        return np.diff(self.edges)


def server_metrics(trace: Trace, labels: Labels) -> dict[str, Any]:
    """The document: profiling under `metrics`, warm-up under `warmup_metrics`."""
    windows = {
        "warmup": _window("warmup", 0.0, trace.profiling_start_s),
        "profiling": _window("profiling", trace.profiling_start_s, trace.end_s),
    }
    ranges = {
        name: {"start_ns": labels.at_ns(window.edges[0]), "end_ns": labels.at_ns(window.edges[-1])}
        for name, window in windows.items()
    }
    urls = list(dict.fromkeys(_url(rank) for rank in (*trace.prefill_ranks, *trace.decode_ranks)))
    return {
        "schema_version": "1.1",
        "aiperf_version": "1.0.12",
        "benchmark_id": labels.benchmark_id,
        "summary": {
            "endpoints_configured": urls,
            "endpoints_successful": urls,
            "phase_time_ranges": ranges,
        },
        "metrics_phase": "profiling",
        "metrics": _metrics(trace, labels, windows["profiling"]),
        "warmup_metrics": _metrics(trace, labels, windows["warmup"]),
        "simulated": True,
    }


def _window(phase: Phase, start_s: float, end_s: float) -> _Window:
    edges = np.append(np.arange(start_s, end_s - 1e-6, _SLICE_S), end_s)
    return _Window(phase, edges if len(edges) > 1 else np.array([start_s, start_s + _SLICE_S]))


def _url(rank: Rank) -> str:
    host = "engine" if rank.role == "combined" else rank.role
    return f"http://simulated-{host}:8000/metrics"


def _metrics(trace: Trace, labels: Labels, window: _Window) -> dict[str, Any]:
    metrics: dict[str, Any] = {}
    for ranks in (trace.prefill_ranks, trace.decode_ranks):
        for number, rank in enumerate(ranks):
            base = {"engine": str(number), "model_name": labels.deployment.model.checkpoint}
            for name, kind, unit, text, extra, series in _rank_series(rank, labels, window):
                metric = metrics.setdefault(
                    name, {"type": kind, "description": text, "unit": unit, "series": []}
                )
                metric["series"].append({"endpoint_url": _url(rank), "labels": {**base, **extra}, **series})
    return metrics


_Entry = tuple[str, str, str, str, Mapping[str, str], dict[str, Any]]


def _rank_series(rank: Rank, labels: Labels, window: _Window) -> Iterator[_Entry]:
    """Name, type, unit, description, labels and content of each series of one rank."""
    states = np.array(rank.log.states, dtype=np.float64).reshape(-1, 5)
    slices = _slice_times(labels, window)
    for name, unit, text, column in _GAUGES:
        yield name, "gauge", unit, text, {}, _gauge(states[:, 0], states[:, column], window, slices)
    for name, unit, extra, increments in _counters(rank, labels, states, window):
        yield name, "counter", unit, name.partition(":")[2], extra, _counter(increments, window, slices)


def _counters(
    rank: Rank, labels: Labels, states: Floats, window: _Window
) -> Iterator[tuple[str, str, Mapping[str, str], Floats]]:
    prompts = np.array(rank.log.prompts, dtype=np.float64).reshape(-1, 4)
    when = prompts[:, 0]

    def summed(weights: Floats) -> Floats:
        return _increments(when, weights, window)

    decoded = np.diff(_integral(states[:, 0], states[:, 4], window.edges))
    yield "vllm:generation_tokens", "tokens", {}, decoded + summed(np.ones(len(prompts)))
    yield "vllm:num_preemptions", "count", {}, np.zeros(len(window.widths))
    if rank.role == "decode":  # its prompts come with their KV blocks; the prefill ranks count them
        return
    total, hbm, host = prompts[:, 1], prompts[:, 2], prompts[:, 3]
    yield "vllm:prompt_tokens", "tokens", {}, summed(total)
    yield "vllm:prefix_cache_queries", "tokens", {}, summed(total)
    yield "vllm:prefix_cache_hits", "tokens", {}, summed(hbm)
    by_source = "vllm:prompt_tokens_by_source"
    yield by_source, "tokens", {"source": "local_compute"}, summed(total - hbm - host)
    yield by_source, "tokens", {"source": "local_cache_hit"}, summed(hbm)
    yield by_source, "tokens", {"source": "external_kv_transfer"}, summed(host)
    if labels.deployment.offload == "none":
        return
    yield "vllm:external_prefix_cache_queries", "tokens", {}, summed(total - hbm)
    yield "vllm:external_prefix_cache_hits", "tokens", {}, summed(host)
    bytes_per_token = labels.deployment.model.kv_bytes_per_token
    written = np.array(rank.log.written, dtype=np.float64).reshape(-1, 2)
    copied = _increments(written[:, 0], written[:, 1] * 64 * bytes_per_token, window)
    yield "vllm:kv_offload_bytes_gpu_to_cpu", "bytes", {}, copied
    yield "vllm:kv_offload_bytes_cpu_to_gpu", "bytes", {}, summed(host * bytes_per_token)


def _increments(when: Floats, weights: Floats, window: _Window) -> Floats:
    """Sums of events per slice. What happens on a phase's border belongs to the phase that it ends."""
    place = np.searchsorted(window.edges, when, side="left") - 1
    inside = (place >= 0) & (place < len(window.widths))
    summed = np.bincount(place[inside], weights[inside], minlength=len(window.widths))
    return summed.astype(np.float64)


def _integral(times: Floats, values: Floats, at: Floats) -> Floats:
    """Integral of a step function that is 0 before its first time and holds its last value."""
    if not len(times):
        return np.zeros(len(at))
    areas = np.append(0.0, np.cumsum(values[:-1] * np.diff(times)))
    place = np.searchsorted(times, at, side="right") - 1
    held = np.maximum(place, 0)
    inside: Floats = np.where(place < 0, 0.0, areas[held] + values[held] * (at - times[held]))
    return inside


def _gauge(times: Floats, values: Floats, window: _Window, slices: list[tuple[int, int]]) -> dict[str, Any]:
    means = np.diff(_integral(times, values, window.edges)) / window.widths
    lows, highs = _extremes(times, values, window)
    means = np.clip(means, lows, highs)
    stats = {
        "avg": float(np.average(means, weights=window.widths)),
        "min": float(lows.min()),
        "max": float(highs.max()),
        "std": float(means.std()),
        **{f"p{p}": float(np.percentile(means, p)) for p in (50, 75, 90, 95, 99)},
    }
    rows = zip(slices, means.round(6).tolist(), lows.round(6).tolist(), highs.round(6).tolist(), strict=True)
    timeslices = [
        {"start_ns": start, "end_ns": end, "avg": avg, "min": low, "max": high}
        for (start, end), avg, low, high in rows
    ]
    return {"stats": stats, "timeslices": timeslices}


def _extremes(times: Floats, values: Floats, window: _Window) -> tuple[Floats, Floats]:
    """Lowest and highest value in each slice, the one held from before included."""
    if not len(times):
        nothing = np.zeros(len(window.widths))
        return nothing, nothing
    edges = window.edges[:-1]
    place = np.searchsorted(times, edges, side="right") - 1
    held = np.where(place < 0, 0.0, values[np.maximum(place, 0)])
    inside = (times > edges[0]) & (times < window.edges[-1])
    all_times, all_values = np.append(edges, times[inside]), np.append(held, values[inside])
    order = np.argsort(all_times, kind="stable")
    starts = np.searchsorted(all_times[order], edges, side="left")
    ordered = all_values[order]
    return np.minimum.reduceat(ordered, starts), np.maximum.reduceat(ordered, starts)


def _counter(increments: Floats, window: _Window, slices: list[tuple[int, int]]) -> dict[str, Any]:
    total, span = float(increments.sum()), float(window.widths.sum())
    rates = increments / window.widths
    stats = {
        "total": round(total, 3),
        "rate": total / span,
        "rate_avg": float(rates.mean()),
        "rate_min": float(rates.min()),
        "rate_max": float(rates.max()),
        "rate_std": float(rates.std()),
    }
    rows = zip(slices, increments.round(3).tolist(), rates.round(3).tolist(), strict=True)
    timeslices = [
        {"start_ns": start, "end_ns": end, "total": amount, "rate": rate}
        for (start, end), amount, rate in rows
    ]
    if window.widths[-1] < _SLICE_S - 1e-9:
        timeslices[-1]["is_complete"] = False
    return {"stats": stats, "timeslices": timeslices}


def _slice_times(labels: Labels, window: _Window) -> list[tuple[int, int]]:
    edges = [labels.at_ns(edge) for edge in window.edges.tolist()]
    return list(itertools.pairwise(edges))
