"""One run as its panels read it: requests and server samples as columns on the run's one axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dashboard.domain.columns import Array, Mask, Numbers
from dashboard.domain.run_axis import PROFILING, RunAxis
from dashboard.domain.source_grid import Source

#: Requests of a phase, or of both.
ALL_PHASES = "all"


@dataclass(frozen=True, slots=True)
class RunRequests:
    """Requests by start, one array each: seconds on the axis, seconds, tokens; NaN for what is missing.

    `ok` means neither failed nor cancelled; `lane` is an integer per lane and conversation, -1 for none.
    """

    start: Numbers
    end: Numbers
    ttft_s: Numbers
    itl_s: Numbers
    e2el_s: Numbers
    isl: Numbers
    osl: Numbers
    cached: Numbers
    theoretical: Numbers
    failed: Mask
    cancelled: Mask
    phase: Array
    kind: Array
    lane: Array
    category: Array

    def __len__(self) -> int:
        return len(self.start)

    @property
    def ok(self) -> Mask:
        """Requests that ended well."""
        return ~self.failed & ~self.cancelled

    def where(self, chosen: Mask) -> RunRequests:
        """Some of the requests."""
        return replace(self, **{name: getattr(self, name)[chosen] for name in self.__slots__})

    def of_kind(self, kind: str | None) -> RunRequests:
        """Those of one kind; all for None."""
        return self if kind is None else self.where(np.asarray(self.kind == kind))

    def in_phase(self, phase: str) -> RunRequests:
        """Those of one phase, or of `all`; a request that names no phase counts as profiling."""
        return self if phase == ALL_PHASES else self.where(_in_phase(self.phase, phase))


def _in_phase(phases: Array, phase: str) -> Mask:
    known = np.where(phases == None, PROFILING, phases)  # noqa: E711  elementwise
    return np.asarray(known == phase)


@dataclass(frozen=True, slots=True)
class PointRun:
    """A point with all that its panels are made of.

    `series` holds the sources of each server metric; None where the run has no server telemetry at all.
    `roles` is the role of each source by its name, `statistics` what the values of a metric are in their
    interval (mean, max, rate).
    `pool_tokens` is the nominal size of the KV pool, `power_valid` what the source says of its power figures.
    """

    axis: RunAxis | None
    requests: RunRequests | None
    series: Mapping[str, tuple[Source, ...]] | None
    roles: Mapping[str, str | None] = field(default_factory=dict)
    statistics: Mapping[str, str] = field(default_factory=dict)
    concurrency: int | None = None
    pool_tokens: float | None = None
    power_valid: bool | None = None
    engine: str = ""

    @property
    def span(self) -> tuple[float, float]:
        """The first and last second of the axis that anything stands at; 0..1 where nothing does."""
        ends = [*self._request_ends(), *self._series_ends()]
        if not ends:
            return (0.0, 1.0)
        low, high = min(begin for begin, _ in ends), max(end for _, end in ends)
        return (low, high) if high > low else (low, low + 1.0)

    def _request_ends(self) -> list[tuple[float, float]]:
        if self.requests is None or not len(self.requests):
            return []
        ends = np.where(np.isfinite(self.requests.end), self.requests.end, self.requests.start)
        return [(float(np.nanmin(self.requests.start)), float(np.nanmax(ends)))]

    def _series_ends(self) -> list[tuple[float, float]]:
        """Server samples far outside the requests (a clock of another time) do not stretch the axis."""
        if self._request_ends():
            return []
        sources = [source for found in (self.series or {}).values() for source in found if len(source.t)]
        return [(float(source.t[0]), float(source.t[-1] + source.width_s[-1])) for source in sources]

    @property
    def clock_overlap(self) -> float | None:
        """The share of the requests' time that server samples cover, 0..1; None where either is missing."""
        spans, sources = self._request_ends(), (self.series or {}).values()
        ends = [
            (float(source.t[0]), float(source.t[-1] + source.width_s[-1]))
            for found in sources
            for source in found
            if len(source.t)
        ]
        if not spans or not ends:
            return None
        (low, high), begin, end = spans[0], min(one for one, _ in ends), max(one for _, one in ends)
        return max(0.0, min(high, end) - max(low, begin)) / max(high - low, 1e-9)

    def sources(self, metric: str) -> tuple[Source, ...]:
        """The sources of a server metric; none where it was not measured."""
        return (self.series or {}).get(metric, ())


def requests_of(table: Mapping[str, Sequence[Any] | Array], axis: RunAxis) -> RunRequests:
    """Columns of the requests table: NaN or None for missing, moments as int64 with a mask `<name>_known`."""
    start = _seconds(table, "start_ns", axis)
    order = np.argsort(start, kind="stable")
    columns = {
        "start": start,
        "end": _seconds(table, "end_ns", axis),
        **{name: np.asarray(table[name], np.float64) for name in ("ttft_s", "itl_s", "e2el_s", "isl", "osl")},
        "cached": np.asarray(table["cached_tokens"], np.float64),
        "theoretical": np.asarray(table["theoretical_cached_tokens"], np.float64),
        "failed": np.asarray(table["failed"], np.bool_),
        "cancelled": np.asarray(table["cancelled"], np.bool_),
        **{name: np.asarray(table[name], object) for name in ("phase", "kind")},
        "lane": np.asarray(table["lane"], np.int64),
        "category": np.asarray(table["error_category"], object),
    }
    return RunRequests(**{name: column[order] for name, column in columns.items()})


def _seconds(table: Mapping[str, Any], name: str, axis: RunAxis) -> Numbers:
    known = np.asarray(table[f"{name}_known"], np.bool_)
    return np.where(known, axis.seconds(np.asarray(table[name], np.int64)), np.nan)
