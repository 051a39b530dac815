"""What each call of a trace could have found in an endless prefix cache (data-contracts 7.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dashboard.domain.traces import Blocks, Call, Trace

Place = tuple[int, int | None]


@dataclass(frozen=True, slots=True)
class Prefix:
    """Prompt tokens that were there: `cached` from any earlier call, `causal` from one that had ended.

    `repeated_blocks`: leading blocks of its stream's previous call.
    """

    cached: int
    causal: int
    repeated_blocks: int


def place(call: Call) -> Place:
    """Where a call stands in its trace."""
    return call.outer, call.inner


def dense(trace: Trace) -> Mapping[Place, Blocks]:
    """Block ids renumbered from 0 without gaps, by call."""
    calls = trace.in_order()
    lengths = [len(call.blocks) for call in calls]
    every = np.concatenate([call.blocks for call in calls]) if calls else np.empty(0, np.int64)
    numbered = np.unique(every, return_inverse=True)[1].astype(np.int64)
    pieces = np.split(numbered, np.cumsum(lengths)[:-1])
    return {place(call): piece for call, piece in zip(calls, pieces, strict=True)}


def prefixes(trace: Trace, blocks: Mapping[Place, Blocks]) -> Mapping[Place, Prefix]:
    """The prefix of every call; `blocks` as `dense` numbers them. All calls share one cache."""
    size = 1 + max((int(ids.max()) for ids in blocks.values() if len(ids)), default=0)
    seen, ended = np.zeros(size, bool), np.full(size, np.inf)
    repeated, ends = _repeated(trace, blocks), _ends(trace)
    found: dict[Place, Prefix] = {}
    for call in trace.in_order():
        at = place(call)
        ids = blocks[at]
        cached = _leading(seen[ids]) * trace.block_size
        causal = _leading(ended[ids] <= call.start_s) * trace.block_size
        seen[ids] = True
        np.minimum.at(ended, ids, ends[at])
        found[at] = Prefix(min(cached, call.isl), min(causal, call.isl), repeated[at])
    return found


def shared(first: Blocks, second: Blocks) -> int:
    """Leading blocks that two prompts have in common."""
    length = min(len(first), len(second))
    return _leading(first[:length] == second[:length])


def _leading(flags: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> int:
    return len(flags) if flags.all() else int(flags.argmin())


def _repeated(trace: Trace, blocks: Mapping[Place, Blocks]) -> Mapping[Place, int]:
    found: dict[Place, int] = {}
    for stream in trace.streams():
        before = np.empty(0, np.int64)
        for call in stream:
            ids = blocks[place(call)]
            found[place(call)], before = shared(before, ids), ids
    return found


def _ends(trace: Trace) -> Mapping[Place, float]:
    """When a call's blocks are surely there.

    A missing server time (or the 0 that converters write for it) ends with the next call of the stream, which
    had waited; when the last one ended is not known.
    """
    found: dict[Place, float] = {}
    for stream in trace.streams():
        for call, following in zip(stream, (*stream[1:], None), strict=True):
            late = np.inf if following is None else following.start_s
            found[place(call)] = call.last_s if call.api_s else late
    return found
