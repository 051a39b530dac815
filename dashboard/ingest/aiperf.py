"""AIPerf runs as points: folders in old and new record forms (`read_folder`), summaries that lie alone.

Figures come from the records where there are any, from the client's summary otherwise. What neither says
about the deployment comes from a person (`--set`, `point.toml`), then from the folder's name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from dashboard.domain.identity import RunIdentity, assemble_point, unknown_names
from dashboard.domain.records import Finding, Point
from dashboard.ingest.archives import RefusedError
from dashboard.ingest.client_summary import ClientSummary, moment
from dashboard.ingest.folder_context import FolderContext
from dashboard.ingest.folder_identity import FolderIdentity, identify
from dashboard.ingest.folder_measurement import RunParts, measure
from dashboard.ingest.naming import printable
from dashboard.ingest.power_series import read_power_series
from dashboard.ingest.request_records import RequestsReading, read_requests
from dashboard.ingest.run_files import RunFiles, open_lines, read_summary, run_files
from dashboard.ingest.series_files import read_server_series
from dashboard.ingest.server_totals import read_server_totals

__all__ = ["FolderContext", "FolderReading", "read_folder", "read_requests", "read_summary_file"]

_PER_GPU: Final = ("tput_total", "tput_input", "tput_output")


@dataclass(frozen=True, slots=True)
class FolderReading:
    """One run: its point, None where there is none; its requests and telemetry; findings."""

    point: Point | None
    requests: pa.Table | None
    findings: tuple[Finding, ...]
    series: pa.Table | None = None


def read_folder(folder: Path, context: FolderContext) -> FolderReading:
    """Read the run in `folder`; never raises for what the files hold."""
    files = run_files(folder)
    parts, findings = _read_parts(files, context.artifact)
    if files.ignored:
        others = ", ".join(printable(path.name) for path in files.ignored)
        detail = f"only {files.folder.name} is read; {others} beside it are not. Name them one by one"
        findings.append(Finding(context.artifact, "several_runs", "warning", detail))
    if parts.summary is None and parts.requests is None:
        if not any(finding.severity == "error" for finding in findings):
            detail = "holds neither request records nor an AIPerf summary"
            findings.append(Finding(context.artifact, "no_run", "error", detail))
        return FolderReading(None, None, tuple(findings))
    series, doubts = read_server_series(
        files.server_json, files.server_lines, context.artifact, files.server_parquet
    )
    power, power_doubts = read_power_series(files.gpu_lines, files.power_tables, context.artifact)
    reading = _assembled(folder, files, parts, findings + doubts + power_doubts, context)
    measured = [table for table in (series, power) if table is not None]
    return replace(reading, series=pa.concat_tables(measured).unify_dictionaries() if measured else None)


def read_summary_file(path: Path, context: FolderContext) -> FolderReading:
    """Read a client summary that lies alone under any name, as a point without requests."""
    summary, findings = _summary(path, context.artifact)
    if summary is None:
        return FolderReading(None, None, tuple(findings))
    files = RunFiles(path.parent, summary=path)
    return _assembled(path.with_suffix(""), files, RunParts(None, summary, None), findings, context)


def _read_parts(files: RunFiles, artifact: str) -> tuple[RunParts, list[Finding]]:
    summary, findings = _summary(files.summary, artifact)
    reading = _records(files.records, artifact)
    findings += reading.findings
    server, server_findings = read_server_totals(files.server_csv, files.server_json, artifact)
    return RunParts(reading.table, summary, server), findings + server_findings


def _summary(path: Path | None, artifact: str) -> tuple[ClientSummary | None, list[Finding]]:
    if path is None:
        return None, []
    try:
        return read_summary(path), []
    except (RefusedError, OSError) as refusal:
        detail = f"{path.name} {refusal}; it is not used"
        return None, [Finding(artifact, "unreadable_summary", "error", detail, path.name)]


def _records(path: Path | None, artifact: str) -> RequestsReading:
    if path is None:
        return RequestsReading(None, ())
    try:
        with open_lines(path) as lines:
            return read_requests(lines, artifact)
    except (OSError, EOFError) as error:
        detail = f"{path.name} cannot be read: {printable(str(error), 200)}"
        return RequestsReading(None, (Finding(artifact, "unreadable_records", "error", detail, path.name),))


def _assembled(
    folder: Path, files: RunFiles, parts: RunParts, findings: list[Finding], context: FolderContext
) -> FolderReading:
    identity = identify(folder, files, parts.summary, parts.requests, context)
    if identity.raw.disaggregated:
        parts = replace(parts, server=None)  # both roles count a prompt, a hand-over looks like a hit (9.7)
    measured, doubts = measure(parts, context.artifact)
    measured = replace(
        measured,
        dataset_slug=identity.dataset,
        command_line=identity.command_line,
        named_by_file=identity.named_by_file,
        artifacts=(context.artifact,),
    )
    point = assemble_point(
        context.catalog,
        identity.raw,
        _run(parts, context.run, identity),
        measured,
        source="simulated" if parts.summary and parts.summary.is_simulated else "aiperf",
        concurrency=identity.concurrency,
        scenario=identity.scenario,
        isl=identity.isl,
        osl=identity.osl,
    )
    point = _per_gpu(_told_apart(point, parts))
    said = [*findings, *identity.findings, *doubts, *_name_findings(context, identity, point)]
    named = tuple(replace(finding, point_id=point.point_id) for finding in said)
    return FolderReading(point, _owned(parts.requests, point.point_id), named)


def _run(parts: RunParts, run: RunIdentity, identity: FolderIdentity) -> RunIdentity:
    """The run with the time of its first request, by the exact clock of the records."""
    began = moment(start) if (start := _first_start(parts.requests)) is not None else None
    if began is None and parts.summary is not None:
        began = parts.summary.began()
    measured_at = run.measured_at or began
    date = run.date or (measured_at.date() if measured_at else None)
    return replace(run, url=run.url or identity.run_url, measured_at=measured_at, date=date)


def _told_apart(point: Point, parts: RunParts) -> Point:
    """The point with an id that also tells the measurement: a run may hold several of one configuration.

    The first request's start stays the same when a folder is copied, packed or gains a summary.
    """
    start = _first_start(parts.requests)
    benchmark = parts.summary.benchmark_id if parts.summary else None
    measurement = str(start) if start is not None else benchmark
    if measurement is None:
        return point
    digest = hashlib.sha256(f"{point.point_id}:{measurement}".encode()).hexdigest()
    return replace(point, point_id=digest[:10])


def _first_start(requests: pa.Table | None) -> int | None:
    return None if requests is None else pc.min(requests["start_ns"]).as_py()


def _per_gpu(point: Point) -> Point:
    """Throughputs over all GPUs: one denominator for total, input and output (data-contracts 9.2)."""
    rates = {name: point.scalars.get(name) for name in _PER_GPU}
    shares = {
        f"{name}_per_gpu": rate / point.gpus if rate is not None and point.gpus else None
        for name, rate in rates.items()
    }
    return replace(point, scalars={**point.scalars, **shares})


def _owned(requests: pa.Table | None, point_id: str) -> pa.Table | None:
    """The table with its point's id in every row."""
    if requests is None:
        return None
    column = requests.schema.get_field_index("point_id")
    ids = pa.array([point_id], pa.string()).take(pa.array([0] * requests.num_rows, pa.int8()))
    return requests.set_column(column, requests.schema.field(column), ids)


def _name_findings(context: FolderContext, identity: FolderIdentity, point: Point) -> Iterator[Finding]:
    """Names that the catalog does not know, and what nobody has said about the deployment."""
    for kind, raw in unknown_names(context.catalog, identity.raw):
        detail = f'{kind} "{printable(raw, 80)}" is not in the catalog; kept as it is'
        yield Finding(context.artifact, "unknown_name", "warning", detail, kind)
    said = {name: getattr(point, name) for name in ("model", "hardware", "engine", "precision", "gpus")}
    missing = [name for name, value in said.items() if value in (None, "unknown")]
    if missing:
        settable = " ".join(f"--set {'tp' if name == 'gpus' else name}=..." for name in missing)
        detail = f"does not say {', '.join(missing)}; {settable} or point.toml fills it in"
        yield Finding(context.artifact, "identity_missing", "warning", detail)
