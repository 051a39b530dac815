"""Top-level calls of a trace as chains: main conversation, forks, auxiliary calls (data-contracts 7.5).

A call extends the chain whose whole prompt is its prefix, which had ended, on the same model. A prompt that
was cut continues its chain (a compaction seam) when the longer one is never used again; else it
forks. The replay's guards (pause of at most 3,600 s, half of the prompt kept) hold for other models only: in
recorded sessions of the main model people come back after a night, and compaction keeps a third.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from dashboard.domain.trace_prefix import Place, place, shared
from dashboard.domain.traces import Blocks, Call

ChainKind = Literal["main", "fork", "auxiliary"]

_LONGEST_PAUSE_S = 3600.0
_LEAST_OVERLAP = 0.5
_CANDIDATES = 64
#: Starts of main calls are recorded in whole seconds and seem up to 14 s too early.
_CLOCK_SLACK_S = 15.0
_TITLE_OSL = 64
_AUXILIARY_ISL = 16_384
_AUXILIARY_SHARE = 0.1
_REDUCTION_OSL = 4_000
_REDUCTION_RATIO = 20


@dataclass(slots=True)
class Chain:
    """Calls of which each extends the one before; `seams` are places of calls whose prompt had been cut."""

    kind: ChainKind
    calls: list[Call] = field(default_factory=list)
    seams: set[Place] = field(default_factory=set)


def chains(calls: Sequence[Call], blocks: Mapping[Place, Blocks]) -> list[Chain]:
    """The chains of a list of calls, the main one first, the others by their start; empty for no calls."""
    if not calls:
        return []
    found = _Splitting(calls, blocks).split()
    main = max(found, key=lambda chain: (len(chain.calls), -chain.calls[0].start_s))
    preamble = _preamble(main, blocks)
    others = [chain for chain in found if chain is not main] + preamble
    peak = max(call.isl for call in main.calls)
    for chain in others:
        chain.kind = "auxiliary" if _is_auxiliary(chain, main, peak) else "fork"
    for chain in preamble:
        chain.kind = "auxiliary"
    main.kind = "main"
    return [main, *sorted(others, key=lambda chain: chain.calls[0].start_s)]


def _preamble(main: Chain, blocks: Mapping[Place, Blocks]) -> list[Chain]:
    """The first call on its own, where it is a title or shares nothing with what follows."""
    if len(main.calls) < 3:
        return []
    first, second = main.calls[:2]
    alike = shared(blocks[place(first)], blocks[place(second)])
    if alike or not len(first.blocks):
        return []
    main.calls.pop(0)
    main.seams.discard(place(second))
    return [Chain("auxiliary", [first])]


def _is_auxiliary(chain: Chain, main: Chain, peak: int) -> bool:
    """One call of another model, a small one, or one that reduces a long text to a short one."""
    if len(chain.calls) != 1:
        return False
    call = chain.calls[0]
    other_model = call.model != main.calls[0].model
    small = call.isl < max(_AUXILIARY_ISL, _AUXILIARY_SHARE * peak)
    reduction = 0 < call.osl < _REDUCTION_OSL and call.isl >= max(_AUXILIARY_ISL, _REDUCTION_RATIO * call.osl)
    return other_model or small or reduction


class _Splitting:
    """State while calls are dealt out by their start."""

    def __init__(self, calls: Sequence[Call], blocks: Mapping[Place, Blocks]) -> None:
        self._calls, self._blocks = calls, blocks
        size = 1 + max((int(ids.max()) for ids in blocks.values() if len(ids)), default=0)
        self._last_use = np.full(size, -1, np.int64)
        for number, call in enumerate(calls):
            self._last_use[blocks[place(call)]] = number
        self._tail_of = np.full(size, -1, np.int64)
        self._chains: list[Chain] = []
        tokens = Counter[str]()
        for call in calls:
            tokens[call.model] += call.isl
        self._model = tokens.most_common(1)[0][0]

    def split(self) -> list[Chain]:
        """All chains by their start."""
        for number, call in enumerate(self._calls):
            at = self._extended(call)
            seam = at is None and (at := self._cut(number, call)) is not None
            if at is None:
                at = len(self._chains)
                self._chains.append(Chain("main"))
            self._append(at, call, seam)
        return self._chains

    def _append(self, at: int, call: Call, seam: bool) -> None:
        chain, ids = self._chains[at], self._blocks[place(call)]
        before = self._blocks[place(chain.calls[-1])] if chain.calls else ids[:0]
        if len(before) and self._tail_of[before[-1]] == at:
            self._tail_of[before[-1]] = -1
        chain.calls.append(call)
        if seam:
            chain.seams.add(place(call))
        if len(ids):
            self._tail_of[ids[-1]] = at

    def _fits(self, at: int, call: Call, slack_s: float = 0.0) -> bool:
        tail = self._chains[at].calls[-1]
        return tail.model == call.model and tail.last_s <= call.start_s + slack_s

    def _extended(self, call: Call) -> int | None:
        """The chain with the deepest tail among those that the call's prompt goes on from."""
        tails = self._tail_of[self._blocks[place(call)]]
        deepest_first = tails[tails >= 0][::-1].tolist()
        found = (int(at) for at in deepest_first if self._fits(int(at), call, _CLOCK_SLACK_S))
        return next(found, None)

    def _cut(self, number: int, call: Call) -> int | None:
        """The chain that goes on with a cut prompt: its longer state is never used again."""
        ids, best, depth = self._blocks[place(call)], None, -1
        for at in range(len(self._chains) - 1, max(-1, len(self._chains) - 1 - _CANDIDATES), -1):
            if not self._fits(at, call):
                continue
            tail = self._chains[at].calls[-1]
            state = self._blocks[place(tail)]
            alike = shared(state, ids)
            used_again = len(state) > 0 and self._last_use[state[-1]] > number
            if (
                alike > depth
                and not used_again
                and self._guarded(tail, call, alike, min(len(state), len(ids)))
            ):
                best, depth = at, alike
        return best

    def _guarded(self, tail: Call, call: Call, alike: int, length: int) -> bool:
        if call.model == self._model:
            return True
        near = call.start_s - tail.last_s <= _LONGEST_PAUSE_S
        return near and alike >= _LEAST_OVERLAP * max(length, 1)
