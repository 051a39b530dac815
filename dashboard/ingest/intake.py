"""Reading of everything that discovery finds, into one ledger of points; what it says of it, as findings.

Rows are read as they are found, since they say who a run is; requests of AIPerf runs wait in scratch files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, TypeVar

import pyarrow as pa
import pyarrow.feather as feather

from dashboard.domain.catalog import Catalog
from dashboard.domain.identity import RunIdentity
from dashboard.domain.records import Finding, Point
from dashboard.ingest.aiperf import FolderContext, read_folder
from dashboard.ingest.discover import Discovery
from dashboard.ingest.found import FolderFound, RowsFound, TracesFound
from dashboard.ingest.grouping import Job, RunHint
from dashboard.ingest.inferencex import RowContext, read_rows
from dashboard.ingest.ledger import Ledger
from dashboard.ingest.naming import printable
from dashboard.ingest.row_merge import same_measurement
from dashboard.ingest.weka import Traces

Step = TypeVar("Step")


class Progress(Protocol):
    """Shows how far a stage is while its steps pass through: what they are, how many where that is known."""

    def __call__(self, steps: Iterable[Step], what: str, total: int | None) -> Iterable[Step]:
        """The same steps."""
        ...


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """Where an ingest writes, what a person says of the artifacts: `--set`, `--run`, `--dataset`."""

    store: Path
    catalog: Catalog
    identity: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    run: str | None = None
    dataset: str | None = None


@dataclass(slots=True)
class Intake:
    """What one ingest has taken in so far."""

    options: IngestOptions
    scratch: Path
    ledger: Ledger = field(default_factory=Ledger)
    findings: list[Finding] = field(default_factory=list)
    joined: int = 0
    skipped: int = 0
    understood: int = 0
    _rows_of_job: dict[str, dict[str, int | None]] = field(default_factory=dict)
    _requests: dict[str, tuple[int, Path]] = field(default_factory=dict)
    _series: dict[str, tuple[int, Path]] = field(default_factory=dict)
    joined_into: dict[str, str] = field(default_factory=dict)
    traces: Traces = field(init=False)

    def __post_init__(self) -> None:
        self.traces = Traces(self.scratch, self.options.dataset)

    def read(self, paths: Sequence[Path], progress: Progress) -> None:
        """Reads everything under `paths`."""
        folders = self._discover(paths, progress)
        for found in progress(folders, "reading runs", len(folders)):
            with self._one_artifact(found.place.name):
                self._enter_run(found)

    def requests_of(self, identifier: str) -> pa.Table | None:
        """The requests of a point, read back when they are needed."""
        return self._kept(self._requests, identifier)

    def series_of(self, identifier: str) -> pa.Table | None:
        """The telemetry of a point, read back when it is needed."""
        return self._kept(self._series, identifier)

    @staticmethod
    def _kept(kept: Mapping[str, tuple[int, Path]], identifier: str) -> pa.Table | None:
        return feather.read_table(kept[identifier][1], memory_map=True) if identifier in kept else None

    def _discover(self, paths: Sequence[Path], progress: Progress) -> list[FolderFound]:
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
                case TracesFound():
                    self._enter_traces(found)
                case _:
                    self.understood += 1
        return folders

    def _enter_traces(self, found: TracesFound) -> None:
        self.understood += 1
        with self._one_artifact(found.place.name):
            self.traces.enter(found)

    def _read_rows(self, found: RowsFound) -> None:
        context = RowContext(self.options.catalog, self.options.run, found.batch, self.options.identity)
        self.understood += 1
        with self._one_artifact(found.place.name):
            self._enter_rows(found, context)

    def _enter_rows(self, found: RowsFound, context: RowContext) -> None:
        for point, findings in read_rows(found.document, found.place.name, context):
            self.findings += findings
            if point is None:
                self.skipped += 1
                continue
            before = len(self.ledger)
            self.ledger.enter_row(point)
            self.joined += len(self.ledger) == before
            if found.job is not None:
                concurrency = found.job.concurrency or point.concurrency
                self._rows_of_job.setdefault(found.job.name, {})[point.point_id] = concurrency

    def _enter_run(self, found: FolderFound) -> None:
        reading = read_folder(found.folder, self._folder_context(found))
        self.findings += reading.findings
        if reading.point is None:
            self.skipped += 1
            return
        before = len(self.ledger)
        point = self.ledger.enter_folder(reading.point, self._partner(found.job, reading.point))
        self.joined += len(self.ledger) == before
        self.joined_into[reading.point.point_id] = point.point_id
        self._keep(self._requests, "requests", point.point_id, reading.requests)
        self._keep(self._series, "series", point.point_id, reading.series)

    @contextmanager
    def _one_artifact(self, name: str) -> Iterator[None]:
        """The last line of defence: what a reader did not expect costs its artifact, not the ingest."""
        try:
            yield
        except OSError as error:
            detail = f"could not be read: {error.strerror or printable(str(error))}"
            self.findings.append(Finding(name, "unreadable", "error", detail))
        except Exception as error:
            told = printable(f"{type(error).__name__}: {error}", 200)
            detail = f"could not be read ({told}); this is a defect of agentx-dashboard, please report it"
            self.findings.append(Finding(name, "reader_failed", "error", detail))

    def _folder_context(self, found: FolderFound) -> FolderContext:
        hint = found.run
        if self.options.run is not None:
            hint = RunHint(self.options.run, "name", hint.attempt)
        run = RunIdentity(hint.run_id, hint.basis, hint.attempt)
        return FolderContext(self.options.catalog, self.options.identity, run, found.place.name)

    def _partner(self, job: Job | None, point: Point) -> Point | None:
        """The row that the folder's own job wrote, told by its name; a disagreement between them is named."""
        if job is None:
            return None
        concurrency = job.concurrency or point.concurrency
        rows = self._rows_of_job.get(job.name, {})
        ids = [identifier for identifier, of_row in rows.items() if concurrency in (of_row, None)]
        row = self.ledger.get(ids[0]) if len(ids) == 1 else None
        if row is not None and not same_measurement(row, point):
            detail = "differs from the row of its job in counts or figures; those of the requests are shown"
            doubt = Finding(point.artifacts[0], "row_disagrees", "warning", detail, point_id=row.point_id)
            self.findings.append(doubt)
        return row

    def _keep(
        self, kept: dict[str, tuple[int, Path]], what: str, identifier: str, table: pa.Table | None
    ) -> None:
        """Sets rows of a run aside on disk; of two copies of a run the longer stands."""
        if table is None or table.num_rows <= kept.get(identifier, (0, None))[0]:
            return
        path = self.scratch / f"{identifier}.{what}.arrow"
        # In one piece, so that who reads it back need not copy it to put it in order.
        feather.write_feather(table.combine_chunks(), path, compression="lz4", chunksize=table.num_rows)
        pa.default_memory_pool().release_unused()
        kept[identifier] = table.num_rows, path
