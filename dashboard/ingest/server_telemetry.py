"""Server telemetry over time as rows of the store's `SERIES`: gauges and rates of each source, both phases.

Read from `server_metrics_export.json` (slices; streamed, files of half a gigabyte exist) or, where there is
none, from the scrapes of `server_metrics_export.jsonl`. Rules: data-contracts 5.3 and 5.6.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
import numpy as np
import pyarrow as pa

from dashboard.domain.records import Finding
from dashboard.domain.source_grid import Source, grid_of, summed
from dashboard.domain.telemetry_names import SHARES, TRANSPORT_LABELS, canonical, is_known
from dashboard.ingest.json_series import SeriesScan
from dashboard.ingest.naming import printable
from dashboard.ingest.run_files import open_lines
from dashboard.store.schema import SERIES

_PHASES: Final = {"metrics": "profiling", "warmup_metrics": "warmup"}
_RANK_LABELS: Final = ("engine", "dp_rank", "rank", "data_parallel_rank")
_WORKER_LABELS: Final = ("worker_id", "worker", "instance", "instance_id", "dynamo_worker_id", "pod")
_ROLE_LABELS: Final = ("role", "worker_type", "engine_type", "disaggregation_mode", "dynamo_component")
_ROLES: Final = {
    "prefill": "prefill",
    "prefill_worker": "prefill",
    "prefillworker": "prefill",
    "decode": "decode",
    "decode_worker": "decode",
    "decodeworker": "decode",
    "backend": "decode",
}
#: Mirrors of one engine: gauges whose means differ by at most this, rates by at most this share.
_GAUGE_MIRROR, _RATE_MIRROR = 0.02, 0.05
#: A share above this is on a scale of 0 to 100, and so is every value of its metric.
_SHARE_LIMIT = 1.5

_Key = tuple[str, str, str]
_decode = msgspec.json.Decoder(type=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Entry:
    """One series of the export: its block (`metrics` or `warmup_metrics`), metric and content."""

    block: str
    metric: str
    content: Mapping[str, Any]


@dataclass(slots=True)
class _Samples:
    """Samples of one series in the order they came: epoch ns, seconds, values, and whose phase they are."""

    t_ns: list[int] = field(default_factory=list)
    width_s: list[float] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    phase: list[str] = field(default_factory=list)

    def add(self, t_ns: int, width_s: float, value: float, phase: str) -> None:
        self.t_ns.append(t_ns)
        self.width_s.append(width_s)
        self.value.append(value)
        self.phase.append(phase)


#: Samples by endpoint and the labels that tell twins of one source apart.
_Twins = dict[tuple[str, str], _Samples]


@dataclass(slots=True)
class _Collected:
    """Samples by canonical metric, candidate name, source."""

    found: dict[tuple[str, str, int], dict[_Key, _Twins]] = field(default_factory=dict)

    def samples(
        self, metric: str, kind: str, place: int, labels: Mapping[str, str], endpoint: str
    ) -> _Samples:
        sources = self.found.setdefault((metric, kind, place), {})
        twins = sources.setdefault(_source(labels, endpoint), {})
        rest = sorted(
            f"{name}={value}"
            for name, value in labels.items()
            if name not in TRANSPORT_LABELS and name not in (*_RANK_LABELS, *_WORKER_LABELS, *_ROLE_LABELS)
        )
        return twins.setdefault((endpoint, ",".join(rest)), _Samples())


def read_server_series(
    document: Path | None, scrapes: Path | None, artifact: str
) -> tuple[pa.Table | None, list[Finding]]:
    """Telemetry of a run, None where its files hold no slices; never raises for what they hold."""
    for path, read in ((document, _of_document), (scrapes, _of_scrapes)):
        if path is None:
            continue
        try:
            table, findings = read(path, artifact)
        except (OSError, EOFError) as error:
            detail = f"{path.name} cannot be read: {printable(str(error), 200)}"
            return None, [Finding(artifact, "unreadable_server_metrics", "warning", detail, path.name)]
        if table is not None or findings:
            return table, findings
    return None, []


def _of_document(path: Path, artifact: str) -> tuple[pa.Table | None, list[Finding]]:
    scan = SeriesScan(is_known)
    broken = 0

    def entries() -> Iterator[Entry]:
        nonlocal broken
        with open_lines(path) as stream:
            for text in scan.read(stream):
                try:
                    yield Entry(text.block, text.metric, _decode.decode(text.text))
                except msgspec.DecodeError:
                    broken += 1

    table = series_table(entries())
    findings = []
    if not scan.complete:
        detail = f"{path.name} ends in the middle; what stands before its end is used"
        findings.append(Finding(artifact, "server_metrics_cut", "warning", detail, path.name))
    if broken or scan.too_long:
        detail = f"{broken + scan.too_long} series of {path.name} cannot be read and are left out"
        findings.append(Finding(artifact, "server_series_unreadable", "warning", detail, path.name))
    return table, findings


def series_table(entries: Iterable[Entry]) -> pa.Table | None:
    """Rows of `SERIES`, `point_id` empty, from the entries of an export; None where no slice is usable."""
    collected = _Collected()
    for entry in entries:
        labels = _labels(entry.content)
        slices = entry.content.get("timeslices")
        if not isinstance(slices, list) or not slices:
            continue
        endpoint = str(entry.content.get("endpoint_url") or "")
        for metric, kind, place in canonical(entry.metric, labels):
            samples = collected.samples(metric, kind, place, labels, endpoint)
            for one in slices:
                _add_slice(samples, one, kind, _PHASES[entry.block])
    return _table(collected)


def _labels(content: Mapping[str, Any]) -> dict[str, str]:
    labels = content.get("labels")
    return {str(k): str(v) for k, v in labels.items()} if isinstance(labels, Mapping) else {}


def _add_slice(samples: _Samples, one: Any, kind: str, phase: str) -> None:
    """A slice with sane times and a finite value; a counter's increase below zero is a reset, not a rate."""
    if not isinstance(one, Mapping):
        return
    start, end = one.get("start_ns"), one.get("end_ns")
    if not isinstance(start, int) or not isinstance(end, int) or not 0 < start < end < 2**63:
        return
    width = (end - start) / 1e9
    value = one.get("avg") if kind == "gauge" else one.get("total")
    if not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        return
    samples.add(start, width, float(value) if kind == "gauge" else float(value) / width, phase)


