"""Counts that change in steps: requests in flight, tokens held by those in flight, requests completed."""

from __future__ import annotations

import numpy as np

from dashboard.domain.columns import Numbers, Rows


def steps(moments: Numbers, changes: Numbers) -> tuple[Numbers, Numbers]:
    """The running sum of changes, once per distinct moment; all changes of one moment happen together."""
    if not len(moments):
        return np.empty(0), np.empty(0)
    order = np.argsort(moments, kind="stable")
    t, level = moments[order], np.cumsum(changes[order])
    last = np.append(np.flatnonzero(np.diff(t)), len(t) - 1)
    return t[last], level[last]


def in_flight(start: Numbers, end: Numbers) -> tuple[Numbers, Numbers]:
    """How many requests have started and not ended, after each change; seconds in, seconds out."""
    ones = np.ones(len(start))
    return steps(np.concatenate((start, end)), np.concatenate((ones, -ones)))


def completed(end: Numbers) -> tuple[Numbers, Numbers]:
    """How many requests have ended so far."""
    return steps(end, np.ones(len(end)))


def largest_per_group(start: Numbers, end: Numbers, size: Numbers, group: Rows) -> tuple[Numbers, Numbers]:
    """The sum over groups of the largest size in flight in each, after each change.

    A conversation's concurrent requests share their prefix, so it holds about as many tokens as the largest
    of them; a request whose group is negative stands alone. `end` is never before `start`.
    """
    if not len(start):
        return np.empty(0), np.empty(0)
    own = np.where(group >= 0, group, np.max(group, initial=0) + 1 + np.arange(len(group)))
    order = np.lexsort((start, own))
    start, end, size = start[order], end[order], size[order]
    begins = _clusters(start, end, own[order])
    ends = np.append(begins[1:], len(start))
    alone = begins[ends - begins == 1]
    moments, changes = [start[alone], end[alone]], [size[alone], -size[alone]]
    for first, after in zip(
        begins[ends - begins > 1].tolist(), ends[ends - begins > 1].tolist(), strict=True
    ):
        t, change = _largest(start[first:after], end[first:after], size[first:after])
        moments.append(t)
        changes.append(change)
    return steps(np.concatenate(moments), np.concatenate(changes))


def _clusters(start: Numbers, end: Numbers, group: Rows) -> Rows:
    """Where each stretch of overlapping requests of one group begins; requests by group, then by start."""
    place = np.cumsum(np.diff(group, prepend=group[0]) != 0)
    shift = place * (float(end.max() - start.min()) + 1.0)  # each group on a stretch of time of its own
    reach = np.maximum.accumulate(end + shift)
    return np.flatnonzero(np.append(True, (start + shift)[1:] >= reach[:-1]))


def _largest(start: Numbers, end: Numbers, size: Numbers) -> tuple[Numbers, Numbers]:
    """Changes of the largest size in flight among requests that overlap."""
    edges = np.unique(np.concatenate((start, end)))
    level = np.zeros(len(edges))
    for begin, finish, tokens in zip(start, end, size, strict=True):
        span = slice(np.searchsorted(edges, begin), np.searchsorted(edges, finish))
        level[span] = np.maximum(level[span], tokens)
    return edges, np.diff(level, prepend=0.0)
