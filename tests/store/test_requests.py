"""Statistics of stored requests, against numpy over the same rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dashboard.domain.records import Distribution, Point
from dashboard.store import requests
from dashboard.store.connection import Store, StoreError
from dashboard.store.requests import RequestCounts
from dashboard.store.schema import REQUESTS
from dashboard.store.writer import StoreWriter
from tests import invented

POINT = next(point for point in invented.points() if point.has_requests)


@pytest.fixture(scope="module")
def store(tiny_store: Path) -> Store:
    return Store(tiny_store)


def stored(folder: Path, table: pa.Table, point: Point = POINT) -> Store:
    with StoreWriter(folder, "0") as writer:
        writer.put(point, table)
    return Store(folder)


def expected(sample: pd.Series[float]) -> Distribution:
    values = sample.dropna().to_numpy(dtype=float)
    quantiles = {name: np.percentile(values, int(name[1:])) for name in ("p50", "p75", "p90", "p95", "p99")}
    return Distribution(mean=values.mean(), max=values.max(), std=values.std(), n=len(values), **quantiles)


def close(one: Distribution, other: Distribution) -> bool:
    pairs = [(getattr(one, stat), getattr(other, stat)) for stat in Distribution.__slots__]
    return all(a == pytest.approx(b, rel=1e-12) for a, b in pairs)


def frame(point: Point = POINT) -> pd.DataFrame:
    rows = invented.requests(point).to_pandas()
    rows["uncached_isl"] = rows["isl"] - rows["cached_tokens"]
    rows["e2e_per_token_s"] = rows["e2el_s"] / rows["osl"]
    return rows[~rows["failed"] & ~rows["cancelled"]]


QUANTITIES = ("isl", "osl", "uncached_isl", "ttft_s", "itl_s", "e2el_s", "e2e_per_token_s")


def test_statistics_by_phase_are_those_of_the_successful_requests(store: Store) -> None:
    found = requests.statistics_by(store, POINT.point_id, "phase")
    assert [part.part for part in found] == ["profiling", "warmup"]
    for part in found:
        rows = frame()[frame()["phase"] == part.part]
        assert tuple(part.statistics) == QUANTITIES
        assert all(close(part.statistics[name], expected(rows[name])) for name in QUANTITIES)


def test_statistics_by_kind_leave_the_warm_up_out(store: Store) -> None:
    found = requests.statistics_by(store, POINT.point_id, "kind")
    assert [part.part for part in found] == ["main", "subagent", "auxiliary"]
    for part in found:
        rows = frame()[(frame()["phase"] == "profiling") & (frame()["kind"] == part.part)]
        assert all(close(part.statistics[name], expected(rows[name])) for name in QUANTITIES)


def test_profiling_statistics_agree_with_the_row_of_the_point(store: Store) -> None:
    profiling = requests.statistics_by(store, POINT.point_id, "phase")[0]
    assert all(close(profiling.statistics[name], POINT.statistics[name]) for name in QUANTITIES)


def test_each_request_is_counted_once_by_what_became_of_it(store: Store) -> None:
    found = requests.counts(store, POINT.point_id)
    assert [(row.phase, row.kind) for row in found][:3] == [
        ("profiling", "main"),
        ("profiling", "subagent"),
        ("profiling", "auxiliary"),
    ]
    assert all(row.total == row.ok + row.failed + row.cancelled for row in found)
    profiling = [row for row in found if row.phase == "profiling"]
    assert sum(row.ok for row in profiling) == POINT.requests_ok
    assert sum(row.failed for row in profiling) == POINT.requests_failed
    assert sum(row.cancelled for row in profiling) == POINT.requests_cancelled
    assert sum(row.total for row in found) == POINT.requests_total


def changed(**columns: pa.Array) -> pa.Table:
    table = invented.requests(POINT, 4)
    for name, values in columns.items():
        place = table.column_names.index(name)
        table = table.set_column(place, REQUESTS.field(name), values)
    return table


def test_a_request_that_failed_and_was_cancelled_counts_as_cancelled(tmp_path: Path) -> None:
    flags = {"failed": pa.array([True, True, False, None]), "cancelled": pa.array([True, False, True, None])}
    same = {"phase": pa.array(["profiling"] * 4), "kind": pa.array(["main"] * 4)}
    store = stored(tmp_path, changed(**flags, **same))
    assert requests.counts(store, POINT.point_id) == (RequestCounts("profiling", "main", 4, 1, 1, 2),)


def test_what_is_not_measured_or_not_finite_is_no_observation(tmp_path: Path) -> None:
    ttft = pa.array([None, float("nan"), float("inf"), 2.0])
    nothing = pa.nulls(4, pa.int64())
    same = {"phase": pa.array(["profiling"] * 4), "osl": pa.array([0, 0, 0, 10])}
    store = stored(tmp_path, changed(ttft_s=ttft, cached_tokens=nothing, **same))
    found = requests.statistics_by(store, POINT.point_id, "phase")[0].statistics
    assert (found["ttft_s"].n, found["ttft_s"].max, found["ttft_s"].p90) == (1, 2.0, 2.0)
    assert found["uncached_isl"] == Distribution(n=0)
    assert found["e2e_per_token_s"].n == 1


def test_a_phase_or_kind_that_is_not_said_is_unknown(tmp_path: Path) -> None:
    store = stored(tmp_path, changed(phase=pa.nulls(4, pa.string()), kind=pa.nulls(4, pa.string())))
    assert [(row.phase, row.kind, row.total) for row in requests.counts(store, POINT.point_id)] == [
        ("unknown", "unknown", 4)
    ]
    assert requests.statistics_by(store, POINT.point_id, "kind") == ()


@pytest.mark.parametrize("name", [invented.points()[0].point_id, "0123456789", "../points/x", ""])
def test_a_point_without_requests_has_no_statistics(store: Store, name: str) -> None:
    assert requests.counts(store, name) == requests.statistics_by(store, name, "phase") == ()


def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    store = stored(tmp_path, invented.requests(POINT))
    path = tmp_path / "requests" / f"{POINT.point_id}.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(StoreError, match=r"requests/.*cannot be read.*ingest"):
        requests.counts(store, POINT.point_id)


def test_a_file_of_other_columns_is_named(tmp_path: Path) -> None:
    store = stored(tmp_path, invented.requests(POINT))
    path = tmp_path / "requests" / f"{POINT.point_id}.parquet"
    path.unlink()
    pa.parquet.write_table(pa.table({"phase": ["profiling"]}), path)
    with pytest.raises(StoreError, match="cannot be read"):
        requests.statistics_by(store, POINT.point_id, "phase")
