"""WEKA traces into datasets: one trace at a time, so that memory holds one session and one row group.

A session that another one repeats under another id is kept and marked: statistics count it once. The same
session under the same id is left out.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from dashboard.domain.records import Finding
from dashboard.domain.trace_rows import trace_rows
from dashboard.domain.traces import Document, TraceError, is_trace, read_trace
from dashboard.ingest import documents
from dashboard.ingest.archives import RefusedError
from dashboard.ingest.found import TracesFound
from dashboard.ingest.naming import printable, slug
from dashboard.store.datasets import DatasetFiles
from dashboard.store.writer import Outcome, StoreWriter

_DESCRIPTION = "dataset.toml"
_SAID = ("name", "source", "licence", "note")


@dataclass(frozen=True, slots=True)
class DatasetOutcome:
    """What became of one dataset: its counts, and how the store changed."""

    slug: str
    outcome: Outcome
    conversations: int
    requests: int
    duplicates: int


@dataclass(slots=True)
class _Dataset:
    """One dataset while it is written; `digests` leads from contents to the id that had them first.

    `homes` are the folders that its traces come from, in the order in which they were met.
    """

    folder: Path
    files: DatasetFiles
    said: Mapping[str, str]
    digests: dict[bytes, str] = field(default_factory=dict)
    ids: dict[str, bytes] = field(default_factory=dict)
    homes: list[str] = field(default_factory=list)
    requests: int = 0
    duplicates: int = 0


class Traces:
    """Takes traces in, each into the dataset of its folder or the one that was named; `findings` tells."""

    def __init__(self, scratch: Path, named: str | None = None) -> None:
        self._scratch, self._named = scratch, named
        self._datasets: dict[str, _Dataset] = {}
        self._open = ExitStack()
        self.findings: list[Finding] = []

    def enter(self, found: TracesFound) -> None:
        """All traces of a file. One that cannot be used costs itself, not its neighbours."""
        dataset = self._dataset(self._named or dataset_slug(found), found)
        for artifact, raw in _documents(found):
            try:
                self._enter_one(dataset, artifact, raw)
            except (RefusedError, TraceError) as error:
                place, separator, _ = str(error).partition(": ")
                where = place if separator and isinstance(error, TraceError) else None
                detail = f"is refused as a trace: {error}"
                self.findings.append(Finding(artifact, "trace_refused", "error", detail, where))

    def publish(self, writer: StoreWriter) -> tuple[DatasetOutcome, ...]:
        """Hands the datasets to a store's writer; those without a usable trace are left out."""
        for name, dataset in self._datasets.items():
            dataset.files.describe(name, _about(name, dataset))
        self._open.close()
        return tuple(
            self._staged(name, dataset, writer) for name, dataset in self._datasets.items() if dataset.ids
        )

    def _staged(self, name: str, dataset: _Dataset, writer: StoreWriter) -> DatasetOutcome:
        target = writer.dataset(name)
        for path in dataset.folder.iterdir():
            shutil.copyfile(path, target / path.name)
        outcome = writer.settle_dataset(name)
        return DatasetOutcome(name, outcome, len(dataset.ids), dataset.requests, dataset.duplicates)

    def _dataset(self, name: str, found: TracesFound) -> _Dataset:
        if name not in self._datasets:
            folder = self._scratch / "datasets" / name
            folder.mkdir(parents=True)
            files = self._open.enter_context(DatasetFiles(folder))
            self._datasets[name] = _Dataset(folder, files, self._description(found))
        self._from(self._datasets[name], name, found.place.name.rpartition("/")[0])
        return self._datasets[name]

    def _from(self, dataset: _Dataset, name: str, home: str) -> None:
        """Notes a folder; two of one name are one dataset, and whoever did not mean that should know."""
        if home in dataset.homes:
            return
        dataset.homes.append(home)
        if len(dataset.homes) > 1 and self._named is None:
            detail = f"goes into the dataset {name} with {dataset.homes[0]}; --dataset keeps them apart"
            self.findings.append(Finding(home, "dataset_name_shared", "warning", detail))

    def _description(self, found: TracesFound) -> Mapping[str, str]:
        path = found.place.path.parent / _DESCRIPTION
        try:
            said = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            detail = f"is passed over: {printable(str(error), 120)}"
            self.findings.append(Finding(_DESCRIPTION, "description_unreadable", "warning", detail))
            return {}
        return {key: printable(str(said[key])) for key in _SAID if key in said}

    def _enter_one(self, dataset: _Dataset, artifact: str, raw: bytes) -> None:
        document = documents.parse_json(raw)
        if not is_trace(document):
            raise TraceError("requests, block_size, hash_id_scope: fields of a trace are missing")
        assert isinstance(document, Mapping)
        trace, digest = read_trace(document), _digest(document)
        if trace.id in dataset.ids:
            if dataset.ids[trace.id] != digest:
                raise TraceError(f"id: {printable(trace.id, 60)} stands for another session before this one")
            detail = f"repeats {printable(trace.id, 60)}, which is read already"
            self.findings.append(Finding(artifact, "trace_repeated", "info", detail))
            return
        first = dataset.digests.setdefault(digest, trace.id)
        dataset.ids[trace.id] = digest
        self._remark(artifact, trace.unknown, None if first == trace.id else first)
        rows = trace_rows(trace, len(raw), None if first == trace.id else first)
        dataset.files.add_rows("conversations", (rows.conversation,))
        dataset.files.add_rows("turns", rows.turns)
        dataset.files.add_rows("edges", rows.edges)
        dataset.requests += len(rows.turns)
        dataset.duplicates += first != trace.id

    def _remark(self, artifact: str, unknown: tuple[str, ...], duplicate_of: str | None) -> None:
        if duplicate_of is not None:
            detail = (
                f"is the session {printable(duplicate_of, 60)} under another id; statistics count it once"
            )
            self.findings.append(Finding(artifact, "duplicate_session", "warning", detail))
        for name in unknown[:8]:
            detail = "is a field that nothing is known of; it is passed over"
            self.findings.append(Finding(artifact, "unknown_field", "info", detail, printable(name, 80)))


def dataset_slug(found: TracesFound) -> str:
    """The slug of a file's dataset where none was named: its folder's name, or its own if that tells more."""
    own = re.sub(r"\.jsonl?$", "", found.place.home[-1], flags=re.IGNORECASE)
    alone = found.lines and own.lower() != "traces"
    return slug_of(own if alone or len(found.place.home) < 2 else found.place.home[-2])


def slug_of(text: str) -> str:
    """A text as the slug of a dataset."""
    return re.sub(r"[^a-z0-9.]+", "-", slug(text)).strip("-.")[:100].rstrip("-.") or "unnamed"


def _documents(found: TracesFound) -> Iterator[tuple[str, bytes]]:
    """Each trace's name for people and its bytes; a file of lines is read line by line."""
    if not found.lines:
        yield found.place.name, found.place.path.read_bytes()
        return
    with found.place.path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if text := line.strip():
                yield f"{found.place.name}, line {number}", text


def _digest(document: Document) -> bytes:
    """What a session is but for its id."""
    contents: dict[str, Any] = {key: value for key, value in document.items() if key != "id"}
    return hashlib.sha256(orjson.dumps(contents, option=orjson.OPT_SORT_KEYS)).digest()


def _about(name: str, dataset: _Dataset) -> Mapping[str, Any]:
    counts = {
        "conversations": len(dataset.ids),
        "requests": dataset.requests,
        "duplicates": dataset.duplicates,
    }
    return {"name": name, "format": "weka", **dataset.said, **counts}
