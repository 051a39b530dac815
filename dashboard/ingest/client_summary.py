"""`profile_export_aiperf.json`: what a client says about its own run, in the forms of AIPerf 0.8 to 0.13.

Its figures stand in where there are no records; where there are, they are only compared (data-contracts 4).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from dashboard.domain.records import Distribution
from dashboard.ingest.record_columns import SECONDS, TOKENS
from dashboard.ingest.run_statistics import rate

_NOTHING: Final[Mapping[str, Any]] = {}

#: Quantity of `Point.statistics` -> the client's metrics in order of preference and their units.
_METRICS: Final[Mapping[str, tuple[tuple[str, ...], Mapping[str, float]]]] = {
    "ttft_s": (("time_to_first_token",), SECONDS),
    "itl_s": (("full_response_inter_token_latency", "inter_token_latency"), SECONDS),
    "e2el_s": (("request_latency",), SECONDS),
    "isl": (("input_sequence_length",), TOKENS),
    "osl": (("output_sequence_length",), TOKENS),
}
_STATISTICS: Final = {"mean": "avg", "max": "max"} | {
    p: p for p in ("p50", "p75", "p90", "p95", "p99", "std")
}


@dataclass(frozen=True, slots=True)
class ClientSummary:
    """One summary document, read on demand; every reading is None where the document is silent."""

    document: Mapping[str, Any]

    @property
    def benchmark_id(self) -> str | None:
        """The run's own id, the same in all its files."""
        return text(self.document.get("benchmark_id"))

    @property
    def config(self) -> Mapping[str, Any]:
        """The `input_config` block."""
        return mapping(self.document.get("input_config"))

    @property
    def run_info(self) -> Mapping[str, Any]:
        """The `run_info` block of newer versions: trial, sweep, command line."""
        return mapping(self.document.get("run_info"))

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The `metadata` block of scenario runs: scenario, validity, dataset."""
        return mapping(self.document.get("metadata"))

    @property
    def is_simulated(self) -> bool:
        """Whether a simulator wrote the document, not a client that measured something."""
        return self.metadata.get("simulated") is True

    @property
    def was_cancelled(self) -> bool:
        """Whether the run ended before its time."""
        return self.document.get("was_cancelled") is True

    def value(self, name: str, statistic: str = "avg") -> float | None:
        """One statistic of one metric, in the document's own unit."""
        return number(mapping(self.document.get(name)).get(statistic))

    def count(self, name: str) -> int | None:
        """A metric that counts, as a whole number."""
        figure = self.value(name)
        return int(figure) if figure is not None and figure >= 0 and figure == int(figure) else None

    def distribution(self, quantity: str) -> Distribution | None:
        """The statistics of `ttft_s`, `itl_s`, `e2el_s`, `isl` or `osl`; None where the document has none."""
        names, units = _METRICS[quantity]
        block = next((b for name in names if (b := mapping(self.document.get(name)))), _NOTHING)
        factor = units.get(str(block.get("unit")))
        if factor is None or number(block.get("avg")) is None:
            return None
        figures = {ours: _scaled(block.get(theirs), factor) for ours, theirs in _STATISTICS.items()}
        count = number(block.get("count"))
        n = int(count) if count is not None else self.count("request_count")
        return Distribution(**figures, n=n)

    def statistics(self) -> dict[str, Distribution]:
        """Every distribution that the document has."""
        found = {name: self.distribution(name) for name in _METRICS}
        return {name: figures for name, figures in found.items() if figures is not None}

    def scalars(self) -> dict[str, float | None]:
        """Totals and rates over `benchmark_duration`, first start to last end, as `run_statistics.scalars`.

        The document's own rates are over the phase window, which outlasts the requests (aiperf.md 13).
        """
        duration = self.value("benchmark_duration")
        prompt = self.value("total_isl") or self.value("input_sequence_length", "sum")
        generated = self.value("total_osl") or self.value("output_sequence_length", "sum")
        both = None if prompt is None or generated is None else prompt + generated
        return {
            "duration_s": duration,
            "tput_total": rate(both, duration),
            "tput_input": rate(prompt, duration),
            "tput_output": rate(generated, duration),
            "prompt_tokens_client": prompt,
            "generated_tokens_client": generated,
        }

    def theoretical_hit_rate(self) -> float | None:
        """Hit blocks over all blocks of an endless cache, 0..1 (data-contracts 9.6)."""
        hits, blocks = (self.value("theoretical_prefix_cache_hit", stat) for stat in ("sum", "count"))
        if hits is not None and blocks:
            return hits / blocks
        share = self.value("theoretical_prefix_cache_hit")
        unit = mapping(self.document.get("theoretical_prefix_cache_hit")).get("unit")
        return share / 100 if share is not None and unit == "%" else None

    def error_categories(self) -> dict[str, int]:
        """Failed requests by error type, from `error_summary`."""
        counted: dict[str, int] = {}
        for entry in sequence(self.document.get("error_summary")):
            details, count = mapping(mapping(entry).get("error_details")), number(mapping(entry).get("count"))
            name = text(details.get("type")) or text(details.get("code")) or "unknown"
            counted[name] = counted.get(name, 0) + int(count or 0)
        return {name: count for name, count in sorted(counted.items()) if count}

    def invalid_reasons(self) -> tuple[str, ...] | None:
        """Why the harness calls the run no valid submission; None where it does not say so."""
        if self.metadata.get("submission_valid") is not False:
            return None
        said = sequence(self.metadata.get("submission_invalid_reasons"))
        return tuple(text(reason) or "unknown" for reason in said) or ("no reason given",)

    def is_agentic(self) -> bool:
        """Whether the run replayed agent conversations, by its scenario."""
        said = text(self.metadata.get("scenario")) or text(self.config.get("scenario")) or ""
        return "agent" in said.lower()

    def warmup_requests(self) -> int | None:
        """Requests of the warm-up phase; None where the document is silent."""
        warmup = ClientSummary(mapping(self.document.get("warmup_metrics")))
        return warmup.count("completed_request_count") or warmup.count("request_count")

    def began(self) -> datetime | None:
        """The first request's start, by its epoch timestamp only: `start_time` has no zone."""
        nanoseconds = self.value("min_request_timestamp")
        return moment(nanoseconds) if nanoseconds is not None else None


