"""Pareto sets and interpolation along them, with explicit directions."""

from __future__ import annotations

import numpy as np

from dashboard.domain.columns import Mask, Numbers, Rows
from dashboard.domain.metric import Scale

#: A stretch between neighbours is unmeasured when its ends are more than this ratio apart, and ...
GAP_RATIO = 2.5
#: ... where the curve has other stretches, it is this many times their median and ...
GAP_TIMES_MEDIAN = 3.0
#: ... at least this share of the curve's extent, both on the displayed scale.
GAP_SHARE = 0.25


def pareto(x: Numbers, y: Numbers, *, maximise_x: bool, maximise_y: bool) -> Rows:
    """Indices of the points that no other dominates, by rising x.

    A point dominates another when it is at least as good in both directions and better in one. Of equal
    points the first stays, of equal x the best y, of equal y the best x. NaN and infinite values never take
    part.
    """
    rows = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    gain_x = x[rows] if maximise_x else -x[rows]
    gain_y = y[rows] if maximise_y else -y[rows]
    best_first = np.lexsort((rows, -gain_y, -gain_x))
    heights = gain_y[best_first]
    best_before = np.concatenate(([-np.inf], np.maximum.accumulate(heights)[:-1])) if len(rows) else heights
    kept: Rows = rows[best_first[heights > best_before]]
    return kept[::-1] if maximise_x else kept


def interpolate(x: Numbers, y: Numbers, at: Numbers) -> Numbers:
    """The monotone cubic through (x, y) at the given places; NaN outside the range of x.

    Steffen, M. (1990), "A simple method for monotonic interpolation in one dimension", Astron. Astrophys.
    239, 443-450: between two points the curve stays between their values. `x` rises strictly. One point
    gives its own value at its own x.
    """
    if len(x) < 2:
        return np.where(np.isin(at, x), y[0] if len(y) else np.nan, np.nan)
    stretch = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2)
    inside = (at >= x[0]) & (at <= x[-1])
    return np.where(inside, interpolate_within(x, y, stretch, at), np.nan)


def interpolate_within(x: Numbers, y: Numbers, stretch: Rows, at: Numbers) -> Numbers:
    """As `interpolate`, for two points or more and places whose stretch (its left point) is known."""
    width = np.diff(x)
    slope = np.diff(y) / width
    tangent = _steffen_tangents(width, slope)
    start, end, mean = tangent[:-1], tangent[1:], slope
    cubic = ((start + end - 2.0 * mean) / width**2)[stretch]
    square = ((3.0 * mean - 2.0 * start - end) / width)[stretch]
    t = at - x[stretch]
    value = y[stretch] + t * (start[stretch] + t * (square + t * cubic))
    low, high = np.minimum(y[:-1], y[1:])[stretch], np.maximum(y[:-1], y[1:])[stretch]
    return np.asarray(np.minimum(np.maximum(value, low), high))


def _steffen_tangents(width: Numbers, slope: Numbers) -> Numbers:
    """Steffen's derivative at each point, from the widths and slopes of the stretches between them."""
    if len(slope) == 1:
        return np.repeat(slope, 2)
    before, after = slope[:-1], slope[1:]
    parabola = (before * width[1:] + after * width[:-1]) / (width[:-1] + width[1:])
    limit = np.minimum(np.minimum(np.abs(before), np.abs(after)), 0.5 * np.abs(parabola))
    inner = (np.sign(before) + np.sign(after)) * limit
    first = _end_tangent(width[0], width[1], slope[0], slope[1])
    last = _end_tangent(width[-1], width[-2], slope[-1], slope[-2])
    return np.concatenate(([first], inner, [last]))


def _end_tangent(width: float, next_width: float, slope: float, next_slope: float) -> float:
    """Steffen's derivative at an end: that of the parabola through the last three points, held monotone."""
    share = width / (width + next_width)
    parabola = slope * (1.0 + share) - next_slope * share
    if parabola * slope <= 0:
        return 0.0
    return 2.0 * slope if abs(parabola) > 2.0 * abs(slope) else parabola


def unmeasured_gaps(x: Numbers, scale: Scale) -> Mask:
    """Whether each stretch between neighbouring x is too wide on the displayed scale to pass for measured.

    A sweep that doubles the load moves latency and rate by about a factor of two a step; a curve with a step
    that is much longer than its others has a place where nobody measured. `x` is positive and rises
    strictly; the result has one entry per stretch.
    """
    if len(x) < 2:
        return np.zeros(0, dtype=np.bool_)
    far = np.asarray(x[1:] > GAP_RATIO * x[:-1])
    if len(x) == 2:
        return far
    widths = np.diff(np.log(x) if scale == "log" else x)
    wide = widths > GAP_TIMES_MEDIAN * _median_of_others(widths)
    return np.asarray(far & wide & (widths >= GAP_SHARE * widths.sum()), dtype=np.bool_)


def _median_of_others(widths: Numbers) -> Numbers:
    """For each width the median of all the others; at least two widths."""
    size = len(widths)
    order = np.sort(widths)
    rank = np.searchsorted(order, widths)
    kept = size - 1
    below, above = (kept - 1) // 2, kept // 2
    lower = order[below + (rank <= below)]
    upper = order[above + (rank <= above)]
    return np.asarray((lower + upper) / 2.0)


def value_at(x: Numbers, y: Numbers, at: float, scale: Scale) -> float:
    """The value of a frontier's line at one place: NaN outside the measured range and inside a gap."""
    if not len(x) or not x[0] <= at <= x[-1]:
        return float("nan")
    place = int(np.searchsorted(x, at))
    if x[place] == at:
        return float(y[place])
    if unmeasured_gaps(x, scale)[place - 1]:
        return float("nan")
    return float(interpolate(x, y, np.array([at]))[0])
