"""Percentiles that move: over the last seconds or requests, and over all so far; linear-interpolated."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dashboard.domain.columns import Numbers, Rows

Counts = NDArray[np.int64]


def over_time(t: Numbers, v: Numbers, at: Numbers, span_s: float, q: float) -> tuple[Numbers, Counts]:
    """The percentile of the values with at - span_s < t <= at, and how many there are; NaN where none.

    `t` ascends, `q` is 0..1, `v` has no missing values.
    """
    return _of_slices(v, np.searchsorted(t, at - span_s, "right"), np.searchsorted(t, at, "right"), q)


def over_count(t: Numbers, v: Numbers, at: Numbers, count: int, q: float) -> tuple[Numbers, Counts]:
    """The percentile of the last `count` values up to each moment, and how many there are."""
    end = np.searchsorted(t, at, "right")
    return _of_slices(v, np.maximum(end - count, 0), end, q)


def _of_slices(v: Numbers, begin: Rows, end: Rows, q: float) -> tuple[Numbers, Counts]:
    found = np.full(len(begin), np.nan)
    for place, (first, last) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        if last > first:
            found[place] = _percentile(v[first:last], q)
    return found, (end - begin).astype(np.int64)


def _percentile(values: Numbers, q: float) -> float:
    """As `numpy.percentile`, without its set-up, which costs more than the work on a short slice."""
    place = q * (len(values) - 1)
    low = math.floor(place)
    parted = np.partition(values, (low, min(low + 1, len(values) - 1)))
    below, above = float(parted[low]), float(parted[min(low + 1, len(values) - 1)])
    return below + (above - below) * (place - low)


def so_far(t: Numbers, v: Numbers, at: Numbers, q: float) -> tuple[Numbers, Counts]:
    """The percentile of all values with t <= at, exact; NaN where there is none yet.

    Ranks are counted in blocks: per moment one row of block counts is searched, then one block is.
    """
    upto = np.searchsorted(t, at, "right")
    n = len(v)
    if not n:
        return np.full(len(at), np.nan), upto.astype(np.int64)
    order = np.argsort(v, kind="stable")  # rank -> place in time
    size = max(int(math.sqrt(n)), 1)
    blocks = -(-n // size)
    arrives = np.searchsorted(upto, order, "right")  # the first moment that contains each rank
    seen = np.zeros((len(at) + 1, blocks), dtype=np.int64)
    np.add.at(seen, (arrives, np.arange(n) // size), 1)
    below = np.cumsum(np.cumsum(seen, axis=0), axis=1)
    ranked = v[order]

    def value(moment: int, k: int) -> float:
        block = int(np.searchsorted(below[moment], k, "right"))
        left = k - (int(below[moment, block - 1]) if block else 0)
        inside = slice(block * size, (block + 1) * size)
        return float(ranked[inside][np.flatnonzero(arrives[inside] <= moment)[left]])

    found = np.full(len(at), np.nan)
    for moment, count in enumerate(upto.tolist()):
        if count:
            place = q * (count - 1)
            low = math.floor(place)
            first, second = value(moment, low), value(moment, min(low + 1, count - 1))
            found[moment] = first + (second - first) * (place - low)
    return found, upto.astype(np.int64)
