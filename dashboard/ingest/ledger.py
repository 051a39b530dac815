"""The points of one ingest and of the store it goes to: each measurement once, whatever brought it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from dashboard.domain.records import Point
from dashboard.ingest.merging import is_bare_run, joined, one_twin, over
from dashboard.ingest.row_merge import figures, richer
from dashboard.store.layout import Layout
from dashboard.store.writer import load_point

#: A number of successes, or the moment of a first request.
Trace = int | datetime
_TRACED = ("requests_ok", "has_requests", "measured_at")


@dataclass(slots=True)
class Ledger:
    """Points by id, and by what leads to one measurement under two ids."""

    _points: dict[str, Point] = field(default_factory=dict)
    _traces: dict[Trace, list[str]] = field(default_factory=dict)

    def enter_row(self, row: Point) -> Point:
        """Keeps a result row; of two rows of one point the richer, with what only the other has."""
        known = self._points.get(row.point_id)
        return self._keep(row if known is None else richer(known, row))

    def enter_folder(self, folder: Point, partner: Point | None) -> Point:
        """Keeps an AIPerf run; it joins `partner`, the row of its own job, or the one row it agrees with."""
        known = partner or self._points.get(folder.point_id) or self._twin(folder)
        if known is None:
            return self._keep(folder)
        if not is_bare_run(known):
            figures_of = folder if folder.has_requests else known
            return self._keep(replace(joined(known, folder, figures_of), point_id=known.point_id))
        first, second = (folder, known) if figures(folder) > figures(known) else (known, folder)
        return self._keep(replace(joined(first, second, first), point_id=known.point_id))

    def __len__(self) -> int:
        return len(self._points)

    def points(self) -> Iterator[Point]:
        """The points in the order in which they were first entered."""
        return iter(self._points.values())

    def get(self, identifier: str) -> Point | None:
        """The point under an id as it stands now."""
        return self._points.get(identifier)

    def _twin(self, point: Point) -> Point | None:
        ids = {identifier: None for trace in traces(point) for identifier in self._traces.get(trace, ())}
        return one_twin((self._points[identifier] for identifier in ids), point)

    def _keep(self, point: Point) -> Point:
        for trace in traces(point):
            self._traces.setdefault(trace, []).append(point.point_id)
        self._points[point.point_id] = point
        return point


@dataclass(slots=True)
class StoredPoints:
    """The points of a store, by id and by their traces; each id is given to one point of an ingest."""

    store: Path
    ids: set[str]
    by_trace: Mapping[Trace, Sequence[str]]
    _given: set[str] = field(default_factory=set)

    def settle(self, point: Point) -> Point:
        """A point of an ingest as it goes into the store, joined with what the store knows of it.

        A measurement that is there under another id keeps that id, so that links to it go on leading to it.
        """
        known = self._get(point.point_id) or self._twin(point)
        settled = point if known is None else replace(over(known, point), point_id=known.point_id)
        self._given.add(settled.point_id)
        return _in_fixed_order(settled)

    def _get(self, identifier: str) -> Point | None:
        return load_point(self.store, identifier) if identifier in self.ids else None

    def _twin(self, point: Point) -> Point | None:
        ids = {identifier: None for trace in traces(point) for identifier in self.by_trace.get(trace, ())}
        free = (self._get(identifier) for identifier in ids if identifier not in self._given)
        return one_twin((known for known in free if known is not None), point)


def stored_points(store: Path) -> StoredPoints:
    """What a store holds; without an index, points are found by id only."""
    layout = Layout(store)
    by_trace: dict[Trace, list[str]] = {}
    try:
        rows = pq.read_table(layout.index, columns=["point_id", *_TRACED]).to_pylist()
    except (OSError, pa.ArrowException):
        rows = []
    for row in rows:
        for trace in _traces_of(*(row[name] for name in _TRACED)):
            by_trace.setdefault(trace, []).append(row["point_id"])
    return StoredPoints(store, layout.part_ids("points"), by_trace)


def traces(point: Point) -> tuple[Trace, ...]:
    """What a measurement is recognised by under another id: successes, and the start of its requests."""
    return _traces_of(point.requests_ok, point.has_requests, point.measured_at)


def _traces_of(successes: int | None, has_requests: bool, began: datetime | None) -> tuple[Trace, ...]:
    return (
        *(() if successes is None else (successes,)),
        *((began,) if has_requests and began is not None else ()),
    )


def _in_fixed_order(point: Point) -> Point:
    """Lists that do not depend on which artifact came first, so that a re-ingest repeats the bytes."""
    return replace(
        point,
        notes=tuple(sorted(set(point.notes))),
        named_by_file=tuple(sorted(set(point.named_by_file))),
        artifacts=tuple(sorted(set(point.artifacts))),
    )
