"""Large stores for benchmarks, without artifacts on disk: planned points simulated once, then varied.

The first round holds the points of the plan as an ingest of their artifacts would give them. Each further
round is the day before: the same requests with latencies stretched by a seeded factor, in a run of its own.
"""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from dashboard import __version__
from dashboard.domain.catalog import Catalog
from dashboard.domain.identity import Measurement
from dashboard.domain.records import Point
from dashboard.ingest import run_statistics
from dashboard.ingest.client_summary import ClientSummary, moment
from dashboard.ingest.folder_measurement import RunParts, measure
from dashboard.ingest.inferencex import RowContext, read_rows
from dashboard.ingest.json_series import BLOCKS
from dashboard.ingest.merging import joined
from dashboard.ingest.pipeline import Progress, silently
from dashboard.ingest.request_records import read_requests
from dashboard.ingest.series_files import Entry, series_table
from dashboard.ingest.server_totals import from_json
from dashboard.simulate.client_export import record_lines, summary
from dashboard.simulate.dataset_tables import write_conversations
from dashboard.simulate.generator import make_conversations
from dashboard.simulate.lanes import Trace
from dashboard.simulate.plan import DATASET, PlannedPoint, plan
from dashboard.simulate.replay import replay
from dashboard.simulate.rows import result_row
from dashboard.simulate.sample import corpus
from dashboard.simulate.server_export import server_metrics
from dashboard.store.writer import StoreWriter

_STRETCH_SIGMA = 0.06
_DAY_NS = 86_400_000_000_000
#: However long the requests of a sized point are repeated, its servers were watched for so long.
_TELEMETRY_NS = 3_600_000_000_000
_RATES = ("tput_total", "tput_input", "tput_output")


@dataclass(frozen=True, slots=True)
class ScaleOptions:
    """How large: `points` in all, `requests` of the profiling phase and engine `ranks` a point.

    None leaves a point as it was simulated.
    """

    store: Path
    catalog: Catalog
    points: int
    requests: int | None = None
    ranks: int | None = None
    seed: int = 42


@dataclass(frozen=True, slots=True)
class Simulated:
    """A point with its requests and telemetry, as an ingest of its artifacts gives them."""

    point: Point
    requests: pa.Table
    series: pa.Table | None = None


def build_scaled(options: ScaleOptions, progress: Progress = silently) -> int:
    """Write a store of `options.points` points; gives how many were written.

    Raises:
        StoreError: the folder is no store or cannot be written.
    """
    count = 0
    with StoreWriter(options.store, __version__) as writer:
        for made in progress(scaled_points(options), "simulating", options.points):
            writer.put(made.point, made.requests, made.series)
            count += 1
    write_conversations(options.store, DATASET, make_conversations(options.seed), options.seed)
    return count


