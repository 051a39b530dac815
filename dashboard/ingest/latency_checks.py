"""Latencies that cannot be: found, counted and blanked; the request itself stays (data-contracts 12)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from dashboard.domain.records import Severity
from dashboard.ingest.record_columns import Floats

Booleans = npt.NDArray[np.bool_]
Nanoseconds = npt.NDArray[np.int64]

_LONGEST_S = 1e8


@dataclass(frozen=True, slots=True)
class Doubt:
    """`count` requests with one oddity; `detail` says which, after the count and "with"."""

    code: str
    field: str
    severity: Severity
    count: int
    detail: str


@dataclass(frozen=True, slots=True)
class Latencies:
    """TTFT, ITL and end-to-end latency of each request in seconds, NaN where there is none."""

    ttft: Floats
    itl: Floats
    e2el: Floats


def settled(
    raw: Latencies, start: pa.Array[Any], end: pa.Array[Any], output_tokens: pa.Array[Any]
) -> tuple[Latencies, list[Doubt]]:
    """Latencies without those that cannot be, and what was wrong with them.

    A latency of zero or less is none; ITL needs two output tokens; an end before the start or a TTFT beyond
    the end-to-end latency makes all three of a request doubtful. `start`, `end`: epoch nanoseconds.
    """
    backwards = _ends_before_start(start, end)
    beyond = np.asarray(raw.ttft > raw.e2el)
    doubts = [*_contradictions(backwards, beyond), *_nothings(raw)]
    broken = backwards | beyond
    kept = Latencies(*(_kept(figures, broken) for figures in (raw.ttft, raw.itl, raw.e2el)))
    several_tokens = output_tokens.fill_null(2).to_numpy(zero_copy_only=False) >= 2
    kept = replace(kept, itl=np.where(several_tokens, kept.itl, np.nan))
    return kept, [doubt for doubt in doubts if doubt.count]


def first_token(start: pa.Array[Any], ttft: Floats) -> pa.Array[Any]:
    """Start plus TTFT in exact nanoseconds: summed as integers, since epoch times exceed 2**53."""
    missing = ~(ttft < _LONGEST_S)
    offset = np.rint(np.where(missing, 0.0, ttft) * 1e9).astype(np.int64)
    return pa.array(start.to_numpy(zero_copy_only=False) + offset, pa.int64(), mask=missing)


def _kept(figures: Floats, broken: Booleans) -> Floats:
    return np.where((figures > 0) & ~broken, figures, np.nan)


def _ends_before_start(start: pa.Array[Any], end: pa.Array[Any]) -> Booleans:
    ends = end.fill_null(2**63 - 1).to_numpy(zero_copy_only=False)
    return np.asarray(ends < start.to_numpy(zero_copy_only=False))


def _contradictions(backwards: Booleans, beyond: Booleans) -> Iterator[Doubt]:
    where = "metadata.request_end_ns"
    yield Doubt("end_before_start", where, "warning", int(backwards.sum()), "an end before the start")
    where = "metrics.time_to_first_token"
    yield Doubt("ttft_beyond_latency", where, "warning", int(beyond.sum()), "a TTFT above the latency")


def _nothings(raw: Latencies) -> Iterator[Doubt]:
    """Zeros. AIPerf writes an ITL of 0 where all tokens came in one chunk, and counts it among its own."""
    named = {
        "time_to_first_token": raw.ttft,
        "inter_token_latency": raw.itl,
        "request_latency": raw.e2el,
    }
    for name, figures in named.items():
        count = int(np.count_nonzero(figures <= 0))
        yield Doubt("no_latency", f"metrics.{name}", "info", count, f"no positive {name.replace('_', ' ')}")
