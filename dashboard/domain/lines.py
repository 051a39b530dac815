"""The polyline through a frontier: interpolated where neighbours are measured, broken where they are far apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dashboard.domain.columns import Numbers, Rows
from dashboard.domain.frontier import interpolate, unmeasured_gaps
from dashboard.domain.metric import Scale

#: Samples of a line that spans the whole axis; a stretch gets its share, within these limits.
_SAMPLES, _FEWEST, _MOST = 64, 3, 32


@dataclass(frozen=True, slots=True)
class Line:
    """Polylines with NaN between pieces: `x`, `y` interpolated, `gap_x`, `gap_y` straight over what is unmeasured."""

    x: Numbers
    y: Numbers
    gap_x: Numbers
    gap_y: Numbers


_NOTHING = np.zeros(0)
NO_LINE = Line(_NOTHING, _NOTHING, _NOTHING, _NOTHING)


def frontier_line(x: Numbers, y: Numbers, scale: Scale, extent: float, *, reciprocal: bool) -> Line:
    """The line through frontier points of strictly rising x.

    `extent` is the width of the axis on its scale (of log x on a log scale), for choosing how many samples are enough. The
    curve is the same function of x on any scale. A `reciprocal` metric (cost) is never interpolated itself: its
    reciprocal, a throughput, is.
    """
    if len(x) < 2:
        return NO_LINE
    gaps = unmeasured_gaps(x, scale)
    place = np.log(x) if scale == "log" else x
    shares = np.diff(place) / extent if extent > 0 else np.zeros(len(x) - 1)
    samples = np.clip(np.ceil(_SAMPLES * shares), _FEWEST, _MOST).astype(np.intp)
    samples[gaps] = 2
    stretch = np.repeat(np.arange(len(samples)), samples)
    step = np.arange(len(stretch)) - np.repeat(np.cumsum(samples) - samples, samples)
    along = place[stretch] + step / samples[stretch] * (place[stretch + 1] - place[stretch])
    at = np.where(step == 0, x[stretch], np.exp(along) if scale == "log" else along)
    at = np.append(at, x[-1])
    values = 1.0 / interpolate(x, 1.0 / y, at) if reciprocal else interpolate(x, y, at)
    breaks = np.append(gaps[stretch] & (step == 1), False)
    at[breaks] = values[breaks] = np.nan
    return Line(at, values, *_chords(x, y, np.flatnonzero(gaps)))


def _chords(x: Numbers, y: Numbers, starts: Rows) -> tuple[Numbers, Numbers]:
    """Straight pieces from each start to its right neighbour, NaN after each."""
    blank = np.full(len(starts), np.nan)
    across = np.column_stack((x[starts], x[starts + 1], blank)).ravel()
    up = np.column_stack((y[starts], y[starts + 1], blank)).ravel()
    return across, up


def joined_line(x: Numbers, y: Numbers, owners: Rows) -> Line:
    """Straight lines between neighbours of one owner (configuration and run), for an axis that has no frontier.

    Points are sorted by owner, then x; equal x of one owner (repeats) are joined too.
    """
    ends = np.flatnonzero(np.diff(owners)) + 1
    return Line(np.insert(x, ends, np.nan), np.insert(y, ends, np.nan), _NOTHING, _NOTHING)
