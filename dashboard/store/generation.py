"""One state of a store in memory: the index, read once, as a DuckDB table that can reach no file."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from dashboard.domain.choice import FACETS
from dashboard.store import parts
from dashboard.store.layout import Layout, StoreError, plainly
from dashboard.store.manifest import Manifest, read_manifest
from dashboard.store.schema import POINTS

#: A point that some chart can show: `domain.curves` decides in detail, this ranks models and scenarios.
_DRAWABLE = "publishable IS NOT FALSE AND coalesce(requests_ok, 1) > 0 AND tput_total_per_gpu > 0"

#: What a facet filters by: its column, unknown spelt out, so that a null can be chosen like any value.
FACET_VALUES = {facet: f"coalesce({facet}, 'unknown')" for facet in FACETS} | {
    "official": "CASE WHEN official THEN 'official' ELSE 'unofficial' END"
}

_REBUILD = "Delete it and ingest anything: points.parquet is then built anew from points/."
_BATCH = 8_192

_SCOPES = f"""
    SELECT model, scenario, count(*) AS points, count(*) FILTER ({_DRAWABLE}) AS drawable,
           count(DISTINCT vendor) FILTER ({_DRAWABLE}) AS vendors,
           count(DISTINCT hardware) FILTER ({_DRAWABLE}) AS accelerators
    FROM points GROUP BY ALL ORDER BY ALL"""

_COMBINATIONS = f"""
    CREATE TABLE combinations AS
    SELECT model, scenario, run_date, count(*) AS points,
           {", ".join(f"{value} AS {facet}" for facet, value in FACET_VALUES.items())}
    FROM points GROUP BY ALL"""


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """What a store holds, in a line; `newest_run_date` and `created_at` are None for an empty store."""

    name: str
    created_at: datetime | None
    points: int
    newest_run_date: date | None
    sources: tuple[str, ...]
    unofficial: int
    simulated: int
    product_version: str | None


@dataclass(frozen=True, slots=True)
class Scope:
    """One model in one scenario: its points, those that a chart can show, and who made what these ran on."""

    model: str
    scenario: str
    points: int
    drawable: int
    vendors: int
    accelerators: int


@dataclass(frozen=True, slots=True)
class Generation:
    """A connection whose tables never change, and the stamp of the file it was made of."""

    stamp: str
    pid: int
    connection: duckdb.DuckDBPyConnection
    info: StoreInfo
    scopes: tuple[Scope, ...]


def stamp(layout: Layout) -> str:
    """The identity of the present index, without reading it; "empty" where there is none."""
    try:
        return _stamp(layout.index.stat())
    except (FileNotFoundError, NotADirectoryError):
        return "empty"
    except OSError as error:
        raise StoreError(f"{layout.index} cannot be read: {error.strerror}.") from error


def load(layout: Layout, memory_limit: str, threads: int) -> Generation:
    """Read the index and lock the door. StoreError when there is a store that cannot be read."""
    manifest = read_manifest(layout)
    connection = _connect(memory_limit, threads)
    identity = _fill(connection, layout)
    connection.execute(_COMBINATIONS)
    scopes = tuple(Scope(*row) for row in connection.execute(_SCOPES).fetchall())
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    info = _describe(connection, layout.root, manifest)
    return Generation(identity, os.getpid(), connection, info, scopes)


def _connect(memory_limit: str, threads: int) -> duckdb.DuckDBPyConnection:
    settings: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "python_enable_replacements": False,
        "temp_directory": "",
        "memory_limit": memory_limit,
        "threads": threads,
    }
    return duckdb.connect(":memory:", config=settings)


def _fill(connection: duckdb.DuckDBPyConnection, layout: Layout) -> str:
    """Make the table of points; the stamp is that of the same open file, so that both are of one moment."""
    try:
        with layout.index.open("rb") as file:
            _create_points(connection, parts.opened(file), layout)
            return _stamp(os.fstat(file.fileno()))
    except (FileNotFoundError, NotADirectoryError):
        connection.register("index_rows", POINTS.empty_table())
        connection.execute("CREATE TABLE points AS SELECT * FROM index_rows")
        return "empty"
    except (OSError, pa.ArrowException, duckdb.Error) as error:
        raise StoreError(f"{layout.index} cannot be read ({plainly(error)}). {_REBUILD}") from error


def _create_points(connection: duckdb.DuckDBPyConnection, file: pq.ParquetFile, layout: Layout) -> None:
    if not file.schema_arrow.equals(POINTS):
        raise StoreError(f"{layout.index} has other columns than this program expects. {_REBUILD}")
    batches = pa.RecordBatchReader.from_batches(POINTS, file.iter_batches(_BATCH))
    connection.register("index_rows", batches)
    connection.execute("CREATE TABLE points AS SELECT * FROM index_rows")
    connection.unregister("index_rows")
    pa.default_memory_pool().release_unused()


def _stamp(status: os.stat_result) -> str:
    text = f"{status.st_ino} {status.st_size} {status.st_mtime_ns}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _describe(connection: duckdb.DuckDBPyConnection, root: Path, manifest: Manifest | None) -> StoreInfo:
    question = """
        SELECT count(*), max(run_date), coalesce(list_sort(list(DISTINCT source)), []),
               count(*) FILTER (NOT official), count(*) FILTER (source = 'simulated')
        FROM points"""
    found = connection.execute(question).fetchall()[0]
    return StoreInfo(
        name=root.resolve().name,
        created_at=manifest.created_at if manifest else None,
        points=found[0],
        newest_run_date=found[1],
        sources=tuple(found[2]),
        unofficial=found[3],
        simulated=found[4],
        product_version=manifest.product_version if manifest else None,
    )
