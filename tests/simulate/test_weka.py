"""Conversations as WEKA traces and back: the same prefixes, lengths, pauses, spawns and joins."""

from __future__ import annotations

from itertools import takewhile

import pytest

from dashboard.simulate.conversations import Conversation, schedule
from dashboard.simulate.weka import conversation_of, trace_of
from tests.simulate.deployments import corpus


def shared_blocks(conversation: Conversation) -> list[int]:
    """Leading blocks that each turn shares with any earlier one, in the order of the recording."""
    turns = [entry.turn for entry in schedule(conversation)]
    shared = []
    for number, turn in enumerate(turns):
        lengths = dict(zip(turn.path, conversation.lengths(turn), strict=True))
        best = 0
        for other in turns[:number]:
            others = dict(zip(other.path, conversation.lengths(other), strict=True))
            common = list(
                takewhile(lambda pair: pair[0] == pair[1], zip(turn.path, other.path, strict=False))
            )
            best = max(best, sum(min(lengths[segment], others[segment]) for segment, _ in common))
        shared.append(best)
    return shared


@pytest.fixture(scope="module")
def sessions() -> list[Conversation]:
    one_with = next(s for s in corpus(1.0) if any(t.kind == "subagent" for t in s.streams))
    compacted = next(s for s in corpus(1.0) if len({turn.path for turn in s.main.turns}) > 1)
    return [one_with, compacted]


def test_a_trace_has_one_id_per_whole_block_and_a_group_per_subagent(sessions: list[Conversation]) -> None:
    for session in sessions:
        trace = trace_of(session)
        groups = [entry for entry in trace["requests"] if entry["type"] == "subagent"]
        assert len(groups) == sum(stream.kind == "subagent" for stream in session.streams)
        calls = [e for e in trace["requests"] if e["type"] == "s"]
        calls += [call for group in groups for call in group["requests"]]
        assert len(calls) == sum(1 for _ in session.turns())
        assert all(len(call["hash_ids"]) == call["in"] // 64 for call in calls)
        assert {call["hash_ids"][0] for call in calls if call["hash_ids"]} >= {0}


def test_ids_are_numbered_by_first_appearance(sessions: list[Conversation]) -> None:
    highest = -1
    entries = []
    for entry in trace_of(sessions[0])["requests"]:
        inner = entry.get("requests", [entry])
        entries += [(call["t"] + (entry["t"] if inner[0] is not entry else 0), call) for call in inner]
    for _, call in sorted(entries, key=lambda pair: pair[0]):
        for one in call["hash_ids"]:
            assert one <= highest + 1
            highest = max(highest, one)


def test_a_conversation_survives_being_written_and_read(sessions: list[Conversation]) -> None:
    for session in sessions:
        back = conversation_of(trace_of(session))
        before = {(turn.outer, turn.inner): turn for turn in session.turns()}
        after = {(turn.outer, turn.inner): turn for turn in back.turns()}
        assert after.keys() == before.keys()
        for place, turn in before.items():
            twin = after[place]
            assert (twin.isl, twin.osl, twin.blocks) == (turn.isl, turn.osl, turn.blocks)
        subagents = {s.name: s for s in session.streams if s.kind == "subagent"}
        for stream in back.streams[1:]:
            if stream.name in subagents:
                assert [t.inner for t in stream.turns] == [t.inner for t in subagents[stream.name].turns]


def test_prefixes_shared_between_prompts_are_the_same_after_a_round_trip(
    sessions: list[Conversation],
) -> None:
    session = sessions[1]
    back = conversation_of(trace_of(session))
    assert sorted(shared_blocks(back)) == sorted(shared_blocks(session))