def scaled_points(options: ScaleOptions) -> Iterator[Simulated]:
    """The points one by one, each planned one with all its variations: one trace is held at a time."""
    planned = [one for one in plan(options.catalog, options.seed) if not one.labels.repeat]
    for number, one in enumerate(planned[: options.points]):
        first = simulated(one, options)
        for turn in range(1 + (options.points - 1 - number) // len(planned)):
            made = vary(first, turn, options.seed) if turn else first
            made = made if options.requests is None else sized(made, options.requests)
            yield made if options.ranks is None else ranked(made, options.ranks)


def simulated(planned: PlannedPoint, options: ScaleOptions) -> Simulated:
    """Replay one planned point, and read what it leaves with the readers of artifacts, in memory."""
    labels = planned.labels
    trace = replay(corpus(options.seed, labels.deployment.model.token_ratio), labels.deployment, labels.load)
    return read_in_memory(trace, planned, options.catalog)


def read_in_memory(trace: Trace, planned: PlannedPoint, catalog: Catalog) -> Simulated:
    """The point of a trace, its row joined with its requests. ValueError where a reader refuses one."""
    labels, name = planned.labels, planned.labels.slug
    row = result_row(trace, labels, with_server=planned.with_server)
    ((stated, _),) = read_rows(row, name, RowContext(catalog, None, planned.run))
    requests = read_requests(io.BytesIO(b"".join(record_lines(trace, labels))), name).table
    if stated is None or requests is None:
        raise ValueError(f"The simulated point {name} is refused by its own reader.")
    said = ClientSummary(summary(trace, labels))
    exported = server_metrics(trace, labels) if planned.with_server else None
    # with split roles both count a prompt, and only the row tells the totals
    server = from_json(exported) if exported and not labels.deployment.disaggregated else None
    measured, _ = measure(RunParts(requests, said, server), name)
    figures = replace(
        stated,
        **{f.name: getattr(measured, f.name) for f in fields(Measurement)},
        measured_at=moment(pc.min(requests["start_ns"]).as_py()),
    )
    point = replace(
        joined(stated, figures, figures), command_line=str(said.run_info["cli_command"]), artifacts=()
    )
    series = series_table(_entries(exported)) if exported else None
    return Simulated(
        replace(point, notes=tuple(sorted(point.notes)), has_series=series is not None),
        _owned(requests, point.point_id),
        _owned(series, point.point_id) if series is not None else None,
    )


def _entries(exported: dict[str, Any]) -> Iterator[Entry]:
    """The series of an export, as a scan of its file gives them."""
    for block in BLOCKS:
        for metric, told in exported[block].items():
            for content in told["series"]:
                yield Entry(block, metric, content)


def vary(first: Simulated, turn: int, seed: int) -> Simulated:
    """The point `turn` days earlier, in another run, with its latencies stretched by a few per cent."""
    point, table = first.point, first.requests
    digest = hashlib.sha256(f"{point.point_id}:{turn}:{seed}".encode())
    random = np.random.default_rng(int.from_bytes(digest.digest()[:8]))
    factor = math.exp(_STRETCH_SIGMA * random.standard_normal())
    day = (point.run_date or date(2026, 8, 21)) - timedelta(days=turn)
    named = replace(
        point,
        point_id=digest.hexdigest()[:10],
        run_id=f"{point.run_id}-{turn}-before",
        run_date=day,
        measured_at=point.measured_at - timedelta(days=turn) if point.measured_at else None,
    )
    series = None if first.series is None else _later(first.series, -turn * _DAY_NS)
    return _measured_again(named, _stretched(table, factor, -turn * _DAY_NS), series)


def sized(made: Simulated, requests: int) -> Simulated:
    """The point with `requests` requests in profiling: cut, or repeated one span after the other."""
    table = made.requests
    is_profiling = pc.equal(table["phase"], pa.scalar("profiling"))
    profiling, before = table.filter(is_profiling), table.filter(pc.invert(is_profiling))
    if not profiling.num_rows:
        return made
    span = pc.max(profiling["end_ns"]).as_py() - pc.min(profiling["start_ns"]).as_py() + 1_000_000_000
    copies = -(-requests // profiling.num_rows)
    parts = [_copied(profiling, copy, copy * span) for copy in range(copies)]
    table = pa.concat_tables([before, pa.concat_tables(parts).slice(0, requests)])
    return _measured_again(made.point, table, _as_long(made.series, copies, span))


def _as_long(series: pa.Table | None, copies: int, span_ns: int) -> pa.Table | None:
    """Telemetry beside requests that were repeated: the profiling phase again, for an hour at most."""
    copies = min(copies, _TELEMETRY_NS // span_ns)
    if series is None or copies <= 1:
        return series
    profiling = series.filter(pc.equal(series["phase"], pa.scalar("profiling")))
    return pa.concat_tables([series, *(_later(profiling, copy * span_ns) for copy in range(1, copies))])


def ranked(made: Simulated, ranks: int) -> Simulated:
    """The point with telemetry of `ranks` engine ranks: those it has, in turn, renumbered."""
    if made.series is None:
        return made
    there = sorted((str(one) for one in pc.unique(made.series["rank"]).drop_null().to_pylist()), key=int)
    parts = []
    for number in range(ranks):
        own = made.series.filter(pc.equal(made.series["rank"], pa.scalar(there[number % len(there)])))
        parts.append(_with(own, "rank", pa.array([str(number)] * own.num_rows, pa.string())))
    return replace(made, series=pa.concat_tables(parts))


def _later(series: pa.Table, shift_ns: int) -> pa.Table:
    return _with(series, "t_ns", pc.add(series["t_ns"], shift_ns))


def _copied(table: pa.Table, copy: int, shift_ns: int) -> pa.Table:
    """The requests again, later, under ids of their own."""
    if copy == 0:
        return table
    for name in ("request_id", "lane_id", "parent_lane_id"):
        column: Any = table[name]
        table = _with(table, name, pc.binary_join_element_wise(column, pa.scalar(f"~{copy}"), pa.scalar("")))
    return _shifted(table, shift_ns)


def _shifted(table: pa.Table, shift_ns: int) -> pa.Table:
    for name in ("credit_ns", "start_ns", "first_token_ns", "end_ns"):
        table = _with(table, name, pc.add(table[name], shift_ns))
    return table


def _stretched(table: pa.Table, factor: float, shift_ns: int) -> pa.Table:
    """Latencies times `factor`; first tokens and ends move with them, starts stay apart as they were."""
    for name in ("ttft_s", "itl_s", "e2el_s"):
        table = _with(table, name, pc.multiply(table[name], factor))
    for name in ("first_token_ns", "end_ns"):
        start, later = _nanoseconds(table["start_ns"]), _nanoseconds(table[name])
        moved = start + np.rint((later - start) * factor).astype(np.int64)
        absent = table[name].is_null().combine_chunks().to_numpy(zero_copy_only=False)
        table = _with(table, name, pa.array(moved, pa.int64(), mask=absent))
    return _shifted(table, shift_ns)


def _nanoseconds(column: Any) -> npt.NDArray[np.int64]:
    return np.asarray(column.fill_null(0).to_numpy(), dtype=np.int64)


def _with(table: pa.Table, name: str, values: Any) -> pa.Table:
    place = table.schema.get_field_index(name)
    return table.set_column(place, table.schema.field(name), values)


def _owned(table: pa.Table, point_id: str) -> pa.Table:
    return _with(table, "point_id", pa.array([point_id] * table.num_rows, pa.string()))


def _measured_again(point: Point, table: pa.Table, series: pa.Table | None) -> Simulated:
    """The point with counts, statistics and rates of its changed requests."""
    counted = run_statistics.counts(table)
    scalars = {**point.scalars, **run_statistics.scalars(table)}
    for name in _RATES:
        rate = scalars.get(name)
        scalars[f"{name}_per_gpu"] = rate / point.gpus if rate is not None and point.gpus else None
    again = replace(
        point,
        requests_total=counted.total,
        requests_ok=counted.ok,
        requests_failed=counted.failed,
        requests_cancelled=counted.cancelled,
        requests_warmup=counted.warmup,
        error_categories=counted.error_categories,
        statistics=run_statistics.statistics(table),
        scalars=scalars,
    )
    owned = _owned(series, point.point_id) if series is not None else None
    return Simulated(again, _owned(table, point.point_id), owned)
