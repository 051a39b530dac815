"""Totals that the server reported over the profiling phase: hit rates, token counts, KV-cache use.

Read from `server_metrics_export.csv`, which is small; the JSON beside it can reach gigabytes and is only read
where there is no CSV. Rules: data-contracts 5.3 (names) and 5.4 (derivation).
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dashboard.domain.records import Finding
from dashboard.ingest.archives import RefusedError
from dashboard.ingest.client_summary import mapping, number, sequence, text
from dashboard.ingest.documents import read_json
from dashboard.ingest.naming import printable
from dashboard.ingest.run_files import open_text

#: The largest server-metrics JSON that is read as a whole, in bytes.
LARGEST_JSON = 64 << 20

_SOURCES = ("source", "reason", "kind")
_COUNTER_STATS = ("total", "sum", "max", "avg")
_GAUGE_STATS = ("max", "avg", "total")
_KV_USE = (
    "vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc", "sglang:token_usage",
    "trtllm_kv_cache_utilization", "atom:kv_cache_usage_ratio", "dynamo_component_gpu_cache_usage_percent",
)  # fmt: skip
_PROMPT = ("vllm:prompt_tokens", "sglang:prompt_tokens", "trtllm_prompt_tokens", "atom:prompt_tokens")
_GENERATED = (
    "vllm:generation_tokens",
    "sglang:generation_tokens",
    "trtllm_generation_tokens",
    "atom:generation_tokens",
)


@dataclass(frozen=True, slots=True)
class Series:
    """One exported series: its labels and its statistics over the phase."""

    labels: Mapping[str, str]
    stats: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class HitRates:
    """Shares of prompt tokens found in caches, 0..1, and what they are shares of; None = not reported."""

    hbm: float | None = None
    offload: float | None = None
    overall: float | None = None
    basis: str | None = None


@dataclass(frozen=True, slots=True)
class ServerTotals:
    """Series by metric name, without the `_total` that some exports leave on counters."""

    series: Mapping[str, Sequence[Series]] = field(default_factory=dict)

    def counter(self, *names: str, **labels: str) -> float | None:
        """The increase of the first metric that has data, summed over its series (those with `labels`)."""
        for name in names:
            chosen = [s for s in self.series.get(name, ()) if labels.items() <= s.labels.items()]
            figures = [figure for s in chosen if (figure := _first(s.stats, _COUNTER_STATS)) is not None]
            if figures:
                return sum(figures)
        return None

    def gauge_peak(self, *names: str) -> float | None:
        """The highest value of the first metric that has data, over all its series."""
        for name in names:
            stats = (s.stats for s in self.series.get(name, ()))
            figures = [figure for s in stats if (figure := _first(s, _GAUGE_STATS)) is not None]
            if figures:
                return max(figures)
        return None

    def prompt_tokens(self) -> float | None:
        """Prompt tokens that the engine processed."""
        return self.counter(*_PROMPT)

    def generated_tokens(self) -> float | None:
        """Tokens that the engine generated."""
        return self.counter(*_GENERATED)

    def kv_usage_max(self) -> float | None:
        """Highest KV-cache use of any engine, 0..1; a gauge above 1.5 is on a scale to 100."""
        peak = self.gauge_peak(*_KV_USE)
        if peak is None:
            return None
        share = peak / 100 if peak > 1.5 else peak
        return share if 0 <= share <= 1 else None

    def kv_pool_tokens(self) -> float | None:
        """KV pool of all data-parallel ranks as SGLang states it; vLLM states it in its log only.

        Ranks of one tensor-parallel group state the same pool.
        """
        pools: dict[tuple[str, str], float] = {}
        for series in self.series.get("sglang:max_total_num_tokens", ()):
            engine = series.labels.get("Endpoint", ""), series.labels.get("dp_rank", "")
            pools[engine] = max(pools.get(engine, 0.0), _first(series.stats, _GAUGE_STATS) or 0.0)
        return sum(pools.values()) or None

    def hit_rates(self) -> HitRates:
        """Cache-hit rates by the rule of the engine whose metrics are there."""
        for rule in (self._vllm_by_source, self._vllm, self._sglang, self._atom, self._dynamo):
            rates = rule()
            if rates is not None:
                return rates
        return HitRates()

    def _vllm_by_source(self) -> HitRates | None:
        name = "vllm:prompt_tokens_by_source"
        shares = {
            source: self._by_source(name, source) for source in ("local_cache_hit", "external_kv_transfer")
        }
        total = self.counter(name)
        if not total:
            return None
        hbm, offload = ((shares[source] or 0.0) / total for source in shares)
        return HitRates(hbm, offload, hbm + offload, "prompt tokens by source")

    def _by_source(self, name: str, source: str) -> float | None:
        found = (self.counter(name, **{label: source}) for label in _SOURCES)
        return next((figure for figure in found if figure is not None), None)

    def _vllm(self) -> HitRates | None:
        queries = self.counter("vllm:prefix_cache_queries", "vllm:gpu_prefix_cache_queries")
        hits = self.counter("vllm:prefix_cache_hits", "vllm:gpu_prefix_cache_hits")
        if not queries or hits is None:
            return None
        looked_up = self.counter("vllm:external_prefix_cache_queries")
        loaded = self.counter("vllm:external_prefix_cache_hits")
        offload = loaded / looked_up if loaded is not None and looked_up else None
        return HitRates(
            _share(hits / queries), _share(offload), None, "cache queries; offload: external queries"
        )

    def _sglang(self) -> HitRates | None:
        prompt = self.counter("sglang:prompt_tokens")
        cached = self.counter("sglang:cached_tokens")
        if not prompt or cached is None:
            return None
        device = self.counter("sglang:cached_tokens", cache_source="device")
        host = self.counter("sglang:cached_tokens", cache_source="host")
        hbm, offload = (_share(None if part is None else part / prompt) for part in (device, host))
        return HitRates(hbm, offload, _share(cached / prompt), "prompt tokens")

    def _atom(self) -> HitRates | None:
        full = self.counter("atom:prefix_cache_full_tokens")
        cached = self.counter("atom:prefix_cache_cached_tokens")
        if not full or cached is None:
            return None
        loaded = self.counter("atom:lmcache_loaded_tokens")
        overall = _share(cached / full)
        offload = None if loaded is None else _share(loaded / full)
        return HitRates(overall, offload, overall, "prompt tokens; loads may be inside the HBM share")

    def _dynamo(self) -> HitRates | None:
        prompt = self.counter("dynamo_frontend_input_sequence_tokens")
        cached = self.counter("dynamo_frontend_cached_tokens")
        if not prompt or cached is None:
            return None
        return HitRates(overall=_share(cached / prompt), basis="front-end tokens")


def read_server_totals(
    csv_path: Path | None, json_path: Path | None, artifact: str
) -> tuple[ServerTotals | None, list[Finding]]:
    """The totals of a run: from the CSV, else from a JSON of moderate size; None where there is neither."""
    try:
        if csv_path is not None:
            with open_text(csv_path) as lines:
                return from_csv(lines), []
        if json_path is not None and json_path.stat().st_size <= LARGEST_JSON:
            return from_json(read_json(json_path)), []
    except (OSError, RefusedError, csv.Error) as error:
        name = (csv_path or json_path or Path()).name
        detail = f"{name} is not used: {printable(str(error), 200)}; hit rates and server totals stay unknown"
        return None, [Finding(artifact, "unreadable_server_metrics", "warning", detail, name)]
    return None, []


def from_csv(lines: Iterable[str]) -> ServerTotals:
    """Read the CSV export: blocks with a header each; blocks of information are passed over."""
    gathered: dict[str, list[Series]] = {}
    header: list[str] = []
    for cells in csv.reader(line for line in lines if not line.startswith("#")):
        if cells[:1] == ["Endpoint"]:
            header = cells if cells[1:3] == ["Type", "Metric"] else []
        elif header and len(cells) >= 3:
            row = dict(zip(header, cells, strict=False))
            _gather(gathered, row["Metric"], _csv_series(row))
    return ServerTotals(gathered)


def from_json(document: object) -> ServerTotals:
    """Read the JSON export of the same content; time slices and the warm-up block are passed over."""
    gathered: dict[str, list[Series]] = {}
    for name, metric in mapping(mapping(document).get("metrics")).items():
        for entry in sequence(mapping(metric).get("series")):
            said = {"Endpoint": mapping(entry).get("endpoint_url"), **mapping(mapping(entry).get("labels"))}
            labels = {key: text(value) or "" for key, value in said.items()}
            stats = dict(_numbers(mapping(mapping(entry).get("stats"))))
            _gather(gathered, name, Series(labels, stats))
    return ServerTotals(gathered)


def _csv_series(row: Mapping[str, str]) -> Series:
    figures = {key: float(cell) for key, cell in row.items() if _is_number(cell)}
    return Series(row, figures)


def _is_number(cell: str) -> bool:
    try:
        return number(float(cell)) is not None
    except ValueError:
        return False


def _gather(gathered: dict[str, list[Series]], name: str, series: Series) -> None:
    plain = name.removesuffix("_total")
    plain = plain.replace("atom_", "atom:", 1) if plain.startswith("atom_") else plain
    gathered.setdefault(plain, []).append(series)


def _numbers(stats: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for key, value in stats.items():
        figure = number(value)
        if figure is not None:
            yield key, figure


def _first(stats: Mapping[str, float], names: Sequence[str]) -> float | None:
    return next((stats[name] for name in names if name in stats), None)


def _share(value: float | None) -> float | None:
    """A rate above 1 is no rate (data-contracts 12, row 27)."""
    return value if value is not None and 0 <= value <= 1 else None
