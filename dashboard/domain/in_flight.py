"""How many requests are in flight at a moment: started and not yet ended."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dashboard.domain.columns import Mask, Numbers

#: Moments in whole ns of one clock.
Nanoseconds = NDArray[np.int64]


def in_flight_at(moments: Nanoseconds, start_ns: Nanoseconds, end_ns: Nanoseconds) -> NDArray[np.int64]:
    """Requests with start <= moment < end, per moment; what ends as another starts is no longer in flight."""
    begun = np.searchsorted(np.sort(start_ns), moments, side="right")
    over = np.searchsorted(np.sort(np.maximum(end_ns, start_ns)), moments, side="right")
    return np.asarray(begun - over, dtype=np.int64)


def in_flight_at_start(start_ns: Nanoseconds, end_ns: Nanoseconds, known: Mask) -> Numbers:
    """Requests in flight when each one starts, itself included; NaN where `known` says it has no times.

    Requests of all phases belong in, since a server does not know of phases; those without both times cannot
    be counted.
    """
    found = np.full(len(start_ns), np.nan)
    found[known] = np.maximum(in_flight_at(start_ns[known], start_ns[known], end_ns[known]), 1)
    return found
