"""Percentiles that move, against numpy on each slice."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dashboard.domain import rolling

SAMPLES = st.lists(st.tuples(st.integers(0, 300), st.floats(0.001, 1e4)), min_size=1, max_size=120)
QUANTILES = st.sampled_from([0.5, 0.75, 0.9, 0.95, 0.99])


@given(samples=SAMPLES, q=QUANTILES, span=st.floats(0.5, 100))
def test_over_time_is_the_percentile_of_the_last_seconds(
    samples: list[tuple[int, float]], q: float, span: float
) -> None:
    t, v = (np.array(column, float) for column in zip(*sorted(samples), strict=True))
    at = np.linspace(-5, 320, 40)
    found, counts = rolling.over_time(t, v, at, span, q)
    for moment, value, n in zip(at, found, counts, strict=True):
        inside = v[(t > moment - span) & (t <= moment)]
        assert n == len(inside)
        assert np.isnan(value) if not n else np.isclose(value, np.percentile(inside, 100 * q), rtol=1e-9)


@given(samples=SAMPLES, q=QUANTILES, count=st.integers(1, 60))
def test_over_count_is_the_percentile_of_the_last_requests(
    samples: list[tuple[int, float]], q: float, count: int
) -> None:
    t, v = (np.array(column, float) for column in zip(*sorted(samples), strict=True))
    at = np.linspace(-5, 320, 30)
    found, _ = rolling.over_count(t, v, at, count, q)
    for moment, value in zip(at, found, strict=True):
        inside = v[t <= moment][-count:]
        assert np.isnan(value) if not len(inside) else np.isclose(value, np.percentile(inside, 100 * q))


@given(samples=SAMPLES, q=QUANTILES)
def test_so_far_is_exact(samples: list[tuple[int, float]], q: float) -> None:
    t, v = (np.array(column, float) for column in zip(*sorted(samples), strict=True))
    at = np.linspace(-5, 320, 25)
    found, _ = rolling.so_far(t, v, at, q)
    for moment, value in zip(at, found, strict=True):
        inside = v[t <= moment]
        assert np.isnan(value) if not len(inside) else np.isclose(value, np.percentile(inside, 100 * q))
