"""Curves of the public API snapshot: how many there are, which hold several runs, and what is shown."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from dashboard.domain.catalog import Catalog
from dashboard.domain.columns import Columns
from dashboard.domain.curves import AxisChoice, CurveRules, Scene, arrange
from dashboard.domain.metrics import Economics
from dashboard.ingest.inferencex import RowContext, read_rows
from dashboard.store.columns import to_columns
from dashboard.store.schema import POINTS, point_row

pytestmark = pytest.mark.real

PANELS = (AxisChoice("interactivity", "p50"), AxisChoice("ttft", "p50"))
THROUGHPUT = AxisChoice("tput_total")


@pytest.fixture(scope="module")
def snapshot(shared: Path, catalog: Catalog) -> dict[str, Columns]:
    """The 435 current rows, by scenario."""
    name = "benchmarks.json"
    document = json.loads((shared / "real-data" / "inferencex-public-api" / name).read_bytes())
    rows = defaultdict(list)
    for point, _ in read_rows(document, name, RowContext(catalog, None, name)):
        assert point is not None
        rows[point.scenario].append(point_row(point))
    return {
        scenario: to_columns(pa.Table.from_pylist(some, schema=POINTS)) for scenario, some in rows.items()
    }


def scenes(snapshot: dict[str, Columns], rules: CurveRules, economics: Economics) -> list[Scene]:
    return [arrange(columns, rules, economics) for columns in snapshot.values()]


@pytest.fixture
def prices(catalog: Catalog) -> Economics:
    return catalog.economics("rental", None, {})


def test_thirty_of_the_151_fixed_sequence_curves_hold_several_runs(snapshot, prices) -> None:
    series = [
        (scene, one)
        for scene in scenes(snapshot, CurveRules(PANELS, THROUGHPUT, runs="all"), prices)
        for one in scene.series
    ]
    assert len(series) == 151
    assert sum(one.mixed_dates for _, one in series) == 30
    assert sum(len(set(scene.columns["run_id"][one.rows])) > 1 for scene, one in series) == 30


def test_by_default_no_curve_holds_more_than_one_run_and_the_rest_is_counted(snapshot, prices) -> None:
    for scene in scenes(snapshot, CurveRules(PANELS, THROUGHPUT, dominated=True), prices):
        for one in scene.series:
            assert len(set(scene.columns["run_id"][one.rows])) == 1 and not one.mixed_dates
        left_out = scene.older_points + sum(scene.unplotted.values())
        assert len(scene.rows) + left_out == len(scene.columns["point_id"])


def test_every_frontier_is_pareto_and_every_line_stays_in_the_measured_range(snapshot, prices) -> None:
    for scene in scenes(snapshot, CurveRules(PANELS, AxisChoice("cost_total")), prices):
        for one in scene.series:
            for axis, curve in zip(scene.panels, one.panels, strict=True):
                cost = scene.y.values[curve.frontier]
                rising = axis.metric.better == "higher"
                assert (np.diff(cost) > 0).all() if rising else (np.diff(cost) < 0).all()
                line = curve.line_y[~np.isnan(curve.line_y)]
                assert not len(line) or (line.min() >= cost.min() and line.max() <= cost.max())
