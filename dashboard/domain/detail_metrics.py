"""The metrics that stand in tables, hovers and panels but on no axis of the curves."""

from __future__ import annotations

from dashboard.domain.metric import Better, Metric, Stored

_REQUESTS = "Profiling requests that succeeded; linear-interpolated percentiles."
_ENGINE = "Engine counters over the profiling window, weighted by tokens; the row's basis says which tiers are in it."
_POWER = "Measured power telemetry; present only where the run's power validation passed."


def _detail(
    key: str, label: str, unit: str, better: Better, column: str, formula: str, explanation: str, source: str
) -> Metric:
    return Metric(key, label, unit, better, "detail", formula, explanation, source, Stored(column))


_LATENCY = (
    _detail(
        "itl", "ITL", "s", "lower", "itl_s_{stat}", "(E2EL - TTFT) / (OSL - 1), OSL >= 2",
        "Inter-token latency (TPOT): time from one token to the next, averaged over a response.", _REQUESTS,
    ),
    _detail(
        "isl", "ISL", "tok", "neither", "isl_{stat}", "input tokens of a request",
        "Input sequence length; it contains the cached prefix.", _REQUESTS,
    ),
    _detail(
        "osl", "OSL", "tok", "neither", "osl_{stat}", "output tokens of a request",
        "Output sequence length, reasoning included.", _REQUESTS,
    ),
    _detail(
        "uncached_isl", "Uncached input", "tok", "neither", "uncached_isl_{stat}", "ISL - cached tokens",
        "Input tokens that had to be computed.", "Cached tokens as the server reports them per request.",
    ),
    _detail(
        "qps", "QPS", "req/s", "higher", "qps_{stat}", "completions in each second of the run",
        "Completed requests per second.", "One-second windows of the profiling phase.",
    ),
)  # fmt: skip

_CACHE = (
    _detail(
        "hbm_hit_rate", "HBM hit", "%", "higher", "hbm_hit_rate", "prompt tokens found in HBM / prompt tokens",
        "Share of prompt tokens whose KV cache was in the accelerator's own memory.", _ENGINE,
    ),
    _detail(
        "offload_hit_rate", "Offload hit", "%", "higher", "offload_hit_rate", "prompt tokens loaded from DRAM or NVMe / prompt tokens",
        "Share of prompt tokens whose KV cache came from outside HBM. Older vLLM rows count only the lookups outside HBM.", _ENGINE,
    ),
    _detail(
        "overall_hit_rate", "Overall hit", "%", "higher", "overall_hit_rate", "prompt tokens not computed / prompt tokens",
        "Share of prompt tokens served from any cache tier.", _ENGINE,
    ),
    _detail(
        "theoretical_hit_rate", "Theoretical hit", "%", "higher", "theoretical_hit_rate", "known blocks / all blocks of the replayed prompts",
        "What an unlimited cache would have reached on these requests; the gap to the measured rate is capacity and routing.",
        "The replayed trace's block hashes.",
    ),
    _detail(
        "kv_usage_max", "KV cache in use, max", "%", "neither", "kv_usage_max", "largest share of KV blocks in use",
        "The fullest that the KV cache of an engine was.", "Engine gauge, largest sample of the profiling window.",
    ),
    _detail(
        "kv_pool_tokens", "KV pool", "tok", "higher", "kv_pool_tokens", "tokens that fit into the KV cache",
        "Capacity of the KV cache over all engines; of the decode role where the deployment is disaggregated.", "Engine start-up log or metrics.",
    ),
)  # fmt: skip

_COUNTS = (
    _detail(
        "duration", "Duration", "s", "neither", "duration_s", "last end - first start",
        "Length of the profiling phase.", "Successful profiling requests, or as the row states it.",
    ),
    _detail(
        "requests_ok", "Requests ok", "requests", "neither", "requests_ok", "count",
        "Profiling requests that succeeded: the n of every statistic.", "Per-request records, or as the row states it.",
    ),
    _detail(
        "requests_failed", "Requests failed", "requests", "lower", "requests_failed", "count",
        "Profiling requests with an error; not in any latency figure.", "Per-request records, or as the row states it.",
    ),
    _detail(
        "requests_cancelled", "Requests cancelled", "requests", "neither", "requests_cancelled", "count",
        "Requests cut off by the end of the run; not failures, not in any figure.", "Per-request records.",
    ),
    _detail(
        "requests_warmup", "Requests in warm-up", "requests", "neither", "requests_warmup", "count",
        "Requests before the profiling phase; not in any headline figure.", "Per-request records.",
    ),
    _detail(
        "gpus", "GPUs", "GPUs", "neither", "gpus", "see the rule beside the figure",
        "GPUs of the whole deployment. Tensor x pipeline x prefill-context ranks per worker; expert and data-parallel ranks "
        "share the same GPUs.", "The row's own count where it has one, else the parallel degrees.",
    ),
)  # fmt: skip

_TOKENS = tuple(
    _detail(
        f"{kind}_tokens_{side}", f"{label}, {side}", "tok", "neither", f"{kind}_tokens_{side}", f"sum over the run, counted by the {side}",
        f"{label} of the run as the {side} counted them. Client and server differ by warm-up and tokenisation and are never mixed.",
        "AIPerf's records" if side == "client" else "Engine or front-end counters",
    )
    for kind, label in (("prompt", "Prompt tokens"), ("generated", "Generated tokens"))
    for side in ("client", "server")
)  # fmt: skip

_ENERGY = (
    _detail(
        "power_w_per_gpu", "Power per GPU", "W", "lower", "power_w_per_gpu", "mean over the profiling phase / GPUs",
        "Measured mean power of one GPU.", _POWER,
    ),
    *(
        _detail(
            f"joules_per_{what}", f"Energy per {word}", "J", "lower", f"joules_per_{what}", f"energy / {word}s",
            f"Measured energy for one {word}.", _POWER,
        )
        for what, word in (
            ("request", "request"), ("input_token", "input token"),
            ("output_token", "output token"), ("total_token", "token"),
        )
    ),
)  # fmt: skip

DETAILS = _LATENCY + _CACHE + _COUNTS + _TOKENS + _ENERGY
