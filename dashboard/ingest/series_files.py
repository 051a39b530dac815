"""Server metrics of a run from whichever file holds them: JSON, else JSONL, else Parquet.

All three tell of the same scrapes. The JSON has both phases on a grid of seconds; the JSONL has every scrape
and survives a run that was stopped; the Parquet has the profiling phase only.
"""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dashboard.domain.records import Finding
from dashboard.domain.telemetry import (
    PROFILING,
    UNSAID,
    WARMUP,
    Samples,
    in_order,
    increases,
    readings,
)
from dashboard.ingest.engine_metrics import is_counter, is_used, plain_name
from dashboard.ingest.json_series import SeriesScan, SeriesText
from dashboard.ingest.naming import printable
from dashboard.ingest.run_files import open_lines
from dashboard.ingest.series_sources import Exported, labelled
from dashboard.ingest.server_series import ServerSeries, server_series
from dashboard.store.schema import SERIES

_PHASES = {"warmup": WARMUP, "profiling": PROFILING}
_BLOCKS = {"metrics": PROFILING, "warmup_metrics": WARMUP}
#: Columns of the Parquet export that are no labels.
_FIXED = frozenset(
    ("endpoint_url", "metric_name", "metric_type", "unit", "description", "timestamp_ns", "value", "sum",
     "count", "bucket_le", "bucket_count")
)  # fmt: skip
#: The largest line of a JSONL export that is read, in bytes.
_LONGEST_LINE = 8 << 20
_INT64 = 2**63


class _Slice(msgspec.Struct):
    start_ns: int
    end_ns: int
    avg: float | None = None
    total: float | None = None
    is_complete: bool = True


class _Entry(msgspec.Struct):
    endpoint_url: str | None = None
    labels: dict[str, Any] | None = None
    timeslices: list[_Slice] | None = None


class _Scrape(msgspec.Struct):
    timestamp_ns: int
    metrics: dict[str, msgspec.Raw]
    endpoint_url: str | None = None
    benchmark_phase: str | None = None


class _Reading(msgspec.Struct):
    labels: dict[str, Any] | None = None
    value: float | None = None


@dataclass(slots=True)
class _Gathered:
    """Parts of series as a file gives them, and what was wrong with it."""

    parts: dict[Exported, list[Samples]] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)

    def exports(self) -> dict[Exported, Samples]:
        """What was gathered, handed over: two copies of a long run would not fit into memory."""
        return {key: in_order(self.parts.pop(key)) for key in list(self.parts)}


@dataclass(frozen=True, slots=True)
class Entry:
    """One series of a JSON export: its block (`metrics` or `warmup_metrics`), metric and content."""

    block: str
    metric: str
    content: Mapping[str, Any]


def series_table(entries: Iterable[Entry]) -> pa.Table | None:
    """Rows of `SERIES`, without ids, from the entries of an export; None where no slice is usable."""
    gathered = _Gathered()
    for entry in entries:
        if is_used(entry.metric):
            _enter_loosely(entry, gathered)
    table = server_series(gathered.exports()).table
    return table.cast(SERIES) if table.num_rows else None


def read_server_series(
    document: Path | None, lines: Path | None, artifact: str, columns: Path | None = None
) -> tuple[pa.Table | None, list[Finding]]:
    """The telemetry of a run (columns of `SERIES`, no ids, texts as codes), None where it has none; findings.

    Never raises for what the files hold. A file that breaks off gives what came before.
    """
    findings: list[Finding] = []
    for path, reader in (
        (document, _from_json),
        (lines, _from_lines),
        (columns, _from_parquet),
    ):
        if path is None:
            continue
        gathered = _Gathered()
        try:
            reader(path, gathered)
        except (OSError, EOFError, pa.ArrowException) as error:
            told = f"cannot be read to its end: {printable(str(error), 200)}"
            gathered.wrong["unreadable_server_metrics"] = told
        found = server_series(gathered.exports())
        findings += _findings(path, gathered, found, artifact)
        if found.table.num_rows:
            return found.table, findings
    return None, findings


