"""Invented conversations with the published shape of the agentic corpus (peer-features.md, section 0).

Every session has a context that grows turn by turn and is sometimes compacted; groups of subagents fork from
a turn and are joined by a later one; auxiliary one-shot requests run beside. All shapes are log-normal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from dashboard.simulate.conversations import BLOCK_TOKENS, Conversation, Kind, Stream, Turn

LARGE_MODEL, SMALL_MODEL = "recorded-large", "recorded-small"


@dataclass(frozen=True, slots=True)
class LogNormal:
    """A log-normal by its median and the standard deviation of its logarithm."""

    median: float
    sigma: float

    def draw(self, random: np.random.Generator) -> float:
        """One value."""
        return self.median * math.exp(self.sigma * random.standard_normal())


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a corpus in recorded tokens and seconds; the defaults are the published one."""

    sessions: int = 393
    sessions_with_subagents: int = 175
    subagent_runs: int = 1697
    subagents_per_session: LogNormal = LogNormal(4, 1.33)
    osl: LogNormal = LogNormal(444, 1.29)
    delay_s: LogNormal = LogNormal(3.84, 2.14)
    peak_context: LogNormal = LogNormal(350_000, 0.72)
    largest_context: int = 1_700_000
    turns: LogNormal = LogNormal(75, 0.5)
    system_tokens: LogNormal = LogNormal(34_000, 0.3)
    subagent_system_tokens: LogNormal = LogNormal(16_000, 0.25)
    subagent_peak: LogNormal = LogNormal(96_000, 0.7)
    subagent_turns: LogNormal = LogNormal(4.6, 0.6)
    group_size_mean: float = 2.0
    background_share: float = 0.08
    compaction_share: float = 0.3
    auxiliary_per_session: float = 1.5


def make_conversations(seed: int, shape: Shape | None = None) -> tuple[Conversation, ...]:
    """The sessions of a corpus; the same seed and shape give the same sessions."""
    shape = shape or Shape()
    random = np.random.default_rng([seed, 1])
    counts = subagent_counts(shape, random)
    return tuple(
        _Session(shape, np.random.default_rng([seed, 2, number])).conversation(
            f"sim_{number:04d}", int(count)
        )
        for number, count in enumerate(counts)
    )


def subagent_counts(shape: Shape, random: np.random.Generator) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Subagent runs of each session: log-normal quantiles for those that have any, the sum as published."""
    some = min(shape.sessions_with_subagents, shape.sessions)
    if some == 0:
        return np.zeros(shape.sessions, dtype=np.int64)
    wanted = max(round(shape.subagent_runs * some / shape.sessions_with_subagents), some)
    ranks = (np.arange(some) + 0.5) / some
    spread = shape.subagents_per_session.sigma * np.sqrt(2) * _inverse_erf(2 * ranks - 1)
    counts = np.maximum(1, np.rint(shape.subagents_per_session.median * np.exp(spread))).astype(np.int64)
    upper = np.arange(some // 2 + 1, some) if some > 2 else np.arange(some)
    while (missing := wanted - int(counts.sum())) != 0:
        step = min(abs(missing), len(upper))
        counts[upper[-step:]] += int(math.copysign(1, missing))
        counts = np.maximum(counts, 1)
    all_counts = np.zeros(shape.sessions, dtype=np.int64)
    all_counts[:some] = counts
    random.shuffle(all_counts)
    return all_counts


def _inverse_erf(
    values: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Inverse error function by Winitzki's closed form, within 0.2 %."""
    a = 0.147
    logs = np.log1p(-values * values)
    half = 2 / (math.pi * a) + logs / 2
    return np.asarray(np.sign(values) * np.sqrt(np.sqrt(half * half - logs / a) - half))


