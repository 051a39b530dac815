"""One point from several rows of it: which row wins, and what the winner takes over from the other."""

from __future__ import annotations

import math
from dataclasses import fields, replace

from dashboard.domain.records import STATISTICS, Distribution, Point

#: Figures that tell two measurements apart, with what rounding to five decimals may change.
_TELLING = ("duration_s", "tput_total", "tput_total_per_gpu", "tput_output_per_gpu")
_RELATIVE, _ROUNDED = 5e-5, 1.1e-5
_NOT_FILLED = (
    "point_id",
    "config_id",
    "statistics",
    "scalars",
    "notes",
    "named_by_file",
    "artifacts",
    "prefill",
    "decode",
)


def natural_key(point: Point) -> str:
    """What two rows of one point share: configuration, concurrency, scenario, run and attempt, hashed."""
    return point.point_id


def richer(earlier: Point, later: Point) -> Point:
    """The point of two rows with one natural key.

    Rows of one measurement are united: the row with more figures wins and takes over what only the other has.
    Of two measurements the later wins, but one without a successful request never displaces one with.
    """
    if not same_measurement(earlier, later):
        return earlier if _failed(later) and not _failed(earlier) else later
    if figures(earlier) >= figures(later):
        return _united(earlier, later)
    return _united(later, earlier)


def same_measurement(one: Point, other: Point) -> bool:
    """Whether two rows tell of one measurement: every telling figure of both is equal up to rounding."""
    if None not in (one.requests_ok, other.requests_ok) and one.requests_ok != other.requests_ok:
        return False
    pairs = [(one.scalars.get(name), other.scalars.get(name)) for name in _TELLING]
    pairs += [(_mean(one, name), _mean(other, name)) for name in ("ttft_s", "e2el_s", "itl_s")]
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    return all(math.isclose(a, b, rel_tol=_RELATIVE, abs_tol=_ROUNDED) for a, b in both)


def figures(point: Point) -> int:
    """How many figures and facts a point holds."""
    of_statistics = sum(
        getattr(found, stat) is not None for found in point.statistics.values() for stat in STATISTICS
    )
    of_scalars = sum(value is not None for value in point.scalars.values())
    return of_statistics + of_scalars + sum(getattr(point, f.name) is not None for f in fields(Point))


def _failed(point: Point) -> bool:
    return point.requests_ok == 0


def _mean(point: Point, quantity: str) -> float | None:
    return point.statistics.get(quantity, Distribution()).mean


def _united(rich: Point, poor: Point) -> Point:
    filled = {
        f.name: getattr(poor, f.name)
        for f in fields(Point)
        if f.name not in _NOT_FILLED and getattr(rich, f.name) is None
    }
    names = dict.fromkeys((*rich.statistics, *poor.statistics))
    return replace(
        rich,
        **filled,
        statistics={name: _distribution(rich, poor, name) for name in names},
        scalars={**poor.scalars, **{name: v for name, v in rich.scalars.items() if v is not None}},
        publishable=rich.publishable and poor.publishable,
        has_requests=rich.has_requests or poor.has_requests,
        has_series=rich.has_series or poor.has_series,
        notes=_together(rich.notes, poor.notes),
        artifacts=tuple(sorted({*rich.artifacts, *poor.artifacts})),
    )


def _distribution(rich: Point, poor: Point, name: str) -> Distribution:
    first, second = (point.statistics.get(name, Distribution()) for point in (rich, poor))
    missing = {s: getattr(second, s) for s in STATISTICS if getattr(first, s) is None}
    return replace(first, **missing)


def _together(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))