def _findings(path: Path, gathered: _Gathered, found: ServerSeries, artifact: str) -> Iterator[Finding]:
    for code, detail in gathered.wrong.items():
        yield Finding(artifact, code, "warning", f"{path.name} {detail}", path.name)
    for mirror, kept in found.mirrored.items():
        detail = f"{path.name}: {printable(mirror, 120)} repeats {printable(kept, 120)}; counted once"
        yield Finding(artifact, "mirrored_endpoint", "info", detail, path.name)


def _from_json(path: Path, gathered: _Gathered) -> None:
    scan, broken = SeriesScan(is_used), 0
    with open_lines(path) as stream:
        for text in scan.read(stream):
            broken += not _enter_text(text, gathered)
    if not scan.complete:
        gathered.wrong["server_metrics_cut"] = "ends in the middle; what stands before its end is used"
    if broken or scan.too_long:
        told = f"holds {broken + scan.too_long} series that cannot be read; they are left out"
        gathered.wrong["server_series_unreadable"] = told


def _enter_text(text: SeriesText, gathered: _Gathered) -> bool:
    """Whether the text is a series; one with odd values is read once more, slice by slice."""
    try:
        entry = _ENTRY.decode(text.text)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        try:
            content = json.loads(text.text)
        except (ValueError, RecursionError):
            return False
        if not isinstance(content, Mapping):
            return False
        _enter_loosely(Entry(text.block, text.metric, content), gathered)
        return True
    counter = is_counter(plain_name(text.metric))
    slices = [
        (one.start_ns, one.end_ns, value)
        for one in entry.timeslices or ()
        if (value := one.total if counter else one.avg) is not None
        and value >= 0
        and 0 < one.start_ns < one.end_ns < _INT64
    ]
    _enter_slices(text.block, text.metric, entry.endpoint_url, entry.labels, slices, gathered)
    return True


def _enter_loosely(entry: Entry, gathered: _Gathered) -> None:
    """The slices with sane times and values, whatever lies between them."""
    told = "total" if is_counter(plain_name(entry.metric)) else "avg"
    listed, labels = entry.content.get("timeslices"), entry.content.get("labels")
    slices = [
        (one["start_ns"], one["end_ns"], float(one[told]))
        for one in (listed if isinstance(listed, list) else ())
        if isinstance(one, Mapping)
        and isinstance(one.get("start_ns"), int)
        and isinstance(one.get("end_ns"), int)
        and 0 < one["start_ns"] < one["end_ns"] < _INT64
        and isinstance(one.get(told), int | float)
        and math.isfinite(one[told])
        and one[told] >= 0
    ]
    endpoint = str(entry.content.get("endpoint_url") or "")
    said = labels if isinstance(labels, Mapping) else None
    _enter_slices(entry.block, entry.metric, endpoint, said, slices, gathered)


def _enter_slices(
    block: str,
    metric: str,
    endpoint: str | None,
    labels: Mapping[str, Any] | None,
    slices: list[tuple[int, int, float]],
    gathered: _Gathered,
) -> None:
    if not slices:
        return
    start = np.fromiter((one[0] for one in slices), np.int64, len(slices))
    end = np.fromiter((one[1] for one in slices), np.int64, len(slices))
    value = np.fromiter((one[2] for one in slices), np.float64, len(slices))
    phase = np.full(len(slices), _BLOCKS[block], np.int8)
    key = Exported(plain_name(metric), endpoint or "", labelled(labels))
    gathered.parts.setdefault(key, []).append(Samples(start, (end - start) / 1e9, value, phase))


@dataclass(slots=True)
class _Track:
    """Readings of one series, as they come."""

    t_ns: array[int] = field(default_factory=lambda: array("q"))
    value: array[float] = field(default_factory=lambda: array("d"))
    phase: array[int] = field(default_factory=lambda: array("b"))


def _from_lines(path: Path, gathered: _Gathered) -> None:
    tracks: dict[Exported, _Track] = {}
    broken = 0
    with open_lines(path) as stream:
        for line in _lines(stream):
            try:
                _enter_scrape(_SCRAPE.decode(line), tracks)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                broken += 1
    if broken:
        told = f"has {broken} lines that are no scrapes; they are left out"
        gathered.wrong["server_scrapes_unreadable"] = told
    for key, track in tracks.items():
        t, value, phase = (
            np.array(track.t_ns, np.int64), np.array(track.value), np.array(track.phase, np.int8),
        )  # fmt: skip
        _enter_readings(key, t, value, phase, gathered)


