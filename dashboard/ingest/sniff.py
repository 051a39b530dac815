"""What one file is, told by its contents; the name decides only where contents cannot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dashboard.domain.traces import is_trace
from dashboard.ingest import documents, formats, inferencex
from dashboard.ingest.archives import RefusedError
from dashboard.ingest.formats import Format

_HEAD = 64 << 10
_DOCUMENTATION_SUFFIXES = (
    ".md", ".rst", ".html", ".htm", ".pdf", ".png", ".jpg", ".jpeg", ".svg", ".gif", ".py", ".sh", ".ipynb",
    ".toml",
)  # fmt: skip
_DOCUMENTATION_NAMES = ("readme", "license", "licence", "notice", "changelog", "contributing", "makefile")
#: AIPerf's and the harness's own files, which may be gigabytes: not opened in search of rows.
_OF_A_RUN = re.compile(
    r"profile_export|server_metrics|gpu_|inputs|outputs|phase_manifest|run_config|agentic_power|power_validation|\."
)
_TABLE_SUFFIXES = (".csv", ".tsv")

EMPTY = Format("empty", "is empty")
BINARY = Format("binary", "is a binary file of no kind that is read here")
PARQUET = Format("parquet", "is a Parquet table, which is not read; ingest the artifacts it was made from")
TABLE = Format("table", "is a text table, which is not read; ingest the JSON artifacts it was made from")
TEXT = Format("text", "is plain text of no kind that is read here")
YAML = Format("yaml", "is YAML of no kind that is read here")
UNKNOWN_JSON = Format("unknown_json", "is JSON, but neither InferenceX rows nor an AIPerf export")
NO_ROWS = Format("no_rows", "is an empty list: it holds no rows")
SCALAR = Format("unknown_json", "is JSON, but neither an object nor a list of objects")
RAW_RECORDS = Format("aiperf_raw", "holds raw AIPerf payloads without the run folder they belong to")

#: What lies about in the tree of a CI job beside its results: logs, telemetry, configuration.
BESIDE_A_JOB = (
    EMPTY, BINARY, PARQUET, TABLE, TEXT, YAML, UNKNOWN_JSON, RAW_RECORDS,
    formats.POWER, formats.SERVER_METRICS, formats.TIMESLICES, formats.INPUTS, formats.PHASES,
    formats.RUN_CONFIG,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rows:
    """Result rows, as the parsed document."""

    document: object


@dataclass(frozen=True, slots=True)
class LooseExport:
    """An AIPerf export that stands alone; `as_name` is the name it has in a run folder."""

    as_name: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """Recorded sessions (WEKA traces): one, or one a line."""

    lines: bool


@dataclass(frozen=True, slots=True)
class Accompanying:
    """Text or pictures for people, or a list of the run folders beside it: gives no point."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """A file that gives no point, and what it is."""

    known: Format


Seen = Rows | LooseExport | Recorded | Accompanying | Foreign


def look(path: Path) -> Seen:
    """What a file is; raises `RefusedError` with a sentence when its contents are damaged."""
    name = path.name.lower()
    if name.endswith(_DOCUMENTATION_SUFFIXES) or name.split(".")[0] in _DOCUMENTATION_NAMES:
        return Accompanying()
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head:
        return Foreign(EMPTY)
    if head.startswith(b"PAR1"):
        return Foreign(PARQUET)
    if documents.looks_binary(head):
        return Foreign(BINARY)
    if name.endswith(".jsonl"):
        return _json_lines(path)
    if name.endswith(".json"):
        return _json(documents.read_json(path))
    if documents.looks_like_json(head):
        with suppress(RefusedError):
            return _json(documents.read_json(path))
    return Foreign(_text(name, head))


def is_records(path: Path) -> bool:
    """Whether a file holds AIPerf's per-request records, whatever it is called."""
    return path.is_file() and formats.is_request_record(documents.first_line(path))


def row_document(path: Path) -> object | None:
    """The result rows in a JSON file of a run, or None when it holds none or cannot be read."""
    if path.suffix != ".json" or _OF_A_RUN.match(path.name):
        return None
    try:
        document = documents.read_json(path)
    except (RefusedError, OSError):
        return None
    return document if isinstance(_json(document), Rows) else None


def _json(document: object) -> Seen:
    if formats.is_client_aggregate(document):
        return LooseExport("profile_export_aiperf.json")
    if is_trace(document):
        return Recorded(lines=False)
    known = formats.foreign(document)
    if known is not None:
        return Accompanying() if known is formats.RUN_INDEX else Foreign(known)
    if inferencex.recognise(document) is not None:
        return Rows(document)
    if document == []:
        return Foreign(NO_ROWS)
    holds_objects = isinstance(document, Mapping | list)
    return Foreign(UNKNOWN_JSON if holds_objects else SCALAR)


def _json_lines(path: Path) -> Seen:
    first = documents.first_line(path)
    if formats.is_request_record(first):
        return LooseExport("profile_export.jsonl")
    if is_trace(first):
        return Recorded(lines=True)
    if isinstance(first, Mapping) and "endpoint_url" in first and "metrics" in first:
        return Foreign(formats.SERVER_METRICS)
    if isinstance(first, Mapping) and "telemetry_data" in first:
        return Foreign(formats.POWER)
    if isinstance(first, Mapping) and "responses" in first and "metadata" in first:
        return Foreign(RAW_RECORDS)
    if inferencex.recognise(first) is not None:
        return Rows(documents.read_lines(path))
    return Foreign(formats.foreign(first) or UNKNOWN_JSON)


def _text(name: str, head: bytes) -> Format:
    if name.endswith(_TABLE_SUFFIXES):
        return TABLE
    if ".yaml" in name or ".yml" in name:
        return formats.foreign_yaml(head.decode("utf-8", "replace")) or YAML
    return TEXT
