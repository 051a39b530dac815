"""Finding places for text: nothing overlaps, everything stays inside, as near as can be."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.figures.boxes import Box, first_free, spread, text_width, traced
from components.figures.frame import Axis, axis_over, panels
from components.figures.typed_array import packed
from tests.components.scenes import unpacked

HEIGHT, GAP = 400.0, 15.0
PLACES = st.lists(st.floats(-50, HEIGHT + 50), max_size=20)
NOTHING = np.zeros(0)


@given(PLACES)
def test_spread_keeps_the_gap_the_bounds_and_the_order(wanted: list[float]) -> None:
    placed = spread(wanted, GAP, 0, HEIGHT)
    assert all(-1e-6 <= place <= HEIGHT + 1e-6 for place in placed)
    by_wish = [placed[i] for i in np.argsort(wanted, kind="stable")] if wanted else []
    assert all(after - before >= GAP - 1e-6 for before, after in pairwise(by_wish))


@given(st.lists(st.floats(0, HEIGHT), min_size=1, max_size=8, unique=True))
def test_spread_moves_nothing_that_has_room(wanted: list[float]) -> None:
    roomy = [20 + 40 * rank for rank in range(len(wanted))]
    assert spread(roomy, GAP, 0, HEIGHT) == roomy


def test_spread_moves_a_crowd_around_its_middle() -> None:
    assert spread([100.0, 100.0, 100.0], 10, 0, HEIGHT) == [90.0, 100.0, 110.0]


def test_spread_squeezes_more_than_fit_evenly() -> None:
    assert spread([5.0] * 5, 100, 0, 40) == [0.0, 10.0, 20.0, 30.0, 40.0]


def test_the_first_place_that_covers_nothing_is_taken() -> None:
    area = Box(0, 0, 100, 100)
    places = [Box(90, 0, 110, 10), Box(0, 0, 20, 10), Box(30, 0, 50, 10), Box(60, 0, 80, 10)]
    taken, x, y = [Box(10, 5, 15, 20)], np.array([40.0]), np.array([5.0])
    assert first_free(places, area, taken, x, y) == places[3]
    assert first_free(places[:3], area, taken, x, y) is None


def test_bold_text_is_taken_for_wider() -> None:
    assert text_width("MI355X", 12, bold=True) > text_width("MI355X", 12) > 0


@given(st.lists(st.floats(width=64, allow_nan=True), max_size=50))
def test_a_typed_array_keeps_every_double(values: list[float]) -> None:
    assert np.array_equal(unpacked(packed(values)), np.array(values), equal_nan=True)


@given(st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=20))
def test_a_linear_axis_runs_from_zero_to_a_round_number_beyond_the_data(values: list[float]) -> None:
    axis = axis_over(np.array(values), "linear", None)
    assert axis.low == 0 and max(values) <= axis.high <= 2.2 * max(values)


@given(st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=20))
def test_a_logarithmic_axis_leaves_room_at_both_ends(values: list[float]) -> None:
    axis = axis_over(np.array([*values, -1.0, 0.0, np.nan]), "log", None)
    assert axis.low < min(values) and axis.high > max(values)
    assert axis.outer(axis.inner(axis.high)) == np.float64(axis.high).round(12) or np.isclose(
        axis.outer(axis.inner(axis.high)), axis.high
    )


def test_an_axis_without_data_still_has_a_range() -> None:
    assert axis_over(NOTHING, "linear", None) == Axis(0.0, 1.0, "linear")
    assert axis_over(NOTHING, "log", None).low > 0


def test_pixels_grow_to_the_right_and_downwards() -> None:
    [chart] = panels([Axis(0, 10, "linear")], Axis(1, 100, "log"), "wide")
    left, top = chart.pixels(np.array([0.0, 10.0]), np.array([1.0, 100.0]))
    assert left.tolist() == [0, chart.width] and top.tolist() == [chart.height, 0]


def test_a_line_is_traced_densely_and_its_pauses_stay_pauses() -> None:
    x, y = traced(np.array([0.0, 60.0, np.nan, 0.0, 0.0]), np.array([0.0, 80.0, np.nan, 5.0, 9.0]), step=10)
    inside = np.isfinite(x)
    assert inside.sum() == 13 and (x[10], y[10]) == (60.0, 80.0)
    assert np.hypot(np.diff(x[:11]), np.diff(y[:11])) == pytest.approx(10)
    assert not inside[11] or not inside[12]
