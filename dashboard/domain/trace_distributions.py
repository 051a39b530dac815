"""Distributions of recorded sessions on axes that several datasets share: bins, percentiles."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dashboard.domain.columns import Columns, Numbers

Unit = Literal["tokens", "share", "seconds", "count"]
PERCENTILES = (50, 75, 90, 95)
BINS = 40


@dataclass(frozen=True, slots=True)
class Quantity:
    """What is distributed: its name, what it is counted over, its unit, and if its axis is logarithmic."""

    key: str
    label: str
    of: str
    unit: Unit
    log: bool


QUANTITIES: tuple[Quantity, ...] = (
    Quantity("isl", "Input tokens", "requests", "tokens", True),
    Quantity("osl", "Output tokens", "requests", "tokens", True),
    Quantity("uncached", "Uncached input tokens", "requests", "tokens", True),
    Quantity("cached_share", "Cached share of input", "requests", "share", False),
    Quantity("turns", "Turns per conversation", "conversations", "count", True),
    Quantity("delay_s", "Delay before a turn", "turns after another", "seconds", True),
    Quantity("subagents", "Subagents per conversation", "conversations", "count", False),
    Quantity("subagent_s", "Subagent wall time", "subagents", "seconds", True),
    Quantity("subagent_isl", "Subagent input tokens", "subagent requests", "tokens", True),
    Quantity("subagent_osl", "Subagent output tokens", "subagent requests", "tokens", True),
)


@dataclass(frozen=True, slots=True)
class Axis:
    """Where bins end: `edges` has one more than there are bins; `at` gives the place of a value, 0 to 1."""

    edges: Numbers
    log: bool

    def at(self, value: float) -> float:
        """The place of a value on the axis, cut at its ends."""
        low, high = float(self.edges[0]), float(self.edges[-1])
        if self.log:
            low, high, value = math.log(low), math.log(high), math.log(max(value, low))
        return min(max((value - low) / (high - low), 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class Spread:
    """One dataset's values on an axis: counts per bin, n, percentiles (linear-interpolated) and the largest.

    `below` counts values that have no place on a logarithmic axis: zeros.
    """

    counts: Numbers
    n: int
    below: int
    percentiles: tuple[float, ...]
    largest: float


def axis_of(quantity: Quantity, every: Sequence[Numbers]) -> Axis | None:
    """One axis for the values of several datasets; None where there is nothing to show."""
    values = np.concatenate([np.empty(0), *(column[np.isfinite(column)] for column in every)])
    if quantity.unit == "share":
        return Axis(np.linspace(0, 1, BINS + 1), log=False) if len(values) else None
    shown = values[values > 0] if quantity.log else values
    if not len(shown):
        return None
    low, high = float(shown.min()), float(shown.max())
    if not quantity.log:
        return Axis(np.linspace(-0.5, max(high, 1) + 0.5, int(min(max(high, 1) + 2, BINS + 1))), log=False)
    if high / low < 2:
        low, high = low / 1.5, high * 1.5
    edges = np.geomspace(low, high, BINS + 1)
    edges[0], edges[-1] = low, high
    return Axis(edges, log=True)


def spread(values: Numbers, axis: Axis) -> Spread | None:
    """The values on an axis; None where none is known."""
    known = values[np.isfinite(values)]
    if not len(known):
        return None
    below = int((known <= 0).sum()) if axis.log else 0
    return Spread(
        counts=np.histogram(known, axis.edges)[0].astype(np.float64),
        n=len(known),
        below=below,
        percentiles=tuple(float(value) for value in np.percentile(known, PERCENTILES)),
        largest=float(known.max()),
    )


def spreads(quantity: Quantity, every: Mapping[str, Columns]) -> tuple[Axis, Mapping[str, Spread]] | None:
    """A quantity of several datasets by name, on one axis; None where none of them has it."""
    columns = {name: np.asarray(columns[quantity.key], np.float64) for name, columns in every.items()}
    axis = axis_of(quantity, list(columns.values()))
    if axis is None:
        return None
    found = {name: spread(values, axis) for name, values in columns.items()}
    return axis, {name: one for name, one in found.items() if one is not None}
