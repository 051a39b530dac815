"""Fewer samples for a picture, with every extreme kept: a spike of one sample is drawn at any width."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dashboard.domain.columns import Numbers, Rows

Span = tuple[float, float]

#: A pause of this many usual intervals is a gap: no sample is carried over it.
GAP_INTERVALS = 5.0


def extremes(t: Numbers, v: Numbers, cells: int, span: Span) -> Rows:
    """Places of the samples to draw, ascending: the first, smallest, largest and last of each cell.

    `t` ascends; `span` is cut into `cells` equal cells, and the nearest sample on either side is kept so that
    lines reach the edges. Missing values (NaN) are left out. Nothing is dropped where there is little.
    """
    inside = np.flatnonzero(_touched(t, span) & np.isfinite(v))
    if len(inside) <= 4 * cells:
        return inside
    cell = _cells(t[inside], cells, span)
    by_size = np.lexsort((v[inside], cell))
    begins = np.flatnonzero(np.diff(cell, prepend=-1))
    ends = np.append(begins[1:], len(cell)) - 1
    kept: Rows = inside[np.unique(np.concatenate((begins, ends, by_size[begins], by_size[ends])))]
    return kept


def _touched(t: Numbers, span: Span) -> NDArray[np.bool_]:
    """Samples inside the span and the nearest one on either side."""
    first = max(int(np.searchsorted(t, span[0], "left")) - 1, 0)
    end = min(int(np.searchsorted(t, span[1], "right")) + 1, len(t))
    place = np.arange(len(t))
    return np.asarray((place >= first) & (place < end))


def _cells(t: Numbers, cells: int, span: Span) -> Rows:
    width = max(span[1] - span[0], 1e-9)
    return np.clip(np.floor((t - span[0]) / width * cells), 0, cells - 1).astype(np.intp)


def usual_interval(t: Numbers) -> float:
    """The median distance of consecutive samples in seconds; NaN for fewer than two."""
    steps = np.diff(t)
    steps = steps[steps > 0]
    return float(np.median(steps)) if len(steps) else float("nan")


def gaps(t: Numbers, interval_s: float) -> list[Span]:
    """Stretches between consecutive samples that are longer than `GAP_INTERVALS` usual intervals."""
    if len(t) < 2 or not interval_s > 0:
        return []
    long = np.flatnonzero(np.diff(t) > GAP_INTERVALS * interval_s)
    return [(float(t[place]), float(t[place + 1])) for place in long]


def broken_line(t: Numbers, v: Numbers, cells: int, span: Span) -> tuple[Numbers, Numbers]:
    """A line to draw: its extremes, and a NaN in each gap, so that nothing is drawn across it."""
    keep = extremes(t, v, cells, span)
    missing = gaps(t[np.isfinite(v)], usual_interval(t))
    holes = [(begin + end) / 2 for begin, end in missing if begin < span[1] and end > span[0]]
    shown_t, shown_v = t[keep], v[keep]
    if not holes:
        return shown_t, shown_v
    places = np.searchsorted(shown_t, holes)
    return np.insert(shown_t, places, holes), np.insert(shown_v, places, np.nan)
