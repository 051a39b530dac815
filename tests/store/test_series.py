"""Stored telemetry: what there is of a point, and some metrics of it, whatever its size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from dashboard.store import series
from dashboard.store.connection import Store, StoreError
from dashboard.store.schema import SERIES
from dashboard.store.series import SeriesKey
from dashboard.store.writer import StoreWriter, load_point
from tests import invented

POINT = next(point for point in invented.points() if point.has_requests)
T0 = 1_787_300_400_000_000_000


def telemetry(metrics: tuple[str, ...], ranks: int, length: int) -> pa.Table:
    """A ramp a metric and rank, last interval first: the store sorts."""
    keys = [(metric, str(rank)) for metric in metrics for rank in range(ranks)]
    t = np.tile(T0 + np.arange(length)[::-1] * 1_000_000_000, len(keys))
    n = len(t)
    return pa.table(
        {
            "point_id": [POINT.point_id] * n,
            "phase": ["profiling"] * n,
            "metric": np.repeat([metric for metric, _ in keys], length).tolist(),
            "role": pa.nulls(n, pa.string()),
            "worker": pa.nulls(n, pa.string()),
            "rank": np.repeat([rank for _, rank in keys], length).tolist(),
            "t_ns": t,
            "width_s": np.ones(n),
            "value": (t - T0) / 1e9,
            "statistic": ["mean"] * n,
        },
        schema=SERIES,
    )


def stored(folder: Path, table: pa.Table | None) -> Store:
    with StoreWriter(folder, "0") as writer:
        writer.put(POINT, series=table)
    return Store(folder)


@pytest.mark.parametrize("length", [5, 20_000], ids=["one row group", "many row groups"])
def test_asked_metrics_come_sorted_and_alone(tmp_path: Path, length: int) -> None:
    store = stored(tmp_path, telemetry(("waiting", "kv_usage", "running"), 2, length))
    keys = series.metrics(store, POINT.point_id)
    assert keys == tuple(
        SeriesKey(metric, None, None, rank, "mean", length)
        for metric in ("kv_usage", "running", "waiting")
        for rank in ("0", "1")
    )
    found = series.columns(store, POINT.point_id, ["running", "no_such_metric"])
    assert found is not None
    assert found["metric"].unique().to_pylist() == ["running"]
    assert found["rank"].to_pylist() == ["0"] * length + ["1"] * length
    assert found["t_ns"].to_pylist() == [T0 + s * 1_000_000_000 for s in range(length)] * 2
    assert found["value"].to_pylist() == [float(s) for s in range(length)] * 2


def test_a_point_without_telemetry_has_none_and_says_so(tmp_path: Path) -> None:
    store = stored(tmp_path, None)
    assert series.columns(store, POINT.point_id, ["running"]) is None
    assert series.metrics(store, POINT.point_id) == ()
    assert series.columns(store, "../../etc/passwd", ["running"]) is None
    point = load_point(tmp_path, POINT.point_id)
    assert point is not None
    assert not point.has_series


def test_telemetry_stays_when_a_point_comes_again_without(tmp_path: Path) -> None:
    stored(tmp_path, telemetry(("running",), 1, 3))
    store = stored(tmp_path, None)
    point = load_point(tmp_path, POINT.point_id)
    assert point is not None
    assert point.has_series
    assert series.metrics(store, POINT.point_id) == (SeriesKey("running", None, None, "0", "mean", 3),)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    store = stored(tmp_path, telemetry(("running",), 1, 3))
    (tmp_path / "series" / f"{POINT.point_id}.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(StoreError, match=rf"{POINT.point_id}\.parquet cannot be read"):
        series.columns(store, POINT.point_id, ["running"])
