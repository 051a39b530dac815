"""Invented rows of every generation, for tests: arithmetic is consistent, no number was measured."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from dashboard.domain.catalog import Catalog
from dashboard.domain.records import Finding, Point
from dashboard.ingest.inferencex import RowContext, read_rows

Row = dict[str, Any]

#: Statistics of the time per token, s; interactivity is their reciprocal.
ITL = {"mean": 0.02, "p50": 0.018, "p75": 0.022, "p90": 0.025, "p95": 0.03, "std": 0.005}
TTFT = {"mean": 1.0, "p50": 0.8, "p75": 1.3, "p90": 2.0, "p95": 2.5, "std": 0.8}
E2EL = {"mean": 15.0, "p50": 10.0, "p75": 17.0, "p90": 34.0, "p95": 43.0, "std": 20.0}
DURATION, SENT, RECEIVED, GPUS = 3600.0, 36_000_000, 360_000, 8

_NESTED: Row = {
    "hw": "cluster:b300-nv",
    "conc": 24,
    "image": "vllm/vllm-openai:v0.99.0-example",
    "recipe_fingerprint": "3f1c0d7a9be24c55",
    "model": "deepseek-ai/DeepSeek-V4-Pro",
    "infmax_model_prefix": "dsv4",
    "framework": "vllm",
    "precision": "fp4",
    "spec_decoding": "none",
    "disagg": False,
    "scenario_type": "agentic-coding",
    "is_multinode": False,
    "tp": 8,
    "ep": 8,
    "dp_attention": "false",
    "kv_offloading": "dram",
    "kv_offload_backend": {"name": "mooncake", "version": "0.3.12.post1"},
    "allocated_cpu_dram_gb": 2999,
    "num_requests_total": 301,
    "num_requests_successful": 279,
    "request_accounting": {
        "records_total": 301,
        "records_profiled": 279,
        "records_dropped_total": 22,
        "records_warmup_dropped": 18,
        "records_error_dropped": 4,
        "error_categories": {"RequestCancellationError": 1, "HTTPError": 3},
    },
    "pp": 1,
    "dcp_size": 1,
    "pcp_size": 1,
    "router": {"name": "vllm-router", "version": "0.1.14"},
    "dataset": {"hf_dataset_name": "semianalysisai/cc-traces-weka-062126", "num_dataset_entries": 393},
    "request_metrics": {
        "qps": {"window_seconds": 1.0, "samples": 611, "mean": 0.45, "p50": 0.0, "p90": 1, "std": 0.67},
        "latency": {
            "ttft": TTFT,
            "e2el": E2EL,
            "itl": ITL,
            "tpot": ITL,
            "intvty": {
                "mean": 50.0,
                "p50": 55.5556,
                "p75": 45.4545,
                "p90": 40.0,
                "p95": 33.3333,
                "std": 400.2,
            },
            "e2e_norm_intvty": {
                "mean": 40.0,
                "p50": 44.0,
                "p75": 35.0,
                "p90": 25.0,
                "p95": 20.0,
                "std": 12.5,
            },
        },
        "tokens": {
            "input": {"mean": 129032.25806, "p50": 79260, "p75": 130217.5, "p90": 223692.2, "p95": 308474.9},
            "output_actual": {"mean": 1290.32258, "p50": 425, "p75": 807, "p90": 1459.6, "p95": 2337},
            "output_expected": {},
        },
        "throughput": {
            "input": {"tokens_per_second": SENT / DURATION},
            "output": {"tokens_per_second": RECEIVED / DURATION},
            "total": {"tokens_per_second": (SENT + RECEIVED) / DURATION},
            "duration_seconds": DURATION,
            "per_gpu": {
                "total_tput_tps": (SENT + RECEIVED) / DURATION / GPUS,
                "output_tput_tps": RECEIVED / DURATION / GPUS,
                "input_tput_tps": SENT / DURATION / GPUS,
            },
        },
        "cache": {"theoretical_cache_hit_rate": 0.96481},
    },
    "server_metrics": {
        "present": True,
        "adapter": "vllm",
        "cache": {
            "gpu_cache_hit_rate": 0.9,
            "cpu_cache_hit_rate": 0.013,
            "external_cache_hit_rate": 0.013,
            "overall_cache_hit_rate": 0.913,
        },
        "kv_cache": {"gpu_usage_pct": 0.88, "gpu_total_tokens": 10822656},
        "tokens": {
            "prompt_total": 36_400_000,
            "generation_total": 361_000,
            "prompt_by_source": {
                "gpu_cache_hit": 32_760_000,
                "cpu_or_external_cache_hit": 473_200,
                "computed": 3_166_800,
                "raw": {"local_cache_hit": 32_760_000},
            },
        },
    },
    "kv_cache_pool_tokens": 10822656,
}

_EARLY_AGENTIC: Row = {
    "hw": "mi355x",
    "conc": 16,
    "image": "vllm/vllm-openai-rocm:v0.22.0",
    "model": "amd/Kimi-K2.5-MXFP4",
    "infmax_model_prefix": "",
    "framework": "vllm",
    "precision": "fp4",
    "spec_decoding": "none",
    "disagg": False,
    "scenario_type": "agentic-coding",
    "is_multinode": False,
    "tp": 4,
    "ep": 1,
    "dp_attention": "false",
    "offloading": "lmcache",
    "num_requests_total": 25,
    "num_requests_successful": 25,
    "mean_ttft": 5.0,
    "p75_ttft": 6.0,
    "p90_ttft": 8.0,
    "p95_ttft": 9.0,
    "mean_e2el": 30.0,
    "p90_e2el": 60.0,
    "mean_itl": 0.02,
    "p75_itl": 0.024,
    "p90_itl": 0.04,
    "p95_itl": 0.05,
    "std_itl": 0.004,
    "mean_tpot": 0.02,
    "p90_tpot": 0.04,
    "mean_intvty": 52.0,
    "p75_intvty": 58.0,
    "p90_intvty": 66.0,
    "mean_input_tokens": 100_000.0,
    "p90_input_tokens": 180_000.0,
    "mean_output_tokens_actual": 400.0,
    "mean_qps": 0.014,
    "p90_qps": 0.0,
    "theoretical_cache_hit_rate": None,
    "server_gpu_cache_hit_rate": 0.7,
    "server_cpu_cache_hit_rate": None,
    "total_prompt_tokens": 2_600_000,
    "total_generation_tokens": 10_200,
    "total_requests_completed": 25,
    "input_tput_tps": 1388.8888888888889,
    "output_tput_tps": 5.555555555555555,
    "total_tput_tps": 1394.4444444444443,
    "duration_seconds": 1800.0,
    "tput_per_gpu": 348.6111111111111,
    "output_tput_per_gpu": 1.3888888888888888,
    "input_tput_per_gpu": 347.22222222222223,
}

_FIXED: Row = {
    "hw": "mi355x",
    "conc": 64,
    "image": "example#sglang:v9",
    "model": "deepseek-ai/DeepSeek-R1-0528",
    "infmax_model_prefix": "dsr1-fp8",
    "framework": "sglang",
    "precision": "fp8",
    "spec_decoding": "",
    "disagg": False,
    "recipe_fingerprint": "",
    "isl": 8192,
    "osl": 1024,
    "tp": 8,
    "ep": 1,
    "dp_attention": "false",
    "tput_per_gpu": 1480.0,
    "output_tput_per_gpu": 164.0,
    "input_tput_per_gpu": 1316.0,
    "mean_ttft": 1.91,
    "median_ttft": 1.72,
    "std_ttft": 0.66,
    "p90_ttft": 2.8,
    "p99_ttft": 4.4,
    "p99.9_ttft": 5.0,
    "mean_tpot": 0.04,
    "median_tpot": 0.04,
    "std_tpot": 0.004,
    "p90_tpot": 0.05,
    "p99_tpot": 0.0625,
    "mean_intvty": 25.0,
    "median_intvty": 25.0,
    "std_intvty": 250.0,
    "p90_intvty": 20.0,
    "p99_intvty": 16.0,
    "mean_itl": 0.4,
    "median_itl": 0.37,
    "p90_itl": 0.5,
    "p99_itl": 1.2,
    "mean_e2el": 43.0,
    "median_e2el": 42.6,
    "p99_e2el": 51.0,
}

_API: Row = {
    "hardware": "b300",
    "framework": "sglang",
    "model": "dsr1",
    "precision": "fp8",
    "spec_method": "mtp",
    "disagg": False,
    "is_multinode": False,
    "prefill_tp": 8,
    "prefill_ep": 1,
    "prefill_dp_attention": False,
    "prefill_num_workers": 0,
    "decode_tp": 8,
    "decode_ep": 1,
    "decode_dp_attention": False,
    "decode_num_workers": 0,
    "num_prefill_gpu": 8,
    "num_decode_gpu": 8,
    "isl": 1024,
    "osl": 1024,
    "conc": 32,
    "image": "lmsysorg/sglang:v0.5.12",
    "metrics": {
        "median_ttft": 0.2,
        "p99_ttft": 0.9,
        "median_tpot": 0.01,
        "p99_tpot": 0.0125,
        "median_intvty": 100.0,
        "p99_intvty": 80.0,
        "median_itl": 0.03,
        "p99_itl": 0.05,
        "median_e2el": 9.0,
        "p99_e2el": 12.0,
        "tput_per_gpu": 750.0,
        "input_tput_per_gpu": 375.0,
        "output_tput_per_gpu": 375.0,
    },
    "workers": None,
    "date": "2026-06-11",
    "run_url": "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/27213443242/attempts/2",
}

#: What makes an API row disaggregated: two prefill workers of 4 GPUs, one decode worker of 16.
DISAGGREGATED: Mapping[str, Any] = {
    "framework": "dynamo-trt",
    "disagg": True,
    "is_multinode": True,
    "prefill_tp": 4,
    "prefill_ep": 4,
    "prefill_dp_attention": True,
    "prefill_num_workers": 2,
    "decode_tp": 16,
    "decode_ep": 16,
    "decode_dp_attention": True,
    "decode_num_workers": 1,
    "num_prefill_gpu": 8,
    "num_decode_gpu": 16,
}

#: The same deployment as a row of the harness writes it.
MULTI_NODE: Mapping[str, Any] = {
    "is_multinode": True,
    "disagg": True,
    "tp": 12,
    "ep": 8,
    "dp_attention": "true",
    "prefill_num_workers": 2,
    "prefill_tp": 8,
    "prefill_pp": 1,
    "prefill_dcp_size": 1,
    "prefill_pcp_size": 1,
    "prefill_ep": 8,
    "prefill_dp_attention": "true",
    "num_prefill_gpu": 16,
    "decode_num_workers": 1,
    "decode_tp": 4,
    "decode_pp": 1,
    "decode_dcp_size": 1,
    "decode_pcp_size": 1,
    "decode_ep": 4,
    "decode_dp_attention": "True",
    "num_decode_gpu": 4,
    "kv_p2p_transfer": "nixl",
}


def _with(base: Row, changes: Mapping[str, Any]) -> Row:
    """A copy of a row with values at dotted paths replaced; `...` removes the key."""
    row = copy.deepcopy(base)
    for path, value in changes.items():
        *parents, key = path.split("/")
        target = row
        for parent in parents:
            target = target[parent]
        if value is ...:
            target.pop(key, None)
        else:
            target[key] = value
    return row


def nested(changes: Mapping[str, Any] | None = None) -> Row:
    """A v3 row: single node, 8 B300, vLLM, offload to DRAM with Mooncake."""
    return _with(_NESTED, changes or {})


def early_agentic(changes: Mapping[str, Any] | None = None) -> Row:
    """A flat agentic row of June 2026: 4 MI355X, vLLM, LMCache; interactivity is the fast end."""
    return _with(_EARLY_AGENTIC, changes or {})


def fixed(changes: Mapping[str, Any] | None = None) -> Row:
    """A flat fixed-sequence row (v1): 8 MI355X, SGLang, 8k in and 1k out."""
    return _with(_FIXED, changes or {})


def api(changes: Mapping[str, Any] | None = None) -> Row:
    """A row of the public API: 8 B300, SGLang, 1k in and 1k out, an official run."""
    return _with(_API, changes or {})


def read(document: object, catalog: Catalog, **context: Any) -> tuple[list[Point | None], list[Finding]]:
    """Points and findings of a document, as the ingest of a file `rows.json` reads it."""
    settings = {"run_name": None, "batch": "rows", **context}
    pairs = list(read_rows(document, "rows.json", RowContext(catalog, **settings)))
    return [point for point, _ in pairs], [finding for _, findings in pairs for finding in findings]


def read_one(row: object, catalog: Catalog, **context: Any) -> tuple[Point, list[Finding]]:
    """The one point of a row that gives one, and its findings."""
    points, findings = read(row, catalog, **context)
    (point,) = points
    assert point is not None, findings
    return point, findings


def codes(findings: list[Finding]) -> set[str]:
    return {finding.code for finding in findings}