_SCRAPE = msgspec.json.Decoder(_Scrape)
_ENTRY = msgspec.json.Decoder(_Entry)
_READINGS = msgspec.json.Decoder(list[_Reading])


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines that hold something; one without end is cut, so that it is no scrape."""
    while line := stream.readline(_LONGEST_LINE):
        if line.strip():
            yield line


def _enter_scrape(scrape: _Scrape, tracks: dict[Exported, _Track]) -> None:
    if not 0 < scrape.timestamp_ns < _INT64:
        return
    phase = _PHASES.get(scrape.benchmark_phase or "", UNSAID)
    for raw, listed in scrape.metrics.items():
        if not is_used(raw):
            continue
        for reading in _READINGS.decode(listed):
            if reading.value is not None and reading.value >= 0:
                key = Exported(plain_name(raw), scrape.endpoint_url or "", labelled(reading.labels))
                track = tracks.setdefault(key, _Track())
                track.t_ns.append(scrape.timestamp_ns)
                track.value.append(reading.value)
                track.phase.append(phase)


def _enter_readings(key: Exported, t_ns: Any, value: Any, phase: Any, gathered: _Gathered) -> None:
    """Cumulative readings of a counter as increases; readings of a gauge as they are."""
    t_ns, first = np.unique(t_ns, return_index=True)
    value, phase = value[first], phase[first]
    made = (increases if is_counter(key.name) else readings)(t_ns, value, phase)
    if len(made):
        gathered.parts.setdefault(key, []).append(made)


def _from_parquet(path: Path, gathered: _Gathered) -> None:
    with pq.ParquetFile(path) as file:
        names = file.schema_arrow.names
        if missing := {"endpoint_url", "metric_name", "timestamp_ns", "value"} - set(names):
            told = f"has no column {', '.join(sorted(missing))}; it is not used"
            gathered.wrong["unreadable_server_metrics"] = told
            return
        labels = [name for name in names if name not in _FIXED]
        wanted = ["endpoint_url", "metric_name", *labels, "timestamp_ns", "value"]
        kept = [
            _used_rows(pa.Table.from_batches([batch])) for batch in file.iter_batches(65_536, columns=wanted)
        ]
    table = pa.concat_tables(kept) if kept else pa.table({})
    if table.num_rows:
        _enter_columns(table, ["metric_name", "endpoint_url", *labels], gathered)


def _used_rows(table: pa.Table) -> pa.Table:
    names = [name for name in pc.unique(table["metric_name"]).to_pylist() if name and is_used(name)]
    used = pc.is_in(table["metric_name"], pa.array(names, pa.string()))
    return table.filter(pc.and_(used, pc.is_valid(table["value"])))


def _enter_columns(table: pa.Table, keys: list[str], gathered: _Gathered) -> None:
    """Every series of a table of readings, told apart by the key columns."""
    ordered = table.sort_by([(name, "ascending") for name in (*keys, "timestamp_ns")]).combine_chunks()
    codes = [_codes(ordered[name]) for name in keys]
    begins = np.flatnonzero(np.any([np.diff(code, prepend=-2) != 0 for code in codes], axis=0))
    ends = np.append(begins[1:], ordered.num_rows)
    t, value = ordered["timestamp_ns"].to_numpy(), ordered["value"].to_numpy()
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        said: Mapping[str, Any] = ordered.slice(begin, 1).select(keys).to_pylist()[0]
        labels = labelled({name: said[name] for name in keys[2:]})
        key = Exported(plain_name(said["metric_name"]), said["endpoint_url"] or "", labels)
        phase = np.full(end - begin, PROFILING, np.int8)
        _enter_readings(key, t[begin:end], value[begin:end], phase, gathered)


def _codes(column: Any) -> Any:
    """A number for each distinct text of a column, -1 where there is none."""
    coded = column.combine_chunks().dictionary_encode()
    return pc.fill_null(coded.indices, -1).to_numpy(zero_copy_only=False)
