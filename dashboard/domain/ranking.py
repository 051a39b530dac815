"""Which series stand in colour when there are more than a reader can tell apart."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from dashboard.domain.columns import Numbers

#: As many saturated lines as a reader can hold apart at first sight.
MOST_IN_COLOUR = 8

_LEVELS = 16


def scores(
    curves: Sequence[tuple[Numbers, Numbers]], *, maximise_x: bool | None, maximise_y: bool
) -> Numbers:
    """How good each frontier is, comparable among the curves of one chart; a curve without points scores 0.

    A curve is the pair (x by rising value, y), both positive. The score is the mean of the best y that the
    curve offers at service levels spread evenly over log x of the chart, 0 where it does not reach the
    level. For y that is better when lower, 1 / y counts. `maximise_x` None (no direction): the best y
    alone.
    """
    gains = [(x, y if maximise_y else 1.0 / y) for x, y in curves]
    if maximise_x is None:
        return np.array([gain.max(initial=0.0) for _, gain in gains])
    everything = np.concatenate([x for x, _ in gains]) if gains else np.zeros(0)
    if not len(everything):
        return np.zeros(len(gains))
    levels = np.geomspace(everything.min(), everything.max(), _LEVELS)
    return np.array([_reached(x, gain, levels, maximise_x) for x, gain in gains])


def _reached(x: Numbers, gain: Numbers, levels: Numbers, maximise_x: bool) -> float:
    """Mean gain over the levels; a level easier than the curve's easiest point is met by that point."""
    if not len(x):
        return 0.0
    left, right = (gain[0], 0.0) if maximise_x else (0.0, gain[-1])
    return float(np.interp(levels, x, gain, left=left, right=right).mean())


def in_colour(
    accelerators: Sequence[Hashable], keys: Sequence[str], score: Numbers
) -> tuple[list[int], set[int]]:
    """The order of the series, best first, and which of them stand in colour.

    The best series of each accelerator comes first into colour, the best accelerators before others; places
    that are left go to the best of the rest. Ties are broken by key.
    """
    order = sorted(range(len(keys)), key=lambda index: (-score[index], keys[index]))
    best_of: dict[Hashable, int] = {}
    for index in order:
        best_of.setdefault(accelerators[index], index)
    firsts = list(best_of.values())
    rest = [index for index in order if index not in firsts]
    return order, set((firsts + rest)[:MOST_IN_COLOUR])
