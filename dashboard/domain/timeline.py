"""The requests of a run in their lanes: one canonical order, whatever order they were recorded in.

A lane is one replay of one conversation tree; its streams are the conversations of that tree. Lanes are
numbered from 1 by their first moment. Times are whole ns from the zero of the run's axis, which float64 holds
exactly up to 2^53 ns (104 days); what lies further away is set aside and counted, what contradicts itself is
clamped and counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.domain.run_axis import RunAxis, run_axis
from dashboard.domain.timeline_streams import Streams, streams_of

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]

#: The furthest moment from zero that a float64 holds to the ns.
FARTHEST_NS = 2**53 - 1

#: What was clamped, by bit: a request can have several.
PROBLEMS: Mapping[str, int] = {
    "credit after start": 1,
    "first token before start": 2,
    "first token after the end": 4,
    "end before start": 8,
    "no end": 16,
    "zero length": 32,
}
NO_START, TOO_FAR = "no start", "more than 104 days from the run's zero"


@dataclass(frozen=True, slots=True)
class Coded:
    """A text column: codes into its distinct `values`, -1 for what is missing."""

    codes: Codes
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Requests:
    """Columns as stored, of equal length. `values` are 0 where `known` is false; times in epoch ns."""

    ids: Any
    texts: Mapping[str, Coded]
    values: Mapping[str, Ints]
    known: Mapping[str, Mask]
    failed: Mask
    cancelled: Mask
    itl_s: NDArray[np.float64]
    messages: Any

    def __len__(self) -> int:
        return len(self.failed)


@dataclass(frozen=True, slots=True)
class Timeline:
    """Requests in order of lane, stream and moment. `rows` are their places in the stored table.

    `begin`, `start`, `first`, `end` are ns from the axis' zero: queue, prefill, decode lie between them, in
    this order, after clamping; `first` is NaN where no token came. `problems` holds bits of `PROBLEMS`.
    """

    axis: RunAxis | None
    rows: Ints
    begin: NDArray[np.float64]
    start: NDArray[np.float64]
    first: NDArray[np.float64]
    end: NDArray[np.float64]
    problems: NDArray[np.uint8]
    streams: Streams
    set_aside: Mapping[str, int] = field(default_factory=dict)

    def problem_counts(self) -> dict[str, int]:
        """How many requests were clamped, by what was wrong; what did not occur is left out."""
        counted = {name: int(np.count_nonzero(self.problems & bit)) for name, bit in PROBLEMS.items()}
        return {name: count for name, count in counted.items() if count}


def timeline(requests: Requests) -> Timeline:
    """Order the requests of a run and bring their moments onto one axis."""
    axis = _axis(requests)
    kept, set_aside = _placeable(requests, axis)
    times = _times(requests, kept, axis)
    streams, order = streams_of(requests, kept, times.begin, _tie_break(requests, kept, times))
    return Timeline(
        axis=axis,
        rows=kept[order],
        begin=times.begin[order],
        start=times.start[order],
        first=times.first[order],
        end=times.end[order],
        problems=times.problems[order],
        streams=streams,
        set_aside=set_aside,
    )


def _axis(requests: Requests) -> RunAxis | None:
    """The run's axis from the first moment of each phase: the same as from all requests."""
    credited = requests.known["credit_ns"]
    begin = np.where(credited, requests.values["credit_ns"], requests.values["start_ns"])
    known = credited | requests.known["start_ns"]
    phase = requests.texts["phase"]
    firsts: dict[str, int] = {}
    for code in np.unique(phase.codes[known]).tolist():
        named = phase.values[code] if code >= 0 else ""
        firsts[named] = int(begin[known & (phase.codes == code)].min())
    return run_axis(list(firsts), list(firsts.values()), [None] * len(firsts))


def _placeable(requests: Requests, axis: RunAxis | None) -> tuple[Ints, dict[str, int]]:
    """Requests that have a place on the axis, and how many have none, by reason."""
    known = requests.known["start_ns"]
    zero = axis.zero_ns if axis else 0
    low, high = max(zero - FARTHEST_NS, -(2**63)), min(zero + FARTHEST_NS, 2**63 - 1)
    near = known.copy()
    for name in ("credit_ns", "start_ns", "first_token_ns", "end_ns"):
        times = requests.values[name]
        near &= ~requests.known[name] | ((times >= low) & (times <= high))
    aside = {NO_START: int(np.count_nonzero(~known)), TOO_FAR: int(np.count_nonzero(known & ~near))}
    return np.flatnonzero(near), {reason: count for reason, count in aside.items() if count}


@dataclass(frozen=True, slots=True)
class _Times:
    begin: NDArray[np.float64]
    start: NDArray[np.float64]
    first: NDArray[np.float64]
    end: NDArray[np.float64]
    problems: NDArray[np.uint8]


def _times(requests: Requests, kept: Ints, axis: RunAxis | None) -> _Times:
    """Moments of the kept requests with begin <= start <= first <= end, and what had to be clamped for it."""
    zero = axis.zero_ns if axis else 0
    ns = {
        name: requests.values[name][kept] - zero
        for name in ("credit_ns", "start_ns", "first_token_ns", "end_ns")
    }
    known = {name: requests.known[name][kept] for name in ns}
    problems = np.zeros(len(kept), np.uint8)

    def clamped(where: Mask, problem: str) -> Mask:
        problems[where] |= PROBLEMS[problem]
        return where

    start = ns["start_ns"]
    late = clamped(known["credit_ns"] & (ns["credit_ns"] > start), "credit after start")
    begin = np.where(known["credit_ns"] & ~late, ns["credit_ns"], start)
    first = np.where(known["first_token_ns"], ns["first_token_ns"], start)
    first = np.where(clamped(first < start, "first token before start"), start, first)
    open_ended = clamped(~known["end_ns"], "no end")
    end = np.where(open_ended, first, ns["end_ns"])
    end = np.where(clamped(end < start, "end before start"), start, end)
    first = np.where(clamped(first > end, "first token after the end"), end, first)
    clamped(
        (end == start) & ~open_ended & ~(problems & PROBLEMS["end before start"]).astype(bool), "zero length"
    )
    shown = first.astype(np.float64)
    shown[~known["first_token_ns"]] = np.nan
    return _Times(begin.astype(np.float64), start.astype(np.float64), shown, end.astype(np.float64), problems)


def _tie_break(requests: Requests, kept: Ints, times: _Times) -> Any:
    """Orders requests of one stream that begin at the same ns, so that the recorded order does not matter."""

    def key(place: int) -> tuple[Any, ...]:
        identifier = requests.ids[int(kept[place])].as_py() or ""
        return times.start[place], times.end[place], identifier, _turn(requests, int(kept[place]))

    return key


def _turn(requests: Requests, row: int) -> tuple[int, ...]:
    return tuple(int(requests.values[name][row]) for name in ("turn_index", "isl", "osl"))


def names_of(coded: Coded, rows: Sequence[int] | Ints) -> list[str | None]:
    """The texts of some rows of a coded column."""
    return [coded.values[code] if code >= 0 else None for code in coded.codes[rows].tolist()]
