"""Lines of `profile_export.jsonl`: from bytes to the fields that the request table needs, in batches.

Most of a long line are the gaps between chunks, which no table keeps: they are cut out before parsing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, NoReturn

import msgspec

from dashboard.ingest.archives import RefusedError
from dashboard.ingest.documents import parse_json

#: Fields of `metadata` (data-contracts 3.1), in the order of a row.
METADATA = (
    "x_request_id", "x_correlation_id", "parent_correlation_id", "root_correlation_id", "conversation_id",
    "turn_index", "agent_depth", "source_trace_id", "source_outer_idx", "source_inner_idx", "worker_id",
    "benchmark_phase", "was_cancelled", "credit_issued_ns", "request_start_ns", "request_end_ns",
)  # fmt: skip
#: Fields of `metrics` (data-contracts 3.2), each with AIPerf's own unit.
METRICS = (
    ("input_sequence_length", "tokens"), ("output_sequence_length", "tokens"),
    ("time_to_first_token", "ms"), ("request_latency", "ms"), ("inter_token_latency", "ms"),
    ("full_response_inter_token_latency", "ms"), ("usage_total_tokens", "tokens"),
    ("usage_prompt_cache_read_tokens", "tokens"), ("error_isl", "tokens"),
)  # fmt: skip

#: Values of `METADATA`, of `METRICS`, the error. A figure in its expected unit is a bare number here.
Row = tuple[Any, ...]

_GAPS = b'"inter_chunk_latency"'
_NEAR = len(_GAPS) + 24
_LONG_LINE = 3 << 10
_LONGEST_LINE = 64 << 20
_LATEST = 2**62
_BATCH = 512
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_START = METADATA.index("request_start_ns")


@dataclass(slots=True)
class LineTally:
    """What became of the lines of one file; line numbers count from 1."""

    records: int = 0
    malformed: int = 0
    first_malformed: int | None = None
    first_reason: str = ""
    torn_line: int | None = None


def read_batches(lines: BinaryIO, tally: LineTally) -> Iterator[list[Row]]:
    """The records of a file as rows, a few hundred at a time; `tally` is filled on the way."""
    batch: list[Row] = []
    for number, line in enumerate(iter(partial(lines.readline, _LONGEST_LINE), b""), start=1):
        try:
            batch.append(_row(line))
        except (msgspec.DecodeError, TypeError):
            _reread(line, number, batch, tally)
        if len(batch) >= _BATCH:
            tally.records += len(batch)
            yield batch
            batch = []
    tally.records += len(batch)
    if batch:
        yield batch


class _Figure(msgspec.Struct, gc=False):
    value: int | float
    unit: str


_Metadata = msgspec.defstruct("_Metadata", [(name, Any, None) for name in METADATA], gc=False)
_Metrics = msgspec.defstruct("_Metrics", [(name, _Figure | None, None) for name, _ in METRICS], gc=False)
_Record = msgspec.defstruct(
    "_Record", [("metadata", _Metadata), ("metrics", _Metrics), ("error", Any, None)], gc=False
)
_decode = msgspec.json.Decoder(_Record).decode
_fields_of = msgspec.structs.astuple
_UNITS = tuple(unit for _, unit in METRICS)


def _row(line: bytes) -> Row:
    """The row of a line as AIPerf writes it, units as expected; raises on every other line."""
    metadata, metrics, error = _fields_of(_decode(_without_gaps(line) if len(line) > _LONG_LINE else line))
    fields = _fields_of(metadata)
    if not _is_time(fields[_START]):
        raise TypeError
    figures = [
        None if figure is None else figure.value if figure.unit == unit else _other_unit()
        for figure, unit in zip(_fields_of(metrics), _UNITS, strict=True)
    ]
    return (*fields, *figures, error)


def _other_unit() -> NoReturn:
    raise TypeError


def _without_gaps(line: bytes) -> bytes:
    """The line with an empty list of gaps; where that is not sound JSON, the line is read again as it is."""
    gaps = line.find(_GAPS)
    opening = line.find(b"[", gaps, gaps + _NEAR) if gaps > 0 else -1
    return line[: opening + 1] + line[line.find(b"]", opening) :] if opening > 0 else line


def _reread(line: bytes, number: int, batch: list[Row], tally: LineTally) -> None:
    """Give a line that is not as it should be a second, lenient reading; count it where that fails too."""
    line = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
    if not line.strip():
        return
    try:
        batch.append(_lenient_row(line))
    except RefusedError as refusal:
        if not line.endswith(b"\n") and len(line) < _LONGEST_LINE:
            tally.torn_line = number
            return
        tally.malformed += 1
        if tally.first_malformed is None:
            tally.first_malformed, tally.first_reason = number, str(refusal)


def _lenient_row(line: bytes) -> Row:
    record = parse_json(line)
    if not isinstance(record, dict):
        raise RefusedError("is not an object")
    metadata, metrics = record.get("metadata"), record.get("metrics")
    if not isinstance(metadata, dict):
        raise RefusedError("has no metadata object")
    if not _is_time(metadata.get("request_start_ns")):
        raise RefusedError("has no time in metadata.request_start_ns")
    figures = metrics if isinstance(metrics, dict) else {}
    return (*map(metadata.get, METADATA), *(figures.get(name) for name, _ in METRICS), record.get("error"))


def _is_time(value: object) -> bool:
    return type(value) is int and 0 <= value <= _LATEST
