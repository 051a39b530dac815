"""What is this path: walks files, folders and archives, and says of each thing what it is.

A folder that holds an AIPerf export is one run, and all in it belongs to that run. Other files are told by
their contents, not their names. Whatever is not used is told, each with one finding that says why.
"""

from __future__ import annotations

import stat
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dashboard.ingest import archives, grouping, sniff
from dashboard.ingest.archives import Budget, RefusedError
from dashboard.ingest.found import (
    FolderFound,
    Found,
    Noted,
    RowsFound,
    TracesFound,
    beside,
    companions,
    names_in,
    refusal,
)
from dashboard.ingest.grouping import Job
from dashboard.ingest.naming import Place, printable, stem

RECORDS = "profile_export.jsonl"
SUMMARY = "profile_export_aiperf.json"
#: Any of these in a folder makes it an AIPerf run.
EXPORTS = (RECORDS, SUMMARY, RECORDS + archives.GZ_SUFFIX)

_SKIPPED_FOLDERS = (".git", "__pycache__", "__MACOSX", "node_modules", ".venv", ".ipynb_checkpoints")
#: CI artifacts of a job beside its row and its run: nothing in them is read.
_JOB_COMPANIONS = (
    "server_logs_",
    "multinode_server_logs_",
    "eval_server_logs_",
    "gpu_metrics_",
    "power_audit_",
)
_SETTINGS = "point.toml"
_DEEPEST_ARCHIVE = 3
_DEEPEST_FOLDER = 64


@dataclass(frozen=True, slots=True)
class _Around:
    """What surrounds a path: the sweep it is a cell of, archives and folders that are open around it."""

    sweep: Place | None = None
    archives: int = 0
    folders: int = 0

    def deeper(self) -> _Around:
        return replace(self, folders=self.folders + 1)


