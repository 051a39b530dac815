"""Requests in flight, against counting them one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dashboard.domain.in_flight import in_flight_at, in_flight_at_start

#: The clock of a real run: about 1.8e18 ns, where a float64 steps by 256 ns.
EPOCH = 1_786_500_000_000_000_000
SPANS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)), min_size=1, max_size=40)


def clock(offsets: list[int]) -> np.ndarray:
    return np.array(offsets, dtype=np.int64) + EPOCH


@given(SPANS)
def test_each_start_counts_what_has_begun_and_not_ended(spans: list[tuple[int, int]]) -> None:
    starts, ends = [start for start, _ in spans], [start + span for start, span in spans]
    found = in_flight_at_start(clock(starts), clock(ends), np.ones(len(spans), dtype=bool))
    for place, moment in enumerate(starts):
        alive = sum(start <= moment < end for start, end in zip(starts, ends, strict=True))
        assert found[place] == max(alive, 1)


@given(SPANS, st.integers(-5, 60))
def test_at_any_moment_the_count_is_that_of_the_requests_alive(spans: list[tuple[int, int]], at: int) -> None:
    starts, ends = [start for start, _ in spans], [start + span for start, span in spans]
    alive = sum(start <= at < end for start, end in zip(starts, ends, strict=True))
    assert in_flight_at(clock([at]), clock(starts), clock(ends))[0] == alive


def test_a_request_that_ends_as_another_starts_does_not_overlap_it() -> None:
    found = in_flight_at_start(clock([0, 5]), clock([5, 9]), np.array([True, True]))
    assert found.tolist() == [1, 1]


def test_a_request_without_times_is_neither_counted_nor_given_a_count() -> None:
    found = in_flight_at_start(clock([0, 1, 2]), clock([9, 9, 9]), np.array([True, False, True]))
    assert found[0] == 1 and np.isnan(found[1]) and found[2] == 2
