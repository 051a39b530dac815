"""What was measured in an AIPerf folder: by its records, else by the client's summary; and server totals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from dashboard.domain.identity import Measurement
from dashboard.domain.records import Distribution, Finding
from dashboard.ingest import client_crosscheck as crosscheck
from dashboard.ingest import run_statistics
from dashboard.ingest.client_summary import ClientSummary
from dashboard.ingest.run_statistics import Counts
from dashboard.ingest.server_totals import HitRates, ServerTotals
from dashboard.ingest.wording import number_of

#: Seconds below which an agentic run is called short; a whole one takes 3,600 (data-contracts 12, row 24).
SHORT_RUN_S = 2700.0

CLIENT_USAGE = "client: cached tokens of the requests' usage"

Scalars = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class RunParts:
    """What the files of one run hold, each None where missing or refused."""

    requests: pa.Table | None
    summary: ClientSummary | None
    server: ServerTotals | None


def measure(parts: RunParts, artifact: str) -> tuple[Measurement, list[Finding]]:
    """Counts, statistics and totals of a run, with notes for readers and findings for the ingest."""
    counted = None if parts.requests is None else run_statistics.counts(parts.requests)
    statistics = _statistics(parts)
    rates = _hit_rates(parts)
    scalars = _scalars(parts) | {
        "hbm_hit_rate": rates.hbm,
        "offload_hit_rate": rates.offload,
        "overall_hit_rate": rates.overall,
    }
    measured = Measurement(
        **_counts(parts, counted),
        has_requests=parts.requests is not None,
        statistics=statistics,
        scalars=scalars,
        hit_rate_basis=rates.basis,
        notes=tuple(_notes(parts, counted, scalars)),
    )
    return measured, list(_doubts(parts, counted, statistics, scalars, artifact))


def _statistics(parts: RunParts) -> Mapping[str, Distribution]:
    if parts.requests is not None:
        return run_statistics.statistics(parts.requests)
    return parts.summary.statistics() if parts.summary else {}


def _scalars(parts: RunParts) -> Scalars:
    scalars: Scalars = {}
    if parts.requests is not None:
        scalars = run_statistics.scalars(parts.requests)
    elif parts.summary is not None:
        scalars = parts.summary.scalars()
    if parts.summary is not None:
        scalars["theoretical_hit_rate"] = parts.summary.theoretical_hit_rate()
    if parts.server is not None:
        scalars["kv_usage_max"] = parts.server.kv_usage_max()
        scalars["kv_pool_tokens"] = parts.server.kv_pool_tokens()
        scalars["prompt_tokens_server"] = parts.server.prompt_tokens()
        scalars["generated_tokens_server"] = parts.server.generated_tokens()
    return scalars


def _hit_rates(parts: RunParts) -> HitRates:
    """The server's rates; where it has none, the share of cached tokens that the requests' usage reports."""
    rates = parts.server.hit_rates() if parts.server else HitRates()
    if rates.basis is None and parts.requests is not None:
        share = _client_share(parts.requests)
        return HitRates(overall=share, basis=None if share is None else CLIENT_USAGE)
    return rates


def _client_share(requests: pa.Table) -> float | None:
    told = run_statistics.successful(requests)
    told = told.select(["cached_tokens", "isl"]).drop_null()
    cached, prompt = pc.sum(told["cached_tokens"]).as_py(), pc.sum(told["isl"]).as_py()
    return cached / prompt if prompt and cached is not None and cached <= prompt else None


def _counts(parts: RunParts, counted: Counts | None) -> dict[str, Any]:
    if counted is not None:
        return {
            "requests_total": counted.total,
            "requests_ok": counted.ok,
            "requests_failed": counted.failed,
            "requests_cancelled": counted.cancelled,
            "requests_warmup": counted.warmup,
            "error_categories": counted.error_categories,
            "publishable": counted.ok > 0 and _drawable(parts.summary),
        }
    return _counts_of_client(parts.summary) if parts.summary else {}


def _counts_of_client(summary: ClientSummary) -> dict[str, Any]:
    """The client's own counts; it does not tell cancelled requests from failed ones."""
    failed = summary.count("error_request_count") or 0
    ok = summary.count("request_count") or 0
    return {
        "requests_total": ok + failed,
        "requests_ok": ok,
        "requests_failed": failed,
        "requests_warmup": summary.warmup_requests(),
        "error_categories": summary.error_categories(),
        "publishable": ok > 0 and _drawable(summary),
    }


def _drawable(summary: ClientSummary | None) -> bool:
    """Whether the harness has no objection to the figures themselves.

    `unsafe_override` only says that the owner of the run changed the harness's rules: no official submission,
    but a measurement, and drawn as an unofficial one.
    """
    reasons = (summary.invalid_reasons() if summary else None) or ()
    return set(reasons) <= {"unsafe_override"}


def _notes(parts: RunParts, counted: Counts | None, scalars: Scalars) -> Iterator[str]:
    """What a reader of the point should know, in sentences."""
    if counted is not None:
        yield from _notes_on_requests(counted)
    if parts.summary is None:
        yield "Unfinished: the client wrote no summary, its run was stopped or aborted."
        return
    if parts.summary.was_cancelled:
        yield "The run was cancelled before its time; it covers what had finished by then."
    overflows = parts.summary.count("context_overflow_count")
    if overflows:
        outgrown = number_of(overflows, "request")
        yield f"{outgrown} outgrew the model's context; the client keeps no record of them."
    if reasons := parts.summary.invalid_reasons():
        yield f"Not a valid submission by the harness: {', '.join(reasons)}."
    duration = scalars.get("duration_s")
    if parts.summary.is_agentic() and duration is not None and duration < SHORT_RUN_S:
        yield f"A short run of {duration:.0f} s; a publishable agentic run takes an hour."


def _notes_on_requests(counted: Counts) -> Iterator[str]:
    if counted.total == 0 and counted.warmup:
        yield "Warm-up only: no request of the profiling phase."
    elif counted.ok == 0:
        yield f"No request succeeded: {counted.failed} failed, {counted.cancelled} were cancelled."
    if counted.suspected:
        yield (
            f"{number_of(counted.suspected, 'request')} succeeded without token usage: probably cut by an "
            "error in the stream. Counted as a success, as the client does."
        )
    if counted.other:
        others = number_of(counted.other, "request")
        yield f"{others} of phases other than warm-up and profiling: not counted."


def _doubts(
    parts: RunParts,
    counted: Counts | None,
    statistics: Mapping[str, Distribution],
    scalars: Scalars,
    artifact: str,
) -> Iterator[Finding]:
    if counted is not None and counted.suspected:
        detail = (
            f"{number_of(counted.suspected, 'request')} succeeded without the token usage that others carry: "
            "probably cut by an error event in the stream, which the client counts as a success"
        )
        yield Finding(artifact, "suspected_stream_errors", "warning", detail, "metrics.usage_total_tokens")
    if counted is not None and counted.ok == 0:
        code = "warmup_only" if counted.total == 0 else "not_drawn"
        detail = (
            f"no profiling request succeeded ({counted.failed} failed, {counted.cancelled} cancelled, "
            f"{counted.warmup} of the warm-up); listed, not drawn"
        )
        yield Finding(artifact, code, "warning", detail)
    if counted is not None and parts.summary is not None:
        yield from crosscheck.compare_counts(parts.summary, counted, artifact)
        yield from crosscheck.compare_statistics(parts.summary, statistics, artifact)
        yield from crosscheck.throughput_window(parts.summary, scalars, artifact)
    yield from crosscheck.compare_tokens(scalars, artifact)
