"""The polyline through a frontier: interpolated between neighbours, broken where they are far apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dashboard.domain.columns import Mask, Numbers, Rows
from dashboard.domain.frontier import interpolate_within, unmeasured_gaps
from dashboard.domain.metric import Scale

#: Samples of a line that spans the whole axis; a stretch gets its share, within these limits.
_SAMPLES, _FEWEST, _MOST = 64, 3, 32


@dataclass(frozen=True, slots=True)
class Line:
    """Polylines with NaN between pieces: `x`, `y` interpolated; `gap_x`, `gap_y` straight over gaps."""

    x: Numbers
    y: Numbers
    gap_x: Numbers
    gap_y: Numbers


_NOTHING = np.zeros(0)
NO_LINE = Line(_NOTHING, _NOTHING, _NOTHING, _NOTHING)


def frontier_line(x: Numbers, y: Numbers, scale: Scale, extent: float, *, reciprocal: bool) -> Line:
    """The line through frontier points of strictly rising x.

    `extent` is the width of the axis on its scale (of log x on a log scale), for choosing how many samples
    are enough. The curve is the same function of x on any scale. A `reciprocal` metric (cost) is never
    interpolated itself: its reciprocal, a throughput, is.
    """
    if len(x) < 2:
        return NO_LINE
    place = np.log(x) if scale == "log" else x
    widths = np.diff(place)
    gaps = unmeasured_gaps(x, scale)
    samples = _sample_counts(widths, extent, gaps)
    stretch = np.arange(len(samples)).repeat(samples)
    step = np.arange(len(stretch)) - (samples.cumsum() - samples).repeat(samples)
    along = place[stretch] + step * (widths / samples)[stretch]
    at = np.where(step == 0, x[stretch], np.exp(along) if scale == "log" else along)
    inner = interpolate_within(x, 1.0 / y if reciprocal else y, stretch, at)
    at[gaps[stretch] & (step == 1)] = np.nan
    values = np.where(step == 0, y[stretch], 1.0 / inner if reciprocal else inner)
    values[np.isnan(at)] = np.nan
    starts = np.flatnonzero(gaps)
    return Line(_ended(at, x), _ended(values, y), _chords(x, starts), _chords(y, starts))


def _sample_counts(widths: Numbers, extent: float, gaps: Mask) -> Rows:
    """How many samples each stretch gets, its right end not counted; a gap has its left mark and a break."""
    shares = widths / extent if extent > 0 else np.zeros(len(widths))
    samples: Rows = np.minimum(np.maximum(np.ceil(_SAMPLES * shares), _FEWEST), _MOST).astype(np.intp)
    samples[gaps] = 2
    return samples


def _ended(samples: Numbers, marks: Numbers) -> Numbers:
    """The samples with the last mark after them."""
    return np.concatenate((samples, marks[-1:]))


def _chords(marks: Numbers, starts: Rows) -> Numbers:
    """One coordinate of straight pieces from each start to its right neighbour, NaN after each."""
    if not len(starts):
        return _NOTHING
    return np.column_stack((marks[starts], marks[starts + 1], np.full(len(starts), np.nan))).ravel()


def joined_line(x: Numbers, y: Numbers, owners: Rows) -> Line:
    """Straight lines between neighbours of one owner, for an axis that has no frontier.

    An owner is a configuration and run. Points are sorted by owner, then x; equal x of one owner (repeats)
    are joined too.
    """
    ends = np.flatnonzero(np.diff(owners)) + 1
    return Line(np.insert(x, ends, np.nan), np.insert(y, ends, np.nan), _NOTHING, _NOTHING)
