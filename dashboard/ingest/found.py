"""What discovery says of a path: rows, a run, sessions, a companion of something, or why it is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dashboard.domain.records import Finding
from dashboard.ingest import sniff
from dashboard.ingest.grouping import Job, RunHint
from dashboard.ingest.naming import Place


@dataclass(frozen=True, slots=True)
class RowsFound:
    """A JSON document of result rows: one object or an array; `batch` is the run of rows that name none."""

    place: Place
    document: object
    job: Job | None
    batch: str


@dataclass(frozen=True, slots=True)
class FolderFound:
    """An AIPerf run: `folder` holds its export, `place` is what people know it by."""

    place: Place
    folder: Path
    job: Job | None
    run: RunHint


@dataclass(frozen=True, slots=True)
class TracesFound:
    """A file of recorded sessions: one trace, or one a line."""

    place: Place
    lines: bool


@dataclass(frozen=True, slots=True)
class Noted:
    """A file that is understood without giving a point of its own: a companion of a run, documentation."""

    place: Place


Found = RowsFound | FolderFound | TracesFound | Noted | Finding


def refusal(place: Place, code: str, sentence: str) -> Finding:
    """The one line that is said about a path that is not used."""
    return Finding(place.name, code, "error", sentence)


def companions(place: Place) -> Iterator[Noted]:
    """Every file at or below a path that goes with something else as a whole."""
    if not place.path.is_dir() or place.path.is_symlink():
        yield Noted(place)
        return
    for name in names_in(place.path):
        yield from companions(place.child(name))


def beside(place: Place, job: Job | None, run: RunHint) -> Iterator[RowsFound | Noted]:
    """The files of a run's tree; result rows among them are rows of that run."""
    for companion in companions(place):
        rows = sniff.row_document(companion.place.path)
        yield companion if rows is None else RowsFound(companion.place, rows, job, run.run_id)


def names_in(path: Path) -> list[str]:
    """Names of the entries of a folder, sorted."""
    return sorted(entry.name for entry in path.iterdir())
