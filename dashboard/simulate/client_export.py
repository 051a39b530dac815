"""The client's side of a simulated run: `profile_export.jsonl` and `profile_export_aiperf.json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import orjson

from dashboard.simulate.labels import SIMULATED_NOTE, Labels
from dashboard.simulate.lanes import Outcome, Request, StreamRun, Trace

AIPERF_VERSION = "1.0.12"
_SOURCE_KINDS = {"main": "weka_main", "subagent": "weka_subagent", "auxiliary": "weka_flat"}
_PERCENTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99)
_LANES_PER_WORKER = 32
_ERRORS: Mapping[Outcome, Mapping[str, Any]] = {
    "refused": {"code": 503, "type": "Service Unavailable", "message": "engine overloaded (simulated)"},
    "cut": {"type": "ClientPayloadError", "message": "Response payload is not completed (simulated)"},
    "cancelled": {"code": 499, "type": "RequestCancellationError", "message": "cancelled (simulated)"},
}

Metrics = dict[str, dict[str, Any]]


def record_lines(trace: Trace, labels: Labels) -> Iterator[bytes]:
    """One line a request, in the order of completion. Prompts that overflow leave none, as in AIPerf."""
    counters: Counter[str] = Counter()
    for request in trace.requests:
        if request.outcome == "overflow":
            continue
        number = counters[request.phase]
        counters[request.phase] += 1
        record: dict[str, Any] = {
            "metadata": _metadata(request, labels, number),
            "metrics": _metrics(request, labels),
            "error": _ERRORS.get(request.outcome),
        }
        yield orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)


def _metadata(request: Request, labels: Labels, number: int) -> dict[str, Any]:
    run, turn, job = request.run, request.turn, request.job
    start, first, end = times_ns(request, labels)
    trace_id = run.replay.conversation.trace_id
    is_child = run.stream.kind != "main"
    worker = run.replay.lane // _LANES_PER_WORKER
    metadata: dict[str, Any] = {
        "session_num": number,
        "x_request_id": f"{labels.benchmark_id}-{request.number:06d}",
        "x_correlation_id": _correlation(run, labels),
        "conversation_id": f"{trace_id}::{run.stream.name}" if is_child else trace_id,
        "turn_index": request.turn_index,
        "source_trace_id": trace_id,
        "source_outer_idx": turn.outer,
        "source_kind": _SOURCE_KINDS[run.stream.kind],
        "credit_issued_ns": labels.at_ns(request.credit_s),
        "request_start_ns": start,
        "request_end_ns": end,
        "worker_id": f"worker_{worker}",
        "record_processor_id": f"record_processor_{worker}",
        "benchmark_phase": request.phase,
        "phase_kind": request.phase,
        "was_cancelled": request.outcome == "cancelled",
        "context_overflow_skip": False,
        "agent_depth": int(is_child),
        "root_correlation_id": _correlation(run.replay.main, labels),
    }
    if turn.inner is not None:
        metadata["source_inner_idx"] = turn.inner
    if is_child:
        metadata["parent_correlation_id"] = _correlation(run.replay.main, labels)
    if request.outcome != "refused":
        metadata["request_ack_ns"] = min(first, labels.at_ns(job.arrived))
    if request.outcome == "cancelled":
        metadata["cancellation_time_ns"] = end
    return metadata


def _correlation(run: StreamRun, labels: Labels) -> str:
    return f"{labels.benchmark_id}-s{run.number:06d}"


def times_ns(request: Request, labels: Labels) -> tuple[int, int, int]:
    """Start, first token and end as epoch nanoseconds; what was refused ends where it started."""
    start = labels.at_ns(request.start_s)
    if request.outcome == "refused":
        return start, start, start
    first = max(labels.at_ns(request.job.first_token), start + 1)
    return start, first, max(labels.at_ns(request.job.ended), first)


def _metrics(request: Request, labels: Labels) -> Metrics:
    if not request.is_ok:
        return {"error_isl": _measure(request.job.isl, "tokens")}
    job = request.job
    start, first, end = times_ns(request, labels)
    cached = job.hbm_tokens + job.host_tokens
    figures = {
        "request_latency": ((end - start) / 1e6, "ms"),
        "time_to_first_token": ((first - start) / 1e6, "ms"),
        "decode_duration": ((end - first) / 1e6, "ms"),
        "input_sequence_length": (job.isl, "tokens"),
        "output_sequence_length": (job.osl, "tokens"),
        "output_token_count": (job.osl, "tokens"),
        "usage_prompt_tokens": (job.isl, "tokens"),
        "usage_completion_tokens": (job.osl, "tokens"),
        "usage_total_tokens": (job.isl + job.osl, "tokens"),
        "usage_prompt_cache_read_tokens": (cached, "tokens"),
    }
    if job.osl > 1:
        gap = (end - first) / 1e6 / (job.osl - 1)
        figures |= {
            "inter_token_latency": (gap, "ms"),
            "full_response_inter_token_latency": (gap, "ms"),
            "output_token_throughput_per_user": (1e3 / gap, "tokens/sec/user"),
            "e2e_output_token_throughput": (job.osl / (end - start) * 1e9, "tokens/sec/user"),
        }
    return {name: _measure(value, unit) for name, (value, unit) in figures.items()}


def _measure(value: float, unit: str) -> dict[str, Any]:
    return {"value": value, "unit": unit}


def summary(trace: Trace, labels: Labels) -> dict[str, Any]:
    """The client's aggregate over the profiling phase."""
    done = [request for request in trace.profiling if request.is_ok]
    failed = [request for request in trace.profiling if request.outcome in _ERRORS]
    document: dict[str, Any] = {
        "schema_version": "1.4",
        "aiperf_version": AIPERF_VERSION,
        "benchmark_id": labels.benchmark_id,
        **_distributions([_metrics(request, labels) for request in done]),
        **_totals(done, failed, labels),
        "theoretical_prefix_cache_hit": _theoretical(done),
        "context_overflow_count": _single(
            sum(request.outcome == "overflow" for request in trace.profiling), "requests"
        ),
        "input_config": _input_config(labels),
        "run_info": _run_info(labels),
        "was_cancelled": False,
        "is_complete": True,
        "error_summary": _error_summary(failed),
        "start_time": _local_time(labels, trace.profiling_start_s),
        "end_time": _local_time(labels, trace.end_s),
        "warmup_metrics": {"request_count": _single(len(trace.requests) - len(trace.profiling), "requests")},
        "metadata": {
            "scenario": "inferencex-agentx-mvp",
            "simulated": True,
            "note": SIMULATED_NOTE,
            "dataset": {"slug": labels.dataset},
        },
    }
    return document


