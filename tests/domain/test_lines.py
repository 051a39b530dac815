"""The polylines that are drawn: exact at marks, broken over gaps, derived from throughput where needed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.domain.curves import AxisChoice, CurveRules, arrange
from dashboard.domain.frontier import interpolate
from dashboard.domain.lines import frontier_line, joined_line
from dashboard.domain.metrics import Economics
from tests.domain.curve_points import MakePoints, point

X = np.array([10.0, 20.0, 35.0, 60.0])
Y = np.array([900.0, 700.0, 300.0, 100.0])
FALLING = st.lists(st.tuples(st.floats(0.5, 9), st.floats(1, 90)), min_size=2, max_size=9)


def pieces(line: np.ndarray) -> list[np.ndarray]:
    """The line cut at its breaks, without what is empty."""
    cut = np.split(line, np.flatnonzero(np.isnan(line)))
    return [piece[~np.isnan(piece)] for piece in cut if (~np.isnan(piece)).any()]


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_a_line_goes_exactly_through_its_marks_and_ends_with_them(scale: str) -> None:
    line = frontier_line(X, Y, scale, extent=5.0, reciprocal=False)
    at = dict(zip(line.x.tolist(), line.y.tolist(), strict=True))
    assert [at[x] for x in X.tolist()] == Y.tolist()
    assert (line.x[0], line.x[-1]) == (X[0], X[-1])
    assert (np.diff(line.x) > 0).all() and not len(line.gap_x)


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_a_line_is_the_same_curve_on_any_scale(scale: str) -> None:
    line = frontier_line(X, Y, scale, extent=5.0, reciprocal=False)
    assert line.y == pytest.approx(interpolate(X, Y, line.x))


def test_a_wide_stretch_gets_more_samples_than_a_narrow_one() -> None:
    line = frontier_line(np.array([50.0, 55.0, 100.0]), Y[:3], "linear", extent=50.0, reciprocal=False)
    assert (line.x < 55).sum() < (line.x > 55).sum()
    assert len(line.x) < 70, "a view's data stays small"


def test_a_gap_is_broken_out_of_the_line_and_spanned_straight() -> None:
    ttft, rate = np.array([5.0, 8.0, 12.0, 20.0, 100.0, 110.0]), np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    line = frontier_line(ttft, rate, "linear", extent=105.0, reciprocal=False)
    left, right = pieces(line.x)
    assert (left[0], left[-1], right[0], right[-1]) == (5.0, 20.0, 100.0, 110.0)
    assert not ((line.x > 20) & (line.x < 100)).any()
    assert line.gap_x[:2].tolist() == [20.0, 100.0] and line.gap_y[:2].tolist() == [4.0, 5.0]
    assert np.isnan(line.gap_x[2])
    assert (np.isnan(line.x) == np.isnan(line.y)).all()


@given(FALLING)
@settings(max_examples=150, deadline=None)
def test_a_drawn_line_never_leaves_the_values_of_its_neighbouring_marks(
    steps: list[tuple[float, float]],
) -> None:
    x = np.cumsum([width for width, _ in steps]) + 5
    y = 1000 - np.cumsum([drop for _, drop in steps])
    line = frontier_line(x, y, "linear", extent=float(x[-1] - x[0]), reciprocal=False)
    for at, value in zip(line.x[~np.isnan(line.x)], line.y[~np.isnan(line.y)], strict=True):
        after = min(int(np.searchsorted(x, at)), len(x) - 1)
        before = max(after - 1, 0)
        assert min(y[before], y[after]) <= value <= max(y[before], y[after])


@given(FALLING, st.floats(0.5, 20))
@settings(max_examples=100, deadline=None)
def test_a_cost_line_is_the_price_over_the_interpolated_throughput(
    steps: list[tuple[float, float]], price: float
) -> None:
    x = np.cumsum([width for width, _ in steps]) + 5
    throughput = 1000 - np.cumsum([drop for _, drop in steps])
    cost = price * 1e6 / (throughput * 3600)
    extent = float(x[-1] - x[0])
    line = frontier_line(x, cost, "linear", extent, reciprocal=True)
    between = ~np.isnan(line.x)
    expected = price * 1e6 / (interpolate(x, throughput, line.x[between]) * 3600)
    assert line.y[between] == pytest.approx(expected, rel=1e-9)
    assert (line.y[between] > 0).all()


def test_the_cost_chart_draws_its_line_from_throughput(points: MakePoints) -> None:
    columns = points(point(10, 9000), point(20, 4000), point(45, 50))
    economics = Economics({"b300": 3.6}, {}, "")
    panels = (AxisChoice("interactivity"),)
    cost = arrange(columns, CurveRules(panels, AxisChoice("cost_total")), economics).series[0].panels[0]
    rate = arrange(columns, CurveRules(panels, AxisChoice("tput_total")), economics).series[0].panels[0]
    np.testing.assert_array_equal(cost.line_x, rate.line_x)
    np.testing.assert_allclose(cost.line_y, 3.6e6 / (rate.line_y * 3600))


@pytest.mark.parametrize("size", [0, 1])
def test_fewer_than_two_marks_have_no_line(size: int) -> None:
    line = frontier_line(X[:size], Y[:size], "linear", extent=1.0, reciprocal=False)
    assert len(line.x) == len(line.y) == len(line.gap_x) == 0


def test_lines_without_a_frontier_join_neighbours_of_one_owner_only() -> None:
    line = joined_line(np.array([1.0, 4.0, 2.0]), np.array([7.0, 8.0, 9.0]), np.array([0, 0, 1]))
    assert [piece.tolist() for piece in pieces(line.x)] == [[1.0, 4.0], [2.0]]
    assert [piece.tolist() for piece in pieces(line.y)] == [[7.0, 8.0], [9.0]]
