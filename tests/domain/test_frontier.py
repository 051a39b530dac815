"""Pareto sets against brute force, and the interpolation that lines and read-outs rest on."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.domain.frontier import interpolate, pareto, unmeasured_gaps, value_at

DIRECTIONS = list(itertools.product((True, False), repeat=2))

#: Few distinct values make ties; NaN and infinities are missing points; zero and less are ordinary here.
TIED = [-1.0, 0.0, 0.5, 1.0, 2.0, 2.0, 3.0, np.nan, np.inf, -np.inf]


def brute_force(x: np.ndarray, y: np.ndarray, maximise_x: bool, maximise_y: bool) -> list[int]:
    """Every point against every other, by the definition of dominance; of twins the first stays."""
    finite = [i for i in range(len(x)) if np.isfinite(x[i]) and np.isfinite(y[i])]
    sx, sy = (1 if maximise_x else -1), (1 if maximise_y else -1)

    def beats(a: int, b: int) -> bool:
        ax, ay, bx, by = sx * x[a], sy * y[a], sx * x[b], sy * y[b]
        return ax >= bx and ay >= by and (ax > bx or ay > by or a < b)

    kept = [i for i in finite if not any(beats(j, i) for j in finite if j != i)]
    return sorted(kept, key=lambda i: x[i])


def _random_points(generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    size = int(generator.integers(0, 13))
    if generator.random() < 0.5:
        return generator.choice(TIED, size), generator.choice(TIED, size)
    x, y = generator.normal(size=size), generator.normal(size=size)
    x[generator.random(size) < 0.1] = np.nan
    return x, y


@pytest.mark.parametrize(("maximise_x", "maximise_y"), DIRECTIONS)
def test_the_pareto_set_equals_brute_force_on_a_thousand_inputs(maximise_x: bool, maximise_y: bool) -> None:
    generator = np.random.default_rng(20260830)
    for _ in range(1000):
        x, y = _random_points(generator)
        found = pareto(x, y, maximise_x=maximise_x, maximise_y=maximise_y)
        assert found.tolist() == brute_force(x, y, maximise_x, maximise_y), (x, y)


@pytest.mark.parametrize(("maximise_x", "maximise_y"), DIRECTIONS)
def test_no_point_on_the_frontier_is_dominated_and_every_other_one_is(
    maximise_x: bool, maximise_y: bool
) -> None:
    generator = np.random.default_rng(7)
    x, y = generator.lognormal(size=200), generator.lognormal(size=200)
    gain = np.column_stack((x if maximise_x else -x, y if maximise_y else -y))
    on = np.zeros(200, dtype=bool)
    on[pareto(x, y, maximise_x=maximise_x, maximise_y=maximise_y)] = True
    dominated = [bool(((gain >= one).all(axis=1) & (gain > one).any(axis=1)).any()) for one in gain]
    assert (on != np.array(dominated)).all()


def test_the_frontier_rises_in_x_and_falls_or_rises_in_y_with_the_directions() -> None:
    x, y = np.array([10.0, 20.0, 30.0, 15.0]), np.array([9.0, 6.0, 1.0, 3.0])
    assert pareto(x, y, maximise_x=True, maximise_y=True).tolist() == [0, 1, 2]
    assert pareto(x, y, maximise_x=False, maximise_y=True).tolist() == [0]
    assert pareto(x, y, maximise_x=True, maximise_y=False).tolist() == [2]
    assert pareto(x, y, maximise_x=False, maximise_y=False).tolist() == [0, 3, 2]


def test_of_equal_x_the_best_y_stays_and_of_equal_y_the_best_x() -> None:
    assert pareto(np.array([1.0, 1.0]), np.array([4.0, 5.0]), maximise_x=True, maximise_y=True).tolist() == [
        1
    ]
    assert pareto(np.array([1.0, 2.0]), np.array([5.0, 5.0]), maximise_x=True, maximise_y=True).tolist() == [
        1
    ]
    assert pareto(np.array([1.0, 2.0]), np.array([5.0, 5.0]), maximise_x=False, maximise_y=True).tolist() == [
        0
    ]


def test_a_single_point_is_its_own_frontier_and_nothing_has_none() -> None:
    one, none = np.array([0.0]), np.array([])
    assert pareto(one, one, maximise_x=True, maximise_y=False).tolist() == [0]
    assert pareto(none, none, maximise_x=True, maximise_y=True).tolist() == []
    assert pareto(np.array([np.nan]), one, maximise_x=True, maximise_y=True).tolist() == []


CURVES = st.lists(
    st.tuples(st.floats(0.01, 1e3), st.floats(-1e6, 1e6)),
    min_size=2,
    max_size=12,
    unique_by=lambda p: round(p[0], 3),
).map(sorted)


@given(CURVES)
@settings(max_examples=200, deadline=None)
def test_the_line_passes_through_its_points_and_stays_between_neighbours(
    curve: list[tuple[float, float]],
) -> None:
    x, y = (np.array(column) for column in zip(*curve, strict=True))
    assert interpolate(x, y, x) == pytest.approx(y, rel=1e-12, abs=1e-9)
    for left in range(len(x) - 1):
        between = interpolate(x, y, np.linspace(x[left], x[left + 1], 17))
        low, high = sorted((y[left], y[left + 1]))
        assert (between >= low).all() and (between <= high).all()


@given(
    st.lists(st.floats(0.001, 10), min_size=2, max_size=12),
    st.lists(st.floats(0, 50), min_size=12, max_size=12),
)
@settings(max_examples=200, deadline=None)
def test_the_line_through_falling_points_never_rises(widths: list[float], drops: list[float]) -> None:
    x = np.cumsum(widths)
    y = 1000.0 - np.cumsum(drops[: len(x)])
    line = interpolate(x, y, np.linspace(x[0], x[-1], 301))
    assert (np.diff(line) <= 1e-9).all()


def test_the_line_is_steffens() -> None:
    """Steffen (1990), equations 8 to 11, worked by hand for x = 0, 1, 3 and y = 0, 2, 3."""
    x, y = np.array([0.0, 1.0, 3.0]), np.array([0.0, 2.0, 3.0])
    # slopes 2 and 1/2; inner tangent min(2, 1/2, 1/2 * (2*2 + 1/2*1)/3) * 2 = 1; ends 2.5 and 0
    at_half = 2.5 * 0.5 + (3 * 2 - 2 * 2.5 - 1) * 0.25 + (2.5 + 1 - 2 * 2) * 0.125
    assert interpolate(x, y, np.array([0.5]))[0] == pytest.approx(at_half)
    at_two = 2 + 1 * 1 + (3 * 0.5 - 2 * 1 - 0) / 2 * 1 + (1 + 0 - 2 * 0.5) / 4 * 1
    assert interpolate(x, y, np.array([2.0]))[0] == pytest.approx(at_two)


def test_two_points_are_joined_by_a_straight_line_and_nothing_is_said_beyond_them() -> None:
    line = interpolate(np.array([1.0, 3.0]), np.array([10.0, 20.0]), np.array([0.9, 1.0, 2.0, 3.0, 3.1]))
    assert line[1:4].tolist() == [10.0, 15.0, 20.0]
    assert np.isnan(line[[0, 4]]).all()


def test_one_point_has_a_value_only_at_its_own_place() -> None:
    line = interpolate(np.array([2.0]), np.array([7.0]), np.array([1.9, 2.0]))
    assert np.isnan(line[0]) and line[1] == 7.0


def test_a_stretch_without_points_between_20_and_100_seconds_is_a_gap() -> None:
    ttft = np.array([5.0, 8.0, 12.0, 20.0, 100.0])
    assert unmeasured_gaps(ttft, "linear").tolist() == [False, False, False, True]
    assert unmeasured_gaps(ttft, "log").tolist() == [False, False, False, True]


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_a_sweep_that_doubles_each_step_has_no_gap(scale: str) -> None:
    assert not unmeasured_gaps(np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0]), scale).any()


def test_small_irregularities_are_no_gaps() -> None:
    assert not unmeasured_gaps(np.array([100.0, 101.0, 102.0, 140.0]), "linear").any()


def test_two_points_far_apart_have_a_gap_between_them() -> None:
    assert unmeasured_gaps(np.array([10.0, 90.0]), "linear").tolist() == [True]
    assert unmeasured_gaps(np.array([10.0, 20.0]), "linear").tolist() == [False]
    assert unmeasured_gaps(np.array([10.0]), "linear").tolist() == []


@given(st.lists(st.floats(0.01, 100), min_size=3, max_size=9))
@settings(max_examples=200, deadline=None)
def test_a_gap_is_measured_against_the_median_of_the_other_stretches(widths: list[float]) -> None:
    x = 0.5 + np.concatenate(([0.0], np.cumsum(widths)))
    steps = np.diff(x)
    expected = [
        bool(
            x[i + 1] > 2.5 * x[i]
            and steps[i] > 3 * np.median(np.delete(steps, i))
            and steps[i] >= 0.25 * steps.sum()
        )
        for i in range(len(steps))
    ]
    assert unmeasured_gaps(x, "linear").tolist() == expected


def test_a_value_is_read_from_the_line_but_never_from_a_gap_or_beyond_the_ends() -> None:
    x, y = np.array([5.0, 8.0, 12.0, 20.0, 100.0]), np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert value_at(x, y, 8.0, "log") == 2.0
    assert 2.0 < value_at(x, y, 9.0, "log") < 3.0
    assert value_at(x, y, 100.0, "log") == 5.0
    assert all(np.isnan(value_at(x, y, at, "log")) for at in (4.9, 50.0, 101.0))
    assert np.isnan(value_at(np.array([]), np.array([]), 1.0, "linear"))
