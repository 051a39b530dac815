"""A trace as the rows of a dataset's tables: one conversation, its turns by their start, its edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.domain.trace_chains import chains
from dashboard.domain.trace_edges import Stream, edges_of, streams_of
from dashboard.domain.trace_prefix import Place, Prefix, dense, place, prefixes
from dashboard.domain.traces import Call, Trace

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TraceRows:
    """Rows by the columns of the store's dataset tables."""

    conversation: Row
    turns: tuple[Row, ...]
    edges: tuple[Row, ...]


def trace_rows(trace: Trace, source_bytes: int | None = None, duplicate_of: str | None = None) -> TraceRows:
    """All that the store keeps of a trace; `source_bytes` is the size of its document."""
    blocks = dense(trace)
    streams = streams_of(trace, chains(trace.calls, blocks))
    found = prefixes(trace, blocks)
    turns = sorted(
        (_turn(trace, stream, number, found) for stream in streams for number in range(len(stream.calls))),
        key=lambda row: (row["t_s"], row["outer"], -1 if row["inner"] is None else row["inner"]),
    )
    edges = tuple(
        {
            "conversation_id": trace.id,
            "kind": edge.kind,
            "from_outer": edge.origin.outer,
            "from_inner": edge.origin.inner,
            "to_outer": edge.target.outer,
            "to_inner": edge.target.inner,
            "delay_s": edge.delay_s,
        }
        for edge in edges_of(streams)
    )
    about = {"source_bytes": source_bytes, "block_size": trace.block_size, "duplicate_of": duplicate_of}
    return TraceRows(_conversation(trace, turns) | about, tuple(turns), edges)


def _turn(trace: Trace, stream: Stream, number: int, found: Mapping[Place, Prefix]) -> Row:
    call = stream.calls[number]
    prefix = found[place(call)]
    return {
        "conversation_id": trace.id,
        "outer": call.outer,
        "inner": call.inner,
        "stream": stream.name,
        "kind": stream.kind,
        "t_s": call.start_s,
        "end_s": call.end_s,
        "model": call.model,
        "isl": call.isl,
        "osl": call.osl,
        "cached_prefix_tokens": prefix.cached,
        "cached_prefix_causal_tokens": prefix.causal,
        "uncached_tokens": call.isl - prefix.cached,
        "delay_s": _delay(stream.calls, number),
        "stop": call.stop,
        "compaction": place(call) in stream.seams,
        "blocks": len(call.blocks),
        "repeated_blocks": prefix.repeated_blocks,
        "api_s": call.api_s,
        "think_s": call.think_s,
        "ttft_s": call.ttft_s,
    }


def _delay(calls: Sequence[Call], number: int) -> float | None:
    """From the end of the stream's previous call to this one's start, 0 where they overlap.

    None for the first, and after a call whose end is not recorded.
    """
    before = calls[number - 1].end_s if number else None
    return None if before is None else max(0.0, round(calls[number].start_s - before, 6))


def _conversation(trace: Trace, turns: Sequence[Row]) -> Row:
    ends: Sequence[float] = [call.last_s for call in _calls(trace)]
    return {
        "conversation_id": trace.id,
        "models": sorted({row["model"] for row in turns}),
        "turns": len(turns),
        "subagents": len(trace.groups),
        "subagent_turns": sum(row["kind"] == "subagent" for row in turns),
        "auxiliary": len({row["stream"] for row in turns if row["kind"] == "auxiliary"}),
        "isl_max": max(row["isl"] for row in turns),
        "input_tokens": sum(row["isl"] for row in turns),
        "cached_tokens": sum(row["cached_prefix_tokens"] for row in turns),
        "output_tokens": sum(row["osl"] for row in turns),
        "span_s": round(max(ends) - min(row["t_s"] for row in turns), 6),
    }


def _calls(trace: Trace) -> list[Call]:
    return [call for stream in trace.streams() for call in stream]
