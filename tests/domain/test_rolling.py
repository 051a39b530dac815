"""Percentiles that move, against numpy on each slice."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dashboard.domain import rolling
from dashboard.domain.step_lines import completed, in_flight, largest_per_group

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


SPANS = st.lists(
    st.tuples(st.integers(0, 50), st.integers(0, 30), st.integers(1, 99), st.integers(0, 3)), max_size=40
)


@given(spans=SPANS)
def test_counts_in_flight_and_tokens_of_the_largest_of_each_conversation(
    spans: list[tuple[int, int, int, int]],
) -> None:
    start = np.array([one[0] for one in spans], float)
    end = start + np.array([one[1] for one in spans], float)
    size = np.array([one[2] for one in spans], float)
    group = [one[3] for one in spans]
    t, level = in_flight(start, end)
    held_t, held = largest_per_group(start, end, size, group)
    done_t, done = completed(end)

    def at(moments: np.ndarray, values: np.ndarray, moment: float) -> float:
        place = int(np.searchsorted(moments, moment, "right")) - 1
        return float(values[place]) if place >= 0 else 0.0

    for moment in np.arange(-0.5, 85, 1.0):
        flying = (start <= moment) & (end > moment)
        largest = {one: max(size[flying & (np.array(group) == one)], default=0) for one in set(group)}
        assert at(t, level, moment) == flying.sum()
        assert at(held_t, held, moment) == sum(largest.values())
        assert at(done_t, done, moment) == (end <= moment).sum()
