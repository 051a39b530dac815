"""Counts that change in steps, against counting request by request."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dashboard.domain.step_lines import completed, in_flight, largest_per_group

#: (start, length, tokens, conversation); -1 belongs to none.
REQUESTS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 9), st.integers(1, 9), st.integers(-1, 3)), max_size=25
)
Request = tuple[int, int, int, int]


def level_at(line: tuple[np.ndarray, np.ndarray], moment: float) -> float:
    t, v = line
    place = np.searchsorted(t, moment, "right") - 1
    return float(v[place]) if place >= 0 else 0.0


def arrays(found: list[Request]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    table = np.array(found, dtype=float).reshape(-1, 4)
    return table[:, 0], table[:, 0] + table[:, 1], table[:, 2], table[:, 3].astype(np.intp)


@given(REQUESTS)
def test_in_flight_and_completed_count_what_has_begun_and_ended(found: list[Request]) -> None:
    start, end, _, _ = arrays(found)
    flying, done = in_flight(start, end), completed(end)
    for moment in np.arange(-0.5, 45, 0.5):
        assert level_at(flying, moment) == sum(s <= moment < e for s, e in zip(start, end, strict=True))
        assert level_at(done, moment) == sum(e <= moment for e in end)


@given(REQUESTS)
def test_a_conversation_holds_its_largest_request_in_flight(found: list[Request]) -> None:
    start, end, size, group = arrays(found)
    held = largest_per_group(start, end, size, group)
    assert (np.diff(held[0]) > 0).all()
    for moment in np.arange(-0.5, 45, 0.5):
        alive = [i for i in range(len(found)) if start[i] <= moment < end[i]]
        largest = {g: max(size[i] for i in alive if group[i] == g) for g in {group[i] for i in alive} - {-1}}
        alone = sum(size[i] for i in alive if group[i] == -1)
        assert level_at(held, moment) == sum(largest.values()) + alone


def test_ten_thousand_conversations_are_counted_at_once() -> None:
    """Requests that follow each other without overlap need no walk of their own."""
    start = np.arange(100_000.0)
    group = np.arange(100_000) % 10_000
    t, held = largest_per_group(start, start + 5, np.full(100_000, 7.0), group)
    assert held.max() == 35 and held[-1] == 0 and len(t) == 100_005
