"""The one time axis of a run: seconds from the start of its profiling phase; warm-up is negative.

Pages, routes, links and exports place a request or a server sample by this module only, so that a window in a
URL means the same moment everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.domain.columns import Numbers

#: Moments in whole ns since the epoch.
Nanoseconds = NDArray[np.int64]

PROFILING = "profiling"


@dataclass(frozen=True, slots=True)
class RunAxis:
    """`zero_ns` is second 0; `phase` names the phase whose first request stands there."""

    zero_ns: int
    phase: str = PROFILING

    def seconds(self, moments_ns: Nanoseconds) -> Numbers:
        """Moments as seconds on the axis; subtracted as integers, so that no ns is lost to rounding."""
        return np.asarray((moments_ns - np.int64(self.zero_ns)).astype(np.float64) / 1e9)

    def second(self, moment_ns: int) -> float:
        """One moment as seconds on the axis."""
        return (moment_ns - self.zero_ns) / 1e9

    def moment_ns(self, second: float) -> int:
        """A second of the axis as a moment, to the nearest ns."""
        return self.zero_ns + round(second * 1e9)


def run_axis(phases: Any, credit_ns: Any, start_ns: Any) -> RunAxis | None:
    """The axis of a run from its requests, as sequences with None where a time is missing.

    Zero is the first profiling request's credit where that is known, else its start; without a profiling
    request the first one of any phase. None where no request has a time.
    """
    known = [
        (begin, phase or "")
        for phase, credit, start in zip(phases, credit_ns, start_ns, strict=True)
        if (begin := credit if credit is not None else start) is not None
    ]
    if not known:
        return None
    profiling = [begin for begin, phase in known if phase == PROFILING]
    if profiling:
        return RunAxis(int(min(profiling)))
    begin, phase = min(known)
    return RunAxis(int(begin), phase)
