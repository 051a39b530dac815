"""Requests as Chrome / Perfetto trace events: a process a lane, a thread a stream, phases inside requests.

The JSON format of the Trace Event Format: complete events (`ph` "X") with `ts` and `dur` in microseconds.
Events of one thread must nest; requests of a stream that overlap go to further threads of the same stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dashboard.domain.timeline import Requests, Timeline, names_of
from dashboard.domain.timeline_streams import KINDS

Event = dict[str, Any]


def trace_document(
    requests: Requests, ordered: Timeline, places: Sequence[int], about: Mapping[str, str]
) -> dict[str, Any]:
    """The document for the requests at some places of the timeline; `about` goes to its metadata.

    `ts` counts from the zero of the run's axis; warm-up is before it, so all is moved to begin at 0, and
    `zero_us` in the metadata says where the zero then lies.
    """
    begins = ordered.begin[list(places)] if len(places) else np.zeros(0)
    origin = float(begins.min()) if len(begins) else 0.0
    events = list(_events(requests, ordered, np.asarray(places, np.int64), origin))
    return {
        "displayTimeUnit": "ms",
        "otherData": {**about, "zero_us": repr(-origin / 1000)},
        "traceEvents": events,
    }


def _events(requests: Requests, ordered: Timeline, places: Any, origin: float) -> Iterator[Event]:
    streams = ordered.streams
    stream_of = np.searchsorted(streams.bounds, places, "right") - 1
    ids = requests.ids.take(ordered.rows[places]).to_pylist()
    phases = names_of(requests.texts["phase"], ordered.rows[places])
    errors = names_of(requests.texts["error_category"], ordered.rows[places])
    named: set[tuple[int, int]] = set()
    thread = 0
    for stream in np.unique(stream_of).tolist():
        lane, kind, name = int(streams.lane[stream]), KINDS[streams.kind[stream]], streams.names[stream]
        free: list[tuple[float, int]] = []
        for at in np.flatnonzero(stream_of == stream).tolist():
            place = int(places[at])
            slot = next((n for n, (end, _) in enumerate(free) if end <= ordered.begin[place]), None)
            if slot is None:
                thread += 1
                free.append((0.0, thread))
                slot = len(free) - 1
                yield from _names(lane, streams.traces[stream], thread, f"{name} ({kind})", named)
            free[slot] = (float(ordered.end[place]), free[slot][1])
            told = {"id": ids[at], "phase": phases[at], "kind": kind, "error": errors[at]}
            yield from _request(requests, ordered, place, lane, free[slot][1], origin, told)


def _names(lane: int, trace: str, thread: int, name: str, named: set[tuple[int, int]]) -> Iterator[Event]:
    if (lane, 0) not in named:
        named.add((lane, 0))
        yield {"ph": "M", "name": "process_name", "pid": lane, "args": {"name": f"lane {lane}, {trace}"}}
        yield {"ph": "M", "name": "process_sort_index", "pid": lane, "args": {"sort_index": lane}}
    yield {"ph": "M", "name": "thread_name", "pid": lane, "tid": thread, "args": {"name": name}}


def _request(
    requests: Requests,
    ordered: Timeline,
    place: int,
    pid: int,
    tid: int,
    origin: float,
    told: Mapping[str, Any],
) -> Iterator[Event]:
    row = int(ordered.rows[place])
    begin, start, end = (float(column[place]) for column in (ordered.begin, ordered.start, ordered.end))
    first = float(ordered.first[place])
    counts = {
        name: int(requests.values[name][row]) if requests.known[name][row] else None
        for name in ("isl", "osl", "cached_tokens", "turn_index")
    }
    cancelled, failed = bool(requests.cancelled[row]), bool(requests.failed[row])
    state = "cancelled" if cancelled else "failed" if failed else "ok"
    zero = ordered.axis.zero_ns if ordered.axis else 0
    args = {**told, "state": state, **counts, "start_ns": str(zero + int(start))}

    def event(name: str, low: float, high: float, args: Mapping[str, Any] | None = None) -> Event:
        made: Event = {"ph": "X", "name": name, "cat": "request", "pid": pid, "tid": tid}
        made |= {"ts": round((low - origin) / 1000, 3), "dur": round((high - low) / 1000, 3)}
        return made | ({"args": dict(args)} if args else {})

    yield event(
        f"turn {counts['turn_index']}" if counts["turn_index"] is not None else "request", begin, end, args
    )
    if start > begin:
        yield event("queue wait", begin, start)
    if np.isfinite(first):
        yield event("prefill", start, first)
        yield event("decode", first, end)
