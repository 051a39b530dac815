"""From paths to a store: discover, read, join what tells of one measurement, write.

Rows are read first, since they say who a run is; then each AIPerf folder, whose requests wait in a scratch
file. All is written at the end in one go: an ingest that is interrupted leaves the store as it was.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, TypeVar

import pyarrow as pa
import pyarrow.feather as feather

from dashboard import __version__
from dashboard.domain.catalog import Catalog
from dashboard.domain.identity import RunIdentity
from dashboard.domain.records import Finding, Point
from dashboard.ingest.aiperf import FolderContext, FolderReading, read_folder
from dashboard.ingest.discover import Discovery
from dashboard.ingest.found import FolderFound, RowsFound
from dashboard.ingest.grouping import Job
from dashboard.ingest.inferencex import RowContext, read_rows
from dashboard.ingest.ledger import Ledger, stored_points
from dashboard.ingest.row_merge import same_measurement
from dashboard.ingest.summary import IngestSummary
from dashboard.store.writer import StoreWriter

Step = TypeVar("Step")


class Progress(Protocol):
    """Shows how far a stage is while its steps pass through: what they are, how many where that is known."""

    def __call__(self, steps: Iterable[Step], what: str, total: int | None) -> Iterable[Step]:
        """The same steps."""
        ...


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """Where an ingest writes, and what a person says about the artifacts: `--set`, `--run`."""

    store: Path
    catalog: Catalog
    identity: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    run: str | None = None


def silently(steps: Iterable[Step], what: str, total: int | None) -> Iterable[Step]:
    """Progress that shows nothing."""
    return steps


def ingest(paths: Sequence[Path], options: IngestOptions, progress: Progress = silently) -> IngestSummary:
    """Reads everything under `paths` into a store.

    Raises:
        StoreError: the folder is no store or cannot be written; it is as it was.
    """
    started = time.monotonic()
    with (
        StoreWriter(options.store, __version__) as writer,
        tempfile.TemporaryDirectory(prefix="agentx-ingest-") as scratch,
    ):
        intake = _Intake(options, Path(scratch))
        folders = intake.discover(paths, progress)
        for found in progress(folders, "reading runs", len(folders)):
            intake.read_run(found)
        counts = intake.write(writer, progress)
    return IngestSummary(
        store=str(options.store),
        **counts,
        joined=intake.joined,
        skipped=intake.skipped,
        understood=intake.understood,
        findings=tuple(intake.findings),
        seconds=time.monotonic() - started,
    )


@dataclass(slots=True)
class _Intake:
    """What one ingest has taken in so far."""

    options: IngestOptions
    scratch: Path
    ledger: Ledger = field(default_factory=Ledger)
    findings: list[Finding] = field(default_factory=list)
    joined: int = 0
    skipped: int = 0
    understood: int = 0
    _by_job: dict[Job, list[str]] = field(default_factory=dict)
    _requests: dict[str, tuple[int, Path]] = field(default_factory=dict)
    _joined_into: dict[str, str] = field(default_factory=dict)
    _settled_as: dict[str, str] = field(default_factory=dict)

    def discover(self, paths: Sequence[Path], progress: Progress) -> list[FolderFound]:
        """Walks the paths and reads all result rows; the AIPerf folders are left for later."""
        folders: list[FolderFound] = []
        walk = Discovery(self.scratch, self.options.store).walk(paths)
        for found in progress(walk, "looking at files", None):
            match found:
                case Finding():
                    self.findings.append(found)
                case RowsFound():
                    self._read_rows(found)
                case FolderFound():
                    folders.append(found)
                case _:
                    self.understood += 1
        return folders

    def _read_rows(self, found: RowsFound) -> None:
        context = RowContext(self.options.catalog, self.options.run, found.batch, self.options.identity)
        self.understood += 1
        for point, findings in read_rows(found.document, found.place.name, context):
            self.findings += findings
            if point is None:
                self.skipped += 1
                continue
            if not self.ledger.enter_row(point):
                self.joined += 1
            for job in _jobs(found.job, point):
                self._by_job.setdefault(job, []).append(point.point_id)

    def read_run(self, found: FolderFound) -> None:
        """Reads one AIPerf folder and joins it with its row, where there is one."""
        reading = read_folder(found.folder, self._folder_context(found))
        self.findings += reading.findings
        if reading.point is None:
            self.skipped += 1
            return
        partner = self._partner(found.job, reading.point)
        point = self.ledger.enter_folder(reading.point, partner)
        if point.point_id != reading.point.point_id:
            self.joined += 1
            self._joined_into[reading.point.point_id] = point.point_id
        self._keep_requests(point.point_id, reading)

    def _folder_context(self, found: FolderFound) -> FolderContext:
        hint, name = found.run, self.options.run
        run = (
            RunIdentity(name, "name", hint.attempt)
            if name
            else RunIdentity(hint.run_id, hint.basis, hint.attempt)
        )
        return FolderContext(self.options.catalog, self.options.identity, run, found.place.name)

    def _partner(self, job: Job | None, point: Point) -> Point | None:
        """The row that the folder's own job wrote, told by its name; a disagreement between them is named."""
        ids = [identifier for key in _jobs(job, point) for identifier in self._by_job.get(key, ())]
        rows = {identifier: row for identifier in ids if (row := self.ledger.get(identifier)) is not None}
        if len(rows) != 1:
            return None
        (row,) = rows.values()
        if not same_measurement(row, point):
            detail = (
                "differs from the row of its job in counts or figures; the figures of the requests are shown"
            )
            self.findings.append(
                Finding(point.artifacts[0], "row_disagrees", "warning", detail, None, row.point_id)
            )
        return row

    def _keep_requests(self, identifier: str, reading: FolderReading) -> None:
        """Sets the requests aside on disk; of two copies of a run the longer stands."""
        table = reading.requests
        if table is None or table.num_rows <= self._requests.get(identifier, (0, None))[0]:
            return
        path = self.scratch / f"{identifier}.arrow"
        feather.write_feather(table, path, compression="lz4")
        self._requests[identifier] = table.num_rows, path

    def write(self, writer: StoreWriter, progress: Progress) -> dict[str, int]:
        """Hands every point to the store's writer; counts of what became of them."""
        counts = {"added": 0, "replaced": 0, "unchanged": 0}
        stored = stored_points(self.options.store)
        points = list(self.ledger.points())
        for point in progress(points, "writing points", len(points)):
            settled = stored.settle(point)
            self._settled_as[point.point_id] = settled.point_id
            counts[writer.put(settled, self._requests_of(point.point_id, settled.point_id))] += 1
        self.findings = list(self._settled_findings())
        writer.findings(self.findings)
        return counts

    def _requests_of(self, identifier: str, settled: str) -> pa.Table | None:
        if identifier not in self._requests:
            return None
        table = feather.read_table(self._requests[identifier][1], memory_map=True)
        place = table.schema.get_field_index("point_id")
        return table.set_column(place, table.schema.field(place), pa.array([settled] * table.num_rows))

    def _settled_findings(self) -> Iterator[Finding]:
        """The findings in the order they came, under the ids that their points have in the store."""
        for finding in self.findings:
            if finding.point_id is not None:
                whole = self._joined_into.get(finding.point_id, finding.point_id)
                finding = replace(finding, point_id=self._settled_as.get(whole, whole))
            yield finding


def _jobs(job: Job | None, point: Point) -> list[Job]:
    """The name under which a row and a folder of one job find each other; the concurrency is part of it."""
    if job is None:
        return []
    return [job] if job.concurrency is not None else [Job(job.name, point.concurrency)]
