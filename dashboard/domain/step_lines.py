"""Counts that change in steps: requests in flight, tokens held by those in flight, requests completed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from dashboard.domain.columns import Numbers


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


def largest_per_group(
    start: Numbers, end: Numbers, size: Numbers, group: Sequence[object]
) -> tuple[Numbers, Numbers]:
    """The sum over groups of the largest size in flight in each, after each change.

    A conversation's concurrent requests share their prefix, so it holds about as many tokens as the largest
    of them; requests without a group stand alone.
    """
    members: dict[object, list[int]] = defaultdict(list)
    for place, name in enumerate(group):
        members[name if name is not None else place].append(place)
    moments, changes = [], []
    for places in members.values():
        t, change = _largest(start[places], end[places], size[places])
        moments.append(t)
        changes.append(change)
    return steps(np.concatenate(moments), np.concatenate(changes)) if moments else (np.empty(0), np.empty(0))


def _largest(start: Numbers, end: Numbers, size: Numbers) -> tuple[Numbers, Numbers]:
    """Changes of the largest size in flight within one group."""
    order = np.argsort(start, kind="stable")
    start, end, size = start[order], end[order], size[order]
    if not np.any(start[1:] < np.maximum.accumulate(end)[:-1]):
        return np.concatenate((start, end)), np.concatenate((size, -size))
    edges = np.unique(np.concatenate((start, end)))
    level = np.zeros(len(edges))
    for begin, finish, tokens in zip(start, end, size, strict=True):
        span = slice(np.searchsorted(edges, begin), np.searchsorted(edges, finish))
        level[span] = np.maximum(level[span], tokens)
    return edges, np.diff(level, prepend=0.0)
