"""The simulator replays recorded sessions as it does its own."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from dashboard.simulate.conversations import Conversation
from dashboard.simulate.lanes import Load
from dashboard.simulate.replay import replay
from dashboard.simulate.weka import conversation_of
from tests.simulate.deployments import deployment

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def recorded(shared: Path) -> dict[str, Conversation]:
    paths = sorted((shared / "real-data" / "weka-traces").glob("trace_*.json"))
    return {path.stem: conversation_of(json.loads(path.read_text("utf-8"))) for path in paths}


@pytest.fixture(scope="module")
def facts(shared: Path) -> dict[str, dict[str, str]]:
    with (shared / "real-data" / "weka-traces" / "facts.csv").open(encoding="utf-8") as lines:
        return {row["trace"]: row for row in csv.DictReader(lines)}


def test_every_request_of_the_recordings_is_read_with_its_tokens_and_blocks(
    recorded: dict[str, Conversation], facts: dict[str, dict[str, str]]
) -> None:
    assert len(recorded) == len(facts) == 25
    for name, session in recorded.items():
        fact = facts[name]
        turns = list(session.turns())
        assert len(turns) == int(fact["requests"])
        assert len(session.main.turns) == int(fact["main_requests"])
        assert len(session.streams) - 1 == int(fact["subagents"])
        assert sum(turn.isl for turn in turns) == int(fact["input_tokens"])
        assert sum(turn.blocks for turn in turns) == int(fact["blocks_total"])
        assert all(sum(session.lengths(turn)) == turn.blocks for turn in turns)


def test_prefix_reuse_along_each_stream_is_what_the_recordings_hold(
    recorded: dict[str, Conversation], facts: dict[str, dict[str, str]]
) -> None:
    for name, session in recorded.items():
        reused = 0
        for stream in session.streams:
            for before, after in pairwise(stream.turns):
                known = dict(zip(before.path, session.lengths(before), strict=True))
                for segment, length in zip(after.path, session.lengths(after), strict=True):
                    reused += min(length, known.get(segment, 0))
                    if known.get(segment, 0) < length:
                        break
        assert reused == int(facts[name]["prefix_blocks_reused"])


def test_the_recordings_are_replayed_with_their_prefixes_hit(recorded: dict[str, Conversation]) -> None:
    sessions = [session.in_tokens_of(0.8) for session in recorded.values()]
    plan = replace(deployment(offload="dram"), pool_tokens=None)
    trace = replay(sessions, plan, Load(concurrency=12, duration_s=900, seed=3))
    done = [request.job for request in trace.profiling if request.is_ok]
    assert len(done) > 100
    hit = sum(job.hbm_tokens + job.host_tokens for job in done) / sum(job.isl for job in done)
    assert 0.8 < hit < 1
    assert {request.run.stream.kind for request in trace.requests} >= {"main", "subagent"}
    assert len({request.run.replay.conversation.trace_id for request in trace.requests}) > 12
