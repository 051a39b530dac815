"""What a metric is, and the ways to read one from the columns of the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from dashboard.domain.columns import Columns, Numbers, numbers, texts

#: Statistics a reader can choose for a per-request quantity, in the order of the menu.
STATS = ("p50", "p75", "p90", "p95", "p99", "mean")

Better = Literal["higher", "lower", "neither"]
Scale = Literal["linear", "log"]


@dataclass(frozen=True, slots=True)
class Economics:
    """What turns a rate into money and power, by hardware key; a hardware that is not listed has no price.

    `usd_per_gpu_hour` already holds the reader's own prices; `kw_per_gpu` is all-in provisioned power, not
    TDP. `price_note` names tier, date and source of what is used ("own-and-operate, Aug 2026", "your price:
    b300 2.50").
    """

    usd_per_gpu_hour: Mapping[str, float]
    kw_per_gpu: Mapping[str, float]
    price_note: str


class Reading(Protocol):
    """How one metric is read: `column` may hold `{stat}`; values are float64, NaN for missing."""

    @property
    def column(self) -> str:
        """The stored column, with `{stat}` where the statistic goes."""

    @property
    def needs_hardware(self) -> bool:
        """Whether price or power of the hardware enters."""

    def read(self, columns: Columns, column: str, economics: Economics) -> Numbers:
        """The metric of each row from the named stored column."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The column as it stands."""

    column: str
    needs_hardware: bool = False

    def read(self, columns: Columns, column: str, economics: Economics) -> Numbers:
        """The stored values."""
        return numbers(columns, column)


@dataclass(frozen=True, slots=True)
class Reciprocal:
    """1 / column: a rate from a stored time; NaN where the time is not positive."""

    column: str
    needs_hardware: bool = False

    def read(self, columns: Columns, column: str, economics: Economics) -> Numbers:
        """The reciprocal of the stored values."""
        return _divide(np.float64(1.0), numbers(columns, column))


@dataclass(frozen=True, slots=True)
class TokensPerDollar:
    """Tokens that one dollar buys: rate x 3600 / price."""

    column: str
    needs_hardware: bool = True

    def read(self, columns: Columns, column: str, economics: Economics) -> Numbers:
        """Rate x 3600 s/h over the price of a GPU hour."""
        price = _by_hardware(columns, economics.usd_per_gpu_hour)
        return _divide(_positive(numbers(columns, column)) * 3600.0, price)


@dataclass(frozen=True, slots=True)
class DollarsPerMillionTokens:
    """Price of a million tokens: price x 1e6 / (rate x 3600)."""

    column: str
    needs_hardware: bool = True

    def read(self, columns: Columns, column: str, economics: Economics) -> Numbers:
        """The price of a GPU hour over the million tokens of that hour."""
        price = _by_hardware(columns, economics.usd_per_gpu_hour)
        return _divide(price * 1e6, numbers(columns, column) * 3600.0)


@dataclass(frozen=True, slots=True)
class RatePerMegawatt:
    """Tokens per second and megawatt: rate x 1000 / kW."""

    column: str
    needs_hardware: bool = True

    def read(self, columns: Columns, column: str, economics: Economics) -> Numbers:
        """Rate per GPU over the megawatts of a GPU."""
        power = _by_hardware(columns, economics.kw_per_gpu)
        return _divide(_positive(numbers(columns, column)) * 1000.0, power)


@dataclass(frozen=True, slots=True)
class Metric:
    """One quantity of a point: what it is called, which way is better, how it is formed.

    `role` says where it may stand: on an axis or only in details. `reciprocal_of` names the metric whose
    interpolated line this one's line is derived from. `log_beyond` is the ratio of largest to smallest
    shown value above which an axis with scale "auto" becomes logarithmic. Shares are 0..1 with unit "%".
    """

    key: str
    label: str
    unit: str
    better: Better
    role: Literal["x", "y", "both", "detail"]
    formula: str
    explanation: str
    source: str
    reading: Reading
    reciprocal_of: str | None = None
    log_beyond: float | None = None

    @property
    def takes_statistic(self) -> bool:
        """Whether the metric is a statistic over requests, so that p50, p90, mean ... of it exist."""
        return "{stat}" in self.reading.column

    @property
    def sample_size_column(self) -> str | None:
        """The column with the number of requests behind the statistic; None for a single figure."""
        return self.reading.column.format(stat="n") if self.takes_statistic else None

    def columns(self, stat: str) -> tuple[str, ...]:
        """The store columns that `values` reads for this statistic."""
        return (
            self.reading.column.format(stat=stat),
            *(("hardware",) if self.reading.needs_hardware else ()),
        )

    def values(self, columns: Columns, stat: str, economics: Economics) -> Numbers:
        """The metric of every row, NaN where it is missing or cannot be formed; never a division by zero."""
        return self.reading.read(columns, self.reading.column.format(stat=stat), economics)


def _positive(values: Numbers) -> Numbers:
    """The values with NaN in place of what is not positive: an unmeasured rate arrives as 0."""
    return np.where(values > 0, values, np.nan)


def _divide(numerator: Numbers | np.float64, denominator: Numbers) -> Numbers:
    """The quotient, NaN where the denominator is not positive."""
    return np.asarray(numerator / _positive(denominator), dtype=np.float64)


def _by_hardware(columns: Columns, figures: Mapping[str, float]) -> Numbers:
    """One figure per row, looked up by the row's hardware; NaN where there is none."""
    return np.array([figures.get(key or "", np.nan) for key in texts(columns, "hardware")], dtype=np.float64)
