"""One Parquet file per point and table: rows to bytes and back, the same bytes for the same rows."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dashboard.domain.records import Finding, Point
from dashboard.store.schema import ISSUES, POINTS, REQUESTS, point_row

_REQUEST_ROW_GROUP = 65_536


def point_table(point: Point) -> pa.Table:
    """The one row of a point, typed."""
    return pa.Table.from_pylist([point_row(point)], schema=POINTS)


def encode_point(table: pa.Table) -> bytes:
    """A one-row table as Parquet. One row gains nothing from compression, dictionaries or statistics."""
    return _encode(table, compression="none", use_dictionary=False, write_statistics=False)


def encode_requests(table: pa.Table) -> bytes:
    """The requests of one point, by start. ValueError where a column is missing or of another type."""
    try:
        typed = table.select(REQUESTS.names).cast(REQUESTS)
    except (KeyError, pa.ArrowInvalid) as error:
        raise ValueError(f"The requests do not fit the store's columns: {error}") from error
    ordered = typed.sort_by([("start_ns", "ascending"), ("request_id", "ascending")])
    return _encode(ordered, compression="zstd", row_group_size=_REQUEST_ROW_GROUP)


def encode_findings(findings: list[Finding]) -> tuple[str, bytes]:
    """Ingest id and Parquet of findings; the id is their hash, so that ingesting again repeats it."""
    rows = sorted({_finding_row(finding) for finding in findings}, key=repr)
    ingest_id = hashlib.sha256(repr(rows).encode()).hexdigest()[:10]
    table = pa.Table.from_pylist(
        [dict(zip(ISSUES.names, (ingest_id, *row), strict=True)) for row in rows], ISSUES
    )
    return ingest_id, _encode(table, compression="zstd")


def _finding_row(finding: Finding) -> tuple[str | None, ...]:
    said = (finding.artifact, finding.code, finding.severity, finding.field, finding.detail)
    return (*said, finding.point_id)


def checksum(content: bytes) -> bytes:
    """The eight bytes by which the index remembers a part: to notice damage, not to fend off an attacker."""
    return hashlib.sha256(content).digest()[:8]


def read_row(path: Path) -> dict[str, Any] | None:
    """The row of one point as plain values by the columns of `POINTS`; None where the file is absent."""
    try:
        return read_table(path).to_pylist()[0]
    except FileNotFoundError:
        return None


def read_table(path: Path) -> pa.Table:
    """A whole part, without looking at neighbours or types of other files."""
    return opened(path).read()


def opened(source: Any) -> pq.ParquetFile:
    """A Parquet file (path, open file or buffer) whose pages are held against their checksums when read."""
    return pq.ParquetFile(source, page_checksum_verification=True)


def _encode(table: pa.Table, **options: Any) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, store_schema=False, write_page_checksum=True, **options)
    return sink.getvalue().to_pybytes()
