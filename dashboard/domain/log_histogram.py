"""Distributions of token counts: logarithmic bins, percentile guides and the cumulative share."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dashboard.domain.columns import Numbers

#: Fewest and most bins; between them the square root of the number of requests.
FEWEST, MOST = 15, 50
GUIDES = (50, 75, 90, 95)


@dataclass(frozen=True, slots=True)
class LogHistogram:
    """`counts` per bin between `edges` (one more), equal steps of ln(tokens).

    `cumulative` is the share of the counted requests at or below each upper edge; `guides` the percentiles
    `GUIDES`, linear-interpolated over all n values, zeros included; `zeros` have no place on a log axis.
    """

    edges: Numbers
    counts: Numbers
    cumulative: Numbers
    guides: tuple[float, ...]
    n: int
    zeros: int


def log_histogram(values: Numbers) -> LogHistogram | None:
    """The distribution of the finite values; None where none is above zero."""
    known = values[np.isfinite(values)]
    positive = known[known > 0]
    if not len(positive):
        return None
    low, high = float(positive.min()), float(positive.max())
    if high / low < 1.01:
        low, high = low / 1.5, high * 1.5
    bins = min(max(math.isqrt(len(positive)), FEWEST), MOST)
    edges = np.exp(np.linspace(math.log(low), math.log(high), bins + 1))
    edges[0], edges[-1] = low, high  # exp(ln(x)) may fall short of x and lose the largest value
    counts = np.histogram(positive, edges)[0].astype(np.float64)
    guides = tuple(float(value) for value in np.percentile(known, GUIDES))
    share = np.cumsum(counts) / counts.sum()
    return LogHistogram(edges, counts, share, guides, len(known), len(known) - len(positive))