def _source(labels: Mapping[str, str], endpoint: str) -> _Key:
    """Role, worker and rank of a series, empty where neither labels nor the host's name say."""

    def first(names: tuple[str, ...]) -> str:
        return next((labels[name] for name in names if labels.get(name)), "")

    role = first(_ROLE_LABELS).casefold()
    told = _ROLES.get(role) or _role_of(endpoint)
    return told, first(_WORKER_LABELS), first(_RANK_LABELS)


def _of_scrapes(path: Path, artifact: str) -> tuple[pa.Table | None, list[Finding]]:
    """Scrapes as they came: gauges as they stand, counters as differences; a fall of a counter is a reset."""
    collected, broken = _Collected(), 0
    before: _Before = {}
    with open_lines(path) as lines:
        for line in lines:
            try:
                scrape = _decode.decode(line)
            except msgspec.DecodeError:
                broken += bool(line.strip())
                continue
            _add_scrape(collected, before, scrape)
    findings = []
    if broken:
        detail = f"{broken} lines of {path.name} are no scrapes and are left out"
        findings.append(Finding(artifact, "server_scrapes_unreadable", "warning", detail, path.name))
    return _table(collected), findings


_Before = dict[tuple[str, str, str], tuple[int, float]]


def _add_scrape(collected: _Collected, before: _Before, scrape: Mapping[str, Any]) -> None:
    moment, endpoint = scrape.get("timestamp_ns"), str(scrape.get("endpoint_url") or "")
    metrics = scrape.get("metrics")
    if not isinstance(moment, int) or not 0 < moment < 2**63 or not isinstance(metrics, Mapping):
        return
    for name, entries in metrics.items():
        if not isinstance(entries, list) or not is_known(name):
            continue
        for entry in entries:
            value = entry.get("value") if isinstance(entry, Mapping) else None
            if isinstance(value, int | float) and math.isfinite(value) and value >= 0:
                _add_value(collected, before, name, entry, moment, endpoint, float(value))


def _add_value(
    collected: _Collected,
    before: _Before,
    name: str,
    entry: Mapping[str, Any],
    moment: int,
    endpoint: str,
    value: float,
) -> None:
    labels = _labels(entry)
    key = (endpoint, name, repr(sorted(labels.items())))
    earlier = before.get(key)
    before[key] = (moment, value)
    if earlier is None or moment <= earlier[0]:
        return
    width = (moment - earlier[0]) / 1e9
    for metric, kind, place in canonical(name, labels):
        samples = collected.samples(metric, kind, place, labels, endpoint)
        if kind == "gauge":  # it stood so until it was seen to be otherwise
            samples.add(earlier[0], width, earlier[1], "profiling")
        elif value >= earlier[1]:
            samples.add(earlier[0], width, (value - earlier[1]) / width, "profiling")


