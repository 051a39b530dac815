"""One engine rank as a queueing system that jumps from event to event.

Between two events (a request arrives, a group of prompts is computed, a sequence ends, a transfer is done)
the batch stays the same, so that a step takes the same time and progress is linear. Prompts are computed in
chunks; a step that holds a chunk takes longer, which is how prefill delays decoding.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from dashboard.simulate.conversations import BLOCK_TOKENS
from dashboard.simulate.deployment import Deployment, Roofline
from dashboard.simulate.prefix_cache import BlockPool, HostTier

Role = Literal["combined", "prefill", "decode"]

#: Bytes per second from host memory to the HBM of one GPU.
HOST_LINK_BYTES_PER_S = 50e9
_INFINITY = math.inf


@dataclass(slots=True, eq=False)
class Job:
    """A request inside the servers; times in seconds of the simulation. Token counts add up to `isl`."""

    keys: tuple[int, ...]
    lengths: tuple[int, ...]
    isl: int
    osl: int
    arrived: float = 0.0
    first_token: float = -1.0
    ended: float = -1.0
    hbm_tokens: int = 0
    host_tokens: int = 0

    @property
    def computed_tokens(self) -> int:
        """Prompt tokens that had to be computed."""
        return self.isl - self.hbm_tokens - self.host_tokens


@dataclass(slots=True)
class RankLog:
    """What a rank's metrics endpoint would tell: the state after every change, and what each prompt was.

    `states` holds (time, KV use, running, waiting, tokens per second being generated); `prompts` holds (time
    of the first token, prompt tokens, HBM hits, host hits), `written` (time, blocks copied to host memory).
    """

    states: list[tuple[float, float, int, int, float]] = field(default_factory=list)
    prompts: list[tuple[float, int, int, int]] = field(default_factory=list)
    written: list[tuple[float, int]] = field(default_factory=list)


class Rank:
    """One data-parallel rank of an engine. `submit` jobs, ask for `next_event`, `run_until` it."""

    def __init__(self, deployment: Deployment, gpus: int, ranks: int, role: Role) -> None:
        self.role = role
        self.assigned = 0
        self.log = RankLog()
        self._roofline: Roofline = deployment.roofline(gpus, ranks)
        self._pool = BlockPool(deployment.pool_blocks(gpus, ranks))
        host = 0 if role == "decode" else deployment.host_blocks(gpus, ranks)
        self._host = HostTier(host) if host else None
        self._link = HOST_LINK_BYTES_PER_S * gpus / ranks / deployment.model.kv_bytes_per_token
        self._budget = deployment.engine.prefill_budget
        self._acceptance = deployment.acceptance
        self._largest_batch = deployment.largest_batch
        self._now = 0.0
        self._waiting: deque[Job] = deque()
        self._loading: list[tuple[float, int, Job]] = []
        self._link_free = 0.0
        self._ready: deque[Job] = deque()
        self._group: list[Job] = []
        self._group_steps = 0.0
        self._group_chunk = 0.0
        self._group_context = 0.0
        self._decoding: list[tuple[float, int, Job]] = []
        self._progress = 0.0
        self._kv_tokens = 0.0
        self._step_s = 1.0
        self._sequence = 0

    @property
    def capacity_tokens(self) -> int:
        """Tokens that the KV pool holds."""
        return self._pool.capacity * BLOCK_TOKENS

    @property
    def load(self) -> int:
        """Jobs here that have not ended."""
        waiting = len(self._waiting) + len(self._loading) + len(self._ready)
        return waiting + len(self._group) + len(self._decoding)

    def submit(self, job: Job, now: float) -> list[Job]:
        """Queue a job at `now`; gives what ended until then."""
        ended = self.run_until(now)
        self._waiting.append(job)
        self._schedule()
        return ended

    def next_event(self) -> float:
        """When something happens here next, without a new job; infinity when nothing does."""
        soonest = self._loading[0][0] if self._loading else _INFINITY
        if self._group:
            soonest = min(soonest, self._now + self._group_steps * self._step_s)
        if self._decoding:
            steps = (self._decoding[0][0] - self._progress) / self._acceptance
            soonest = min(soonest, self._now + max(steps, 0.0) * self._step_s)
        return soonest

    def run_until(self, now: float) -> list[Job]:
        """Let time pass; gives the jobs that left this rank, in order."""
        left: list[Job] = []
        while (event := self.next_event()) <= now:
            self._advance(event)
            left += self._finish()
            self._schedule()
        self._advance(now)
        return left

    def _advance(self, now: float) -> None:
        steps = (now - self._now) / self._step_s
        if steps > 0:
            self._progress += steps * self._acceptance
            self._group_steps -= steps
        self._now = max(now, self._now)

    def _finish(self) -> list[Job]:
        """What is due now: loaded prompts become ready, a computed group decodes, sequences end."""
        left: list[Job] = []
        while self._loading and self._loading[0][0] <= self._now:
            self._ready.append(heapq.heappop(self._loading)[2])
        if self._group and self._group_steps <= 1e-9:
            for job in self._group:
                left += self._computed(job)
            self._group = []
        while self._decoding and self._decoding[0][0] <= self._progress + 1e-6:
            job = heapq.heappop(self._decoding)[2]
            self._kv_tokens -= job.isl + job.osl / 2
            left.append(self._ended(job))
        return left

    def _computed(self, job: Job) -> list[Job]:
        """A prompt is computed: its first token is out, its blocks go to host memory."""
        job.first_token = self._now
        self.log.prompts.append((self._now, job.isl, job.hbm_tokens, job.host_tokens))
        if self._host is not None:
            written = self._host.write(job.keys, job.lengths)
            self.log.written.append((self._now, written))
        if job.osl <= 1 or self.role == "prefill":
            return [self._ended(job)]
        self._decode(job)
        return []

    def _decode(self, job: Job) -> None:
        self._sequence += 1
        heapq.heappush(self._decoding, (self._progress + job.osl - 1, self._sequence, job))
        self._kv_tokens += job.isl + job.osl / 2

    def _ended(self, job: Job) -> Job:
        job.ended = self._now
        self._pool.release(self._keys(job), self._private(job))
        return job

    def _schedule(self) -> None:
        """Take up what fits, then settle how long a step takes from here on."""
        if self.role == "decode":
            self._take_transferred()
        elif not self._group:
            self._form_group()
        chunk, context = (self._group_chunk, self._group_context) if self._group else (0.0, 0.0)
        self._step_s = self._roofline.step_s(len(self._decoding), self._kv_tokens, chunk, context)
        running = len(self._group) + len(self._decoding)
        rate = len(self._decoding) * self._acceptance / self._step_s
        use = self._pool.pinned / self._pool.capacity
        state = (self._now, use, running, self.load - running, rate)
        if self.log.states and self.log.states[-1][0] == self._now:
            self.log.states[-1] = state
        else:
            self.log.states.append(state)

    def _take_transferred(self) -> None:
        """Sequences whose prompt was computed elsewhere start as soon as their blocks fit."""
        while self._waiting and len(self._decoding) < self._largest_batch:
            job = self._waiting[0]
            if not self._pool.reserve(self._keys(job), (), self._private(job)):
                return
            job.first_token = self._now
            self._decode(self._waiting.popleft())

    def _form_group(self) -> None:
        """The prompts of the next chunks: first those loaded from host memory, then the queue, in order."""
        tokens, weighted = 0, 0.0
        while tokens < self._budget and (job := self._next_prompt()) is not None:
            computed = job.computed_tokens
            tokens += computed
            weighted += computed * (job.isl - computed / 2)
            self._group.append(job)
        if self._group:
            self._group_steps = max(1.0, tokens / self._budget)
            self._group_chunk = tokens / self._group_steps
            self._group_context = weighted / tokens

    def _next_prompt(self) -> Job | None:
        if self._ready:
            return self._ready.popleft()
        while self._waiting and len(self._group) + len(self._decoding) < self._largest_batch:
            job = self._waiting[0]
            hits = self._pool.matched(job.keys, job.lengths)
            if not self._pool.reserve(job.keys, job.lengths, self._private(job)):
                return None
            self._waiting.popleft()
            self._look_up(job, hits)
            if not job.host_tokens:
                return job
            self._load(job)
        return None

    def _look_up(self, job: Job, hits: int) -> None:
        """Where the prompt's tokens come from; the last token is always computed."""
        most = (job.isl - 1) // BLOCK_TOKENS
        hits = min(hits, most)
        loaded = 0 if self._host is None else self._host.matched(job.keys, job.lengths, hits)
        job.hbm_tokens = hits * BLOCK_TOKENS
        job.host_tokens = min(loaded, most - hits) * BLOCK_TOKENS

    def _load(self, job: Job) -> None:
        self._link_free = max(self._now, self._link_free) + job.host_tokens / self._link
        self._sequence += 1
        heapq.heappush(self._loading, (self._link_free, self._sequence, job))

    def _keys(self, job: Job) -> Sequence[int]:
        return () if self.role == "decode" else job.keys

    def _private(self, job: Job) -> int:
        """Blocks that only this job uses: its output and the open end of its prompt, or all of it."""
        shared = 0 if self.role == "decode" else sum(job.lengths)
        output = 1 if self.role == "prefill" else job.osl
        return -(-(job.isl + output) // BLOCK_TOKENS) - shared
