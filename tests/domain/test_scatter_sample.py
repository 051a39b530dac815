"""Which points a scatter draws when there are too many: never fewer extremes, never more points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.domain.metric import Scale
from dashboard.domain.scatter_sample import MOST_POINTS, scatter_sample


def cloud(n: int, seed: int = 7) -> tuple[np.ndarray, np.ndarray]:
    draws = np.random.default_rng(seed)
    return draws.lognormal(10, 1.2, n), draws.lognormal(0, 0.8, n)


@settings(max_examples=40)
@given(
    st.integers(0, 59_999),
    st.sampled_from([1e-9, 1e6]),
    st.booleans(),
    st.sampled_from(["linear", "log"]),
)
def test_a_lone_spike_is_drawn_wherever_it_is(place: int, spike: float, in_x: bool, scale: Scale) -> None:
    x, y = cloud(60_000)
    (x if in_x else y)[place] = spike
    assert place in scatter_sample(x, y, scale, scale)


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_the_highest_and_lowest_of_every_stretch_stay(scale: Scale) -> None:
    x, y = cloud(80_000)
    kept = scatter_sample(x, y, scale, scale)
    inner = np.log(x) if scale == "log" else x
    edges = np.linspace(inner.min(), inner.max(), 301)
    stretch = np.clip(np.searchsorted(edges, inner, side="right") - 1, 0, 299)
    for one in np.unique(stretch):
        inside = np.flatnonzero(stretch == one)
        drawn = np.intersect1d(inside, kept)
        assert (y[drawn].min(), y[drawn].max()) == (y[inside].min(), y[inside].max())


def test_no_more_points_than_asked_and_each_once() -> None:
    x, y = cloud(150_000)
    kept = scatter_sample(x, y, "log", "log")
    assert len(kept) == MOST_POINTS
    assert (np.diff(kept) > 0).all()


def test_a_scatter_with_room_for_all_draws_all() -> None:
    x, y = cloud(MOST_POINTS)
    assert (scatter_sample(x, y, "log", "log") == np.arange(MOST_POINTS)).all()


def test_the_rest_is_thinned_evenly_over_time() -> None:
    x, y = cloud(200_000)
    kept = scatter_sample(x, y, "log", "log")
    shares = np.histogram(kept, bins=10, range=(0, 200_000))[0] / len(kept)
    assert shares.min() > 0.09 and shares.max() < 0.11


def test_points_that_are_all_alike_are_no_trouble() -> None:
    same = np.full(30_000, 2.0)
    assert len(scatter_sample(same, same, "linear", "linear")) == MOST_POINTS
