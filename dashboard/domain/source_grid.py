"""Several sources of one quantity (ranks, workers) on one time grid: kept apart, summed, averaged.

Scrapes of different sources do not share their moments. Each source is held at its last sample for at most
`GAP_INTERVALS` of its own usual intervals; where a source is missing inside its own observed time the sum is
missing too, since a sum of the others would look like a dip. Before a source starts it does not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dashboard.domain.columns import Numbers
from dashboard.domain.downsample import GAP_INTERVALS, usual_interval

#: A grid is never longer, however dense the samples.
MOST_TICKS = 50_000


@dataclass(frozen=True, slots=True)
class Source:
    """Samples of one source: seconds on the run's axis, values, and the seconds that each one stands for."""

    name: str
    t: Numbers
    v: Numbers
    width_s: Numbers


def grid_of(sources: Sequence[Source]) -> Numbers:
    """One uniform grid over all sources, at the finest usual interval among them."""
    used = [source for source in sources if len(source.t)]
    if not used:
        return np.empty(0)
    begin = min(float(source.t[0]) for source in used)
    end = max(float(source.t[-1]) for source in used)
    steps = [step for source in used if (step := usual_interval(source.t)) > 0]
    if not steps or end <= begin:
        return np.array([begin])
    step = max(min(steps), (end - begin) / MOST_TICKS)
    return np.asarray(begin + step * np.arange(int((end - begin) / step + 0.5) + 1), dtype=np.float64)


def held(source: Source, grid: Numbers) -> Numbers:
    """The source's last value at each moment of the grid; NaN before it starts and in its gaps."""
    found = np.full(len(grid), np.nan)
    if not len(source.t):
        return found
    interval = usual_interval(source.t)
    reach = GAP_INTERVALS * interval if interval > 0 else float(np.max(source.width_s, initial=0.0))
    # A grid moment that floats a hair before its own sample still means that sample.
    place = np.searchsorted(source.t, grid + 1e-6, "right") - 1
    known = place >= 0
    age = grid[known] - source.t[place[known]]
    found[known] = np.where(age <= reach, source.v[place[known]], np.nan)
    found[grid > source.t[-1] + max(float(source.width_s[-1]), interval if interval > 0 else 0.0)] = np.nan
    return found


def _missing_inside(
    source: Source, grid: Numbers, values: Numbers
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    if not len(source.t):
        return np.zeros(len(grid), dtype=np.bool_)
    inside = (grid >= source.t[0]) & (grid <= source.t[-1])
    return np.asarray(inside & ~np.isfinite(values))


def summed(sources: Sequence[Source], grid: Numbers) -> Numbers:
    """The sum over sources; NaN where one that has started and not ended is missing, or none is there."""
    rows = [(source, held(source, grid)) for source in sources]
    if not rows:
        return np.full(len(grid), np.nan)
    values = np.vstack([row for _, row in rows])
    total = np.where(np.isfinite(values).any(axis=0), np.nansum(values, axis=0), np.nan)
    broken = np.vstack([_missing_inside(source, grid, row) for source, row in rows]).any(axis=0)
    return np.where(broken, np.nan, total)


def averaged(sources: Sequence[Source], grid: Numbers) -> Numbers:
    """The mean over the sources that are there; NaN where none is."""
    if not sources:
        return np.full(len(grid), np.nan)
    values = np.vstack([held(source, grid) for source in sources])
    count = np.isfinite(values).sum(axis=0)
    total = np.nansum(values, axis=0)
    mean: Numbers = np.divide(total, count, out=np.full(len(grid), np.nan), where=count > 0)
    return mean


def ratio_of_sums(part: Numbers, whole: Numbers, ticks: int) -> Numbers:
    """Part over whole, both summed over the last `ticks` moments of a uniform grid; NaN for 0 of 0.

    A moment with either missing counts in neither sum. What comes out above 1 stays so.
    """
    both = np.isfinite(part) & np.isfinite(whole)
    over = _moving_sum(np.where(both, part, 0.0), ticks)
    under = _moving_sum(np.where(both, whole, 0.0), ticks)
    share: Numbers = np.divide(over, under, out=np.full(len(part), np.nan), where=(under > 1e-9) & both)
    return share


def _moving_sum(values: Numbers, ticks: int) -> Numbers:
    total = np.concatenate(([0.0], np.cumsum(values)))
    place = np.arange(1, len(total))
    return np.asarray(total[place] - total[np.maximum(place - ticks, 0)])
