"""Is a store what it claims to be? Format, columns, the index against its parts, and strays."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import pyarrow as pa

from dashboard.domain.records import Finding
from dashboard.store import durable, index, parts
from dashboard.store.dataset_check import check_datasets
from dashboard.store.layout import TABLES, Layout, StoreError, is_id, plainly
from dashboard.store.manifest import read_manifest
from dashboard.store.schema import ISSUES, POINTS, REQUESTS, SERIES

_SCHEMAS = {"points": POINTS, "requests": REQUESTS, "series": SERIES, "issues": ISSUES}
_REBUILD = "The next ingest builds it anew if points.parquet is deleted."


def check(path: Path) -> tuple[Finding, ...]:
    """What is wrong with a store: errors for what misleads readers, warnings for what the next ingest tidies.

    A sound store gives an empty tuple. StoreError where there is no store to check.
    """
    layout = Layout(path)
    if read_manifest(layout) is None:
        raise StoreError(f"{path} holds no store: there is no {layout.manifest.name}.")
    parts_and_index = (*_tables(layout), *_orphans(layout), *_index(layout))
    return (*_leftovers(layout), *_strangers(layout), *parts_and_index, *check_datasets(layout))


def _leftovers(layout: Layout) -> Iterator[Finding]:
    for staging in layout.staging_folders():
        if durable.is_held(staging.root):
            detail = "An ingest is running: what it adds is not visible yet."
            yield Finding(staging.root.name, "ingest_running", "info", detail)
        else:
            detail = "An ingest was killed here; the next one tidies up."
            yield Finding(staging.root.name, "ingest_killed", "warning", detail)
    for path in sorted(layout.root.glob(".*.tmp")):
        detail = "A temporary file of a killed ingest; the next one removes it."
        yield Finding(path.name, "temporary_file", "warning", detail)


def _strangers(layout: Layout) -> Iterator[Finding]:
    for table in TABLES:
        folder = layout.table(table)
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.suffix != ".parquet" or not is_id(path.stem):
                detail = "This is no file of a store; readers pass it over."
                yield Finding(f"{table}/{path.name}", "stranger", "warning", detail)


def _tables(layout: Layout) -> Iterator[Finding]:
    for table, schema in _SCHEMAS.items():
        for part_id in sorted(layout.part_ids(table)):
            yield from _part(layout, table, part_id, schema)


def _part(layout: Layout, table: str, part_id: str, schema: pa.Schema) -> Iterator[Finding]:
    name = f"{table}/{part_id}.parquet"
    try:
        rows = parts.read_table(layout.part(table, part_id))
    except (OSError, pa.ArrowException) as error:
        yield Finding(name, "unreadable", "error", f"The file cannot be read: {plainly(error)}.")
        return
    if not rows.schema.equals(schema):
        detail = "The columns are not those of the store's format."
        yield Finding(name, "columns", "error", detail, _differing(rows.schema, schema))
        return
    named = schema.names[0]
    if (ids := set(rows[named].to_pylist())) != {part_id}:
        yield Finding(name, "wrong_id", "error", f"The rows belong to {_listed(ids)}.", named)
    if table == "points" and rows.num_rows != 1:
        yield Finding(name, "rows", "error", f"One row is expected, {rows.num_rows} are there.")


def _differing(found: pa.Schema, schema: pa.Schema) -> str:
    """The first column that is missing, surplus or of another type."""
    expected, there = {f.name: f.type for f in schema}, {f.name: f.type for f in found}
    return next((name for name in (*expected, *there) if expected.get(name) != there.get(name)), "order")


def _listed(ids: Collection[str | None]) -> str:
    return ", ".join(sorted(map(str, ids))[:3]) or "no point"


def _orphans(layout: Layout) -> Iterator[Finding]:
    points = layout.part_ids("points")
    for table in ("requests", "series"):
        for point_id in sorted(layout.part_ids(table) - points):
            detail = f"These {table} belong to no point."
            yield Finding(f"{table}/{point_id}.parquet", "orphan", "error", detail, point_id=point_id)


def _index(layout: Layout) -> Iterator[Finding]:
    name, on_disk = layout.index.name, layout.part_ids("points")
    if not layout.index.exists():
        if on_disk:
            yield Finding(name, "no_index", "error", f"The index is missing. {_REBUILD}")
        return
    try:
        indexed = index.read(layout.index)
    except ValueError as error:
        yield Finding(name, "unreadable", "error", f"The index is useless: {error}. {_REBUILD}")
        return
    if not indexed.rows.schema.equals(POINTS):
        differing = _differing(indexed.rows.schema, POINTS)
        yield Finding(name, "columns", "error", f"The columns are other ones. {_REBUILD}", differing)
        return
    for point_id in sorted(on_disk - indexed.checksums.keys()):
        detail = f"A point of points/ is missing. {_REBUILD}"
        yield Finding(name, "not_indexed", "error", detail, point_id=point_id)
    for point_id in sorted(indexed.checksums.keys() - on_disk):
        detail = f"A row has no file in points/. {_REBUILD}"
        yield Finding(name, "no_part", "error", detail, point_id=point_id)
    yield from _rows(layout, indexed, on_disk)


def _rows(layout: Layout, indexed: index.Index, on_disk: set[str]) -> Iterator[Finding]:
    """Each row of the index against its part: the checksum of the file, and the tables it promises."""
    promised = {f"has_{table}": layout.part_ids(table) for table in ("requests", "series")}
    for row in indexed.rows.select(["point_id", *promised]).to_pylist():
        point_id = row["point_id"]
        if point_id not in on_disk:
            continue
        content = layout.part("points", point_id).read_bytes()
        if parts.checksum(content) != indexed.checksums[point_id]:
            detail = f"The row is not that of points/{point_id}.parquet. {_REBUILD}"
            yield Finding(layout.index.name, "checksum", "error", detail, point_id=point_id)
        for name, there in promised.items():
            if row[name] != (point_id in there):
                table = name.removeprefix("has_")
                detail = f"The row does not say rightly whether {table}/ has the point."
                yield Finding(layout.index.name, name, "error", detail, name, point_id)