@dataclass(slots=True)
class Discovery:
    """Walks paths; what it unpacks lies in `scratch`, which must outlive the use of what is found.

    `store` is the folder that is written to: it is never read as an artifact.
    """

    scratch: Path
    store: Path | None = None
    budget: Budget = field(default_factory=Budget)
    _seen: set[tuple[int, int]] = field(default_factory=set)

    def walk(self, paths: Sequence[Path]) -> Iterator[Found]:
        """Everything under `paths`, in an order that depends on names only."""
        for path in paths:
            yield from self._any(Place.given(path), _Around())

    def _any(self, place: Place, around: _Around) -> Iterator[Found]:
        try:
            status = place.path.stat()
            if stat.S_ISDIR(status.st_mode):
                yield from self._once(place, around, (status.st_dev, status.st_ino))
            elif stat.S_ISREG(status.st_mode):
                yield from self._file(place, around)
            else:
                yield refusal(place, "not_a_file", "is a device, pipe or socket, not a file")
        except OSError as error:
            yield refusal(place, "unreadable", f"cannot be read: {error.strerror or printable(str(error))}")

    def _once(self, place: Place, around: _Around, identity: tuple[int, int]) -> Iterator[Found]:
        """A folder, unless a link or another argument has led here before."""
        if identity not in self._seen:
            self._seen.add(identity)
            yield from self._folder(place, around)

    def _folder(self, place: Place, around: _Around) -> Iterator[Found]:
        names = names_in(place.path)
        if place.path.name in _SKIPPED_FOLDERS or self._is_store(place, names):
            yield Noted(place)
        elif around.folders >= _DEEPEST_FOLDER:
            yield refusal(place, "too_deep", f"lies more than {_DEEPEST_FOLDER} folders deep")
        elif any(name in EXPORTS for name in names):
            yield from self._run(place, place, around)
        elif wrapper := next((name for name in names if name in grouping.WRAPPERS), None):
            yield from self._wrapped(place, place.child(wrapper), around)
        elif "profile_runs" in names or ("aggregate" in names and _has_cells(names)):
            yield from self._sweep(place, names, around)
        elif place.home[-1].startswith(_JOB_COMPANIONS):
            yield from companions(place)
        else:
            yield from self._mixed(place, names, around.deeper())

    def _is_store(self, place: Place, names: list[str]) -> bool:
        written = self.store is not None and place.path.resolve() == self.store.resolve()
        return written or ("store.json" in names and "points.parquet" in names)

    def _run(self, place: Place, export: Place, around: _Around) -> Iterator[Found]:
        """One AIPerf run; result rows that lie among its files are its rows."""
        job = grouping.job_of(export) or Job(place.name)
        run = grouping.run_of(export, around.sweep)
        yield FolderFound(place, export.path, job, run)
        yield from beside(place, job, run)

    def _wrapped(self, place: Place, wrapper: Place, around: _Around) -> Iterator[Found]:
        """A job's tree: the export lies in `wrapper`, or in the first of its children that has one."""
        inner = [wrapper, *(wrapper.child(name) for name in names_in(wrapper.path))]
        exports = [found for found in inner if any((found.path / name).is_file() for name in EXPORTS)]
        if not exports:
            yield refusal(
                wrapper, "no_export", f"holds neither {RECORDS} nor {SUMMARY}: the run left no results"
            )
            yield from beside(place, grouping.job_of(place), grouping.run_of(place, around.sweep))
            return
        for other in exports[1:]:
            first = exports[0].path.name
            yield refusal(other, "second_run", f"stands beside {first}, which is the run that is read")
        yield from self._run(place, exports[0], around)

    def _sweep(self, place: Place, names: list[str], around: _Around) -> Iterator[Found]:
        """AIPerf's own sweep: the cells are runs; logs and averages over them go with it."""
        cell = replace(around.deeper(), sweep=place)
        for name in names:
            child = place.child(name)
            if child.path.is_dir() and name not in ("aggregate", "logs"):
                yield from self._any(child, cell)
            else:
                yield from companions(child)

    def _mixed(self, place: Place, names: list[str], around: _Around) -> Iterator[Found]:
        """A folder of this and that; records under another prefix take the files of that prefix along."""
        claimed: set[str] = set()
        for name in names:
            if name.endswith(".jsonl") and sniff.is_records(place.path / name):
                prefix = name.removesuffix(".jsonl")
                family = [other for other in names if other.startswith((f"{prefix}.", f"{prefix}_"))]
                claimed.update(family)
                yield self._stand_in(place.child(name), prefix, {other: other for other in family}, around)
                yield from (Noted(place.child(other)) for other in family)
        for name in names:
            if name not in claimed:
                yield from self._any(place.child(name), around)

    def _stand_in(self, place: Place, title: str, files: dict[str, str], around: _Around) -> FolderFound:
        """A run folder named `title`, made of links: where an export stands alone or under another prefix.

        `files` are names beside `place.path` and the names they get in the folder.
        """
        folder = self._new_folder(title)
        for name, inside in {**files, _SETTINGS: _SETTINGS}.items():
            target = place.path.parent / name
            if target.is_file():
                (folder / inside).symlink_to(target.absolute())
        return FolderFound(place, folder, grouping.job_of(place), grouping.run_of(place, around.sweep))

    def _file(self, place: Place, around: _Around) -> Iterator[Found]:
        name = place.path.name
        try:
            if archives.is_archive(name):
                yield from self._archive(place, around)
            elif name.lower().endswith(archives.GZ_SUFFIX):
                yield self._plain(self._unpacked_file(place), around)
            else:
                yield self._plain(place, around)
        except RefusedError as reason:
            yield refusal(place, "damaged", str(reason))

    def _plain(self, place: Place, around: _Around) -> Found:
        match sniff.look(place.path):
            case sniff.Rows(document):
                rows = len(document) if isinstance(document, list) else 1
                return RowsFound(place, document, grouping.job_of(place), grouping.batch_of(place, rows))
            case sniff.Recorded(lines):
                return TracesFound(place, lines)
            case sniff.LooseExport(as_name):
                return self._stand_in(place, _title(place), {place.path.name: as_name}, around)
            case sniff.Foreign(known) if not (known in sniff.BESIDE_A_JOB and grouping.in_job_tree(place)):
                return refusal(place, known.code, known.sentence)
            case _:
                return Noted(place)

    def _archive(self, place: Place, around: _Around) -> Iterator[Found]:
        if around.archives >= _DEEPEST_ARCHIVE:
            raise RefusedError(
                f"lies in {_DEEPEST_ARCHIVE} archives; unpack it yourself and ingest the folder"
            )
        title = stem(place.path.name, archives.ARCHIVE_SUFFIXES)
        folder = self._new_folder(title)
        for link in archives.unpack(place.path, folder, self.budget):
            yield refusal(place, "link_left_out", f"holds a link, '{link}', which is not followed")
        inside = place.inside(folder, title)
        if names_in(folder) == [title] and (folder / title).is_dir():
            inside = Place(folder / title, inside.name + printable(title), inside.home)
        yield from self._any(inside, replace(around.deeper(), archives=around.archives + 1))

    def _unpacked_file(self, place: Place) -> Place:
        title = stem(place.path.name, (archives.GZ_SUFFIX,))
        unpacked = archives.gunzip(place.path, self._new_folder(title), title, self.budget)
        return Place(unpacked, place.name, (*place.home[:-1], printable(title)))

    def _new_folder(self, title: str) -> Path:
        """An empty folder in the scratch folder, named `title` as far as the file system takes it."""
        name = title.encode("utf-8", "replace")[:200].decode("utf-8", "ignore").strip(".") or "unnamed"
        folder = Path(tempfile.mkdtemp(dir=self.scratch)) / name
        folder.mkdir()
        return folder


def _title(place: Place) -> str:
    """The name of a run of which one file is there: the file's, else its folder's."""
    name = place.path.name
    if name in EXPORTS:
        return place.path.resolve().parent.name
    return stem(name, (f"_{SUMMARY}", f"_{RECORDS}", ".jsonl", ".json"))


def _has_cells(names: list[str]) -> bool:
    return any(name.startswith("concurrency_") for name in names)
