"""Boxes in pixels, and finding places for text among them without overlap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dashboard.domain.columns import Numbers, Rows


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        """Whether the two share any area."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def within(self, other: Box) -> bool:
        """Whether this lies wholly inside the other."""
        across = other.left <= self.left and self.right <= other.right
        return across and other.top <= self.top and self.bottom <= other.bottom

    def holds(self, x: Numbers, y: Numbers) -> bool:
        """Whether any of the points lies inside."""
        return bool(((x > self.left) & (x < self.right) & (y > self.top) & (y < self.bottom)).any())


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """About the width of a text in a system font, on the generous side; in pixels."""
    return len(text) * size * (0.64 if bold else 0.58)


def first_free(
    candidates: Iterable[Box], area: Box, taken: Sequence[Box], x: Numbers, y: Numbers
) -> Box | None:
    """The first candidate inside the area that meets no taken box and covers no point."""
    for box in candidates:
        if box.within(area) and not any(box.overlaps(other) for other in taken) and not box.holds(x, y):
            return box
    return None


def traced(x: Numbers, y: Numbers, step: float = 6.0) -> tuple[Numbers, Numbers]:
    """A polyline (NaN between pieces) as points at most `step` apart, so that a box knows whether it is
    crossed.
    """
    if len(x) < 2:
        return x, y
    length = np.hypot(np.diff(x), np.diff(y))
    parts = np.where(np.isfinite(length), np.ceil(length / step), 1).clip(1, 500).astype(int)
    start = np.repeat(np.arange(len(parts)), parts)
    along = (np.arange(len(start)) - np.repeat(np.cumsum(parts) - parts, parts)) / parts[start]
    return _between(x, start, along), _between(y, start, along)


def _between(values: Numbers, start: Rows, along: Numbers) -> Numbers:
    """Values at `along` of the way from each start to the next; a start itself whatever follows it."""
    steps = np.where(along == 0, 0.0, np.diff(values)[start] * along)
    return np.append(values[start] + steps, values[-1])


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions at least `gap` apart within low..high, as near as possible to the wanted ones (least
    squares), in their order.

    Neighbours that are too near become a block around their mean; blocks that meet merge (pool adjacent
    violators). When there is not room for all, they are spread evenly.
    """
    order = np.argsort(np.asarray(wanted, dtype=np.float64), kind="stable")
    if len(order) < 2:
        return [min(max(value, low), high) for value in wanted]
    gap = min(gap, (high - low) / (len(order) - 1))
    shift = gap * np.arange(len(order))
    fitted = _rising(np.asarray(wanted, dtype=np.float64)[order] - shift)
    placed = np.clip(fitted, low, high - shift[-1]) + shift
    result = np.empty(len(order))
    result[order] = placed
    return [float(value) for value in result]


def _rising(values: Numbers) -> Numbers:
    """The nearest non-decreasing sequence (isotonic regression)."""
    blocks: list[list[float]] = []
    for value in values.tolist():
        blocks.append([value, 1.0])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, size = blocks.pop()
            before, count = blocks[-1]
            blocks[-1] = [(before * count + mean * size) / (count + size), count + size]
    return np.concatenate([np.full(int(size), mean) for mean, size in blocks])
