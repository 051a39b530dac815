"""Where things are in a figure of curves: axis ranges, the place of each chart, pixels of a data point.

A figure is drawn before its width is known. Pixels here are those of the narrowest figure of an
arrangement; in a wider or taller one things only move apart, so labels placed without collisions stay
without.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dashboard.domain.columns import Numbers
from dashboard.domain.metrics import Scale

Arrangement = Literal["wide", "stacked"]
Range = tuple[float, float]
Zoom = Mapping[str, Range]

#: Margins in pixels: room for ticks at the left, for the axis title above and below.
LEFT, TOP, BOTTOM = 52, 36, 52

_NICE = (1.0, 2.0, 2.5, 5.0, 10.0)
_LOG_PAD = 1.25


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its range in data units and whether it is logarithmic."""

    low: float
    high: float
    scale: Scale

    def inner(self, value: float) -> float:
        """The value in plotly's inner coordinate: log10 on a log axis."""
        return math.log10(value) if self.scale == "log" else value

    def outer(self, inner: float) -> float:
        """The inverse of `inner`."""
        return 10.0**inner if self.scale == "log" else inner

    @property
    def ends(self) -> list[float]:
        """The range as plotly's layout wants it."""
        return [self.inner(self.low), self.inner(self.high)]

    def fraction(self, values: Numbers) -> Numbers:
        """Where values lie on the axis, 0 at the low end and 1 at the high; NaN for what a log axis cannot
        show.
        """
        low, high = self.ends
        with np.errstate(divide="ignore", invalid="ignore"):
            inner = np.log10(values) if self.scale == "log" else np.asarray(values, dtype=np.float64)
        return np.asarray((inner - low) / (high - low), dtype=np.float64)

    def at(self, fraction: float) -> float:
        """The value at a fraction of the axis, in plotly's inner coordinate."""
        low, high = self.ends
        return low + fraction * (high - low)


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart in a figure: its axes' names, its place as fractions of the plot area, its least size in
    pixels.
    """

    index: int
    x_name: str
    y_name: str
    x: Axis
    y: Axis
    x_domain: Range
    y_domain: Range
    width: float
    height: float

    def pixels(self, x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
        """Data points in pixels from the chart's top left corner."""
        return self.x.fraction(x) * self.width, (1.0 - self.y.fraction(y)) * self.height


#: Least width of the plot area of both charts, and height of one, by arrangement.
_WIDTH: Mapping[Arrangement, float] = {"wide": 640.0, "stacked": 290.0}
_HEIGHT: Mapping[Arrangement, float] = {"wide": 408.0, "stacked": 360.0}

#: Where names stand at the right of a chart without a margin of its own.
_BESIDE_NAMES = 0.66

#: Places of two charts, as fractions of the plot area: across, then upwards.
_WIDE: tuple[tuple[Range, Range], ...] = (((0.0, 0.51), (0.0, 1.0)), ((0.555, 1.0), (0.0, 1.0)))
_STACKED: tuple[tuple[Range, Range], ...] = (((0.0, 1.0), (0.557, 1.0)), ((0.0, _BESIDE_NAMES), (0.0, 0.443)))


def panels(x_axes: Sequence[Axis], y: Axis, arrangement: Arrangement) -> tuple[Panel, ...]:
    """The charts of a figure: one large one, or two beside or under each other on the same y axis."""
    places = _places(len(x_axes), arrangement)
    return tuple(
        Panel(
            index=index,
            x_name="x" if index == 0 else f"x{index + 1}",
            y_name="y" if index == 0 or arrangement == "wide" else f"y{index + 1}",
            x=axis,
            y=y,
            x_domain=place[0],
            y_domain=place[1],
            width=_WIDTH[arrangement] * (place[0][1] - place[0][0]),
            height=_HEIGHT[arrangement],
        )
        for index, (axis, place) in enumerate(zip(x_axes, places, strict=True))
    )


def _places(count: int, arrangement: Arrangement) -> tuple[tuple[Range, Range], ...]:
    if count == 1:
        right = 1.0 if arrangement == "wide" else _BESIDE_NAMES
        return (((0.0, right), (0.0, 1.0)),)
    return _WIDE if arrangement == "wide" else _STACKED


def axis_over(values: Numbers, scale: Scale, zoom: Range | None) -> Axis:
    """The axis for values: from 0 to a round number, or by ratio on a log axis; a usable zoom decides
    instead.
    """
    if zoom is not None and zoom[0] < zoom[1] and (scale == "linear" or zoom[0] > 0):
        return Axis(zoom[0], zoom[1], scale)
    shown = values[np.isfinite(values) & ((values > 0) | (scale == "linear"))]
    if not shown.size:
        return Axis(0.1, 1.0, scale) if scale == "log" else Axis(0.0, 1.0, scale)
    low, high = float(shown.min()), float(shown.max())
    if scale == "log":
        return Axis(low / _LOG_PAD, high * _LOG_PAD, scale)
    return Axis(min(0.0, low), _round_above(high * 1.04), scale)


def _round_above(value: float) -> float:
    """The next multiple of a round step at or above a positive value; about ten steps from 0."""
    if value <= 0:
        return 1.0
    step = _step(value)
    return math.ceil(value / step - 1e-9) * step


def _step(value: float) -> float:
    rough = value / 10
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * nice for nice in _NICE if power * nice >= rough * (1 - 1e-9))