def _table(collected: _Collected) -> pa.Table | None:
    """All rows; of the names of a metric the first that has data, its mirrors once, its twins summed."""
    columns: dict[str, list[Any]] = {name: [] for name in SERIES.names}
    best: dict[str, int] = {}
    for metric, _, place in collected.found:
        best[metric] = min(place, best.get(metric, place))
    for (metric, kind, place), sources in collected.found.items():
        if place != best[metric]:
            continue
        scale = _scale(metric, sources)
        for key, twins in sources.items():
            for (role, worker, rank), samples in _merged(key, twins, kind):
                _put(columns, metric, kind, (role, worker, rank), samples, scale)
    if not columns["t_ns"]:
        return None
    return pa.table({name: pa.array(columns[name], SERIES.field(name).type) for name in SERIES.names})


def _scale(metric: str, sources: Mapping[_Key, _Twins]) -> float:
    """What the values of a metric are multiplied with: one scale for all of them."""
    if metric not in SHARES:
        return 1.0
    values = [value for twins in sources.values() for one in twins.values() for value in one.value]
    return 0.01 if max(values, default=0.0) > _SHARE_LIMIT else 1.0


def _merged(key: _Key, twins: _Twins, kind: str) -> Iterator[tuple[_Key, _Samples]]:
    """A source's samples: label twins at one endpoint summed, endpoints that mirror each other once."""
    by_endpoint: dict[str, list[_Samples]] = {}
    for (endpoint, _), samples in twins.items():
        if samples.t_ns:
            by_endpoint.setdefault(endpoint, []).append(samples)
    whole = {endpoint: _summed(parts, kind) for endpoint, parts in by_endpoint.items()}
    kept: list[tuple[str, _Samples]] = []
    for endpoint, samples in sorted(whole.items(), key=lambda item: -len(item[1].t_ns)):
        if not any(_mirrors(samples, other, kind) for _, other in kept):
            kept.append((endpoint, samples))
    role, worker, rank = key
    for endpoint, samples in kept:
        place = urlsplit(endpoint).netloc or endpoint  # the only thing that tells equal labels apart
        yield (role, worker or (place if len(kept) > 1 else ""), rank), samples


def _role_of(endpoint: str) -> str:
    """The role that an address tells in its host's name, as `decode-0:8000` does."""
    host = (urlsplit(endpoint).hostname or "").casefold()
    return next((role for role in ("prefill", "decode") if role in host), "")


def _summed(parts: list[_Samples], kind: str) -> _Samples:
    """Twins of one source: rates and counts add up on one grid, as their slices may lie apart."""
    parts = [_ordered(part) for part in parts]
    if len(parts) == 1:
        return parts[0]
    zero = min(part.t_ns[0] for part in parts)
    sources = [
        Source("", (np.array(part.t_ns) - zero) / 1e9, np.array(part.value), np.array(part.width_s))
        for part in parts
    ]
    longest = max(parts, key=lambda part: len(part.t_ns))
    grid = grid_of(sources)
    total = summed(sources, grid)
    step = float(grid[1] - grid[0]) if len(grid) > 1 else longest.width_s[0]
    phases = np.array(longest.phase, object)
    place = np.clip(np.searchsorted(np.array(longest.t_ns), zero + grid * 1e9, "right") - 1, 0, None)
    made = _Samples()
    for at, value, phase in zip(grid.tolist(), total.tolist(), phases[place].tolist(), strict=True):
        if math.isfinite(value):
            made.add(zero + round(at * 1e9), step, value, phase)
    return made


def _ordered(samples: _Samples) -> _Samples:
    """In order of time, each moment once: warm-up and profiling come in blocks of their own."""
    order = sorted(range(len(samples.t_ns)), key=samples.t_ns.__getitem__)
    made = _Samples()
    for at in order:
        if not made.t_ns or samples.t_ns[at] > made.t_ns[-1]:
            made.add(samples.t_ns[at], samples.width_s[at], samples.value[at], samples.phase[at])
    return made


def _mirrors(samples: _Samples, other: _Samples, kind: str) -> bool:
    """Whether two endpoints report one engine: their means agree."""
    a, b = (float(np.average(one.value, weights=one.width_s)) for one in (samples, other))
    if kind == "gauge":
        return abs(a - b) <= _GAUGE_MIRROR
    return abs(a - b) <= _RATE_MIRROR * max(a, b)


def _put(
    columns: dict[str, list[Any]], metric: str, kind: str, key: _Key, samples: _Samples, scale: float
) -> None:
    n = len(samples.t_ns)
    role, worker, rank = (part or None for part in key)
    fixed = {
        "point_id": "",
        "metric": metric,
        "role": role,
        "worker": worker,
        "rank": rank,
        "statistic": "mean" if kind == "gauge" else "rate",
    }
    for name, value in fixed.items():
        columns[name] += [value] * n
    columns["phase"] += samples.phase
    columns["t_ns"] += samples.t_ns
    columns["width_s"] += samples.width_s
    columns["value"] += [value * scale for value in samples.value]
