"""The InferenceX result row (v3, nested) that a harness would make of a run (data-contracts 2.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dashboard.simulate.client_export import duration_s, times_ns
from dashboard.simulate.labels import SIMULATED_NOTE, Labels
from dashboard.simulate.lanes import Request, Trace

Floats = npt.NDArray[np.float64]

_DECIMALS = 5
_PERCENTILES = (50, 75, 90, 95)
_ERROR_TYPES = {
    "refused": "Service Unavailable",
    "cut": "ClientPayloadError",
    "cancelled": "RequestCancellationError",
}


def result_row(trace: Trace, labels: Labels, *, with_server: bool) -> dict[str, Any]:
    """The row of one point; without server metrics it says so, as the harness does."""
    done = [request for request in trace.profiling if request.is_ok]
    return {
        "simulated": True,
        "note": SIMULATED_NOTE,
        **identity(labels),
        **_accounting(trace, done),
        "request_metrics": _request_metrics(done, labels),
        "server_metrics": _server_metrics(trace, with_server),
        **({"kv_cache_pool_tokens": pool_tokens(trace)} if with_server else {}),
    }


def pool_tokens(trace: Trace) -> int:
    """Tokens of HBM that hold KV: of the decoding ranks where the roles are split."""
    return sum(rank.capacity_tokens for rank in trace.decode_ranks or trace.prefill_ranks)


def identity(labels: Labels) -> dict[str, Any]:
    """What a row says of the deployment."""
    plan = labels.deployment
    attention_parallel = "true" if plan.ranks > 1 else "false"
    said: dict[str, Any] = {
        "hw": plan.accelerator.key,
        "conc": labels.load.concurrency,
        "image": f"simulated/{plan.engine.key}",
        "model": plan.model.checkpoint,
        "infmax_model_prefix": plan.model.key,
        "framework": plan.engine.key,
        "precision": plan.precision,
        "spec_decoding": labels.spec_method,
        "disagg": plan.disaggregated,
        "scenario_type": "agentic-coding",
        "is_multinode": plan.disaggregated,
        "dp_attention": attention_parallel,
        "kv_offloading": plan.offload,
        "kv_offload_backend": _named(labels.offload_backend),
        "date": labels.day.isoformat(),
        "dataset": {"source_type": "simulated", "hf_dataset_name": labels.dataset},
    }
    if labels.router:
        said["router"] = _named(labels.router)
    return said | (_split_roles(labels) if plan.disaggregated else _one_role(labels))


def _named(name: tuple[str, str] | None) -> dict[str, str] | None:
    return {"name": name[0], "version": name[1]} if name else None


def _one_role(labels: Labels) -> dict[str, Any]:
    plan = labels.deployment
    degree = plan.gpus if plan.ranks > 1 else labels.tensor_parallel
    return {"tp": degree, "ep": plan.gpus if plan.ranks > 1 else 1, "pp": 1, "num_gpus": plan.gpus}


def _split_roles(labels: Labels) -> dict[str, Any]:
    """Prefill engines of `prefill_gpus / prefill_ranks` GPUs each; decoding as one wide engine."""
    plan = labels.deployment
    decode = plan.gpus - plan.prefill_gpus
    prefill = plan.prefill_gpus // plan.prefill_ranks
    return {
        "tp": prefill + decode,
        "ep": max(prefill, decode),
        "prefill_num_workers": plan.prefill_ranks,
        "prefill_tp": prefill,
        "prefill_ep": prefill,
        "prefill_dp_attention": "false",
        "num_prefill_gpu": plan.prefill_gpus,
        "decode_num_workers": 1,
        "decode_tp": decode,
        "decode_ep": decode,
        "decode_dp_attention": "true",
        "num_decode_gpu": decode,
        "kv_p2p_transfer": labels.kv_transfer,
    }


def _accounting(trace: Trace, done: Sequence[Request]) -> dict[str, Any]:
    recorded = [request for request in trace.requests if request.outcome != "overflow"]
    warmup = sum(request.phase == "warmup" for request in recorded)
    failed = Counter(request.outcome for request in recorded if not request.is_ok)
    return {
        "num_requests_total": len(recorded),
        "num_requests_successful": len(done),
        "request_accounting": {
            "records_total": len(recorded),
            "records_profiled": len(done),
            "records_dropped_total": len(recorded) - len(done),
            "records_warmup_dropped": warmup,
            "records_error_dropped": failed.total(),
            "error_categories": {_ERROR_TYPES[name]: count for name, count in sorted(failed.items())},
        },
    }


def _request_metrics(done: Sequence[Request], labels: Labels) -> dict[str, Any]:
    times = np.array([times_ns(request, labels) for request in done], dtype=np.int64).reshape(-1, 3)
    start, first, end = times.T
    isl = np.array([request.job.isl for request in done], dtype=np.float64)
    osl = np.array([request.job.osl for request in done], dtype=np.float64)
    ttft, e2el = (first - start) / 1e9, (end - start) / 1e9
    several = osl > 1
    itl = (end - first)[several] / 1e9 / (osl[several] - 1)
    per_token = e2el / osl
    blocks = sum(request.turn.blocks for request in done)
    hits = sum(request.theoretical_tokens // 64 for request in done)
    return {
        "latency": {
            "ttft": _block(ttft),
            "e2el": _block(e2el),
            "itl": _block(itl),
            "tpot": _block(itl),
            "full_response_itl": _block(itl),
            "intvty": _reciprocals(itl),
            "e2e_norm_intvty": _reciprocals(per_token),
        },
        "tokens": {"input": _block(isl), "output_actual": _block(osl), "output_expected": {}},
        "throughput": _throughput(isl.sum(), osl.sum(), duration_s(done, labels), labels.deployment.gpus),
        "cache": {"theoretical_cache_hit_rate": round(hits / blocks, _DECIMALS) if blocks else None},
    }


def _block(values: Floats) -> dict[str, float]:
    """Mean, percentiles (linear) and deviation of the population; empty without a value."""
    if not len(values):
        return {}
    shares = np.percentile(values, _PERCENTILES)
    figures = {"mean": values.mean(), **{f"p{p}": v for p, v in zip(_PERCENTILES, shares, strict=True)}}
    return {name: round(float(value), _DECIMALS) for name, value in figures.items()} | {
        "std": round(float(values.std()), _DECIMALS)
    }


def _reciprocals(values: Floats) -> dict[str, float]:
    """Rates of the slow tail: one over the same statistic of the times; the deviation is of the rates."""
    if not len(values):
        return {}
    shares = np.percentile(values, _PERCENTILES)
    figures = {"mean": values.mean(), **{f"p{p}": v for p, v in zip(_PERCENTILES, shares, strict=True)}}
    rates = {name: round(float(1 / value), _DECIMALS) for name, value in figures.items()}
    return rates | {"std": round(float((1 / values).std()), _DECIMALS)}


def _throughput(prompt: float, output: float, duration: float | None, gpus: int) -> dict[str, Any]:
    if not duration:
        return {}
    rates = {
        "input": prompt / duration,
        "output": output / duration,
        "total": (prompt + output) / duration,
    }
    shown = {name: {"tokens_per_second": round(float(rate), _DECIMALS)} for name, rate in rates.items()}
    per_gpu = {f"{name}_tput_tps": round(float(rate) / gpus, _DECIMALS) for name, rate in rates.items()}
    return {**shown, "duration_seconds": round(duration, _DECIMALS), "per_gpu": per_gpu}


def _server_metrics(trace: Trace, with_server: bool) -> dict[str, Any]:
    if not with_server:
        return {"present": False, "adapter": "none", "metric_count": 0}
    since = trace.profiling_start_s
    entries = [entry for rank in trace.prefill_ranks for entry in rank.log.prompts if entry[0] > since]
    prompt, hbm, host = (sum(entry[column] for entry in entries) for column in (1, 2, 3))
    ranks = trace.decode_ranks or trace.prefill_ranks
    peak = max(state[1] for rank in ranks for state in rank.log.states if state[0] >= since)
    sources = {
        "local_cache_hit": hbm,
        "external_kv_transfer": host,
        "local_compute": prompt - hbm - host,
    }
    shares = {name: round(tokens / prompt, _DECIMALS) if prompt else None for name, tokens in sources.items()}
    served = (r.job for r in trace.profiling if r.outcome in ("ok", "cut", "cancelled"))
    return {
        "present": True,
        "adapter": "vllm",
        "metric_count": 12,
        "cache": {
            "gpu_cache_hit_rate": shares["local_cache_hit"],
            "cpu_cache_hit_rate": shares["external_kv_transfer"],
            "external_cache_hit_rate": shares["external_kv_transfer"],
            "overall_cache_hit_rate": round((hbm + host) / prompt, _DECIMALS) if prompt else None,
            "prefix_cache_hits": hbm,
            "prefix_cache_queries": prompt,
        },
        "kv_cache": {"gpu_usage_pct": round(peak, _DECIMALS), "gpu_total_tokens": pool_tokens(trace)},
        "tokens": {
            "prompt_total": prompt,
            "generation_total": sum(job.osl for job in served),
            "requests_completed": sum(request.is_ok for request in trace.profiling),
            "prompt_by_source": {
                "gpu_cache_hit": hbm,
                "cpu_or_external_cache_hit": host,
                "computed": prompt - hbm - host,
                "raw": sources,
            },
        },
    }
