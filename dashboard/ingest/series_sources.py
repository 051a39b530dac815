"""Whose a series of an exporter is: role, worker, rank; and which endpoints repeat another one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np

from dashboard.domain.telemetry import Samples, is_mirror
from dashboard.ingest.engine_metrics import is_counter
from dashboard.ingest.naming import printable

#: Ranks inside one engine: each reports the whole engine's figures.
_INNER_RANKS = ("tp_rank", "pp_rank", "ep_rank", "moe_ep_rank", "moe_dp_rank", "pid")
_RANKS = ("dp_rank", "data_parallel_rank", "engine", "engine_id", "rank")
_ROLES = ("role", "disaggregation_mode", "engine_type", "dynamo_component", "component", "worker_type")
_WORKERS = ("worker_id", "dynamo_worker_id", "worker", "instance", "pod")
#: Gauges of two mirrors differ by at most this share (data-contracts 5.6).
_MIRROR_SHARE = 0.02

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Exported:
    """One exported series: the metric's plain name, endpoint and labels."""

    name: str
    endpoint: str
    labels: Labels

    @property
    def meaning(self) -> Labels:
        """The labels that tell series apart: not those of ranks inside one engine."""
        return tuple((key, value) for key, value in self.labels if key not in _INNER_RANKS)


@dataclass(frozen=True, slots=True, order=True)
class Owner:
    """Role (`prefill`, `decode`), worker and data-parallel rank of a series; empty where not said."""

    role: str = ""
    worker: str = ""
    rank: str = ""


def labelled(raw: Mapping[str, object] | None) -> Labels:
    """Labels in a fixed order, as text that can be shown."""
    return tuple(sorted((key, printable(str(value), 120)) for key, value in (raw or {}).items() if value))


def owners(series: Collection[Exported]) -> dict[Exported, Owner]:
    """The owner of each series; endpoints are workers where labels alone would take two for one."""
    told = {one: _by_labels(one) for one in series}
    by_label: dict[tuple[str, Owner, Labels], set[str]] = {}
    for one, owner in told.items():
        by_label.setdefault((one.name, owner, one.meaning), set()).add(one.endpoint)
    if all(len(endpoints) == 1 for endpoints in by_label.values()):
        return told
    names = endpoint_names({one.endpoint for one in series})
    return {
        one: Owner(owner.role, owner.worker or names[one.endpoint], owner.rank) for one, owner in told.items()
    }


def endpoint_names(endpoints: Collection[str]) -> dict[str, str]:
    """Short names of endpoints: host and port, the port alone where they share a host."""
    places = {
        endpoint: urlsplit(endpoint if "//" in endpoint else f"//{endpoint}").netloc for endpoint in endpoints
    }
    hosts = {place.rpartition(":")[0] for place in places.values()}
    short = {endpoint: place.rpartition(":")[2] for endpoint, place in places.items()}
    if len(hosts) > 1 or len(set(short.values())) < len(places):
        short = places
    return {endpoint: printable(name or endpoint, 80) for endpoint, name in short.items()}


def _by_labels(one: Exported) -> Owner:
    labels = dict(one.labels)
    rank = next((labels[name] for name in _RANKS if name in labels), "")
    worker = next((labels[name] for name in _WORKERS if name in labels), "")
    return Owner(_role(labels, one.endpoint), worker, rank)


def _role(labels: Mapping[str, str], endpoint: str) -> str:
    said = [labels[name].lower() for name in _ROLES if name in labels]
    for text in (*said, endpoint.lower()):
        for role in ("prefill", "decode"):
            if role in text:
                return role
    return ""


def mirrors(series: Mapping[Exported, Samples]) -> dict[str, str]:
    """Endpoints that repeat another one, and that one: the endpoint with more samples stays."""
    sizes: dict[str, int] = {}
    for one, samples in series.items():
        sizes[one.endpoint] = sizes.get(one.endpoint, 0) + len(samples)
    kept: list[str] = []
    found: dict[str, str] = {}
    for endpoint in sorted(sizes, key=lambda name: (-sizes[name], name)):
        other = next((other for other in kept if _same(series, other, endpoint)), None)
        if other is None:
            kept.append(endpoint)
        else:
            found[endpoint] = other
    return found


def _same(series: Mapping[Exported, Samples], one: str, other: str) -> bool:
    """Whether all that both endpoints report agrees, and some of it happened."""
    pairs = list(_pairs(series, one, other))
    counters = [(a, b) for name, a, b in pairs if is_counter(name)]
    if not any(np.sum(a.value) > 0 for a, _ in counters):
        return False
    gauges = [(a, b) for name, a, b in pairs if not is_counter(name)]
    return all(is_mirror(a, b) for a, b in counters) and all(_alike(a, b) for a, b in gauges)


def _pairs(
    series: Mapping[Exported, Samples], one: str, other: str
) -> Iterable[tuple[str, Samples, Samples]]:
    there = {(key.name, key.labels): samples for key, samples in series.items() if key.endpoint == other}
    for key, samples in series.items():
        twin = there.get((key.name, key.labels))
        if key.endpoint == one and twin is not None and len(samples) and len(twin):
            yield key.name, samples, twin


def _alike(one: Samples, other: Samples) -> bool:
    means = float(np.mean(one.value)), float(np.mean(other.value))
    return abs(means[0] - means[1]) <= _MIRROR_SHARE * max(1.0, *(abs(mean) for mean in means))
