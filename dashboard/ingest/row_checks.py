"""What a row says that cannot all be true: conflicts are kept and named, not repaired in silence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from dashboard.domain.catalog import Catalog
from dashboard.domain.identity import RawIdentity, topology_notes, unknown_names
from dashboard.domain.records import Distribution, Point
from dashboard.ingest.row_fields import Fields

_PERCENTILES = ("p50", "p75", "p90", "p95", "p99")
_SETTABLE = ("model", "hardware", "engine", "precision")
_PER_GPU_TOLERANCE = 0.005
#: Server counts include warm-up, and both roles may count a prompt; what lies outside has other reasons.
_TOKEN_RATIO = (0.9, 1.1)
_INTERACTIVITY_TOLERANCE = 0.02


def check_point(row: Fields, catalog: Catalog, raw: RawIdentity, point: Point) -> None:
    """Every check that holds for rows of all generations."""
    _check_names(row, catalog, raw, point)
    _check_topology(row, raw, point)
    _check_statistics(row, point)
    _check_tokens(row, point)
    if point.scenario == "agentic":
        _check_per_gpu(row, point)


def _check_names(row: Fields, catalog: Catalog, raw: RawIdentity, point: Point) -> None:
    """Names the catalog does not know, and names a row leaves out."""
    for kind, spelling in unknown_names(catalog, raw):
        row.report(
            "unknown_name", "warning", f'{kind} "{spelling}" is not in the catalog; kept as it is', kind
        )
    missing = [name for name in _SETTABLE if getattr(point, name) in (None, "unknown")]
    if missing:
        settable = " ".join(f"--set {name}=..." for name in missing)
        row.report(
            "identity_missing", "warning", f"does not say {', '.join(missing)}; {settable} fills it in"
        )


def _check_topology(row: Fields, raw: RawIdentity, point: Point) -> None:
    """GPU counts that contradict each other or the degrees they are stated with."""
    if point.gpus_conflict:
        row.report("gpu_count_conflict", "warning", f"{point.gpus_conflict}; counted as {point.gpus}")
    for note in topology_notes(raw, point.deployment):
        row.report("topology_incomplete", "info", note)


def _check_statistics(row: Fields, point: Point) -> None:
    """Percentiles that fall, and a first token after the last."""
    for name, distribution in point.statistics.items():
        if any(low > high for low, high in _neighbours(distribution)):
            row.report("percentiles_fall", "warning", f"a higher percentile of {name} is below a lower one")
    ttft, e2el = (point.statistics.get(name, Distribution()).mean for name in ("ttft_s", "e2el_s"))
    if ttft is not None and e2el is not None and ttft > e2el:
        row.report(
            "ttft_above_e2el", "warning", f"mean TTFT {ttft:.6g} s is above mean E2E latency {e2el:.6g} s"
        )


def _neighbours(distribution: Distribution) -> Iterator[tuple[float, float]]:
    known = [value for stat in _PERCENTILES if (value := getattr(distribution, stat)) is not None]
    return pairwise(known)


def _check_per_gpu(row: Fields, point: Point) -> None:
    """An agentic row's per-GPU rates have one denominator, all GPUs: total / GPUs (data-contracts 9.2)."""
    for name in ("tput_total", "tput_input", "tput_output"):
        total, per_gpu = point.scalars.get(name), point.scalars.get(f"{name}_per_gpu")
        if total is None or per_gpu is None or not point.gpus:
            continue
        if not math.isclose(total / point.gpus, per_gpu, rel_tol=_PER_GPU_TOLERANCE):
            implied = total / per_gpu
            row.report(
                "per_gpu_disagrees", "warning", f"{name} per GPU implies {implied:.4g} GPUs, not {point.gpus}"
            )
            return


def _check_tokens(row: Fields, point: Point) -> None:
    """Server and client counts of the same tokens."""
    for name, word in (("prompt_tokens", "prompt"), ("generated_tokens", "generated")):
        server, client = point.scalars.get(f"{name}_server"), point.scalars.get(f"{name}_client")
        if server is None or not client:
            continue
        if not _TOKEN_RATIO[0] <= server / client <= _TOKEN_RATIO[1]:
            row.report(
                "token_counts_differ",
                "warning",
                f"the server counts {server / client:.3g} x the client's {word} tokens",
            )


def check_interactivity(figures: Fields, point: Point, keys: dict[str, str]) -> None:
    """Stated interactivity, by statistic, against 1 / ITL: p90 must be the slow tail."""
    itl = point.statistics.get("itl_s", Distribution())
    for stat, key in keys.items():
        rate, time = figures.number(key), getattr(itl, stat)
        if rate is None or time is None:
            continue
        if not math.isclose(rate * time, 1, rel_tol=_INTERACTIVITY_TOLERANCE):
            figures.report(
                "interactivity_disagrees",
                "info",
                f"is {rate:.6g}, but 1 / ITL is {1 / time:.6g} tok/s/user, which is shown",
                key,
            )


def check_prompt_sources(row: Fields) -> None:
    """The sources of prompt tokens should add up to all prompt tokens."""
    tokens = row.inside("server_metrics").inside("tokens")
    sources = tokens.inside("prompt_by_source")
    parts = [sources.count(key) for key in ("gpu_cache_hit", "cpu_or_external_cache_hit", "computed")]
    total = tokens.count("prompt_total")
    known = [part for part in parts if part is not None]
    if total and len(known) == len(parts) and not math.isclose(sum(known), total, rel_tol=1e-3):
        sources.report(
            "prompt_sources_do_not_add_up",
            "warning",
            f"add up to {sum(known):,} tokens; the server counts {total:,} prompt tokens",
        )
