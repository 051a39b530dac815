"""One measurement seen twice: when two points are the same one, and what they say together.

A result row, the AIPerf folder it was made from, a copy of the row on the public site: each knows something
that the others do not. Joined, nothing is lost: identity from the one that declares it, figures from the
requests.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from dashboard.domain.identity import config_fields
from dashboard.domain.records import Distribution, Point, Role
from dashboard.ingest.row_merge import richer, same_measurement

#: Figures are rounded to five decimals in nested rows; two roundings of one value differ by less than this.
_RELATIVE, _ABSOLUTE = 2e-5, 1.1e-5
#: The client's own window and the one from first start to last end differ by microseconds.
_DURATION_RELATIVE = 1e-5

#: The client's summary and its records differ by less on when a run began.
_SAME_START = timedelta(seconds=1)

#: Not the ITL: whether a response of one token has one is decided differently by client and harness.
_COMPARED = ("ttft_s", "e2el_s", "isl", "osl")
_TELLING = ("mean", "p50", "p75", "p90", "p95", "p99")
_IDENTIFYING = ("model", "hardware", "concurrency")
_CIRCUMSTANCES = ("concurrency", "scenario", "isl_nominal", "osl_nominal")
_MEASURED = (
    "measured_at", "requests_total", "requests_ok", "requests_failed", "requests_cancelled",
    "requests_warmup", "error_categories", "has_requests", "has_series", "hit_rate_basis", "power_valid",
)  # fmt: skip
_JOINED = ("publishable", "notes", "named_by_file", "artifacts", "statistics", "scalars")
_PER_GPU = "_per_gpu"
_POOL = "kv_pool_tokens"
_UNKNOWN = (None, "", "unknown")


def one_twin(candidates: Iterable[Point], point: Point) -> Point | None:
    """The one of `candidates` that is the same measurement as `point`; None when not exactly one is."""
    twins = [other for other in candidates if is_twin(other, point)]
    return twins[0] if len(twins) == 1 else None


def is_twin(one: Point, other: Point) -> bool:
    """Whether two points of different origin are the same measurement.

    Nothing they say of themselves contradicts, and their requests began at one moment. Where only one has
    requests: the same count of successes, duration, latencies and lengths. A run without a success has
    no figures, and its row loses the failed requests: there, what they say of themselves must agree.
    """
    if contradicts(one, other):
        return False
    if one.has_requests and other.has_requests and None not in (one.measured_at, other.measured_at):
        return one.measured_at == other.measured_at
    if one.requests_ok is None or one.requests_ok != other.requests_ok:
        return False
    if one.requests_ok == 0:
        said = [(getattr(one, name), getattr(other, name)) for name in _IDENTIFYING]
        return all(a not in _UNKNOWN and a == b for a, b in said)
    lengths = one.scalars.get("duration_s"), other.scalars.get("duration_s")
    if lengths[0] is None or lengths[1] is None:
        return False
    shared = _shared_statistics(one, other)
    return (
        math.isclose(lengths[0], lengths[1], rel_tol=_DURATION_RELATIVE)
        and bool(shared)
        and all(math.isclose(a, b, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE) for a, b in shared)
    )


def contradicts(one: Point, other: Point) -> bool:
    """Whether both points state something of their configuration or start, and not the same."""
    said, other_said = (
        {**config_fields(point), **{name: getattr(point, name) for name in _CIRCUMSTANCES}}
        for point in (one, other)
    )
    if any(said[name] != other_said[name] for name in said if _both_known(said[name], other_said[name])):
        return True
    clocks = [point.measured_at for point in (one, other) if is_bare_run(point) and point.measured_at]
    return len(clocks) == 2 and abs(clocks[0] - clocks[1]) > _SAME_START


def is_bare_run(point: Point) -> bool:
    """Whether a point comes from an AIPerf folder alone, so that no row says who it is."""
    return point.source == "aiperf" or (
        point.source == "simulated" and point.run_basis in ("folder", "sweep")
    )


def _both_known(one: object, other: object) -> bool:
    return one not in _UNKNOWN and other not in _UNKNOWN


def over(stored: Point, fresh: Point) -> Point:
    """A stored point with what an ingest brings now: the new stands, the old fills what other artifacts gave.

    A row says who a run is, requests what was measured: neither is displaced by less. Another measurement
    replaces the old one; the size of the KV pool, which later copies of a row may lack, stays.
    """
    fresh = replace(fresh, artifacts=_as_known(fresh.artifacts, stored.artifacts))
    if set(stored.artifacts) <= set(fresh.artifacts):
        return fresh
    if is_bare_run(fresh) and not is_bare_run(stored):
        return joined(stored, fresh, fresh if fresh.has_requests else stored)
    if stored.has_requests and not fresh.has_requests:
        return joined(fresh, stored, stored)
    if same_measurement(stored, fresh):
        return joined(fresh, stored, fresh)
    winner = richer(stored, fresh)
    pool = stored.scalars.get(_POOL)
    if winner.scalars.get(_POOL) is None and pool is not None:
        winner = replace(winner, scalars={**winner.scalars, _POOL: pool})
    return winner


def joined(identity: Point, other: Point, figures: Point) -> Point:
    """One point of two: what `identity` says of itself stands, and the other fills what it does not say.

    `figures` is the one of the two whose counts and figures stand, filled likewise.
    """
    measured, filling = (identity, other) if figures is identity else (other, identity)
    plain = [f.name for f in fields(Point) if f.name not in (*_MEASURED, *_JOINED, "prefill", "decode")]
    said = {name: _first(getattr(identity, name), getattr(other, name)) for name in plain}
    counted = {name: _first(getattr(measured, name), getattr(filling, name)) for name in _MEASURED}
    point = replace(identity, **said, **counted)
    return replace(
        point,
        prefill=_joined_role(identity.prefill, other.prefill),
        decode=_joined_role(identity.decode, other.decode),
        publishable=identity.publishable and other.publishable,
        statistics=_joined_statistics(measured.statistics, filling.statistics),
        scalars=_joined_scalars(identity, measured, filling),
        notes=_union(identity.notes, other.notes),
        named_by_file=_still_named(identity, other),
        artifacts=_union(identity.artifacts, other.artifacts),
    )


def _as_known(artifacts: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    """Names of artifacts as they are known already: a path may be given from a higher or lower folder."""
    return tuple(next((name for name in known if _is_tail(name, one)), one) for one in artifacts)


def _is_tail(one: str, other: str) -> bool:
    return one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")


def _shared_statistics(one: Point, other: Point) -> list[tuple[float, float]]:
    shared = [name for name in _COMPARED if name in one.statistics and name in other.statistics]
    pairs = [
        (getattr(one.statistics[name], stat), getattr(other.statistics[name], stat))
        for name in shared
        for stat in _TELLING
    ]
    return [(a, b) for a, b in pairs if a is not None and b is not None]


def _agree(one: Distribution, other: Distribution) -> bool:
    pairs = [(getattr(one, stat), getattr(other, stat)) for stat in _TELLING]
    return all(
        math.isclose(a, b, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE) for a, b in pairs if None not in (a, b)
    )


def _first(one: Any, other: Any) -> Any:
    empty = one in _UNKNOWN or (isinstance(one, Mapping) and not one)
    return other if empty and other not in _UNKNOWN else one


def _joined_role(one: Role, other: Role) -> Role:
    return Role(**{f.name: _first(getattr(one, f.name), getattr(other, f.name)) for f in fields(Role)})


def _joined_statistics(
    one: Mapping[str, Distribution], other: Mapping[str, Distribution]
) -> Mapping[str, Distribution]:
    names = [*one, *(name for name in other if name not in one)]
    return MappingProxyType({name: _joined_distribution(one.get(name), other.get(name)) for name in names})


def _joined_distribution(one: Distribution | None, other: Distribution | None) -> Distribution:
    """One distribution filled by the other, unless they differ: then they count something differently."""
    if one is None or other is None:
        return one or other or Distribution()
    if not _agree(one, other):
        return one
    values = {f.name: _first(getattr(one, f.name), getattr(other, f.name)) for f in fields(Distribution)}
    return Distribution(**values)


def _joined_scalars(identity: Point, measured: Point, filling: Point) -> Mapping[str, float | None]:
    """Figures from the requests; rates per GPU from the one that knows the number of GPUs."""
    names = [*measured.scalars, *(name for name in filling.scalars if name not in measured.scalars)]
    figures = {name: _first(measured.scalars.get(name), filling.scalars.get(name)) for name in names}
    declared = {
        name: value
        for name, value in identity.scalars.items()
        if name.startswith("tput_") and name.endswith(_PER_GPU) and value is not None
    }
    return MappingProxyType({**figures, **declared})


def _still_named(identity: Point, other: Point) -> tuple[str, ...]:
    """Fields that come from a file name after joining: not those that the other point declares."""
    kept = [name for name in identity.named_by_file if name in other.named_by_file or not _says(other, name)]
    taken = [name for name in other.named_by_file if not _says(identity, name)]
    return _union(tuple(kept), tuple(taken))


def _says(point: Point, name: str) -> bool:
    return getattr(point, name, None) not in _UNKNOWN


def _union(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return (*one, *(text for text in other if text not in one))
