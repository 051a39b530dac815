"""A metric over the points of a run: its percentiles, its scale, and the account of what has no value."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from dashboard.domain.across import PERCENTILES, across, across_columns
from dashboard.domain.metric import Economics
from dashboard.domain.metrics import REGISTRY
from dashboard.domain.records import Point
from dashboard.store.columns import to_columns
from dashboard.store.parts import point_table
from dashboard.store.schema import POINTS
from tests import invented

PRICES = Economics({"b300": 3.0}, {"b300": 2.0}, "a price")
PLAIN, OFFLOADED = (stack for stack, _ in invented.STACKS[:2])
RUN = (*(invented.point(PLAIN, load) for load in (64, 8, 16)), invented.point(OFFLOADED, 128))


def columns_of(*given: Point) -> dict[str, np.ndarray]:
    return dict(to_columns(pa.concat_tables([point_table(point) for point in given])))


def test_each_percentile_is_that_of_the_points() -> None:
    found = across(columns_of(*RUN), "ttft", PRICES)
    assert tuple(line.stat for line in found.lines) == PERCENTILES and found.main.stat == "p90"
    for line in found.lines:
        assert line.values.tolist() == [getattr(point.statistics["ttft_s"], line.stat) for point in RUN]


def test_the_slow_tail_of_a_rate_is_its_high_percentile() -> None:
    found = {line.stat: line.values for line in across(columns_of(*RUN), "interactivity", PRICES).lines}
    assert (found["p50"] > found["p90"]).all() and (found["p90"] > found["p99"]).all()


def test_points_of_one_configuration_stand_together_by_rising_concurrency() -> None:
    found = across(columns_of(*RUN), "ttft", PRICES)
    assert [rows.tolist() for rows in found.configurations] == [[1, 2, 0], [3]]


def test_a_percentile_that_few_requests_carry_is_marked() -> None:
    found = {line.stat: line.few.tolist() for line in across(columns_of(*RUN), "ttft", PRICES).lines}
    sizes = [point.statistics["ttft_s"].n or 0 for point in RUN]
    assert found["p99"] == [n * 0.01 < 10 for n in sizes] and True in found["p99"]
    assert found["p50"] == [False] * 4


def test_a_single_figure_has_one_line_and_zero_of_a_count_is_a_value() -> None:
    found = across(columns_of(*RUN), "requests_failed", PRICES)
    assert len(found.lines) == 1 and found.main.values.tolist() == [0, 0, 0, 0]
    assert found.scale == "linear" and not found.absent


def test_a_range_over_two_decades_is_logarithmic() -> None:
    slow = replace(RUN[0], statistics={"ttft_s": invented.spread(900.0, 0.8, 100)})
    assert across(columns_of(slow, RUN[1]), "ttft", PRICES).scale == "log"
    assert across(columns_of(RUN[1], RUN[2]), "ttft", PRICES).scale == "linear"


def test_points_without_a_value_are_counted_by_reason() -> None:
    found = across(columns_of(*RUN, invented.all_failed(PLAIN)), "ttft", PRICES)
    assert dict(found.absent) == {"no p90 TTFT": 1}
    unpriced = across(columns_of(*RUN), "cost_total", Economics({}, {}, ""))
    assert dict(unpriced.absent) == {"no price or power figure for its hardware": 4}
    assert unpriced.configurations == ()


@pytest.mark.parametrize("key", [key for key in REGISTRY if key != "concurrency"])
def test_every_metric_can_be_read(key: str) -> None:
    assert set(across_columns(key)) <= set(POINTS.names)
    found = across(columns_of(*RUN, invented.all_failed(PLAIN)), key, PRICES)
    drawn = sum(len(rows) for rows in found.configurations)
    assert drawn + sum(found.absent.values()) == 5
