"""A pinned point: on its frontier or dominated by which point, and its factor against the best line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dashboard.domain.comparison import comparison
from dashboard.domain.curves import AxisChoice, arrange
from dashboard.domain.frontier import interpolate
from dashboard.domain.metrics import Economics
from tests.domain.curve_points import NO_PRICES, ONE, PAIR, MakePoints, point


def test_a_frontier_point_is_held_against_the_best_line_at_its_x(points: MakePoints) -> None:
    columns = points(
        point(30, 4000),
        point(20, 9000, engine="trt"),
        point(40, 7000, engine="trt"),
        point(60, 1000, engine="trt"),
    )
    scene = arrange(columns, ONE, NO_PRICES)
    found = comparison(scene, "p0")
    assert found is not None and (found.row, found.series) == (0, "b300.vllm.fp4")
    [panel] = found.panels
    expected = interpolate(np.array([20.0, 40, 60]), np.array([9000.0, 7000, 1000]), np.array([30.0]))[0]
    assert (panel.verdict, panel.dominated_by) == ("frontier", None)
    assert (panel.x, panel.y) == (pytest.approx(30), 4000)
    assert panel.best is not None and panel.best.series == "b300.trt.fp4" and not panel.best.measured
    assert panel.best.y == pytest.approx(expected)
    assert panel.best.factor == pytest.approx(4000 / expected)


def test_the_best_point_is_its_own_measure(points: MakePoints) -> None:
    scene = arrange(points(point(30, 4000), point(30, 3000, engine="trt")), ONE, NO_PRICES)
    best = comparison(scene, "p0").panels[0].best
    assert (best.series, best.factor, best.measured) == ("b300.vllm.fp4", 1.0, True)


def test_a_dominated_point_names_the_nearest_point_that_is_better_in_both(points: MakePoints) -> None:
    columns = points(point(20, 900), point(40, 500), point(60, 400), point(35, 300))
    scene = arrange(columns, ONE, NO_PRICES)
    [panel] = comparison(scene, "p3").panels
    assert (panel.verdict, panel.dominated_by) == ("dominated", 1)


def test_a_point_may_be_on_one_frontier_and_dominated_on_the_other(points: MakePoints) -> None:
    columns = points(point(40, 500, ttft_s_p90=9.0), point(20, 900, ttft_s_p90=2.0))
    left, right = comparison(arrange(columns, PAIR, NO_PRICES), "p0").panels
    assert left.verdict == "frontier"
    assert (right.verdict, right.dominated_by) == ("dominated", 1)


def test_for_cost_the_lowest_line_is_the_best_and_is_read_through_throughput(points: MakePoints) -> None:
    columns = points(point(30, 1000), point(20, 9000, engine="trt"), point(40, 3000, engine="trt"))
    rules = replace(ONE, y=AxisChoice("cost_total"))
    best = comparison(arrange(columns, rules, Economics({"b300": 3.6}, {}, "")), "p0").panels[0].best
    assert best.series == "b300.trt.fp4"
    assert best.y == pytest.approx(3.6e6 / (6000 * 3600)), "straight in throughput: 6,000 tok/s at 30"
    assert best.factor == pytest.approx(6.0)


def test_beyond_every_measured_range_there_is_no_best_line(points: MakePoints) -> None:
    columns = points(point(99, 10, requests_ok=5, requests_failed=5), point(20, 900), point(40, 500))
    [panel] = comparison(arrange(columns, ONE, NO_PRICES), "p0").panels
    assert (panel.verdict, panel.best) == ("failing", None)


def test_nothing_is_read_out_of_an_unmeasured_gap(points: MakePoints) -> None:
    columns = points(point(50, 90), *(point(x, 900 - x, engine="trt") for x in (10, 12, 15, 18, 120)))
    best = comparison(arrange(columns, ONE, NO_PRICES), "p0").panels[0].best
    assert best.series == "b300.vllm.fp4", "the TensorRT line has no value between 18 and 120"


def test_a_point_of_an_older_run_is_still_held_against_the_best_line(points: MakePoints) -> None:
    columns = points(point(20, 450), point(20, 900, run_id="2", run_date="2026-08-09"))
    found = comparison(arrange(columns, ONE, NO_PRICES), "p0")
    assert found.series is None
    assert (found.panels[0].verdict, found.panels[0].best.factor) == ("not_shown", 0.5)


def test_a_point_without_the_shown_metric_says_what_it_has(points: MakePoints) -> None:
    columns = points(point(20, 900, ttft_s_p90=None), point(40, 500))
    left, right = comparison(arrange(columns, PAIR, NO_PRICES), "p0").panels
    assert left.verdict == "frontier"
    assert (right.verdict, right.x, right.y) == ("not_drawable", None, 900.0)


def test_on_the_concurrency_axis_nothing_is_best(points: MakePoints) -> None:
    scene = arrange(points(point(20, 900)), replace(ONE, panels=(AxisChoice("concurrency"),)), NO_PRICES)
    [panel] = comparison(scene, "p0").panels
    assert (panel.verdict, panel.best) == ("no_frontier", None)


def test_a_point_that_the_rows_do_not_hold_is_not_compared(points: MakePoints) -> None:
    assert comparison(arrange(points(point(20, 900)), ONE, NO_PRICES), "feedfacade") is None
