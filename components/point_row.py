"""Reading one row of the store as plain values: what is missing is None, whatever type stood there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime

Row = Mapping[str, object]


def text(row: Row, name: str) -> str | None:
    """A text, None when missing or empty."""
    value = row.get(name)
    return str(value) if value not in (None, "") else None


def number(row: Row, name: str) -> float | None:
    """A number, None when missing or not finite."""
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)


def truth(row: Row, name: str) -> bool | None:
    """A yes or no, None when the source does not say."""
    value = row.get(name)
    return bool(value) if value is not None else None


def words(row: Row, name: str) -> tuple[str, ...]:
    """A list of texts."""
    value = row.get(name)
    return tuple(str(item) for item in value) if isinstance(value, (list, tuple)) else ()


def moment(row: Row, name: str) -> str | None:
    """A date or time as people write it: "27 Nov 2026", "27 Nov 2026, 03:14 UTC"."""
    value = row.get(name)
    if isinstance(value, datetime):
        return f"{value.day} {value:%b %Y}, {value:%H:%M} UTC"
    return f"{value.day} {value:%b %Y}" if isinstance(value, date) else None
