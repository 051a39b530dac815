"""Names under which engines report what the store calls by one name each. Source: data-contracts 5.3.

`CANDIDATES` holds, for each canonical metric, engine names in order: the first that has data wins. A
candidate may require a label to have some value, as SGLang's cached tokens tell their cache by one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

#: What the engines call the sources of prompt tokens, and what the store calls them.
PROMPT_SOURCES: Mapping[str, str] = MappingProxyType(
    {"local_compute": "computed", "local_cache_hit": "hbm_hit", "external_kv_transfer": "external"}
)
#: Labels that hold a source of prompt tokens, the first that is there.
SOURCE_LABELS = ("source", "reason", "kind")
BY_SOURCE = "vllm:prompt_tokens_by_source"
PROMPT_SOURCE = "prompt_source_tps."
#: Labels that tell copies of one engine apart without being a source of their own.
TRANSPORT_LABELS = frozenset(("tp_rank", "pp_rank", "ep_rank", "moe_ep_rank", "model_name", "engine_type"))


@dataclass(frozen=True, slots=True)
class Candidate:
    """One engine's name for a metric; only series whose label `label` is one of `values` count."""

    name: str
    label: str = ""
    values: tuple[str, ...] = ()

    def fits(self, labels: Mapping[str, str]) -> bool:
        """Whether a series with these labels is meant."""
        return not self.label or labels.get(self.label) in self.values


def _plain(*names: str) -> tuple[Candidate, ...]:
    return tuple(Candidate(name) for name in names)


#: Gauges, by their canonical name.
GAUGES: Mapping[str, tuple[Candidate, ...]] = MappingProxyType(
    {
        "kv_usage": _plain(
            "vllm:kv_cache_usage_perc",
            "vllm:gpu_cache_usage_perc",
            "sglang:token_usage",
            "trtllm_kv_cache_utilization",
            "atom:kv_cache_usage_ratio",
            "dynamo_component_gpu_cache_usage_percent",
        ),
        "kv_usage_host": _plain("vllm:cpu_kv_cache_usage_perc", "trtllm_kv_cache_host_utilization"),
        "running": _plain(
            "vllm:num_requests_running",
            "sglang:num_running_reqs",
            "trtllm_num_requests_running",
            "atom:requests_running",
        ),
        "waiting": _plain(
            "vllm:num_requests_waiting",
            "sglang:num_queue_reqs",
            "trtllm_num_requests_waiting",
            "atom:requests_waiting",
        ),
    }
)
#: Shares 0..1; some engines report them as 0..100.
SHARES = frozenset(("kv_usage", "kv_usage_host"))
_DEVICE = ("device", "gpu", "hbm")
_HOST = ("host", "cpu")
#: Counters, by the canonical name of their rate per second.
COUNTERS: Mapping[str, tuple[Candidate, ...]] = MappingProxyType(
    {
        "prompt_tps": _plain(
            "vllm:prompt_tokens",
            "sglang:prompt_tokens",
            "trtllm_prompt_tokens",
            "atom:prompt_tokens",
            "dynamo_frontend_input_sequence_tokens",
        ),
        "generation_tps": _plain(
            "vllm:generation_tokens",
            "sglang:generation_tokens",
            "trtllm_generation_tokens",
            "atom:generation_tokens",
            "dynamo_frontend_output_tokens",
        ),
        "prefix_hit_tps": (
            *_plain("vllm:prefix_cache_hits", "vllm:gpu_prefix_cache_hits"),
            Candidate("sglang:cached_tokens", "cache_source", _DEVICE),
            *_plain(
                "trtllm_prompt_cached_tokens",
                "atom:prefix_cache_cached_tokens",
                "dynamo_frontend_cached_tokens",
            ),
        ),
        "prefix_query_tps": _plain(
            "vllm:prefix_cache_queries",
            "vllm:gpu_prefix_cache_queries",
            "sglang:prompt_tokens",
            "trtllm_prompt_tokens",
            "atom:prefix_cache_full_tokens",
            "dynamo_frontend_input_sequence_tokens",
        ),
        "offload_hit_tps": (
            Candidate("vllm:external_prefix_cache_hits"),
            Candidate("sglang:cached_tokens", "cache_source", _HOST),
            Candidate("atom:lmcache_loaded_tokens"),
        ),
        "offload_query_tps": _plain("vllm:external_prefix_cache_queries"),
        "preemptions": _plain("vllm:num_preemptions", "atom:preemptions"),
        "offload_bytes_out": _plain("vllm:kv_offload_bytes_gpu_to_cpu"),
        "offload_bytes_in": _plain("vllm:kv_offload_bytes_cpu_to_gpu"),
        f"{PROMPT_SOURCE}computed": (
            Candidate(BY_SOURCE),
            Candidate("sglang:realtime_tokens", "mode", ("prefill_compute",)),
        ),
        f"{PROMPT_SOURCE}hbm_hit": (
            Candidate(BY_SOURCE),
            Candidate("sglang:cached_tokens", "cache_source", _DEVICE),
        ),
        f"{PROMPT_SOURCE}cpu_hit": (Candidate("sglang:cached_tokens", "cache_source", _HOST),),
        f"{PROMPT_SOURCE}external": (Candidate(BY_SOURCE),),
    }
)
Kind = Literal["gauge", "counter"]
CANDIDATES: Mapping[str, tuple[Kind, tuple[Candidate, ...]]] = MappingProxyType(
    {
        **{name: ("gauge", found) for name, found in GAUGES.items()},
        **{name: ("counter", found) for name, found in COUNTERS.items()},
    }
)
_KNOWN = frozenset(candidate.name for _, found in CANDIDATES.values() for candidate in found)


def engine_name(reported: str) -> str:
    """A reported name in the spelling of this module: without `_total`, ATOM's with a colon."""
    name = reported.removesuffix("_total")
    return re.sub(r"^(atom|vllm|sglang)_(?=[a-z])", r"\1:", name)


def is_known(reported: str) -> bool:
    """Whether a reported name feeds any canonical metric."""
    return engine_name(reported) in _KNOWN


def canonical(reported: str, labels: Mapping[str, str]) -> list[tuple[str, Kind, int]]:
    """What a series feeds: canonical metric, its kind, and the place of the name among its candidates."""
    name = engine_name(reported)
    found: list[tuple[str, Kind, int]] = []
    for metric, (kind, candidates) in CANDIDATES.items():
        for place, candidate in enumerate(candidates):
            if candidate.name == name and candidate.fits(labels) and _is_source(metric, name, labels):
                found.append((metric, kind, place))
                break
    return found


def _is_source(metric: str, name: str, labels: Mapping[str, str]) -> bool:
    """Whether a series of vLLM's tokens by source is the one that the canonical metric names."""
    if name != BY_SOURCE:
        return True
    source = next((labels[label] for label in SOURCE_LABELS if label in labels), "")
    return metric == f"{PROMPT_SOURCE}{PROMPT_SOURCES.get(source, source)}"
