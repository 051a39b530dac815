"""From paths to a store: discover, read, join what tells of one measurement, write.

All is written at the end in one go: an ingest that is interrupted leaves the store as it was.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from dashboard import __version__
from dashboard.domain.records import Finding
from dashboard.ingest.intake import IngestOptions, Intake, Progress, Step
from dashboard.ingest.ledger import stored_points
from dashboard.ingest.summary import IngestSummary
from dashboard.store.writer import Outcome, StoreWriter

__all__ = ["IngestOptions", "Progress", "ingest", "silently"]


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
        intake = Intake(options, Path(scratch))
        intake.read(paths, progress)
        datasets = intake.traces.publish(writer)
        intake.findings += intake.traces.findings
        outcomes, findings = _write(intake, writer, progress)
    return IngestSummary(
        store=str(options.store),
        added=outcomes["added"],
        replaced=outcomes["replaced"],
        unchanged=outcomes["unchanged"],
        joined=intake.joined,
        skipped=intake.skipped,
        understood=intake.understood,
        findings=findings,
        datasets=datasets,
        seconds=time.monotonic() - started,
    )


def _write(
    intake: Intake, writer: StoreWriter, progress: Progress
) -> tuple[Counter[Outcome], tuple[Finding, ...]]:
    """Hands every point and finding to the store's writer; counts of what became of the points."""
    outcomes: Counter[Outcome] = Counter()
    settled_as: dict[str, str] = {}
    stored = stored_points(intake.options.store)
    points = list(intake.ledger.points())
    for point in progress(points, "writing points", len(points)):
        settled = stored.settle(point)
        settled_as[point.point_id] = settled.point_id
        requests, series = intake.requests_of(point.point_id), intake.series_of(point.point_id)
        owned = (_owned(table, settled.point_id) for table in (requests, series))
        outcomes[writer.put(settled, *owned)] += 1
    findings = tuple(_settled(intake.findings, intake.joined_into, settled_as))
    writer.findings(list(findings))
    return outcomes, findings


def _owned(rows: pa.Table | None, point_id: str) -> pa.Table | None:
    """The rows under the id that their point has in the store."""
    if rows is None:
        return None
    place = rows.schema.get_field_index("point_id")
    codes: Any = pa.array(np.zeros(rows.num_rows, np.int8))
    column = pa.DictionaryArray.from_arrays(codes, pa.array([point_id]))
    return rows.set_column(place, "point_id", column)


def _settled(
    findings: Iterable[Finding], joined_into: Mapping[str, str], settled_as: Mapping[str, str]
) -> Iterator[Finding]:
    """The findings in the order they came, under the ids that their points have in the store."""
    for finding in findings:
        if finding.point_id is None:
            yield finding
        else:
            whole = joined_into.get(finding.point_id, finding.point_id)
            yield replace(finding, point_id=settled_as.get(whole, whole))
