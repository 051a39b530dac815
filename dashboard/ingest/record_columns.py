"""Columns of request records: typed arrays out of what a JSON producer wrote, with the misfits counted.

A column whose values all have the expected type is taken as it is; only a mixed one is read value by value.
A value of the wrong type, a unit that is not known, a number that is not finite: blank, and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from dashboard.ingest.naming import printable

Floats = npt.NDArray[np.float64]

#: Seconds in one of each unit of time that AIPerf and its relatives write.
SECONDS: Final[Mapping[str, float]] = MappingProxyType(
    {"ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "s": 1.0, "sec": 1.0, "seconds": 1.0}
)
#: Tokens in one of each unit that counts tokens.
TOKENS: Final[Mapping[str, float]] = MappingProxyType({"tokens": 1.0, "token": 1.0})

_NOTHING = type(None)
_INTEGERS = frozenset({int, _NOTHING})
_TEXTS = frozenset({str, _NOTHING})
_FLAGS = frozenset({bool, _NOTHING})
_NUMBERS = frozenset({int, float, _NOTHING})
_LARGEST_INTEGER = 2**63 - 1
_LARGEST_EXACT_FLOAT = 2**53
_LARGEST_FIGURE = 1e300
_FLAG_WORDS: Final[Mapping[object, bool]] = MappingProxyType(
    {"true": True, "false": False, 1: True, 0: False}
)


@dataclass(slots=True)
class Misfits:
    """How many values of each field could not be read, and the first of each for the report."""

    counts: dict[str, int] = field(default_factory=dict)
    examples: dict[str, str] = field(default_factory=dict)

    def note(self, name: str, value: object) -> None:
        """Count `value` of the field `name` as unreadable."""
        self.counts[name] = self.counts.get(name, 0) + 1
        self.examples.setdefault(name, printable(repr(value), 60))


def integers(name: str, values: Sequence[Any], misfits: Misfits) -> pa.Array[Any]:
    """int64, exact; None where missing or not a whole number of 64 bits."""
    if _INTEGERS.issuperset(map(type, values)):
        try:
            return pa.array(values, pa.int64())
        except OverflowError:
            pass
    return pa.array(_carefully(name, values, misfits, _integer), pa.int64())


def texts(name: str, values: Sequence[Any], misfits: Misfits) -> pa.Array[Any]:
    """Text; numbers in place of text are spelled out, lone surrogates replaced, other values blank."""
    if _TEXTS.issuperset(map(type, values)):
        try:
            return pa.array(values, pa.string())
        except UnicodeEncodeError:
            pass
    return pa.array(_carefully(name, values, misfits, _text), pa.string())


def flags(name: str, values: Sequence[Any], misfits: Misfits) -> pa.Array[Any]:
    """Booleans; the words true and false and the numbers 1 and 0 are read, other values blank."""
    if not _FLAGS.issuperset(map(type, values)):
        values = _carefully(name, values, misfits, _flag)
    return pa.array(values, pa.bool_())


def measures(
    name: str, values: Sequence[Any], units: Mapping[str, float], unit: str, misfits: Misfits
) -> pa.Array[Any]:
    """Figures in `unit`, float64: bare numbers are in it already, `{value, unit}` is converted by `units`."""
    if _NUMBERS.issuperset(map(type, values)):
        try:
            return pa.array(values, pa.float64())
        except pa.ArrowInvalid:  # an integer beyond 2**53
            pass
    factors = {other: factor / units[unit] for other, factor in units.items()}
    read = _carefully(name, values, misfits, lambda value: _measure(value, factors, unit))
    return pa.array(read, pa.float64())


def finite(name: str, figures: pa.Array[Any], misfits: Misfits) -> Floats:
    """Figures as float64 with NaN for missing; one that is not finite is missing and counted."""
    plain: Floats = figures.to_numpy(zero_copy_only=False)
    odd = ~np.isfinite(plain)
    if int(np.count_nonzero(odd)) > figures.null_count:
        for value in plain[odd & figures.is_valid().to_numpy(zero_copy_only=False)]:
            misfits.note(name, float(value))
    return np.where(odd, np.nan, plain)


def whole(figures: Floats, name: str, misfits: Misfits) -> pa.Array[Any]:
    """Figures that count something as int64; a negative or broken one is blank and counted."""
    missing = np.isnan(figures)
    sound = ~missing & (figures >= 0) & (figures < _LARGEST_EXACT_FLOAT) & (figures == np.floor(figures))
    for value in figures[~missing & ~sound]:
        misfits.note(name, float(value))
    return pa.array(np.where(sound, figures, 0.0).astype(np.int64), mask=~sound)


def _carefully(name: str, values: Sequence[Any], misfits: Misfits, read: Callable[[Any], Any]) -> list[Any]:
    """Each value as `read` makes it; a value that becomes None without having been None is a misfit."""
    result = []
    for value in values:
        made = None if value is None else read(value)
        if made is None and value is not None:
            misfits.note(name, value)
        result.append(made)
    return result


def _integer(value: Any) -> int | None:
    if type(value) is float and value.is_integer() and abs(value) <= _LARGEST_EXACT_FLOAT:
        value = int(value)
    return value if type(value) is int and abs(value) <= _LARGEST_INTEGER else None


def _text(value: Any) -> str | None:
    if type(value) in (int, float):
        return str(value)
    return value.encode("utf-8", "replace").decode("utf-8") if type(value) is str else None


def _flag(value: Any) -> bool | None:
    if type(value) is bool:
        return value
    key = value.strip().lower() if isinstance(value, str) else value
    return _FLAG_WORDS.get(key) if isinstance(key, str | int | float) else None


def _measure(value: Any, units: Mapping[str, float], unit: str) -> float | None:
    if type(value) is dict:
        unit, value = value.get("unit", unit), value.get("value")
    factor = units.get(unit) if isinstance(unit, str) else None
    if factor is None or type(value) not in (int, float):
        return None
    return float(value) * factor if abs(value) < _LARGEST_FIGURE else None
