"""The files of one AIPerf run: where they lie in a folder and how they are opened."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from dashboard.ingest.archives import RefusedError
from dashboard.ingest.client_summary import ClientSummary, is_client_summary, mapping
from dashboard.ingest.documents import first_line, read_json

RECORDS = "profile_export.jsonl"
SUMMARY = "profile_export_aiperf.json"

_WRAPPERS = ("aiperf_artifacts", "trace_replay")
_COMMANDS = ("benchmark_command.txt", "command.txt")
_OTHER_LINES = (
    "_raw.jsonl",
    "server_metrics_export.jsonl",
    "_server_metrics.jsonl",
    "gpu_telemetry_export.jsonl",
)
_POWER = ("gpu_metrics*.csv", "power*.csv", "samples.csv")
_SUMMARY_LIMIT = 16 << 20


@dataclass(frozen=True, slots=True)
class RunFiles:
    """Paths of one run's files, None where there is none; `ignored` are further runs found beside it."""

    folder: Path
    records: Path | None = None
    summary: Path | None = None
    server_csv: Path | None = None
    server_json: Path | None = None
    server_lines: Path | None = None
    server_parquet: Path | None = None
    gpu_lines: Path | None = None
    power_tables: tuple[Path, ...] = ()
    command: Path | None = None
    run_config: Path | None = None
    ignored: tuple[Path, ...] = ()

    @property
    def holds_a_run(self) -> bool:
        """Whether there is anything to make a point of."""
        return self.records is not None or self.summary is not None


def run_files(folder: Path) -> RunFiles:
    """The run in `folder`, in its `aiperf_artifacts` or `trace_replay`, else in the first child with one."""
    places = [folder, *(folder / name for name in _WRAPPERS if (folder / name).is_dir())]
    children = [child for place in places for child in sorted(place.iterdir()) if child.is_dir()]
    direct = (files for place in places if (files := _files_in(place)).holds_a_run)
    if (found := next(direct, None)) is not None:
        return found
    runs = [files for child in children if (files := _files_in(child)).holds_a_run]
    if not runs:
        return RunFiles(folder)
    return replace(runs[0], ignored=tuple(files.folder for files in runs[1:]))


def open_lines(path: Path) -> BinaryIO:
    """A file of lines, unpacked on the way where it is gzip (told by its first bytes, not its name)."""
    stream = path.open("rb")
    if stream.read(2) == b"\x1f\x8b":
        stream.close()
        return cast(BinaryIO, gzip.open(path, "rb"))
    stream.seek(0)
    return stream


def open_text(path: Path) -> TextIO:
    """A text file; bytes that are no UTF-8 are replaced, a byte-order mark is passed over."""
    return path.open(encoding="utf-8-sig", errors="replace", newline="")


def read_object(path: Path) -> Mapping[str, Any]:
    """The JSON object of a file. Raises RefusedError with a sentence where there is none."""
    document = read_json(path)
    if not isinstance(document, Mapping):
        raise RefusedError("is not a JSON object")
    return document


def read_summary(path: Path) -> ClientSummary:
    """The client summary of a file. Raises RefusedError with a sentence where it is none."""
    document = read_object(path)
    if not is_client_summary(document):
        raise RefusedError("has no input_config and request figures, so it is no AIPerf summary")
    return ClientSummary(document)


def _files_in(place: Path) -> RunFiles:
    return RunFiles(
        folder=place,
        records=_named(place, RECORDS, f"{RECORDS}.gz") or _renamed(place, "*.jsonl", _is_records),
        summary=_named(place, SUMMARY) or _renamed(place, "*.json", _is_summary),
        server_csv=_suffixed(place, "server_metrics_export.csv", "*_server_metrics.csv"),
        server_json=_suffixed(place, "server_metrics_export.json", "*_server_metrics.json")
        or _named(place, "server_metrics_export.json.gz"),
        server_lines=_suffixed(place, "server_metrics_export.jsonl", "*_server_metrics.jsonl")
        or _named(place, "server_metrics_export.jsonl.gz"),
        server_parquet=_suffixed(place, "server_metrics_export.parquet", "*_server_metrics.parquet"),
        gpu_lines=_named(place, "gpu_telemetry_export.jsonl"),
        power_tables=_power_tables(place),
        command=_named(place, *_COMMANDS) or _named(place.parent, _COMMANDS[0]),
        run_config=_named(place, "run_config.json"),
    )


def _named(place: Path, *names: str) -> Path | None:
    return next((place / name for name in names if (place / name).is_file()), None)


def _power_tables(place: Path) -> tuple[Path, ...]:
    """Tables of board power beside the run or, as InferenceX leaves them, beside its wrapper."""
    folders = (place, place.parent) if place.name in _WRAPPERS else (place,)
    return tuple(path for folder in folders for name in _POWER for path in _matching(folder, name))


def _suffixed(place: Path, name: str, pattern: str) -> Path | None:
    return _named(place, name) or next(_matching(place, pattern), None)


def _renamed(place: Path, pattern: str, fits: Callable[[Path], bool]) -> Path | None:
    """The file of a run that was exported under another prefix (`--profile-export-prefix`)."""
    return next(filter(fits, _matching(place, pattern)), None)


def _matching(place: Path, pattern: str) -> Iterator[Path]:
    return iter(sorted(path for path in place.glob(pattern) if path.is_file()))


def _is_records(path: Path) -> bool:
    if path.name.endswith(_OTHER_LINES):
        return False
    first = mapping(first_line(path))
    return "request_start_ns" in mapping(first.get("metadata")) and "metrics" in first


def _is_summary(path: Path) -> bool:
    if path.stat().st_size > _SUMMARY_LIMIT:
        return False
    try:
        return is_client_summary(read_json(path))
    except RefusedError:
        return False
