"""What takes part in a replay: lanes, their streams, the requests they send, and the trace they leave."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from dashboard.simulate.conversations import Conversation, Stream, Turn
from dashboard.simulate.engine import Job, Rank

Phase = Literal["warmup", "profiling"]
#: `overflow`: the prompt outgrows the KV pool; it never reaches an engine.
Outcome = Literal["ok", "refused", "overflow", "cut", "cancelled"]


@dataclass(frozen=True, slots=True)
class Load:
    """How a deployment is loaded: lanes, seconds of profiling, the seed, and the harness's own settings.

    What has not ended `grace_s` after the profiling phase leaves no record, as in AIPerf.
    """

    concurrency: int
    duration_s: float
    seed: int = 42
    idle_cap_s: float = 300.0
    warmup_requests_per_lane: int = 10
    grace_s: float = 30.0
    start_ratio: tuple[float, float] = (0.25, 0.75)


@dataclass(slots=True, eq=False)
class StreamRun:
    """One stream of one replay; `number` is unique over the run, `replay` is its lane's replay."""

    number: int
    replay: Replay
    stream: Stream
    next_turn: int = 0
    started: bool = False
    done: bool = False


@dataclass(slots=True, eq=False)
class Replay:
    """One lane's replay of one conversation; `base` keeps its segments apart from every other replay's."""

    lane: int
    base: int
    conversation: Conversation
    rank: int
    runs: list[StreamRun] = field(default_factory=list)

    @property
    def main(self) -> StreamRun:
        """The run of the main stream."""
        return self.runs[0]


@dataclass(slots=True, eq=False)
class Request:
    """One request as the client sees it; seconds of the simulation."""

    number: int
    phase: Phase
    run: StreamRun
    turn_index: int
    turn: Turn
    credit_s: float
    start_s: float
    job: Job
    outcome: Outcome = "ok"
    theoretical_tokens: int = 0

    @property
    def is_ok(self) -> bool:
        """Whether it gave the whole answer."""
        return self.outcome == "ok"


@dataclass(frozen=True, slots=True)
class Trace:
    """What a run leaves: requests in the order they ended, ranks with their logs, and the phases' times."""

    requests: tuple[Request, ...]
    prefill_ranks: tuple[Rank, ...]
    decode_ranks: tuple[Rank, ...]
    profiling_start_s: float
    end_s: float

    @property
    def profiling(self) -> list[Request]:
        """Requests of the profiling phase."""
        return [request for request in self.requests if request.phase == "profiling"]
