"""Conversations as the tables of a dataset: what each turn could have found in an endless prefix cache."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from dashboard.simulate.conversations import BLOCK_TOKENS, Conversation, Stream, Timed, Turn, schedule
from dashboard.simulate.labels import SIMULATED_NOTE
from dashboard.store.datasets import CONVERSATIONS, EDGES, TURNS, write_dataset

Row = dict[str, Any]


def write_conversations(store: Path, slug: str, conversations: Sequence[Conversation], seed: int) -> None:
    """Put simulated conversations into a store, in recorded tokens."""
    turns = {one.trace_id: turn_rows(one) for one in conversations}
    tables = {
        "conversations": pa.Table.from_pylist(
            [conversation_row(one, turns[one.trace_id]) for one in conversations], CONVERSATIONS
        ),
        "turns": pa.Table.from_pylist([row for rows in turns.values() for row in rows], TURNS),
        "edges": pa.Table.from_pylist([row for one in conversations for row in edge_rows(one)], EDGES),
    }
    about = {
        "name": f"Simulated agentic sessions, seed {seed}",
        "simulated": True,
        "note": SIMULATED_NOTE,
        "block_size": BLOCK_TOKENS,
        "conversations": len(conversations),
        "requests": tables["turns"].num_rows,
    }
    write_dataset(store, slug, tables, about)


@dataclass(slots=True)
class _EndlessCache:
    """Cached blocks of each segment, and those still being made: a heap by the end of their producers."""

    cached: dict[int, int] = field(default_factory=dict)
    ended: dict[int, int] = field(default_factory=dict)
    running: list[tuple[float, int, tuple[int, ...], tuple[int, ...]]] = field(default_factory=list)

    def look_up(self, entry: Timed, lengths: tuple[int, ...], number: int) -> tuple[int, int]:
        """Leading blocks made by any earlier turn, and by those that had ended; then adds the turn's own."""
        while self.running and self.running[0][0] <= entry.start_s:
            _, _, path, made = heapq.heappop(self.running)
            _extend(self.ended, path, made)
        path = entry.turn.path
        found = _leading(self.cached, path, lengths), _leading(self.ended, path, lengths)
        _extend(self.cached, path, lengths)
        heapq.heappush(self.running, (entry.end_s, number, path, lengths))
        return found


def _leading(known: dict[int, int], path: tuple[int, ...], lengths: tuple[int, ...]) -> int:
    blocks = 0
    for segment, length in zip(path, lengths, strict=True):
        here = min(known.get(segment, 0), length)
        blocks += here
        if here < length:
            break
    return blocks


def _extend(known: dict[int, int], path: tuple[int, ...], lengths: tuple[int, ...]) -> None:
    for segment, length in zip(path, lengths, strict=True):
        known[segment] = max(known.get(segment, 0), length)


def turn_rows(conversation: Conversation) -> list[Row]:
    """Every request by its start, with the prefix that earlier ones had left."""
    cache, rows = _EndlessCache(), []
    before: dict[str, Turn] = {}
    for number, entry in enumerate(schedule(conversation)):
        stream, turn, last = entry.stream, entry.turn, before.get(entry.stream.name)
        hits, ended = cache.look_up(entry, conversation.lengths(turn), number)
        cached = hits * BLOCK_TOKENS
        rows.append(
            {
                "conversation_id": conversation.trace_id,
                "outer": turn.outer,
                "inner": turn.inner,
                "stream": stream.name,
                "kind": stream.kind,
                "t_s": round(entry.start_s, 3),
                "end_s": round(entry.end_s, 3),
                "model": turn.model,
                "isl": turn.isl,
                "osl": turn.osl,
                "cached_prefix_tokens": cached,
                "cached_prefix_causal_tokens": ended * BLOCK_TOKENS,
                "uncached_tokens": turn.isl - cached,
                "delay_s": turn.delay_s if last else None,
                "stop": turn.stop,
                "compaction": last is not None and last.path != turn.path,
                "blocks": turn.blocks,
                "repeated_blocks": _shared(conversation, last, turn) if last else 0,
                "api_s": round(entry.end_s - entry.start_s, 3),
            }
        )
        before[stream.name] = turn
    return rows


def _shared(conversation: Conversation, last: Turn, turn: Turn) -> int:
    """Leading blocks that a turn has in common with the one before it in its stream."""
    known = dict(zip(last.path, conversation.lengths(last), strict=True))
    return _leading(known, turn.path, conversation.lengths(turn))


def conversation_row(conversation: Conversation, turns: Sequence[Row]) -> Row:
    """Totals of one conversation."""
    kinds = [stream.kind for stream in conversation.streams]
    return {
        "conversation_id": conversation.trace_id,
        "models": sorted({row["model"] for row in turns}),
        "turns": len(turns),
        "subagents": kinds.count("subagent"),
        "subagent_turns": sum(row["kind"] == "subagent" for row in turns),
        "auxiliary": kinds.count("auxiliary"),
        "isl_max": max(row["isl"] for row in turns),
        "input_tokens": sum(row["isl"] for row in turns),
        "cached_tokens": sum(row["cached_prefix_tokens"] for row in turns),
        "output_tokens": sum(row["osl"] for row in turns),
        "span_s": round(max(row["end_s"] for row in turns) - min(row["t_s"] for row in turns), 3),
        "duplicate_of": None,
        "block_size": BLOCK_TOKENS,
    }


def edge_rows(conversation: Conversation) -> Iterator[Row]:
    """Spawns and joins between the main stream and the others, with the time from end to start."""
    times = {(e.turn.outer, e.turn.inner): e for e in schedule(conversation)}
    main = conversation.main.turns
    for stream in conversation.streams[1:]:
        if stream.spawned_by is not None:
            origin = times[main[stream.spawned_by].outer, None]
            yield _edge(conversation, "spawn", origin, _at(times, stream, 0))
        if stream.joined_by is not None:
            joiner = times[main[stream.joined_by].outer, None]
            yield _edge(conversation, "join", _at(times, stream, -1), joiner)


def _at(times: dict[tuple[int, int | None], Timed], stream: Stream, index: int) -> Timed:
    turn = stream.turns[index]
    return times[turn.outer, turn.inner]


def _edge(conversation: Conversation, kind: str, origin: Timed, target: Timed) -> Row:
    return {
        "conversation_id": conversation.trace_id,
        "kind": kind,
        "from_outer": origin.turn.outer,
        "from_inner": origin.turn.inner,
        "to_outer": target.turn.outer,
        "to_inner": target.turn.inner,
        "delay_s": round(target.start_s - origin.end_s, 3),
    }
