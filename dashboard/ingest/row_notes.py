"""What a reader should know about a row's point: why it is not drawn, and what its figures do not say."""

from __future__ import annotations

from collections.abc import Iterator

from dashboard.domain.identity import RawIdentity
from dashboard.ingest.flat_rows import Figures
from dashboard.ingest.nested_rows import Requests
from dashboard.ingest.row_fields import Fields
from dashboard.ingest.row_identity import other_hardware

#: AgentX runs last an hour; the harness's fast mode, and anything shorter than this, is not for publication.
SHORTEST_PUBLISHABLE_S = 2700
_OFF = ("none", "off", "false", "no")


def unpublishable(row: Fields, requests: Requests) -> str | None:
    """Why a point is listed but not drawn, None when it is drawn; the reason is a finding as well."""
    reason = _failure(row, requests)
    if reason:
        code = "warmup_only" if requests.total and requests.warmup == requests.total else "not_drawn"
        row.report(code, "warning", f"{reason}; listed, not drawn")
    return reason


def _failure(row: Fields, requests: Requests) -> str | None:
    if requests.ok == 0:
        only_warmup = requests.total and requests.warmup == requests.total
        return "only warm-up requests were recorded" if only_warmup else "no request succeeded"
    outcome = row.values.get("benchmark_outcome")
    status = row.inside("benchmark_outcome").text("status") if outcome is not None else None
    if status and status.lower() == "failed":
        return "the harness says that the benchmark failed"
    if row.flag("submission_valid") is False:
        return "the producer says that the submission is not valid"
    return None


def notes_of(
    row: Fields,
    raw: RawIdentity,
    figures: Figures,
    requests: Requests,
    *,
    agentic: bool,
    filled: tuple[str, ...],
) -> tuple[str, ...]:
    """Sentences kept with the point."""
    return tuple(_notes(row, raw, figures, requests, agentic, filled))


def _notes(
    row: Fields,
    raw: RawIdentity,
    figures: Figures,
    requests: Requests,
    agentic: bool,
    filled: tuple[str, ...],
) -> Iterator[str]:
    if reason := _failure(row, requests):
        yield reason
    if filled:
        yield f"said by the user, not by the row: {', '.join(filled)}"
    if pools := other_hardware(row):
        yield pools
    yield from _agentic_notes(row, raw, figures, requests) if agentic else _fixed_notes(raw)
    if row.flag("append_only"):
        yield "append-only run: earlier points of the curve were kept by its producer"
    warnings = row.values.get("warnings")
    yield from (f"harness: {text[:300]}" for text in _texts(warnings))


def _texts(values: object) -> Iterator[str]:
    if isinstance(values, list):
        yield from (value for value in values if isinstance(value, str))


def _fixed_notes(raw: RawIdentity) -> Iterator[str]:
    if raw.disaggregated:
        yield "input throughput is per prefill GPU and output throughput per decode GPU: they do not add up"


def _agentic_notes(row: Fields, raw: RawIdentity, figures: Figures, requests: Requests) -> Iterator[str]:
    duration = figures.scalars.get("duration_s")
    if duration is not None and duration < SHORTEST_PUBLISHABLE_S:
        yield f"short run: {duration:,.0f} s, where an AgentX run for publication lasts an hour"
    if requests.failed is None and requests.ok:
        yield "the row does not count failed requests"
    if (raw.spec_method or "none").lower() not in _OFF:
        yield "speculative decoding: the harness pins the acceptance length, so accepted tokens are synthetic"
    granted = row.number("allocated_cpu_dram_gb")
    if granted == 0 and raw.offload and raw.offload.lower() not in _OFF:
        yield "KV offload is on, but the row grants it 0 GB of host memory"


def dataset_slug(row: Fields) -> str | None:
    """The dataset's name after the owner, in lower case: `cc-traces-weka-062126`."""
    if row.values.get("dataset") is None:
        return None
    if isinstance(row.values["dataset"], str):
        name = row.text("dataset")
    else:
        name = row.inside("dataset").text("hf_dataset_name", "loader")
    return name.rstrip("/").rsplit("/", 1)[-1].lower() if name else None