def _single(value: float, unit: str) -> dict[str, Any]:
    return {"unit": unit, "avg": float(value)}


def _distributions(measured: Sequence[Metrics]) -> dict[str, Any]:
    """Every per-request metric with its statistics: linear percentiles, deviation of the population."""
    units = {name: metric["unit"] for metrics in measured for name, metric in metrics.items()}
    found: dict[str, Any] = {}
    for name, unit in units.items():
        values = np.array([metrics[name]["value"] for metrics in measured if name in metrics], dtype=float)
        shares = np.percentile(values, _PERCENTILES)
        found[name] = {
            "unit": unit,
            "avg": float(values.mean()),
            **{f"p{p}": float(value) for p, value in zip(_PERCENTILES, shares, strict=True)},
            "min": float(values.min()),
            "max": float(values.max()),
            "std": float(values.std()),
            "count": len(values),
            "sum": float(values.sum()),
        }
    return found


def duration_s(done: Sequence[Request], labels: Labels) -> float | None:
    """First start to last end of successful requests."""
    times = [times_ns(request, labels) for request in done]
    return (max(end for *_, end in times) - min(start for start, *_ in times)) / 1e9 if times else None


def _totals(done: Sequence[Request], failed: Sequence[Request], labels: Labels) -> dict[str, Any]:
    counts = {
        "request_count": _single(len(done), "requests"),
        "error_request_count": _single(len(failed), "requests"),
        "completed_request_count": _single(len(done) + len(failed), "requests"),
    }
    duration = duration_s(done, labels)
    if not duration:
        return counts
    prompt, output = sum(request.job.isl for request in done), sum(request.job.osl for request in done)
    rates = {
        "request_throughput": _single(len(done) / duration, "requests/sec"),
        "input_token_throughput": _single(prompt / duration, "tokens/sec"),
        "output_token_throughput": _single(output / duration, "tokens/sec"),
        "total_token_throughput": _single((prompt + output) / duration, "tokens/sec"),
    }
    totals = {"total_isl": _single(prompt, "tokens"), "total_osl": _single(output, "tokens")}
    return counts | rates | totals | {"benchmark_duration": _single(duration, "sec")}


def _theoretical(done: Sequence[Request]) -> dict[str, Any]:
    """Hits of an endless cache, in blocks."""
    hits = sum(request.theoretical_tokens // 64 for request in done)
    blocks = sum(request.turn.blocks for request in done)
    return {"unit": "%", "avg": 100 * hits / blocks if blocks else 0.0, "sum": hits, "count": blocks}


def _error_summary(failed: Sequence[Request]) -> list[dict[str, Any]]:
    counted = Counter(request.outcome for request in failed)
    return [{"error_details": _ERRORS[outcome], "count": n} for outcome, n in sorted(counted.items())]


def _local_time(labels: Labels, seconds: float) -> str:
    return (
        datetime.fromtimestamp(labels.at_ns(seconds) // 1_000_000_000, UTC).replace(tzinfo=None).isoformat()
    )


def _input_config(labels: Labels) -> dict[str, Any]:
    load = labels.load
    profiling = {
        "name": "profiling",
        "kind": "profiling",
        "type": "concurrency",
        "duration": load.duration_s,
        "concurrency": load.concurrency,
        "timing_mode": "agentic_replay",
        "trajectory_start_min_ratio": load.start_ratio[0],
        "trajectory_start_max_ratio": load.start_ratio[1],
        "warmup_requests_per_lane": load.warmup_requests_per_lane,
    }
    return {
        "models": {"items": [{"name": labels.deployment.model.checkpoint}]},
        "datasets": [{"name": "main", "type": "file", "path": labels.dataset, "format": "weka_trace"}],
        "phases": [profiling],
        "scenario": "inferencex-agentx-mvp",
    }


def _run_info(labels: Labels) -> dict[str, Any]:
    command = f"agentx-dashboard sample  # {labels.slug}, seed {labels.load.seed}"
    return {"benchmark_id": labels.benchmark_id, "random_seed": labels.load.seed, "cli_command": command}
