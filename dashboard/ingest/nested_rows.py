"""Figures of nested agentic rows (v3, data-contracts 2.3): what the client measured, what servers counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.domain.records import STATISTICS, Distribution
from dashboard.ingest.flat_rows import Figures, gauge_share, overall_rate, reciprocal, tokens_of
from dashboard.ingest.row_fields import Fields

_STATISTICS = tuple(stat for stat in STATISTICS if stat not in ("n", "std"))
_CANCELLED = "RequestCancellationError"


@dataclass(frozen=True, slots=True)
class Requests:
    """How many requests there were, apart by outcome; None where a row does not tell."""

    total: int | None = None
    ok: int | None = None
    failed: int | None = None
    cancelled: int | None = None
    warmup: int | None = None
    categories: Mapping[str, int] | None = None


def read_nested(row: Fields) -> Figures:
    """Statistics and scalars of a nested row. An empty block of statistics leaves all of them out."""
    requests, server = row.inside("request_metrics"), row.inside("server_metrics")
    latency, tokens = requests.inside("latency"), requests.inside("tokens")
    statistics = {
        "ttft_s": _block(latency, "ttft"),
        "e2el_s": _block(latency, "e2el"),
        "itl_s": next(
            filter(None, (_block(latency, key) for key in ("full_response_itl", "itl", "tpot"))), None
        ),
        "e2e_per_token_s": _reciprocal(latency.inside("e2e_norm_intvty")),
        "isl": _block(tokens, "input"),
        "osl": _block(tokens, "output_actual"),
        "qps": _block(requests, "qps"),
    }
    return Figures(
        statistics={name: found for name, found in statistics.items() if found},
        scalars=_throughput(requests.inside("throughput"))
        | _cache(row, requests, server)
        | _tokens(requests, server),
        hit_rate_basis=_basis(server),
    )


def read_requests(row: Fields) -> Requests:
    """Counts of a nested row: each record once, as successful, failed, cancelled or warm-up.

    A record that is both warm-up and failed counts as warm-up; categories include such failures, so that
    cancellations can only be told apart where no warm-up failed (data-contracts 2.3).
    """
    accounting = row.inside("request_accounting")
    total = row.count("num_requests_total")
    dropped, warmup = accounting.count("records_dropped_total"), accounting.count("records_warmup_dropped")
    errors = accounting.count("records_error_dropped")
    categories = _categories(accounting.inside("error_categories"))
    counted = Requests(total, row.count("num_requests_successful"), warmup=warmup, categories=categories)
    if dropped is None or warmup is None or errors is None:
        return counted
    failed = max(dropped - warmup, 0)
    apart = categories.get(_CANCELLED, 0) if dropped == warmup + errors else None
    cancelled = None if apart is None else min(apart, failed)
    return Requests(total, counted.ok, failed - (cancelled or 0), cancelled, warmup, categories)


def _categories(found: Fields) -> dict[str, int]:
    counts = {str(name)[:120]: found.count(name) for name in found.values}
    return {name: count for name, count in counts.items() if count}


def _block(parent: Fields, key: str) -> Distribution | None:
    """One block of statistics, None if it is empty: `{}` means no valid sample, not 0."""
    block = parent.inside(key)
    read = block.not_negative if key == "qps" else block.positive
    found = Distribution(
        **{stat: read(stat) for stat in _STATISTICS},
        std=block.not_negative("std"),
        n=block.count("samples", "n", "count"),
    )
    return found if any(getattr(found, stat) is not None for stat in _STATISTICS) else None


def _reciprocal(block: Fields) -> Distribution | None:
    """Seconds per token from slow-tail rates; their standard deviation is of rates and has no reciprocal."""
    rates = {stat: block.positive(stat) for stat in _STATISTICS if stat != "max"}
    values = {stat: reciprocal(rate) for stat, rate in rates.items()}
    if all(value is None for value in values.values()):
        return None
    return Distribution(**values)  # type: ignore[arg-type]  # `n` is not among them


def _throughput(throughput: Fields) -> dict[str, float | None]:
    per_gpu = throughput.inside("per_gpu")
    found: dict[str, float | None] = {"duration_s": throughput.positive("duration_seconds")}
    for name in ("total", "input", "output"):
        found[f"tput_{name}"] = throughput.inside(name).positive("tokens_per_second")
        found[f"tput_{name}_per_gpu"] = per_gpu.positive(f"{name}_tput_tps")
    return found


def _cache(row: Fields, requests: Fields, server: Fields) -> dict[str, float | None]:
    cache, pool = server.inside("cache"), server.inside("kv_cache")
    by_gpu = cache.share("gpu_cache_hit_rate")
    by_host = cache.share("external_cache_hit_rate", "cpu_cache_hit_rate")
    stated = cache.share("overall_cache_hit_rate", "frontend_cache_hit_rate", "router_shared_cache_hit_rate")
    return {
        "hbm_hit_rate": by_gpu,
        "offload_hit_rate": by_host,
        "overall_hit_rate": overall_rate(stated, by_gpu, by_host),
        "theoretical_hit_rate": requests.inside("cache").share("theoretical_cache_hit_rate"),
        "kv_usage_max": gauge_share(pool, "gpu_usage_pct"),
        "kv_pool_tokens": row.positive("kv_cache_pool_tokens") or pool.positive("gpu_total_tokens"),
    }


def _basis(server: Fields) -> str | None:
    """What the hit rates are shares of: two definitions of the external rate exist (data-contracts 5.4)."""
    cache = server.inside("cache")
    if "gpu_cache_hit_rate" in cache:
        by_source = server.inside("tokens").inside("prompt_by_source").inside("raw").values
        share = "prompt tokens" if by_source else "lookups"
        return f"engine counters, share of {share}"
    frontend = "frontend_cache_hit_rate" in cache or "router_shared_cache_hit_rate" in cache
    return "front-end counters, share of prompt tokens" if frontend else None


def _tokens(requests: Fields, server: Fields) -> dict[str, float | None]:
    """Token totals of client and server. Without server metrics the harness copies the client's into both."""
    throughput = requests.inside("throughput")
    duration = throughput.positive("duration_seconds")
    sent, received = (
        tokens_of(throughput.inside(name).not_negative("tokens_per_second"), duration)
        for name in ("input", "output")
    )
    tokens = server.inside("tokens")
    measured = server.flag("present") is not False
    return {
        "prompt_tokens_client": sent,
        "prompt_tokens_server": tokens.total("prompt_total") if measured else None,
        "generated_tokens_client": received,
        "generated_tokens_server": tokens.total("generation_total") if measured else None,
    }
