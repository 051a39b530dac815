"""Requests of a run: `profile_export.jsonl` as a table of the schema `REQUESTS`, in one streaming pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dashboard.domain.records import Finding
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
from dashboard.ingest.record_report import RecordReport
from dashboard.store.schema import REQUESTS

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
    refusal = RecordReport(artifact).refusal(tally)
    if refusal:
        return RequestsReading(None, (refusal,))
    table, doubts = _table(_joined(parts, misfits), misfits)
    report = RecordReport(artifact)
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
    table, repeated = _once(pa.Table.from_arrays(arrays, schema=REQUESTS))
    order = np.argsort(table["start_ns"].to_numpy(), kind="stable")
    return table.take(order), [*doubts, *repeated]


def _once(table: pa.Table) -> tuple[pa.Table, list[Doubt]]:
    """Each request once: of records with one id, as in files that were joined twice, the first stands."""
    identifiers = table["request_id"].drop_null()
    repetitions = len(identifiers) - int(pc.count_distinct(identifiers).as_py() or 0)
    if not repetitions:
        return table, []
    first_of: dict[str, int] = {}
    kept = [
        row
        for row, identifier in enumerate(table["request_id"].to_pylist())
        if identifier is None or first_of.setdefault(identifier, row) == row
    ]
    where, detail = "metadata.x_request_id", "an id that another record has before"
    return table.take(kept), [Doubt("repeated_records", where, "warning", repetitions, detail)]


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
