"""Closed-loop replay of conversations over lanes, as the AgentX harness does it.

Every lane enters a conversation at a seeded 25 to 75 %, primes the cache with the latest request of each live
stream, advances ten one-token requests, and then replays: the next turn goes out when its predecessor has
ended, its pause is over and the subagents it joins are done. A lane that has finished draws another
conversation, whose prefixes are marked so that nothing of an earlier replay can be hit.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

import numpy as np

from dashboard.simulate.conversations import BLOCK_TOKENS, Conversation
from dashboard.simulate.deployment import Deployment
from dashboard.simulate.draws import Draws
from dashboard.simulate.engine import Job, Rank
from dashboard.simulate.lanes import Load, Phase, Replay, Request, StreamRun, Trace

_NEVER = float("inf")
_DISPATCH_S = 0.002
#: What the server does before a prompt reaches an engine: HTTP, chat template, tokeniser.
_FRONT_END_S = 0.015
_FRONT_END_TOKENS_PER_S = 1e6
_KV_TRANSFER_BYTES_PER_S = 100e9


def replay(conversations: Sequence[Conversation], deployment: Deployment, load: Load) -> Trace:
    """Replay `conversations`, already in the model's tokens, against a deployment."""
    return _Run(conversations, deployment, load).trace()


class _Run:
    """The event loop: a heap of client events and one next event of each rank."""

    def __init__(self, conversations: Sequence[Conversation], deployment: Deployment, load: Load) -> None:
        self.deployment, self.load = deployment, load
        self.random = np.random.default_rng([load.seed, 3])
        self.now = 0.0
        self.events: list[tuple[float, int, StreamRun | Job]] = []
        self.sequence = 0
        self.phase: Phase = "warmup"
        self.open: dict[Job, Request] = {}
        self.requests: list[Request] = []
        self.seen: dict[int, int] = {}
        self.stop_s = _NEVER
        self.fronts, self.backs = self._ranks()
        self.draws = Draws(conversations, deployment.routing, self.fronts, self.random)
        self.lanes = [self.draws.next(lane) for lane in range(load.concurrency)]

    def _ranks(self) -> tuple[list[Rank], list[Rank]]:
        plan = self.deployment
        if not plan.disaggregated:
            return [Rank(plan, plan.gpus, plan.ranks, "combined") for _ in range(plan.ranks)], []
        decode_gpus = plan.gpus - plan.prefill_gpus
        prefill = [
            Rank(plan, plan.prefill_gpus, plan.prefill_ranks, "prefill") for _ in range(plan.prefill_ranks)
        ]
        return prefill, [Rank(plan, decode_gpus, plan.ranks, "decode") for _ in range(plan.ranks)]

    def trace(self) -> Trace:
        """Warm-up, then profiling; requests in flight at its end are waited for."""
        self._warm_up()
        began, self.phase = self.now, "profiling"
        self.stop_s = began + self.load.duration_s
        for lane in self.lanes:
            self._resume(lane)
        self._drain(until=self.stop_s + self.load.grace_s)
        return Trace(tuple(self.requests), tuple(self.fronts), tuple(self.backs), began, self.now)

    def _warm_up(self) -> None:
        """One snapshot request a live stream, then some one-token requests a lane, each step to its end."""
        for lane in self.lanes:
            self._enter(lane)
        self._drain()
        for _ in range(self.load.warmup_requests_per_lane):
            for lane in self.lanes:
                run = next((run for run in self._live(lane) if self._may_go(run)), None)
                if run is not None:
                    self._send(run, self.now, warm=True)
            self._drain()

    def _enter(self, lane: Replay) -> None:
        """Put a lane's streams where they stand at a seeded share of the conversation, and send snapshots."""
        share = self.random.uniform(*self.load.start_ratio)
        main = lane.main
        main.started = True
        main.next_turn = min(max(1, int(share * len(main.stream.turns))), len(main.stream.turns) - 1)
        for run in lane.runs[1:]:
            spawned, joined = run.stream.spawned_by, run.stream.joined_by
            run.started = spawned is None or spawned < main.next_turn
            is_over = run.started and (joined is None or joined < main.next_turn)
            run.next_turn = int(share * len(run.stream.turns)) if run.started else 0
            run.done = is_over or (run.started and run.next_turn >= len(run.stream.turns))
        for run in self._live(lane):
            if run.next_turn:
                self._send(run, self.now, warm=True, turn_index=run.next_turn - 1)

    def _live(self, lane: Replay) -> Iterable[StreamRun]:
        return [run for run in lane.runs if run.started and not run.done]

    def _may_go(self, run: StreamRun) -> bool:
        """Whether the next turn waits for no subagent."""
        if run.stream.kind != "main":
            return True
        waited_for = (child for child in run.replay.runs[1:] if child.stream.joined_by == run.next_turn)
        return all(child.done for child in waited_for)

    def _resume(self, lane: Replay) -> None:
        for run in self._live(lane):
            if self._may_go(run):
                self._plan(run, self.now + self._pause(run))

    def _plan(self, run: StreamRun, at: float) -> None:
        """Send the run's next turn at a time, unless the phase is over by then."""
        if at < self.stop_s:
            self._push(at, run)

    def _push(self, at: float, item: StreamRun | Job) -> None:
        self.sequence += 1
        heapq.heappush(self.events, (at, self.sequence, item))

    def _send(
        self, run: StreamRun, credit_s: float, *, warm: bool = False, turn_index: int | None = None
    ) -> None:
        """One request. A snapshot (`turn_index` given) repeats a turn; any other moves the stream on."""
        index = run.next_turn if turn_index is None else turn_index
        if turn_index is None:
            run.next_turn += 1
        turn, conversation = run.stream.turns[index], run.replay.conversation
        keys = tuple(run.replay.base + segment for segment in turn.path)
        job = Job(keys, conversation.lengths(turn), turn.isl, 1 if warm else turn.osl)
        start = credit_s + _DISPATCH_S * (1 + self.random.exponential())
        request = Request(
            len(self.open) + len(self.requests), self.phase, run, index, turn, credit_s, start, job
        )
        request.theoretical_tokens = self._theoretical(job)
        rank = self.fronts[run.replay.rank]
        if self._fails(request, rank):
            self._ended(request)
            return
        job.arrived = start + _FRONT_END_S + job.isl / _FRONT_END_TOKENS_PER_S
        self.open[job] = request
        self._push(job.arrived, job)

    def _theoretical(self, job: Job) -> int:
        """Prompt tokens that an endless cache would hold."""
        hits = 0
        for key, length in zip(job.keys, job.lengths, strict=True):
            known = self.seen.get(key, 0)
            hits += min(known, length)
            if known < length:
                break
        for key, length in zip(job.keys, job.lengths, strict=True):
            self.seen[key] = max(self.seen.get(key, 0), length)
        return hits * BLOCK_TOKENS

    def _fails(self, request: Request, rank: Rank) -> bool:
        """Refused at the door: by chance in profiling, or since the prompt outgrows the KV pool."""
        job = request.job
        too_long = job.isl + job.osl + 128 > rank.capacity_tokens
        unlucky = request.phase == "profiling" and self.random.random() < self.deployment.failure_rate
        if too_long or (unlucky and self.random.random() < 0.6):
            request.outcome = "overflow" if too_long else "refused"
            job.first_token = job.ended = request.start_s
            return True
        if unlucky:
            request.outcome = "cut" if self.random.random() < 0.75 else "cancelled"
            job.osl = max(2, job.osl // 3)
        return False

    def _ended(self, request: Request) -> None:
        self.requests.append(request)
        if self.phase == "warmup":
            self._after_warm(request)
        else:
            self._after(request, max(self.now, request.job.ended))

    def _after_warm(self, request: Request) -> None:
        """Within the warm-up nothing is sent by itself; streams spawn and end as in a replay."""
        run = request.run
        if request.turn_index != run.next_turn - 1:
            return
        if run.stream.kind == "main":
            for child in run.replay.runs[1:]:
                if child.stream.spawned_by == request.turn_index and not child.done:
                    child.started = True
        self._settle(run)

    def _settle(self, run: StreamRun) -> None:
        """Mark a stream that has no turn left; a lane whose streams are all done draws again."""
        if run.next_turn < len(run.stream.turns):
            return
        run.done = True
        lane = run.replay
        if all(other.done or not other.started for other in lane.runs) and lane.main.done:
            self.draws.leave(lane)
            fresh = self.draws.next(lane.lane)
            self.lanes[lane.lane] = fresh
            fresh.main.started = True
            for child in fresh.runs[1:]:
                child.started = child.stream.spawned_by is None
            if self.phase == "profiling":
                self._resume(fresh)

    def _after(self, request: Request, at: float) -> None:
        """What an ended turn sets off: its successor, the subagents it spawns, the turn that joins it."""
        run = request.run
        if run.stream.kind == "main":
            for child in run.replay.runs[1:]:
                if child.stream.spawned_by == request.turn_index and not child.started:
                    child.started = True
                    self._plan(child, at + self._pause(child))
        if run.next_turn < len(run.stream.turns):
            if self._may_go(run):
                self._plan(run, at + self._pause(run))
            return
        joined_by, main = run.stream.joined_by, run.replay.main
        self._settle(run)
        if joined_by is not None and main.next_turn == joined_by and not main.done and self._may_go(main):
            self._plan(main, at + self._pause(main))

    def _pause(self, run: StreamRun) -> float:
        return min(run.stream.turns[run.next_turn].delay_s, self.load.idle_cap_s)

    def _drain(self, until: float = _NEVER) -> None:
        """Run until no event is left, or until a time."""
        ranks = [*self.fronts, *self.backs]
        due = [rank.next_event() for rank in ranks]
        while True:
            soonest = min(due)
            client = self.events[0][0] if self.events else _NEVER
            if min(soonest, client) >= until:
                self.now = until if until < _NEVER and self.open else self.now
                return
            if client <= soonest:
                self._client_event(ranks, due)
            else:
                index = due.index(soonest)
                self.now = soonest
                for job in ranks[index].run_until(soonest):
                    self._left(job, ranks[index])
                due[index] = ranks[index].next_event()

    def _client_event(self, ranks: list[Rank], due: list[float]) -> None:
        self.now, _, item = heapq.heappop(self.events)
        if isinstance(item, StreamRun):
            self._send(item, self.now)
            return
        request = self.open[item]
        transferred = item.ended >= 0
        if transferred:
            rank = min(self.backs, key=lambda back: back.load)
            item.ended = -1.0
        else:
            rank = self.fronts[request.run.replay.rank]
        for job in rank.submit(item, self.now):
            self._left(job, rank)
        index = next(place for place, other in enumerate(ranks) if other is rank)
        due[index] = rank.next_event()

    def _left(self, job: Job, rank: Rank) -> None:
        """A job left a rank: its KV goes on to a decoding rank, or the request has ended."""
        if rank.role == "prefill" and job.osl > 1:
            size = job.isl * self.deployment.model.kv_bytes_per_token
            self._push(job.ended + size / _KV_TRANSFER_BYTES_PER_S, job)
            return
        self._ended(self.open.pop(job))
