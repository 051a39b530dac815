"""`check` finds each kind of damage, and nothing in a sound store."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dashboard.store import parts
from dashboard.store.check import check
from dashboard.store.layout import StoreError
from dashboard.store.schema import SERIES
from dashboard.store.series_encoding import encode_series
from dashboard.store.writer import StoreWriter
from tests import invented

WITH, WITHOUT = next(p for p in invented.points() if p.has_requests), invented.points()[0]


@pytest.fixture
def store(tiny_store: Path, tmp_path: Path) -> Path:
    shutil.copytree(tiny_store, tmp_path / "store")
    return tmp_path / "store"


def test_a_sound_store_gives_no_finding(tiny_store: Path) -> None:
    assert check(tiny_store) == ()


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.mkdir()])
def test_no_store_is_an_error_in_words(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "store")
    with pytest.raises(StoreError, match=r"holds no store.*store\.json"):
        check(tmp_path / "store")


def part(store: Path, table: str, point_id: str) -> Path:
    return store / table / f"{point_id}.parquet"


def truncate(store: Path) -> None:
    path = part(store, "points", WITHOUT.point_id)
    path.write_bytes(path.read_bytes()[:-100])


def rewrite(store: Path) -> None:
    """Another value in a part, behind the index's back."""
    table = parts.point_table(replace(WITHOUT, image="example:other"))
    part(store, "points", WITHOUT.point_id).write_bytes(parts.encode_point(table))


def drop_column(store: Path) -> None:
    path = part(store, "points", WITHOUT.point_id)
    pq.write_table(pq.ParquetFile(path).read().drop_columns(["image"]), path)


def retype_column(store: Path) -> None:
    path = part(store, "requests", WITH.point_id)
    table = pq.ParquetFile(path).read()
    place = table.column_names.index("isl")
    pq.write_table(table.set_column(place, "isl", table["isl"].cast(pa.float64())), path)


def swap(store: Path) -> None:
    shutil.copy(part(store, "points", WITH.point_id), part(store, "points", WITHOUT.point_id))


def double(store: Path) -> None:
    path = part(store, "points", WITHOUT.point_id)
    table = pq.ParquetFile(path).read()
    pq.write_table(pa.concat_tables([table, table]), path, store_schema=False)


def drop_from_index(store: Path) -> None:
    with StoreWriter(store.parent / "smaller", "0") as writer:
        for point in invented.points()[1:]:
            writer.put(point, invented.requests(point) if point.has_requests else None)
    shutil.copy(store.parent / "smaller" / "points.parquet", store / "points.parquet")


def add_orphan(store: Path) -> None:
    shutil.copy(part(store, "requests", WITH.point_id), part(store, "requests", "0123456789"))


def add_series(store: Path, point_id: str = WITH.point_id) -> None:
    row = dict.fromkeys(SERIES.names) | {"point_id": point_id, "metric": "running", "t_ns": 1, "value": 1.0}
    (store / "series").mkdir(exist_ok=True)
    part(store, "series", point_id).write_bytes(encode_series(pa.Table.from_pylist([row], SERIES)))


def orphan_series(store: Path) -> None:
    add_series(store, "0123456789")


DAMAGE: list[tuple[Callable[[Path], object], str, str]] = [
    (truncate, "unreadable", f"points/{WITHOUT.point_id}.parquet"),
    (rewrite, "checksum", "points.parquet"),
    (drop_column, "columns", f"points/{WITHOUT.point_id}.parquet"),
    (retype_column, "columns", f"requests/{WITH.point_id}.parquet"),
    (swap, "wrong_id", f"points/{WITHOUT.point_id}.parquet"),
    (double, "rows", f"points/{WITHOUT.point_id}.parquet"),
    (drop_from_index, "not_indexed", "points.parquet"),
    (add_orphan, "orphan", "requests/0123456789.parquet"),
    (add_series, "has_series", "points.parquet"),
    (orphan_series, "orphan", "series/0123456789.parquet"),
    (lambda store: part(store, "points", WITHOUT.point_id).unlink(), "no_part", "points.parquet"),
    (lambda store: part(store, "requests", WITH.point_id).unlink(), "has_requests", "points.parquet"),
    (lambda store: (store / "points.parquet").unlink(), "no_index", "points.parquet"),
    (lambda store: (store / "points.parquet").write_bytes(b"no"), "unreadable", "points.parquet"),
    (lambda store: (store / "points" / "notes.txt").write_text("?"), "stranger", "points/notes.txt"),
    (lambda store: (store / ".ingest-1-a").mkdir(), "ingest_killed", ".ingest-1-a"),
    (lambda store: (store / ".store.json.1-a.tmp").touch(), "temporary_file", ".store.json.1-a.tmp"),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "code", "artifact"), DAMAGE, ids=[f"{c}-{a}" for _, c, a in DAMAGE])
def test_each_kind_of_damage_is_found_and_named(
    store: Path, damage: Callable[[Path], object], code: str, artifact: str
) -> None:
    damage(store)
    assert (code, artifact) in {(finding.code, finding.artifact) for finding in check(store)}


def test_an_index_of_another_version_is_useless_and_is_rebuilt(store: Path) -> None:
    whole = (store / "points.parquet").read_bytes()
    rows = pq.read_table(store / "points.parquet")
    pq.write_table(rows.replace_schema_metadata(None), store / "points.parquet")
    assert [finding.code for finding in check(store)] == ["unreadable"]
    with StoreWriter(store, "0"):
        pass
    assert (store / "points.parquet").read_bytes() == whole
    assert check(store) == ()


def test_the_missing_column_is_named(store: Path) -> None:
    drop_column(store)
    assert "image" in {finding.field for finding in check(store) if finding.code == "columns"}
