"""Samples of server telemetry: one series of a source, and how several of them become one.

A counter's value is the increase over its interval, a gauge's value is its mean there. Sums of sources whose
scrapes do not share their moments are formed over one of them: increases by linear interpolation of the
other's running total (so that no token is lost), gauges by the value that held (data-contracts 5.6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dashboard.domain.columns import Numbers

Nanoseconds = npt.NDArray[np.int64]

WARMUP, PROFILING, UNSAID = 0, 1, 2
#: The phases of samples by their code; what lies outside both has none.
PHASES = ("warmup", "profiling")


@dataclass(frozen=True, slots=True)
class Samples:
    """Intervals in time order: start in epoch ns, seconds of width, value, code of the phase."""

    t_ns: Nanoseconds
    width_s: Numbers
    value: Numbers
    phase: npt.NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.t_ns)

    def chosen(self, keep: npt.NDArray[np.bool_] | npt.NDArray[np.intp]) -> Samples:
        """Some of the intervals."""
        return Samples(self.t_ns[keep], self.width_s[keep], self.value[keep], self.phase[keep])

    def valued(self, value: Numbers) -> Samples:
        """The same intervals with other values."""
        return Samples(self.t_ns, self.width_s, value, self.phase)

    @property
    def ends_ns(self) -> Nanoseconds:
        """Where the intervals end, in epoch ns."""
        return self.t_ns + np.rint(self.width_s * 1e9).astype(np.int64)


def in_order(parts: Sequence[Samples]) -> Samples:
    """Parts of one series (warm-up, profiling) in time order; what warm-up repeats is dropped."""
    whole = joined(parts)
    profiling = whole.t_ns[whole.phase == PROFILING]
    if 0 < len(profiling) < len(whole):
        whole = whole.chosen((whole.phase != WARMUP) | (whole.t_ns < profiling.min()))
    if np.all(np.diff(whole.t_ns) > 0):
        return whole
    _, first = np.unique(whole.t_ns, return_index=True)
    return whole.chosen(first)


def joined(parts: Sequence[Samples]) -> Samples:
    """Intervals of all parts, part after part."""
    if len(parts) == 1:
        return parts[0]
    return Samples(
        np.concatenate([part.t_ns for part in parts]),
        np.concatenate([part.width_s for part in parts]),
        np.concatenate([part.value for part in parts]),
        np.concatenate([part.phase for part in parts]),
    )


def increases(t_ns: Nanoseconds, total: Numbers, phase: npt.NDArray[np.int8]) -> Samples:
    """A counter's readings as increases between them; across a reset nothing is known, so there is none."""
    step = np.diff(total)
    made = Samples(t_ns[:-1], np.diff(t_ns) / 1e9, step, phase[1:])
    return made.chosen(step >= 0)


def readings(t_ns: Nanoseconds, value: Numbers, phase: npt.NDArray[np.int8]) -> Samples:
    """A gauge's readings, each until it was seen to be otherwise: the last one has no interval."""
    return Samples(t_ns[:-1], np.diff(t_ns) / 1e9, value[:-1], phase[:-1])


def over(base: Samples, other: Samples, counter: bool) -> Numbers:
    """The values of `other` in the intervals of `base`; NaN for a gauge that has not started or has ended."""
    if np.array_equal(base.t_ns, other.t_ns):
        return other.value
    if counter:
        return _total_at(other, base.ends_ns) - _total_at(other, base.t_ns)
    place = np.searchsorted(other.t_ns, base.t_ns + np.rint(base.width_s * 5e8).astype(np.int64), "right") - 1
    there = (place >= 0) & (base.t_ns < other.ends_ns[-1])
    return np.where(there, other.value[np.maximum(place, 0)], np.nan)


def _total_at(samples: Samples, moments: Nanoseconds) -> Numbers:
    """The running total at some moments, growing evenly inside each interval."""
    zero = int(samples.t_ns[0])
    edges = np.column_stack((samples.t_ns - zero, samples.ends_ns - zero)).ravel().astype(np.float64)
    total = np.cumsum(samples.value)
    heights = np.column_stack((total - samples.value, total)).ravel()
    return np.interp((moments - zero).astype(np.float64), np.maximum.accumulate(edges), heights)


def added(members: Sequence[Samples], counter: bool) -> Samples:
    """The sum of series of one source that split a quantity by a label (streaming, reason)."""
    ordered = sorted(members, key=len, reverse=True)
    base, rest = ordered[0], ordered[1:]
    if not rest:
        return base
    early, late = base.t_ns[0], base.ends_ns[-1]
    outside = [other.chosen((other.ends_ns <= early) | (other.t_ns >= late)) for other in rest]
    value = base.value + np.sum([np.nan_to_num(over(base, other, counter)) for other in rest], axis=0)
    whole = joined([base.valued(value), *(part for part in outside if len(part))])
    return whole.chosen(np.argsort(whole.t_ns, kind="stable"))


def is_mirror(one: Samples, other: Samples) -> bool:
    """Whether two counters of different endpoints count the same events while both are there.

    Two workers under an even load have similar totals, a mirror has the same running total at any time: the
    two may differ by 1 % and by what is counted in two intervals, since scrapes are not simultaneous, but
    never by more than 5 %.
    """
    begin = max(int(one.t_ns[0]), int(other.t_ns[0]))
    end = min(int(one.ends_ns[-1]), int(other.ends_ns[-1]))
    if begin >= end:
        return False
    moments = np.unique(np.clip(np.concatenate((one.ends_ns, other.ends_ns)), begin, end))
    first = np.array([begin], np.int64)
    grown = [_total_at(part, moments) - _total_at(part, first) for part in (one, other)]
    total = max(float(grown[0][-1]), float(grown[1][-1]))
    allowed = 0.01 * total + 2 * max(float(np.max(one.value)), float(np.max(other.value)))
    return bool(np.max(np.abs(grown[0] - grown[1])) <= min(allowed, 0.05 * total))
