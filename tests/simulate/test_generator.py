"""The invented corpus has the published shape of the agentic one (peer-features.md, section 0)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from dashboard.simulate.conversations import BLOCK_TOKENS, Conversation, schedule
from dashboard.simulate.generator import make_conversations


@pytest.fixture(scope="module")
def sessions() -> tuple[Conversation, ...]:
    return make_conversations(seed=42)


def subagents(session: Conversation) -> int:
    return sum(stream.kind == "subagent" for stream in session.streams)


def test_the_corpus_has_393_sessions_and_1697_subagent_runs_in_44_percent_of_them(
    sessions: tuple[Conversation, ...],
) -> None:
    counts = np.array([subagents(session) for session in sessions])
    assert len(sessions) == 393
    assert counts.sum() == 1697
    assert (counts > 0).mean() == pytest.approx(0.44, abs=0.01)
    assert np.median(counts[counts > 0]) == 4


def test_input_and_output_lengths_are_log_normal_with_the_published_medians(
    sessions: tuple[Conversation, ...],
) -> None:
    for lengths, median, sigma in (
        ([turn.isl for session in sessions for turn in session.turns() if turn.isl > 16_384], 142_000, 0.9),
        ([turn.osl for session in sessions for turn in session.turns()], 444, 1.3),
    ):
        p10, p50, p90 = np.percentile(lengths, (10, 50, 90))
        assert p50 == pytest.approx(median, rel=0.1)
        assert np.log(p90 / p50) / 1.2816 == pytest.approx(sigma, rel=0.15)
        assert np.log(p50 / p10) / 1.2816 == pytest.approx(sigma, rel=0.35)


def test_pauses_have_a_median_of_3_84_s_and_a_tenth_of_them_lasts_over_a_minute(
    sessions: tuple[Conversation, ...],
) -> None:
    pauses = [turn.delay_s for session in sessions for stream in session.streams for turn in stream.turns[1:]]
    assert np.median(pauses) == pytest.approx(3.84, rel=0.05)
    assert np.mean(np.array(pauses) > 60) == pytest.approx(0.10, abs=0.01)


def test_the_median_subagent_runs_for_2_27_minutes(sessions: tuple[Conversation, ...]) -> None:
    walls = []
    for session in sessions:
        spans: dict[str, tuple[float, float]] = {}
        for entry in schedule(session):
            if entry.stream.kind == "subagent":
                first, last = spans.get(entry.stream.name, (entry.start_s, entry.end_s))
                spans[entry.stream.name] = min(first, entry.start_s), max(last, entry.end_s)
        walls += [last - first for first, last in spans.values()]
    assert np.median(walls) / 60 == pytest.approx(2.27, rel=0.15)


def test_contexts_grow_except_where_a_conversation_is_compacted(sessions: tuple[Conversation, ...]) -> None:
    compacted = 0
    for session in sessions:
        for before, after in pairwise(session.main.turns):
            if before.path == after.path:
                assert after.isl >= before.isl
            else:
                compacted += 1
                assert after.isl < before.isl
                assert after.path[0] == before.path[0]
    assert compacted > len(sessions) / 10


def test_subagents_fork_in_parallel_and_are_joined_by_a_later_turn(
    sessions: tuple[Conversation, ...],
) -> None:
    children = [s for session in sessions for s in session.streams if s.kind == "subagent"]
    joined = [child for child in children if child.joined_by is not None]
    assert all((child.spawned_by or 0) < (child.joined_by or 0) for child in joined)
    assert 0 < len(children) - len(joined) < len(children) / 4
    forks = [(n, child.spawned_by) for n, s in enumerate(sessions) for child in s.streams[1:]]
    assert len(set(forks)) < len(forks)


def test_blocks_of_a_prompt_are_its_whole_64_token_blocks_in_any_tokeniser(
    sessions: tuple[Conversation, ...],
) -> None:
    for session in (sessions[0], sessions[0].in_tokens_of(0.55), sessions[1].in_tokens_of(1.3)):
        for turn in session.turns():
            assert sum(session.lengths(turn)) == turn.blocks
            assert min(session.lengths(turn)) >= 0
            assert turn.blocks * BLOCK_TOKENS <= turn.isl


def test_the_same_seed_gives_the_same_sessions() -> None:
    assert make_conversations(seed=3)[:5] == make_conversations(seed=3)[:5]
    assert make_conversations(seed=3)[0] != make_conversations(seed=4)[0]
