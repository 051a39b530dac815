"""Figures as people read them, one formatter per quantity: three significant digits, SI prefixes.

Units stand behind thin spaces. A missing value (None, NaN, infinite) is an empty string, never 0.
"""

from __future__ import annotations

import math

from dashboard.domain.metric import Metric

#: Between a figure and its unit, and between groups of three digits: narrow and never broken.
THIN = "\u202f"

_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def significant(value: float | None, digits: int = 3) -> str:
    """A figure to `digits` significant digits, without exponent or prefix: "38.0", "0.0123", "1 230"."""
    if value is None or not math.isfinite(value):
        return ""
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits - 1}e}")
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:,.{decimals}f}".replace(",", THIN)


def rate(value: float | None) -> str:
    """A rate or other continuous figure with an SI prefix: "18.4k", "38.0", "0.0123"."""
    if value is None or not math.isfinite(value):
        return ""
    rounded = float(f"{value:.2e}")
    for size, prefix in _PREFIXES:
        if abs(rounded) >= size:
            return f"{significant(rounded / size)}{prefix}"
    return significant(rounded)


def tokens(value: float | None) -> str:
    """A number of tokens: "850", "142k", "4.30M"; small ones are whole."""
    return (
        count(value) if value is not None and abs(value) < 1000 and float(value).is_integer() else rate(value)
    )


def count(value: float | None) -> str:
    """A whole number in full, in groups of three: "4 187"."""
    if value is None or not math.isfinite(value):
        return ""
    return f"{round(value):,}".replace(",", THIN)


def seconds(value: float | None) -> str:
    """A duration in the unit that reads best: "380 ms", "2.40 s", "1 min 05 s", "1 h 02 min"."""
    if value is None or not math.isfinite(value):
        return ""
    size = abs(float(f"{value:.2e}"))
    if size >= 60:
        return _long_duration(value)
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if size * factor >= 1 or size == 0:
            return f"{significant(value * factor)}{THIN}{unit}"
    return f"{significant(value * 1e6)}{THIN}µs"


def _long_duration(value: float) -> str:
    sign = "-" if value < 0 else ""
    whole = round(abs(value))
    if whole < 3600:
        return f"{sign}{whole // 60}{THIN}min{THIN}{whole % 60:02d}{THIN}s"
    minutes = round(whole / 60)
    return f"{sign}{minutes // 60}{THIN}h{THIN}{minutes % 60:02d}{THIN}min"


def usd(value: float | None) -> str:
    """Money in dollars: "$0.0123", "$2.26", "$1.23k"."""
    text = rate(value)
    return f"-${text[1:]}" if text.startswith("-") else text and f"${text}"


def percent(share: float | None) -> str:
    """A share 0..1 in per cent: "71.3 %". What lies above 100 % is shown so, not clipped."""
    return with_unit(significant(None if share is None else share * 100), "%")


def exact(value: float | None) -> str:
    """The value in full, as it is stored: "6 731.25", "0.0384"; for hovers and exports to people."""
    if value is None or not math.isfinite(value):
        return ""
    whole, point, fraction = repr(float(value)).partition(".")
    if "e" in fraction or "e" in whole:
        return repr(float(value))
    grouped = f"{int(whole):,}".replace(",", THIN)
    grouped = f"-{grouped}" if whole.startswith("-") and not grouped.startswith("-") else grouped
    return grouped if fraction == "0" else grouped + point + fraction


def with_unit(figure: str, unit: str) -> str:
    """A formatted figure and its unit with a thin space; empty stays empty."""
    return f"{figure}{THIN}{unit}" if figure and unit else figure


def format_number(metric: Metric, value: float | None) -> str:
    """The metric's figure in its own unit, which a heading states: "18.4k", "9.20", "71.3"."""
    if metric.unit == "%":
        return significant(None if value is None else value * 100)
    if metric.unit in ("requests", "GPUs"):
        return count(value)
    return tokens(value) if metric.unit == "tok" else rate(value)


def format_metric(metric: Metric, value: float | None) -> str:
    """The metric's figure with its unit, for running text: "18.4k tok/s", "380 ms", "$0.0123/Mtok"."""
    if metric.unit == "s":
        return seconds(value)
    if metric.unit == "$/Mtok":
        text = usd(value)
        return f"{text}/Mtok" if text else ""
    return with_unit(format_number(metric, value), metric.unit)
