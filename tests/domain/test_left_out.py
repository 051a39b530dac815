"""What a scene does not draw: the truth rules, the reader's choice, and the account of every row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.domain.columns import Columns
from dashboard.domain.curves import AxisChoice, arrange
from dashboard.domain.metrics import Economics
from tests.domain.curve_points import (
    NO_PRICES,
    ONE,
    PAIR,
    MakePoints,
    ids,
    keys,
    point,
)


def test_a_run_without_a_success_is_listed_and_never_drawn(points: MakePoints) -> None:
    columns = points(point(20, 900), point(99, 9999, requests_ok=0, engine="sglang"))
    scene = arrange(columns, replace(ONE, dominated=True), NO_PRICES)
    assert keys(scene) == {"b300.vllm.fp4"} and ids(scene, scene.rows) == ["p0"]
    [hidden] = scene.hidden
    assert (hidden.key, hidden.points, hidden.by_choice) == ("b300.sglang.fp4", 1, False)
    assert hidden.reason == "Its one point: no successful request."
    assert scene.unplotted == {"no successful request": 1}


def test_a_point_that_is_not_publishable_is_never_drawn(points: MakePoints) -> None:
    scene = arrange(points(point(20, 900), point(99, 9999, publishable=False)), ONE, NO_PRICES)
    assert ids(scene, scene.rows) == ["p0"]
    assert scene.unplotted == {"marked as not publishable": 1}


@pytest.mark.parametrize("bad", [None, 0.0, -1.0, float("inf"), float("nan")])
def test_an_unmeasured_value_is_left_out_with_its_reason_and_never_drawn_at_zero(
    points: MakePoints, bad
) -> None:
    columns = points(point(20, 900), point(40, 500, tput_total_per_gpu=bad))
    scene = arrange(columns, replace(ONE, dominated=True), NO_PRICES)
    assert ids(scene, scene.rows) == ["p0"]
    [(reason, count)] = scene.unplotted.items()
    assert count == 1 and reason.casefold().startswith(("no total throughput", "total throughput"))


def test_a_series_without_the_shown_metric_is_hidden_with_the_reason(points: MakePoints) -> None:
    columns = points(
        point(20, 900), point(30, 800, engine="sglang", itl_s_p90=None), point(40, 700, engine="trt")
    )
    columns["itl_s_p90"][1] = np.nan
    [hidden] = arrange(columns, ONE, NO_PRICES).hidden
    assert hidden.reason == "Its one point: no p90 interactivity."


def test_a_series_may_stand_in_one_chart_of_two(points: MakePoints) -> None:
    scene = arrange(points(point(20, 900, ttft_s_p90=None), point(40, 500, ttft_s_p90=None)), PAIR, NO_PRICES)
    left, right = scene.series[0].panels
    assert len(left.frontier) == 2 and len(right.frontier) == len(right.line_x) == 0
    assert scene.unplotted == {"no p90 TTFT": 2} and not scene.hidden


def test_hardware_without_a_price_says_so(points: MakePoints, economics: Economics) -> None:
    columns = points(point(20, 900), point(20, 900, hardware="h100"))
    scene = arrange(columns, replace(ONE, y=AxisChoice("cost_total")), economics)
    assert keys(scene) == {"b300.vllm.fp4"}
    assert "no price or power figure for its hardware" in scene.hidden[0].reason


def test_a_point_of_which_more_than_a_tenth_failed_leaves_the_frontier(points: MakePoints) -> None:
    fast = point(99, 9999, requests_ok=890, requests_failed=110)
    border = point(50, 600, requests_ok=900, requests_failed=100)
    columns = points(point(20, 900), fast, border)
    scene = arrange(columns, ONE, NO_PRICES)
    assert ids(scene, scene.series[0].panels[0].frontier) == ["p0", "p2"]
    assert scene.failing.tolist() == [False, True, False]
    assert list(scene.unplotted.values()) == [1] and "requests failed" in next(iter(scene.unplotted))
    shown = arrange(columns, replace(ONE, dominated=True), NO_PRICES)
    assert ids(shown, shown.series[0].panels[0].dominated) == ["p1"] and not shown.unplotted


@pytest.mark.parametrize(("n", "marked"), [(99, True), (100, False)])
def test_a_p90_with_fewer_than_ten_requests_beyond_it_is_marked_not_dropped(
    points: MakePoints, n, marked
) -> None:
    scene = arrange(points(point(20, 900, itl_s_n=n, ttft_s_n=5000)), PAIR, NO_PRICES)
    assert scene.few_requests.tolist() == [marked]
    assert len(scene.rows) == 1


def test_the_sample_size_is_the_successful_requests_where_the_row_does_not_say(points: MakePoints) -> None:
    columns = points(point(20, 900, requests_ok=50), point(30, 800, requests_ok=None))
    assert arrange(columns, ONE, NO_PRICES).few_requests.tolist() == [True, False]


def four_stacks(points: MakePoints) -> Columns:
    return points(
        *(point(20, 900, hardware=h, engine=e) for h in ("b300", "mi355x") for e in ("vllm", "sglang"))
    )


def test_hidden_series_are_named_and_the_others_stay(points: MakePoints) -> None:
    scene = arrange(four_stacks(points), replace(ONE, hide=("b300.vllm.fp4",)), NO_PRICES)
    assert len(scene.series) == 3
    [hidden] = scene.hidden
    assert (hidden.key, hidden.reason, hidden.by_choice) == ("b300.vllm.fp4", "You hid it.", True)


def test_the_beginning_of_a_key_means_all_series_that_begin_so(points: MakePoints) -> None:
    scene = arrange(four_stacks(points), replace(ONE, only=("b300",)), NO_PRICES)
    assert keys(scene) == {"b300.vllm.fp4", "b300.sglang.fp4"}
    assert {h.key for h in scene.hidden} == {"mi355x.vllm.fp4", "mi355x.sglang.fp4"}


def test_a_whole_key_means_that_series_alone(points: MakePoints) -> None:
    columns = points(point(20, 900), point(25, 950, spec_method="mtp"), scenario="8k1k", offload=None)
    scene = arrange(columns, replace(ONE, hide=("b300.vllm.fp4",)), NO_PRICES)
    assert keys(scene) == {"b300.vllm.fp4.mtp"}


def test_tokens_that_name_no_series_are_reported_and_hide_nothing(points: MakePoints) -> None:
    rules = replace(ONE, hide=("b3",), only=("<script>",))
    scene = arrange(four_stacks(points), rules, NO_PRICES)
    assert len(scene.series) == 4 and scene.unmatched == ("<script>", "b3")


def test_points_of_series_that_the_reader_hid_are_not_counted_as_left_out(points: MakePoints) -> None:
    columns = points(point(20, 900), point(20, 900, engine="trt", ttft_s_p90=None), point(1, 1, engine="trt"))
    assert arrange(columns, replace(PAIR, hide=("b300.trt",)), NO_PRICES).unplotted == {}


RUNS = st.sampled_from(["newest", "per_config", "all"])


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_every_row_is_accounted_for(data: st.DataObject) -> None:
    """Each row is drawn, dominated, of an older run, in a hidden series, or left out with a reason."""
    size = data.draw(st.integers(0, 25))
    columns = drawn_columns(data, size)
    rules = replace(
        PAIR, dominated=data.draw(st.booleans()), runs=data.draw(st.sampled_from(["newest", "all"]))
    )
    scene = arrange(columns, rules, NO_PRICES)
    hidden = sum(series.points for series in scene.hidden)
    assert len(scene.rows) <= size
    in_shown = size - hidden
    counted = len(scene.rows) + scene.dominated_hidden + scene.older_points + sum(scene.unplotted.values())
    assert counted >= in_shown
    assert scene.on_frontier.sum() <= len(scene.rows)
    for series in scene.series:
        for curve, axis in zip(series.panels, scene.panels, strict=True):
            assert set(curve.frontier).isdisjoint(curve.dominated)
            assert (np.diff(axis.values[curve.frontier]) > 0).all()
            assert set(curve.frontier) <= set(series.rows)


def drawn_columns(data: st.DataObject, size: int) -> Columns:
    def column(strategy: st.SearchStrategy[object], dtype: object) -> np.ndarray:
        return np.array(data.draw(st.lists(strategy, min_size=size, max_size=size)), dtype=dtype)

    figure = st.sampled_from([np.nan, 0.0, 0.5, 1.0, 2.0, 3.0])
    numbers = ("itl_s_p90", "ttft_s_p90", "tput_total_per_gpu")
    return {
        "hardware": column(st.sampled_from(["b300", "h200", None]), object),
        "run_id": column(st.sampled_from(["1", "2", None]), object),
        "requests_ok": column(st.sampled_from([0.0, 10.0, np.nan]), np.float64),
        "requests_failed": column(st.sampled_from([0.0, 5.0, np.nan]), np.float64),
        **{name: column(figure, np.float64) for name in numbers},
    }


def test_a_series_of_failing_points_is_not_counted_as_shown(points: MakePoints) -> None:
    broken = point(40, 500, engine="trt", requests_ok=50, requests_failed=50)
    columns = points(point(20, 900), broken)
    scene = arrange(columns, ONE, NO_PRICES)
    assert keys(scene) == {"b300.vllm.fp4"}
    assert scene.hidden[0].reason == "Its one point: more than a tenth of the requests failed."
    everything = arrange(columns, replace(ONE, dominated=True), NO_PRICES)
    assert keys(everything) == {"b300.vllm.fp4", "b300.trt.fp4"} and not everything.hidden
