"""Figures of flat rows: fixed-sequence rows, the first agentic rows, and the metrics of the public API.

All three write `<statistic>_<quantity>` in seconds. What differs is the meaning of two words:

- `itl` of a fixed-sequence row is the time between chunks, which hold several tokens; the time per token is
  `tpot`. Agentic rows take both from the same figure, unless they carry the full response's.
- `pXX_intvty` is 1 / pXX of the time per token, the slow tail, in fixed-sequence rows; in the first agentic
  rows it is the percentile of the rates, the fast end. The latter is never used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.domain.records import STATISTICS, Distribution
from dashboard.ingest.row_fields import Fields

_STATISTICS = tuple(stat for stat in STATISTICS if stat != "n")
#: Statistics whose reciprocal is meaningful: the spread of a rate is not the rate of a spread.
_RECIPROCAL = tuple(stat for stat in _STATISTICS if stat not in ("std", "max"))

#: A gauge above this cannot be a share; see `gauge_share`.
_PER_CENT_FROM = 1.5

_SCALARS = {
    "tput_total": "total_tput_tps",
    "tput_input": "input_tput_tps",
    "tput_output": "output_tput_tps",
    "tput_total_per_gpu": "tput_per_gpu",
    "tput_input_per_gpu": "input_tput_per_gpu",
    "tput_output_per_gpu": "output_tput_per_gpu",
    "duration_s": "duration_seconds",
}


@dataclass(frozen=True, slots=True)
class Figures:
    """Statistics (SI units) and scalars of a row, and where its hit rates come from."""

    statistics: Mapping[str, Distribution]
    scalars: Mapping[str, float | None]
    hit_rate_basis: str | None = None


def read_flat(figures: Fields, *, agentic: bool) -> Figures:
    """Statistics and scalars of flat keys; what a row lacks is left out."""
    return Figures(
        statistics=_known(_statistics(figures, agentic)),
        scalars=_throughput(figures) | (_cache_and_tokens(figures) if agentic else {}),
        hit_rate_basis=_basis(figures) if agentic else None,
    )


def _statistics(figures: Fields, agentic: bool) -> dict[str, Distribution]:
    found = {
        "ttft_s": _of(figures, "ttft"),
        "e2el_s": _of(figures, "e2el"),
        "itl_s": _first(figures, "full_response_itl", "itl", "tpot") if agentic else _time_per_token(figures),
    }
    if agentic:
        found["e2e_per_token_s"] = _reciprocal(figures, "e2e_norm_intvty")
        found["isl"] = _of(figures, "input_tokens")
        found["osl"] = _of(figures, "output_tokens_actual")
        found["qps"] = _of(figures, "qps")
    return found


def _known(statistics: Mapping[str, Distribution]) -> dict[str, Distribution]:
    return {name: found for name, found in statistics.items() if found != Distribution()}


def _keys(stat: str, quantity: str) -> tuple[str, ...]:
    return (f"median_{quantity}", f"p50_{quantity}") if stat == "p50" else (f"{stat}_{quantity}",)


def _of(figures: Fields, quantity: str) -> Distribution:
    """Statistics of a quantity. Latencies must be above 0; rates and deviations may be 0."""
    read = figures.not_negative if quantity == "qps" else figures.positive
    values = {
        stat: (figures.not_negative if stat == "std" else read)(*_keys(stat, quantity))
        for stat in _STATISTICS
    }
    return Distribution(**values)  # type: ignore[arg-type]  # `n` is not among the statistics


def _first(figures: Fields, *quantities: str) -> Distribution:
    """The first quantity that a row carries at all: statistics of two definitions are never mixed."""
    found = (_of(figures, quantity) for quantity in quantities)
    return next((distribution for distribution in found if distribution != Distribution()), Distribution())


def _time_per_token(figures: Fields) -> Distribution:
    """Time per output token of a fixed-sequence row: `tpot`, else 1 / `intvty`, statistic by statistic."""
    spoken, inverted = _of(figures, "tpot"), _reciprocal(figures, "intvty")
    values = {
        stat: value if (value := getattr(spoken, stat)) is not None else getattr(inverted, stat)
        for stat in _STATISTICS
    }
    return Distribution(**values)


def _reciprocal(figures: Fields, quantity: str) -> Distribution:
    """Seconds per token from tokens per second of the same, slow-tail statistic."""
    rates = {stat: figures.positive(*_keys(stat, quantity)) for stat in _RECIPROCAL}
    values = {stat: reciprocal(rate) for stat, rate in rates.items()}
    return Distribution(**values)  # type: ignore[arg-type]  # `n` is not among the statistics


def _throughput(figures: Fields) -> dict[str, float | None]:
    """Throughputs as the row gives them: per-GPU rates keep the denominator their producer used."""
    return {name: figures.positive(key) for name, key in _SCALARS.items()}


def _cache_and_tokens(figures: Fields) -> dict[str, float | None]:
    by_gpu, by_host = _hit_rates(figures)
    prompt, generated = figures.total("total_prompt_tokens"), figures.total("total_generation_tokens")
    sent, received = client_tokens(figures, "input_tput_tps"), client_tokens(figures, "output_tput_tps")
    if by_gpu is None and (prompt, generated) == (sent, received):
        prompt = generated = None  # without server metrics the harness writes the client's totals here
    return {
        "hbm_hit_rate": by_gpu,
        "offload_hit_rate": by_host,
        "overall_hit_rate": overall_rate(figures.share("server_overall_cache_hit_rate"), by_gpu, by_host),
        "theoretical_hit_rate": figures.share("theoretical_cache_hit_rate"),
        "kv_usage_max": gauge_share(figures, "gpu_kv_cache_usage_pct"),
        "kv_pool_tokens": figures.positive("kv_cache_pool_tokens"),
        "prompt_tokens_client": sent,
        "prompt_tokens_server": prompt,
        "generated_tokens_client": received,
        "generated_tokens_server": generated,
    }


def _hit_rates(figures: Fields) -> tuple[float | None, float | None]:
    """HBM and offload hit rates. CPU and external name the same loads: one of them is taken, never both."""
    by_gpu = figures.share("server_gpu_cache_hit_rate")
    return by_gpu, figures.share("server_external_cache_hit_rate", "server_cpu_cache_hit_rate")


def _basis(figures: Fields) -> str | None:
    return "engine counters" if "server_gpu_cache_hit_rate" in figures else None


def overall_rate(stated: float | None, by_gpu: float | None, by_host: float | None) -> float | None:
    """The stated overall hit rate; else HBM + offload where both are known and make sense together."""
    if stated is not None or by_gpu is None or by_host is None:
        return stated
    return by_gpu + by_host if by_gpu + by_host <= 1 else None


def gauge_share(figures: Fields, key: str) -> float | None:
    """A gauge of 0 to 1, which some engines write as 0 to 100: above 1.5 it is read so, with a finding."""
    value = figures.not_negative(key)
    if value is None or value <= 1:
        return value
    share = value / 100 if value > _PER_CENT_FROM else None
    if share is None or share > 1:
        figures.report("out_of_range", "warning", f"{value:.6g} is no share of a pool; read as missing", key)
        return None
    figures.report("gauge_in_percent", "info", f"{value:.6g} is taken as per cent", key)
    return share


def client_tokens(figures: Fields, rate_key: str) -> float | None:
    """Tokens the client counted, from its rate and the duration the rate was formed with."""
    return tokens_of(figures.not_negative(rate_key), figures.positive("duration_seconds"))


def tokens_of(rate: float | None, duration: float | None) -> float | None:
    """Tokens, to the whole one, of a rate in tok/s over a duration in seconds."""
    if rate is None or duration is None or not math.isfinite(rate * duration):
        return None
    return float(round(rate * duration))


def reciprocal(rate: float | None) -> float | None:
    """Seconds per token of a rate in tokens per second."""
    return 1 / rate if rate and math.isfinite(1 / rate) else None
