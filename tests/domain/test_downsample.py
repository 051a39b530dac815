"""Fewer samples for a picture: every extreme survives, and no line crosses a gap."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dashboard.domain.downsample import broken_line, extremes, gaps, usual_interval


@given(
    n=st.integers(2, 5000),
    share=st.floats(0, 1, exclude_max=True),
    cells=st.integers(1, 900),
    down=st.booleans(),
)
def test_a_spike_of_one_sample_is_drawn_wherever_it_is_and_however_narrow_the_panel(
    n: int, share: float, cells: int, down: bool
) -> None:
    t = np.arange(n, dtype=float)
    v = np.sin(t / 7)
    place = int(share * n)
    v[place] = -50.0 if down else 50.0
    kept = extremes(t, v, cells, (0.0, float(n)))
    assert place in kept
    assert len(kept) <= max(4 * cells, 4 * cells + 2) or len(kept) == n


@given(
    values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=400),
    cells=st.integers(1, 50),
    low=st.floats(0, 300),
    width=st.floats(1, 300),
)
def test_the_range_inside_any_span_is_that_of_all_samples(
    values: list[float], cells: int, low: float, width: float
) -> None:
    t, v, span = np.arange(len(values), dtype=float), np.array(values), (low, low + width)
    inside = (t >= span[0]) & (t <= span[1])
    kept = extremes(t, v, cells, span)
    shown = kept[inside[kept]]
    if inside.any():
        assert v[shown].min() == v[inside].min() and v[shown].max() == v[inside].max()
    assert np.all(np.diff(kept) > 0)


def test_missing_values_are_left_out_and_neighbours_beyond_the_edges_stay() -> None:
    t, v = np.arange(10.0), np.array([1, 2, np.nan, 4, 5, 6, 7, 8, 9, 10.0])
    assert extremes(t, v, 100, (4.5, 6.5)).tolist() == [4, 5, 6, 7]
    assert extremes(t, v, 100, (0, 9)).tolist() == [0, 1, 3, 4, 5, 6, 7, 8, 9]


def test_a_pause_of_more_than_five_intervals_is_a_gap_that_no_line_crosses() -> None:
    t = np.array([0, 1, 2, 3, 20, 21, 22.0])
    assert usual_interval(t) == 1.0
    assert gaps(t, 1.0) == [(3.0, 20.0)]
    shown_t, shown_v = broken_line(t, np.ones(7), 100, (0.0, 22.0))
    assert np.isnan(shown_v[list(shown_t).index(11.5)])
    assert gaps(np.array([0, 1, 2, 7.0]), 1.0) == []
