"""Agentic conversations as a replay needs them: streams of turns, prompts as paths of token-block segments.

A prompt is a path from the root of the conversation's prefix tree; two prompts share exactly the segments
that their paths have in common. Segments are kept as lengths, never as lists of blocks.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

BLOCK_TOKENS = 64

Kind = Literal["main", "subagent", "auxiliary"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One request of a stream.

    `path` names the segments of the prompt from the root; the last may be used in part, up to `blocks`, the
    number of whole blocks of the prompt (`blocks * 64 <= isl`). `outer` and `inner` are the request's place
    in the trace. `delay_s` runs from the end of the stream's previous turn, or from the spawn.
    """

    outer: int
    inner: int | None
    path: tuple[int, ...]
    blocks: int
    isl: int
    osl: int
    delay_s: float
    api_s: float
    model: str
    stop: str = "tool_use"


@dataclass(frozen=True, slots=True)
class Stream:
    """A chain of turns: the main one, a subagent or an auxiliary request.

    It starts when main turn `spawned_by` has ended; main turn `joined_by` waits for it. None: at the start of
    the conversation, and nobody waits.
    """

    name: str
    kind: Kind
    turns: tuple[Turn, ...]
    spawned_by: int | None = None
    joined_by: int | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """One recorded session. `streams[0]` is the main one; `starts[s]` is the depth of segment s in blocks."""

    trace_id: str
    streams: tuple[Stream, ...]
    starts: tuple[int, ...]

    @property
    def main(self) -> Stream:
        """The stream that spawns and joins the others."""
        return self.streams[0]

    def turns(self) -> Iterator[Turn]:
        """Every turn of every stream."""
        for stream in self.streams:
            yield from stream.turns

    def lengths(self, turn: Turn) -> tuple[int, ...]:
        """Blocks that the prompt of `turn` uses of each segment on its path."""
        depths = [self.starts[segment] for segment in turn.path] + [turn.blocks]
        return tuple(end - start for start, end in itertools.pairwise(depths))

    def in_tokens_of(self, ratio: float) -> Conversation:
        """The conversation for a model whose tokeniser makes `ratio` tokens of each recorded one.

        Output lengths stay, since a replay forces the recorded ones (data-contracts 7.4).
        """
        streams = tuple(
            replace(stream, turns=tuple(_scaled(turn, ratio) for turn in stream.turns))
            for stream in self.streams
        )
        return replace(self, streams=streams, starts=tuple(int(start * ratio) for start in self.starts))


def _scaled(turn: Turn, ratio: float) -> Turn:
    blocks = int(turn.blocks * ratio)
    return replace(turn, isl=max(int(turn.isl * ratio), blocks * BLOCK_TOKENS, 1), blocks=blocks)


@dataclass(frozen=True, slots=True)
class Timed:
    """A turn at its recorded time: seconds from the start of the conversation."""

    stream: Stream
    turn: Turn
    start_s: float
    end_s: float


def schedule(conversation: Conversation) -> list[Timed]:
    """Every turn at the time the recording gives it, by start: delays and server times, spawns and joins."""
    children: dict[int | None, list[Stream]] = {}
    for stream in conversation.streams[1:]:
        children.setdefault(stream.spawned_by, []).append(stream)
    joined: dict[int, float] = {}
    timed: list[Timed] = []
    _run_children(children.get(None, ()), 0.0, joined, timed)
    clock = 0.0
    for index, turn in enumerate(conversation.main.turns):
        start = max(clock + turn.delay_s, joined.get(index, 0.0))
        clock = start + turn.api_s
        timed.append(Timed(conversation.main, turn, start, clock))
        _run_children(children.get(index, ()), clock, joined, timed)
    return sorted(timed, key=lambda entry: (entry.start_s, entry.turn.outer, entry.turn.inner or 0))


def _run_children(
    streams: Sequence[Stream], spawn_s: float, joined: dict[int, float], timed: list[Timed]
) -> None:
    for stream in streams:
        clock = spawn_s
        for turn in stream.turns:
            start = clock + turn.delay_s
            clock = start + turn.api_s
            timed.append(Timed(stream, turn, start, clock))
        if stream.joined_by is not None:
            joined[stream.joined_by] = max(joined.get(stream.joined_by, 0.0), clock)
