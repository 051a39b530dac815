"""Streams of a trace and the edges between them: who spawned, who waited for whom (data-contracts 7.5)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from dashboard.domain.trace_chains import Chain
from dashboard.domain.trace_prefix import Place
from dashboard.domain.traces import Call, Trace

Kind = Literal["main", "subagent", "auxiliary"]


@dataclass(frozen=True, slots=True)
class Stream:
    """Calls that follow each other. `name` is empty for the main one; who waits for it goes on at `end_s`."""

    name: str
    kind: Kind
    calls: tuple[Call, ...]
    start_s: float
    end_s: float
    seams: frozenset[Place]


@dataclass(frozen=True, slots=True)
class Edge:
    """`spawn` from a main call to a stream's first, `join` from its last to the main call that waited.

    `delay_s` runs from the end of the one to the start of the other, None where that end is not recorded.
    """

    kind: Literal["spawn", "join"]
    origin: Call
    target: Call
    delay_s: float | None


def streams_of(trace: Trace, split: Sequence[Chain]) -> tuple[Stream, ...]:
    """The main stream first (where the trace has top-level calls), then the others by their start."""
    main = [_of_chain(chain, "") for chain in split[:1]]
    forks = [_of_chain(chain, f"{chain.kind}:{chain.calls[0].outer}") for chain in split[1:]]
    groups = [
        Stream(group.name, "subagent", group.calls, group.start_s, group.end_s, _cuts(group.calls))
        for group in trace.groups
    ]
    return (*main, *sorted([*forks, *groups], key=lambda stream: (stream.start_s, stream.calls[0].outer)))


def _of_chain(chain: Chain, name: str) -> Stream:
    calls = tuple(chain.calls)
    kind: Kind = "auxiliary" if chain.kind == "auxiliary" else "main"
    cut = frozenset(at for at in chain.seams if at in _cuts(calls))
    return Stream(name, kind, calls, calls[0].start_s, max(call.last_s for call in calls), cut)


def _cuts(calls: Sequence[Call]) -> frozenset[Place]:
    """Calls whose prompt is shorter than that of the call before, in whole blocks as well."""
    return frozenset(
        (now.outer, now.inner)
        for before, now in itertools.pairwise(calls)
        if now.isl < before.isl and len(now.blocks) < len(before.blocks) and now.start_s >= before.last_s
    )


def edges_of(streams: Sequence[Stream]) -> Iterator[Edge]:
    """Spawn: the last main call that began before the stream. Join: the first that began after its end.

    A stream that no main call precedes has neither, one that none follows has no join.
    """
    main = streams[0].calls if streams and streams[0].name == "" else ()
    for stream in streams[1:] if main else ():
        first = stream.calls[0]
        last = max(stream.calls, key=lambda call: call.last_s)
        before = [call for call in main if _before(call, first, stream.start_s)]
        if not before:
            continue
        yield _edge("spawn", before[-1], first)
        waiting = next((call for call in main[len(before) :] if call.start_s >= stream.end_s), None)
        if waiting is not None:
            yield _edge("join", last, waiting)


def _before(call: Call, first: Call, start_s: float) -> bool:
    return call.start_s < start_s or (call.start_s == start_s and call.outer < first.outer)


def _edge(kind: Literal["spawn", "join"], origin: Call, target: Call) -> Edge:
    delay = None if origin.end_s is None else round(target.start_s - origin.end_s, 6)
    return Edge(kind, origin, target, delay)