@dataclass(slots=True)
class _Session:
    """One session in the making; `starts` collects its segments."""

    shape: Shape
    random: np.random.Generator
    starts: list[int] = field(default_factory=list)
    outer: int = 0

    def conversation(self, trace_id: str, subagents: int) -> Conversation:
        turns = max(4, round(self.shape.turns.draw(self.random)))
        spawns = self._spawns(turns, subagents)
        contexts = list(self._main_contexts(turns))
        main: list[Turn] = []
        others: list[Stream] = self._auxiliaries()
        subagent_root = self._segment(0) if subagents else -1
        subagent_system = _blocks(self.shape.subagent_system_tokens.draw(self.random))
        for index, (path, isl) in enumerate(contexts):
            main.append(self._turn(self._next_outer(), None, path, isl, LARGE_MODEL, last=index == turns - 1))
            for _ in range(spawns.get(index, 0)):
                others.append(self._subagent(len(others), index, turns, subagent_root, subagent_system))
        streams = (Stream("", "main", tuple(main)), *others)
        return Conversation(trace_id, streams, tuple(self.starts))

    def _segment(self, start: int) -> int:
        self.starts.append(start)
        return len(self.starts) - 1

    def _next_outer(self) -> int:
        self.outer += 1
        return self.outer - 1

    def _spawns(self, turns: int, subagents: int) -> dict[int, int]:
        """Main turn -> subagents that fork from it, in groups; never from the last turn."""
        spawns: dict[int, int] = {}
        while subagents > 0:
            size = min(subagents, 1 + int(self.random.poisson(self.shape.group_size_mean - 1)))
            index = int(self.random.integers(0, turns - 1))
            spawns[index] = spawns.get(index, 0) + size
            subagents -= size
        return spawns

    def _main_contexts(self, turns: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """Path and prompt length of each main turn: growth to the peak, with or without a compaction."""
        shape = self.shape
        system = shape.system_tokens.draw(self.random)
        peak = min(max(shape.peak_context.draw(self.random), 1.5 * system), shape.largest_context)
        root, chain = self._segment(0), self._segment(_blocks(system))
        seam = int(turns * self.random.uniform(0.5, 0.9))
        compacts = self.random.random() < shape.compaction_share and turns > 8
        steps = self.random.lognormal(0.0, 1.0, turns) * np.linspace(1.6, 0.4, turns)
        growth = steps * (peak - system) / steps.sum()
        context = system + 0.3 * growth[0]
        for index in range(turns):
            if compacts and index == seam:
                chain, context = self._segment(_blocks(system)), system + 0.15 * (context - system)
            context = min(context + growth[index], shape.largest_context)
            yield (root, chain), int(context) + 1

    def _subagent(self, number: int, spawned_by: int, main_turns: int, root: int, system: int) -> Stream:
        shape, random = self.shape, self.random
        turns = max(1, round(shape.subagent_turns.draw(random)))
        first = system * BLOCK_TOKENS
        peak = max(shape.subagent_peak.draw(random), 1.2 * first)
        chain, outer = self._segment(system), self._next_outer()
        steps = random.lognormal(0.0, 0.8, turns)
        contexts = first + np.cumsum(steps) * (peak - first) / steps.sum()
        made = tuple(
            self._turn(outer, inner, (root, chain), int(isl) + 1, LARGE_MODEL, last=inner == turns - 1)
            for inner, isl in enumerate(contexts)
        )
        background = random.random() < shape.background_share
        joined_by = None if background else min(spawned_by + 1, main_turns - 1)
        return Stream(f"sa:agent_{number:03d}", "subagent", made, spawned_by, joined_by)

    def _auxiliaries(self) -> list[Stream]:
        """One-shot requests at the start of a session: titles, quota checks."""
        return [
            self._auxiliary(number)
            for number in range(int(self.random.poisson(self.shape.auxiliary_per_session)))
        ]

    def _auxiliary(self, number: int) -> Stream:
        kind: Kind = "auxiliary"
        isl = int(self.random.lognormal(math.log(1500), 0.8)) + 1
        outer = self._next_outer()
        turn = self._turn(outer, None, (self._segment(0),), isl, SMALL_MODEL, last=True)
        return Stream(f"aux:{number:03d}", kind, (turn,))

    def _turn(
        self, outer: int, inner: int | None, path: tuple[int, ...], isl: int, model: str, *, last: bool
    ) -> Turn:
        osl = max(1, round(self.shape.osl.draw(self.random)))
        delay = min(self.shape.delay_s.draw(self.random), 3600.0)
        api = 0.8 + osl / 65 + float(self.random.exponential(0.8))
        stop = "end_turn" if last else "tool_use"
        return Turn(
            outer, inner, path, isl // BLOCK_TOKENS, isl, osl, round(delay, 3), round(api, 3), model, stop
        )


def _blocks(tokens: float) -> int:
    return int(tokens) // BLOCK_TOKENS
