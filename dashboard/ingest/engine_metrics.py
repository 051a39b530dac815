"""Names under which engines report a quantity, and what the store calls it (data-contracts 5.3).

Of several names of one quantity the first that has samples is used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Kind = Literal["gauge", "counter"]

_UNDERSCORED = re.compile(r"^(vllm|sglang|atom)_")


@dataclass(frozen=True, slots=True)
class Reported:
    """A name with the labels that its series must carry; `less` is taken off, `per` divides, both by name."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)
    less: str | None = None
    per: str | None = None


@dataclass(frozen=True, slots=True)
class Quantity:
    """What the store calls a quantity and the ways to get it; a `share` is 0..1, whatever its exporter's."""

    metric: str
    kind: Kind
    ways: tuple[Reported, ...]
    share: bool = False


def _ways(*names: str) -> tuple[Reported, ...]:
    return tuple(Reported(name) for name in names)


def _cached(source: str) -> Reported:
    return Reported("sglang:cached_tokens", {"cache_source": source})


_PROMPT: Final = ("vllm:prompt_tokens", "sglang:prompt_tokens", "trtllm_prompt_tokens", "atom:prompt_tokens")
_PROMPT_FRONT: Final = "dynamo_frontend_input_sequence_tokens"
BY_SOURCE: Final = "vllm:prompt_tokens_by_source"
#: Labels that name the source in `BY_SOURCE`, and the store's names of its values.
SOURCE_LABELS: Final = ("source", "reason", "kind")
SOURCES: Final = {
    "local_compute": "computed",
    "local_cache_hit": "hbm_hit",
    "external_kv_transfer": "external",
}
_SOURCE: Final = "prompt_source_tps."

QUANTITIES: Final[tuple[Quantity, ...]] = (
    Quantity("kv_usage", "gauge", _ways(
        "vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", "sglang:token_usage",
        "dynamo_component_gpu_cache_usage_percent", "trtllm_kv_cache_utilization",
        "atom:kv_cache_usage_ratio",
    ), share=True),
    Quantity("kv_usage_host", "gauge", (
        *_ways("vllm:cpu_kv_cache_usage_perc", "vllm:cpu_cache_usage_perc"),
        Reported("sglang:hicache_host_used_tokens", per="sglang:hicache_host_total_tokens"),
        *_ways("trtllm_kv_cache_host_utilization"),
    ), share=True),
    Quantity("running", "gauge", _ways(
        "vllm:num_requests_running", "sglang:num_running_reqs", "trtllm_num_requests_running",
        "atom:requests_running",
    )),
    Quantity("waiting", "gauge", _ways(
        "vllm:num_requests_waiting", "sglang:num_queue_reqs", "trtllm_num_requests_waiting",
        "atom:requests_waiting",
    )),
    Quantity("prompt_tps", "counter", _ways(*_PROMPT, _PROMPT_FRONT)),
    Quantity("generation_tps", "counter", _ways(
        "vllm:generation_tokens", "sglang:generation_tokens", "trtllm_generation_tokens",
        "atom:generation_tokens", "dynamo_frontend_output_tokens",
    )),
    Quantity("prefix_hit_tps", "counter", (
        *_ways("vllm:prefix_cache_hits", "vllm:gpu_prefix_cache_hits"),
        _cached("device"),
        *_ways("sglang:cached_tokens", "trtllm_prompt_cached_tokens", "atom:prefix_cache_cached_tokens",
               "dynamo_frontend_cached_tokens"),
    )),
    Quantity("prefix_query_tps", "counter", _ways(
        "vllm:prefix_cache_queries", "vllm:gpu_prefix_cache_queries", "sglang:prompt_tokens",
        "trtllm_prompt_tokens", "atom:prefix_cache_full_tokens", _PROMPT_FRONT,
    )),
    Quantity("offload_hit_tps", "counter", (
        *_ways("vllm:external_prefix_cache_hits"), _cached("host"), *_ways("atom:lmcache_loaded_tokens"),
    )),
    Quantity("offload_query_tps", "counter", _ways("vllm:external_prefix_cache_queries")),
    Quantity(f"{_SOURCE}computed", "counter", (
        Reported("sglang:realtime_tokens", {"mode": "prefill_compute"}),
        Reported("trtllm_prompt_tokens", less="trtllm_prompt_cached_tokens"),
    )),
    Quantity(f"{_SOURCE}hbm_hit", "counter", (_cached("device"), *_ways("trtllm_prompt_cached_tokens"))),
    Quantity(f"{_SOURCE}cpu_hit", "counter", (_cached("host"),)),
    Quantity(f"{_SOURCE}nvme_hit", "counter", (_cached("storage"),)),
    Quantity("preemptions", "counter", _ways("vllm:num_preemptions", "atom:preemptions")),
    Quantity("offload_bytes_in", "counter", (
        *_ways("vllm:kv_offload_bytes_cpu_to_gpu"),
        Reported("vllm:kv_offload_total_bytes", {"transfer_type": "CPU_to_GPU"}),
    )),
    Quantity("offload_bytes_out", "counter", (
        *_ways("vllm:kv_offload_bytes_gpu_to_cpu"),
        Reported("vllm:kv_offload_total_bytes", {"transfer_type": "GPU_to_CPU"}),
    )),
)  # fmt: skip

_USED: Final = frozenset(
    name
    for quantity in QUANTITIES
    for way in quantity.ways
    for name in (way.name, way.less, way.per)
    if name is not None
) | {BY_SOURCE}
_COUNTERS: Final = frozenset(
    way.name for quantity in QUANTITIES if quantity.kind == "counter" for way in quantity.ways
) | {BY_SOURCE}


def plain_name(raw: str) -> str:
    """A metric's name without the spellings that exporters add: `_total`, `vllm_` for `vllm:`."""
    name = raw.removesuffix("_total").replace("trtllm:", "trtllm_", 1)
    return _UNDERSCORED.sub(r"\1:", name)


def is_used(raw: str) -> bool:
    """Whether a metric, as its exporter spells it, gives a series of the store."""
    return plain_name(raw) in _USED


def is_counter(name: str) -> bool:
    """Whether a used metric (its plain name) counts."""
    return name in _COUNTERS


def source_of(labels: Mapping[str, str]) -> str | None:
    """The store's name of the source of prompt tokens; a source it does not know keeps its own."""
    said = next((labels[name] for name in SOURCE_LABELS if name in labels), None)
    return None if said is None else SOURCES.get(said, said)


def by_source(source: str) -> Quantity:
    """Prompt tokens of one source, as `BY_SOURCE` tells them apart."""
    return Quantity(f"{_SOURCE}{source}", "counter", _ways(BY_SOURCE))
