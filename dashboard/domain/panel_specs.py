"""The panels of a point's page, in their order: title, unit, scale, direction, formula, explanation, source.

The page, its exports and the Method page read these; nothing else defines a panel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from dashboard.domain.metric import Better

#: How the figures of a panel are written.
Figures = Literal["tokens", "seconds", "percent", "rate", "count", "bytes", "watts"]


@dataclass(frozen=True, slots=True)
class PanelSpec:
    """One panel. `scale` "log" is a logarithmic y axis, "share" one from 0 to 100 %, "zero" one from 0."""

    key: str
    title: str
    unit: str
    figures: Figures
    scale: Literal["zero", "log", "share", "bins"]
    better: Better
    basis: Literal["requests", "server", "both"]
    formula: str
    explanation: str
    source: str


_RECORDS = "AIPerf profile_export.jsonl, one record per request"
_SERVER = "AIPerf server_metrics_export.json: what the engine's /metrics reported"
_BOTH = f"{_RECORDS}; {_SERVER}"
_DOTS = "Each dot is a request at its start; a failed one has no value and is marked above the plot."


def _over_time(key: str, title: str, unit: str, figures: Figures, better: Better, formula: str, means: str,
               scale: Literal["zero", "log"] = "log") -> PanelSpec:  # fmt: skip
    return PanelSpec(
        key, title, unit, figures, scale, better, "requests", formula, f"{means} {_DOTS}", _RECORDS
    )


_SPECS = (
    PanelSpec(
        "isl", "ISL", "tokens, log bins", "tokens", "bins", "neither", "requests",
        "histogram of ISL over successful requests, equal steps of ln(tokens)",
        "How long the prompts were, cached prefix included. Dashed lines are percentiles, the curve is the "
        "cumulative share. Requests without a token have no place on a log axis and are counted beside it.",
        _RECORDS,
    ),
    PanelSpec(
        "osl", "OSL", "tokens, log bins", "tokens", "bins", "neither", "requests",
        "histogram of OSL over successful requests, equal steps of ln(tokens)",
        "How long the answers were. Dashed lines are percentiles, the curve is the cumulative share.",
        _RECORDS,
    ),
    _over_time(
        "ttft_over_time", "TTFT over time", "s, log", "seconds", "lower",
        "percentile of TTFT over the requests started in the last seconds (or the last n); over all so far",
        "When the first token came late.",
    ),
    _over_time(
        "interactivity_over_time", "Interactivity over time", "tok/s/user", "rate", "higher",
        "1 / percentile of ITL over the requests started in the last seconds (or the last n)",
        "How fast each user read; the p90 line is 1 / p90(ITL), the slow tail.", "zero",
    ),
    _over_time(
        "e2el_over_time", "E2EL over time", "s, log", "seconds", "lower",
        "percentile of E2EL over the requests started in the last seconds (or the last n); over all so far",
        "How long whole requests took.",
    ),
    PanelSpec(
        "kv_usage", "KV-cache utilisation", "% of pool", "percent", "share", "neither", "server",
        "used blocks / all blocks of each engine rank; mean over the ranks that report",
        "How full the KV pool in HBM was, rank by rank, and the host pool where the engine reports one. "
        "At 100 % requests wait or are preempted.",
        _SERVER,
    ),
    PanelSpec(
        "queue_depth", "Queue depth", "requests, sum over ranks", "count", "zero", "neither", "both",
        "running and waiting: sum over engine ranks; total: their sum; in flight: started and not ended at "
        "the client",
        "Requests that the engines worked on and that waited for a place. In flight at the client above the "
        "total is queueing outside the engine.",
        _BOTH,
    ),
    PanelSpec(
        "completed", "Completed requests", "requests, cumulative", "count", "zero", "neither", "requests",
        "requests that ended well so far, of all phases and by phase",
        "A straight line is a steady load; a flat stretch is one in which nothing came to its end.",
        _RECORDS,
    ),
    PanelSpec(
        "hit_rate", "Prefix-cache hit rate", "% of prompt tokens, last 60 s", "percent", "share", "higher",
        "both",
        "sum of hit tokens / sum of queried tokens over the last 60 s, summed over ranks; theory: sum of "
        "theoretically cached tokens / sum of ISL of the requests started in the last 60 s",
        "The share of prompt tokens found in HBM, in offloaded KV, and what an endless cache could have had. "
        "Above 100 % the sources count differently; that is shown, not cut.",
        _BOTH,
    ),
    PanelSpec(
        "throughput", "Throughput", "tok/s, all ranks, log", "rate", "log", "higher", "server",
        "increase of the token counters per second, summed over ranks",
        "Prompt tokens that the engines took in, cached ones included, and tokens that they generated.",
        _SERVER,
    ),
    PanelSpec(
        "prompt_sources", "Prompt-token sources", "% of prompt tokens, last 60 s", "percent", "share",
        "neither", "server",
        "tokens of each source / tokens of all sources over the last 60 s",
        "Where prompt tokens came from: computed, or found in HBM, host memory, NVMe or elsewhere.",
        _SERVER,
    ),
    PanelSpec(
        "tokens_in_flight", "Unique input tokens in flight", "tokens, from requests", "tokens", "zero",
        "neither", "requests",
        "sum over conversations in flight of the largest ISL among their requests in flight",
        "The context that must be held to serve what is in flight without recomputing, against the size of "
        "the KV pool.",
        _RECORDS,
    ),
    PanelSpec(
        "unique_tokens", "Unique input tokens", "tokens, cumulative", "tokens", "zero", "neither", "both",
        "server: running sum of computed prompt tokens; client: running sum of ISL - cached tokens",
        "How many prompt tokens had to be computed so far, as the servers and the client count them.",
        _BOTH,
    ),
    PanelSpec(
        "preemptions", "Preemptions", "1/s, sum over ranks", "rate", "zero", "lower", "server",
        "increase of the preemption counter per second, summed over ranks",
        "Requests thrown out of the KV pool to make room; their tokens are computed again.",
        _SERVER,
    ),
    PanelSpec(
        "offload_traffic", "Offload traffic", "bytes/s, sum over ranks", "bytes", "zero", "neither", "server",
        "increase of the offload byte counters per second, summed over ranks",
        "KV that moved from the GPU to the host (out) and back (in).",
        _SERVER,
    ),
    PanelSpec(
        "power", "Power", "W per GPU", "watts", "zero", "lower", "server",
        "power of each GPU; mean over the GPUs that report",
        "What the accelerators drew, where the figures are marked as valid.",
        "power CSV or AIPerf's GPU telemetry",
    ),
    PanelSpec(
        "errors", "Failed and cancelled", "requests, cumulative", "count", "zero", "lower", "requests",
        "requests that failed or were cancelled so far, by category, at their end",
        "Whether failures came at once or all along, and of which kind.",
        _RECORDS,
    ),
)  # fmt: skip

PANELS: Mapping[str, PanelSpec] = MappingProxyType({spec.key: spec for spec in _SPECS})
