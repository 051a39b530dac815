"""Which conversation a lane replays next, and which data-parallel rank serves it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dashboard.simulate.conversations import Conversation
from dashboard.simulate.deployment import Routing
from dashboard.simulate.engine import Rank
from dashboard.simulate.lanes import Replay, StreamRun


@dataclass(slots=True)
class Draws:
    """Conversations in seeded order, each once before any comes again; sessions stick to their rank."""

    conversations: Sequence[Conversation]
    routing: Routing
    ranks: Sequence[Rank]
    random: np.random.Generator
    _order: deque[int] = field(default_factory=deque)
    _streams: int = 0
    _bases: int = 0

    def next(self, lane: int) -> Replay:
        """The next conversation of a lane, with every prefix new."""
        if not self._order:
            self._order.extend(int(index) for index in self.random.permutation(len(self.conversations)))
        conversation = self.conversations[self._order.popleft()]
        drawn = Replay(lane, self._bases, conversation, self._route(conversation))
        self._bases += len(conversation.starts)
        for stream in conversation.streams:
            drawn.runs.append(StreamRun(self._streams, drawn, stream))
            self._streams += 1
        return drawn

    def leave(self, ended: Replay) -> None:
        """A session is over: its rank is free for another."""
        self.ranks[ended.rank].assigned -= self._weight(ended.conversation)

    def _route(self, conversation: Conversation) -> int:
        if self.routing == "hash":
            rank = int(self.random.integers(len(self.ranks)))
        else:
            rank = min(range(len(self.ranks)), key=lambda index: (self.ranks[index].assigned, index))
        self.ranks[rank].assigned += self._weight(conversation)
        return rank

    def _weight(self, conversation: Conversation) -> int:
        """What a session counts when ranks are balanced: 1, or the tokens that it will come to hold."""
        if self.routing != "least_tokens":
            return 1
        return max(turn.isl for turn in conversation.main.turns)
