"""Stores made straight from the simulator hold the same rows as an ingest of its artifacts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from dashboard.ingest.pipeline import IngestOptions, ingest
from dashboard.simulate import scale
from dashboard.simulate.artifacts import write_run
from dashboard.simulate.labels import Labels
from dashboard.simulate.lanes import Load
from dashboard.simulate.plan import PlannedPoint
from dashboard.simulate.replay import replay
from dashboard.simulate.scale import ScaleOptions, Simulated, build_scaled, sized, vary
from dashboard.store.check import check
from dashboard.store.schema import point_row
from dashboard.store.series_encoding import encode_series
from tests.simulate.deployments import CATALOG, corpus
from tests.simulate.test_artifacts import POINTS, RUN, traced


@pytest.fixture(scope="module")
def small() -> Simulated:
    planned = PlannedPoint(RUN, POINTS["errors"])
    return scale.read_in_memory(traced(POINTS["errors"]), planned, CATALOG)


@pytest.mark.parametrize("name", sorted(POINTS))
@pytest.mark.parametrize("with_server", [True, False])
def test_a_point_is_the_same_with_and_without_artifacts_on_disk(
    name: str, with_server: bool, tmp_path: Path
) -> None:
    trace = traced(POINTS[name])
    write_run(tmp_path / "simulated" / RUN, trace, POINTS[name], with_server=with_server)
    ingest([tmp_path / "simulated"], IngestOptions(tmp_path / "store", CATALOG))
    (stored,) = pq.read_table(tmp_path / "store" / "points.parquet").to_pylist()
    planned = PlannedPoint(RUN, POINTS[name], with_server=with_server)
    direct = scale.read_in_memory(trace, planned, CATALOG)
    row = point_row(direct.point)
    assert {k: v for k, v in row.items() if k != "artifacts"} == {
        k: v for k, v in stored.items() if k != "artifacts"
    }
    requests = pq.read_table(tmp_path / "store" / "requests" / f"{stored['point_id']}.parquet")
    assert direct.requests.equals(requests)
    telemetry = tmp_path / "store" / "series" / f"{stored['point_id']}.parquet"
    assert telemetry.exists() == with_server == (direct.series is not None)
    if direct.series is not None:
        assert encode_series(direct.series) == telemetry.read_bytes()


def test_a_variation_is_another_run_of_the_same_configuration_with_stretched_latencies(
    small: Simulated,
) -> None:
    other = vary(small, 3, seed=1)
    assert other.point.config_id == small.point.config_id
    assert other.point.point_id != small.point.point_id
    assert (small.point.run_date - other.point.run_date).days == 3  # type: ignore[operator]
    ttft = [made.point.statistics["ttft_s"].p90 or 0.0 for made in (small, other)]
    factor = ttft[1] / ttft[0]
    assert factor != 1
    assert factor == pytest.approx(1, abs=0.3)
    table = other.requests.filter(pc.is_valid(other.requests["e2el_s"]))
    lengths = np.array(table["end_ns"]) - np.array(table["start_ns"])
    assert lengths / 1e9 == pytest.approx(np.array(table["e2el_s"]), abs=2e-9)
    assert vary(small, 3, seed=1).requests.equals(other.requests)


@pytest.mark.parametrize("wanted", [5, 60, 1000])
def test_a_point_holds_as_many_requests_as_asked_each_with_an_id_of_its_own(
    small: Simulated, wanted: int
) -> None:
    made = sized(small, wanted)
    assert made.point.requests_total == wanted
    assert made.point.requests_warmup == small.point.requests_warmup
    ids = made.requests["request_id"].to_pylist()
    assert len(set(ids)) == len(ids)
    start = made.requests.filter(pc.equal(made.requests["phase"], "profiling"))["start_ns"].to_pylist()
    assert start[0] == min(start)


def test_a_scaled_store_has_the_points_asked_for_and_is_sound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def quick(planned: PlannedPoint, options: ScaleOptions) -> Simulated:
        load = planned.labels.load
        labels: Labels = replace(planned.labels, load=Load(load.concurrency, 60, load.seed))
        trace = replay(corpus(), labels.deployment, labels.load)
        return scale.read_in_memory(trace, replace(planned, labels=labels), CATALOG)

    def first_two(catalog: Any, seed: int) -> Iterator[PlannedPoint]:
        return (one for one in two)

    two = scale.plan(CATALOG, 1)[:2]
    monkeypatch.setattr(scale, "simulated", quick)
    monkeypatch.setattr(scale, "plan", first_two)
    assert build_scaled(ScaleOptions(tmp_path / "store", CATALOG, points=7, requests=40)) == 7
    rows = pq.read_table(tmp_path / "store" / "points.parquet").to_pylist()
    assert len({row["point_id"] for row in rows}) == 7
    assert len({row["run_id"] for row in rows}) == 4
    assert {(row["source"], row["requests_total"]) for row in rows} == {("simulated", 40)}
    assert check(tmp_path / "store") == ()
