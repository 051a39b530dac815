"""The metrics that stand in tables, hovers and panels but on no axis of the curves."""

from __future__ import annotations

from dashboard.domain.metric import Better, Metric, Stored

_REQUESTS = "Profiling requests that succeeded; linear-interpolated percentiles."
_ENGINE = "Engine counters over the profiling window, weighted by tokens; the row names its basis."
_POWER = "Measured power telemetry; present only where the run's power validation passed."
_RECORDS = "Per-request records, or as the row states it."


def _detail(
    key: str,
    label: str,
    unit: str,
    better: Better,
    *,
    formula: str,
    meaning: str,
    source: str,
    column: str | None = None,
) -> Metric:
    """A metric without a place on an axis, read from the column of its own name unless said otherwise."""
    return Metric(key, label, unit, better, "detail", formula, meaning, source, Stored(column or key))


_PER_REQUEST = (
    _detail(
        "itl",
        "ITL",
        "s",
        "lower",
        formula="(E2EL - TTFT) / (OSL - 1), OSL >= 2",
        meaning="Inter-token latency (TPOT): time from one token to the next, averaged over a response.",
        source=_REQUESTS,
        column="itl_s_{stat}",
    ),
    _detail(
        "isl",
        "ISL",
        "tok",
        "neither",
        formula="input tokens of a request",
        meaning="Input sequence length; it contains the cached prefix.",
        source=_REQUESTS,
        column="isl_{stat}",
    ),
    _detail(
        "osl",
        "OSL",
        "tok",
        "neither",
        formula="output tokens of a request",
        meaning="Output sequence length, reasoning included.",
        source=_REQUESTS,
        column="osl_{stat}",
    ),
    _detail(
        "uncached_isl",
        "Uncached input",
        "tok",
        "neither",
        formula="ISL - cached tokens",
        meaning="Input tokens of a request that had to be computed.",
        source="Cached tokens as the server reports them per request.",
        column="uncached_isl_{stat}",
    ),
    _detail(
        "qps",
        "QPS",
        "req/s",
        "higher",
        formula="completions in each second of the run",
        meaning="Completed requests per second; the statistic is over one-second windows.",
        source="Profiling requests that succeeded.",
        column="qps_{stat}",
    ),
)

_CACHE = (
    _detail(
        "hbm_hit_rate",
        "HBM hit",
        "%",
        "higher",
        formula="prompt tokens found in HBM / prompt tokens",
        meaning="Share of prompt tokens whose KV cache was in the accelerator's own memory.",
        source=_ENGINE,
    ),
    _detail(
        "offload_hit_rate",
        "Offload hit",
        "%",
        "higher",
        formula="prompt tokens loaded from DRAM or NVMe / prompt tokens",
        meaning="Share of prompt tokens whose KV cache came from outside HBM. "
        "Older vLLM rows divide by the lookups outside HBM only.",
        source=_ENGINE,
    ),
    _detail(
        "overall_hit_rate",
        "Overall hit",
        "%",
        "higher",
        formula="prompt tokens not computed / prompt tokens",
        meaning="Share of prompt tokens served from any cache tier.",
        source=_ENGINE,
    ),
    _detail(
        "theoretical_hit_rate",
        "Theoretical hit",
        "%",
        "higher",
        formula="known blocks / all blocks of the replayed prompts",
        meaning="What an unlimited cache would have reached on these requests; "
        "the gap to the measured rate is capacity and routing.",
        source="The replayed trace's block hashes.",
    ),
    _detail(
        "kv_usage_max",
        "KV cache in use, max",
        "%",
        "neither",
        formula="largest share of KV blocks in use",
        meaning="The fullest that the KV cache of any engine was.",
        source="Engine gauge, largest sample of the profiling window.",
    ),
    _detail(
        "kv_pool_tokens",
        "KV pool",
        "tok",
        "higher",
        formula="tokens that fit into the KV cache",
        meaning="KV-cache capacity over all engines; of the decode role in a disaggregated deployment.",
        source="Engine start-up log or metrics.",
    ),
)

_COUNTS = (
    _detail(
        "duration",
        "Duration",
        "s",
        "neither",
        formula="last end - first start",
        meaning="Length of the profiling phase.",
        source="Successful profiling requests, or as the row states it.",
        column="duration_s",
    ),
    _detail(
        "requests_ok",
        "Requests ok",
        "requests",
        "neither",
        formula="count",
        meaning="Profiling requests that succeeded: those that every latency figure is made of.",
        source=_RECORDS,
    ),
    _detail(
        "requests_failed",
        "Requests failed",
        "requests",
        "lower",
        formula="count",
        meaning="Profiling requests with an error; in no latency figure.",
        source=_RECORDS,
    ),
    _detail(
        "requests_cancelled",
        "Requests cancelled",
        "requests",
        "neither",
        formula="count",
        meaning="Requests cut off by the end of the run; not failures, and in no figure.",
        source=_RECORDS,
    ),
    _detail(
        "requests_warmup",
        "Requests in warm-up",
        "requests",
        "neither",
        formula="count",
        meaning="Requests before the profiling phase; in no headline figure.",
        source=_RECORDS,
    ),
    _detail(
        "gpus",
        "GPUs",
        "GPUs",
        "neither",
        formula="workers x TP x PP x PCP, summed over the roles",
        meaning="GPUs of the whole deployment. Expert, decode-context and data-parallel-attention ranks "
        "share the GPUs of the tensor-parallel ones. The rule that gave the count stands beside it.",
        source="The row's own count where it has one, else the parallel degrees; conflicts are flagged.",
    ),
)

_TOKENS = tuple(
    _detail(
        f"{kind}_tokens_{side}",
        f"{label}, {side}",
        "tok",
        "neither",
        formula=f"sum over the run, counted by the {side}",
        meaning=f"{label} of the run as the {side} counted them. "
        "Client and server differ by warm-up and tokenisation and are never mixed.",
        source="AIPerf's records." if side == "client" else "Engine or front-end counters.",
    )
    for kind, label in (("prompt", "Prompt tokens"), ("generated", "Generated tokens"))
    for side in ("client", "server")
)

_POWER_DRAW = _detail(
    "power_w_per_gpu",
    "Power per GPU",
    "W",
    "lower",
    formula="mean over the profiling phase / GPUs",
    meaning="Measured mean power of one GPU.",
    source=_POWER,
)

_ENERGY = tuple(
    _detail(
        f"joules_per_{what.replace(' ', '_')}",
        f"Energy per {name}",
        "J",
        "lower",
        formula=f"energy of the profiling phase / {name}s",
        meaning=f"Measured energy for one {name}.",
        source=_POWER,
    )
    for what, name in (
        ("request", "request"),
        ("input token", "input token"),
        ("output token", "output token"),
        ("total token", "token"),
    )
)

DETAILS = (*_PER_REQUEST, *_CACHE, *_COUNTS, *_TOKENS, _POWER_DRAW, *_ENERGY)