def is_client_summary(document: object) -> bool:
    """Whether a JSON document is a client summary: it has the run's configuration and figures of requests."""
    if not isinstance(document, Mapping) or not isinstance(document.get("input_config"), Mapping):
        return False
    return any(name in document for name in ("request_latency", "request_count", "error_request_count"))


def moment(nanoseconds: float) -> datetime | None:
    """A point in time of epoch nanoseconds, in UTC to the microsecond; None outside the years that exist."""
    try:
        return datetime.fromtimestamp(int(nanoseconds) // 1000 / 1e6, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def number(value: Any) -> float | None:
    """A finite number that is not a boolean, as float."""
    if type(value) not in (int, float):
        return None
    try:
        figure = float(value)
    except OverflowError:
        return None
    return figure if math.isfinite(figure) else None


def text(value: Any) -> str | None:
    """Text that says something; a number is spelled out."""
    if type(value) in (int, float):
        return str(value)
    return value.strip() or None if isinstance(value, str) else None


def mapping(value: Any) -> Mapping[str, Any]:
    """The object, or an empty one in place of anything else."""
    return value if isinstance(value, Mapping) else _NOTHING


def sequence(value: Any) -> Iterable[Any]:
    """The array, or an empty one in place of anything else."""
    return value if isinstance(value, list | tuple) else ()


def _scaled(value: Any, factor: float) -> float | None:
    figure = number(value)
    return None if figure is None else figure * factor
