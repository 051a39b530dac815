"""Requests of a run: `profile_export.jsonl` as a table of the schema `REQUESTS`, in one streaming pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dashboard.domain.records import Finding, Severity
from dashboard.ingest import lanes, request_errors
from dashboard.ingest.latency_checks import Doubt, Latencies, first_token, settled
from dashboard.ingest.record_columns import (
    SECONDS,
    TOKENS,
    Floats,
    Misfits,
    finite,
    flags,
    integers,
    measures,
    texts,
    whole,
)
from dashboard.ingest.record_lines import METADATA, METRICS, LineTally, Row, read_batches
from dashboard.ingest.wording import number_of
from dashboard.store.schema import REQUESTS

#: Share of malformed lines above which a file is refused (data-contracts 12, row 11).
LARGEST_MALFORMED_SHARE = 0.01

_INTEGER_FIELDS = frozenset(
    {"turn_index", "agent_depth", "source_outer_idx", "source_inner_idx"}
    | {name for name in METADATA if name.endswith("_ns")}
)
_INT32_MAX = 2**31 - 1

Columns = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RequestsReading:
    """What a record file holds: `table` (schema `REQUESTS`, sorted by start) or None where it was refused."""

    table: pa.Table | None
    findings: tuple[Finding, ...]


def read_requests(lines: BinaryIO, artifact: str) -> RequestsReading:
    """Read the records of one run; warm-up and failed requests stay in the table, told apart by columns.

    Refused (an error among the findings) where more than 1 % of the lines are no records or none is left.
    """
    tally, misfits = LineTally(), Misfits()
    parts = [_columns(batch, misfits) for batch in read_batches(lines, tally)]
    refusal = _Report(artifact).refusal(tally)
    if refusal:
        return RequestsReading(None, (refusal,))
    table, doubts = _table(_joined(parts, misfits), misfits)
    report = _Report(artifact)
    findings = (*report.lines(tally), *report.misfits(misfits), *report.doubts(doubts))
    return RequestsReading(table, findings)


def _columns(batch: Iterable[Row], misfits: Misfits) -> Columns:
    """One batch of rows as one array a field."""
    fields = list(zip(*batch, strict=True))
    columns: Columns = {}
    for name, values in zip(METADATA, fields, strict=False):
        read = integers if name in _INTEGER_FIELDS else flags if name == "was_cancelled" else texts
        columns[name] = read(f"metadata.{name}", values, misfits)
    for (name, unit), values in zip(METRICS, fields[len(METADATA) :], strict=False):
        columns[name] = measures(f"metrics.{name}", values, _units(unit), unit, misfits)
    columns["error"] = fields[-1]
    return columns


def _units(unit: str) -> Mapping[str, float]:
    return TOKENS if unit in TOKENS else SECONDS


def _joined(parts: list[Columns], misfits: Misfits) -> Columns:
    """The batches as one; figures become seconds and tokens, float64 with NaN for missing."""
    names = (*METADATA, *(name for name, _ in METRICS))
    joined: Columns = {name: pa.concat_arrays([part[name] for part in parts]) for name in names}
    for name, unit in METRICS:
        joined[name] = finite(f"metrics.{name}", joined[name], misfits) * _units(unit)[unit]
    return joined | {"error": [error for part in parts for error in part["error"]]}


def _table(raw: Columns, misfits: Misfits) -> tuple[pa.Table, list[Doubt]]:
    tokens = _tokens(raw, misfits)
    times, doubts = _times(raw, tokens["osl"])
    columns = _identity(raw) | times | tokens | _outcome(raw)
    absent = pa.nulls(len(raw["error"]))
    arrays = [_typed(columns.get(field.name, absent), field.type) for field in REQUESTS]
    order = np.argsort(columns["start_ns"].to_numpy(zero_copy_only=False), kind="stable")
    return pa.Table.from_arrays(arrays, schema=REQUESTS).take(order), doubts


def _typed(column: Any, kind: pa.DataType) -> pa.Array[Any]:
    array = column if isinstance(column, pa.Array) else pa.array(column, from_pandas=True)
    return array.cast(kind)


def _identity(raw: Columns) -> Columns:
    conversations = raw["conversation_id"]
    depth = lanes.depths(conversations, _narrow(raw["agent_depth"]))
    before_suffix = lanes.per_distinct(conversations, lanes.dataset_conversation, pa.string())
    own = raw["x_correlation_id"]
    return {
        "request_id": raw["x_request_id"],
        "phase": pc.fill_null(raw["benchmark_phase"], "profiling"),
        "lane_id": lanes.lanes(own, raw["parent_correlation_id"], raw["root_correlation_id"]),
        "conversation_id": conversations,
        "kind": lanes.kinds(conversations, depth),
        "depth": depth,
        "parent_lane_id": raw["parent_correlation_id"],
        "turn_index": _narrow(raw["turn_index"]),
        "source_trace": pc.coalesce(raw["source_trace_id"], before_suffix),
        "source_outer": _narrow(raw["source_outer_idx"]),
        "source_inner": _narrow(raw["source_inner_idx"]),
        "worker_id": raw["worker_id"],
    }


def _narrow(numbers: pa.Array[Any]) -> pa.Array[Any]:
    """int32 of an int64 column; an index that no dataset has is missing."""
    values = numbers.fill_null(-1).to_numpy(zero_copy_only=False)
    sound = (values >= 0) & (values <= _INT32_MAX)
    return pa.array(np.where(sound, values, 0).astype(np.int32), mask=~sound)


def _times(raw: Columns, output_tokens: pa.Array[Any]) -> tuple[Columns, list[Doubt]]:
    full: Floats = raw["full_response_inter_token_latency"]
    decoded: Floats = raw["inter_token_latency"]
    itl = np.where(np.isnan(full), decoded, full)
    start, end = raw["request_start_ns"], raw["request_end_ns"]
    measured = Latencies(raw["time_to_first_token"], itl, raw["request_latency"])
    kept, doubts = settled(measured, start, end, output_tokens)
    columns = {
        "credit_ns": raw["credit_issued_ns"],
        "start_ns": start,
        "first_token_ns": first_token(start, kept.ttft),
        "end_ns": end,
        "ttft_s": kept.ttft,
        "itl_s": kept.itl,
        "e2el_s": kept.e2el,
    }
    return columns, doubts


def _tokens(raw: Columns, misfits: Misfits) -> Columns:
    isl = raw["input_sequence_length"]
    isl = np.where(np.isnan(isl), raw["error_isl"], isl)
    named = {
        "isl": (isl, "input_sequence_length"),
        "osl": (raw["output_sequence_length"], "output_sequence_length"),
        "cached_tokens": (raw["usage_prompt_cache_read_tokens"], "usage_prompt_cache_read_tokens"),
    }
    return {column: whole(figures, f"metrics.{name}", misfits) for column, (figures, name) in named.items()}


def _outcome(raw: Columns) -> Columns:
    errors = raw["error"]
    failed = np.array([bool(error) for error in errors], dtype=bool)
    cancelled = pc.fill_null(raw["was_cancelled"], False).to_numpy(zero_copy_only=False).astype(bool)
    categories: list[str | None] = [None] * len(errors)
    messages: list[str | None] = [None] * len(errors)
    for row in np.flatnonzero(failed):
        categories[row] = request_errors.category(errors[row])
        messages[row] = request_errors.message(errors[row])
        cancelled[row] |= request_errors.is_cancellation(errors[row])
    has_usage = ~np.isnan(raw["usage_total_tokens"])
    for row in np.flatnonzero(request_errors.silent(~failed & ~cancelled, has_usage)):
        categories[row], messages[row] = request_errors.SUSPECTED, request_errors.SUSPECTED_MESSAGE
    return {
        "failed": failed,
        "cancelled": cancelled,
        "error_category": pa.array(categories, pa.string()),
        "error_message": pa.array(messages, pa.string()),
    }


@dataclass(frozen=True, slots=True)
class _Report:
    """Findings about one record file, in sentences."""

    artifact: str

    def refusal(self, tally: LineTally) -> Finding | None:
        """The reason not to use the file at all, if there is one."""
        lines = tally.records + tally.malformed
        if tally.malformed > LARGEST_MALFORMED_SHARE * lines:
            detail = (
                f"{tally.malformed} of {lines} lines are no request records, more than 1 %: the file is not "
                f"read. The first is line {tally.first_malformed}, which {tally.first_reason}. Export the "
                "run again, or remove these lines"
            )
            return self._finding("malformed_records", "error", detail, f"line {tally.first_malformed}")
        if not tally.records:
            return self._finding("no_records", "error", "the file holds no request record")
        return None

    def lines(self, tally: LineTally) -> Iterator[Finding]:
        """Lines that were skipped."""
        if tally.malformed:
            where = f"line {tally.first_malformed}"
            detail = f"{number_of(tally.malformed, 'line')} skipped; the first {tally.first_reason}"
            yield self._finding("malformed_records", "warning", detail, where)
        if tally.torn_line is not None:
            detail = "the last line is torn, its request lost; the run probably did not end by itself"
            yield self._finding("torn_record", "warning", detail, f"line {tally.torn_line}")

    def misfits(self, misfits: Misfits) -> Iterator[Finding]:
        """Values that were left blank."""
        for name, count in misfits.counts.items():
            first = misfits.examples[name]
            blanks = number_of(count, "value")
            detail = f"{blanks} left blank, not of the expected type or unit; the first: {first}"
            yield self._finding("unreadable_values", "warning", detail, name)

    def doubts(self, doubts: Sequence[Doubt]) -> Iterator[Finding]:
        """Latencies that contradict themselves."""
        for doubt in doubts:
            detail = f"{number_of(doubt.count, 'request')} with {doubt.detail}; left blank"
            yield self._finding(doubt.code, doubt.severity, detail, doubt.field)

    def _finding(self, code: str, severity: Severity, detail: str, field: str | None = None) -> Finding:
        return Finding(self.artifact, code, severity, detail, field)
