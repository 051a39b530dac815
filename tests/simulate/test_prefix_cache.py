"""Caches kept as segment lengths behave as an LRU over blocks does."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.simulate.prefix_cache import BlockPool, HostTier

PROMPTS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(1, 6), st.integers(0, 30), st.integers(1, 4)), max_size=60
)


def test_a_prompt_hits_what_an_earlier_one_left_and_no_more() -> None:
    pool = BlockPool(100)
    assert pool.reserve((1, 2), (10, 5), private=2)
    pool.release((1, 2), private=2)
    assert pool.matched((1, 2), (10, 8)) == 15
    assert pool.matched((1, 3), (10, 8)) == 10
    assert pool.matched((4, 2), (10, 8)) == 0


def test_the_tail_of_the_prompt_that_was_used_longest_ago_goes_first() -> None:
    pool = BlockPool(30)
    for key in (1, 2):
        assert pool.reserve((key,), (15,), private=0)
        pool.release((key,), private=0)
    assert pool.reserve((3,), (4,), private=0)
    assert pool.matched((1,), (15,)) == 11
    assert pool.matched((2,), (15,)) == 15


def test_what_runs_cannot_be_evicted_and_what_does_not_fit_changes_nothing() -> None:
    pool = BlockPool(20)
    assert pool.reserve((1,), (15,), private=3)
    assert not pool.reserve((2,), (5,), private=0)
    assert (pool.pinned, pool.allocated) == (18, 18)
    pool.release((1,), private=3)
    assert pool.reserve((2,), (10,), private=0)
    assert pool.matched((1,), (15,)) == 10


@settings(max_examples=60, deadline=None)
@given(PROMPTS)
def test_a_pool_never_holds_more_than_its_capacity(prompts: list[tuple[int, int, int, int]]) -> None:
    pool, running = BlockPool(64), []
    for root, length, tail, private in prompts:
        keys, lengths = (root, root + 100), (length, tail)
        if pool.reserve(keys, lengths, private):
            assert pool.matched(keys, lengths) == length + tail
            running.append((keys, private))
        if len(running) > 2:
            pool.release(*running.pop(0))
        assert 0 <= pool.pinned <= pool.allocated <= pool.capacity
    for keys, private in running:
        pool.release(keys, private)
    assert pool.pinned == 0


def test_the_host_tier_continues_where_hbm_stopped() -> None:
    tier = HostTier(100)
    assert tier.write((1, 2), (10, 20)) == 30
    assert tier.write((1, 2), (10, 25)) == 5
    assert tier.matched((1, 2), (10, 25), skip=4) == 31
    assert tier.matched((1, 2), (10, 40), skip=12) == 23
    assert tier.matched((1, 3), (10, 40), skip=0) == 10
    assert tier.matched((3, 1), (10, 10), skip=0) == 0


@settings(max_examples=60, deadline=None)
@given(PROMPTS)
def test_the_host_tier_never_holds_more_than_its_capacity(prompts: list[tuple[int, int, int, int]]) -> None:
    tier = HostTier(50)
    for root, length, tail, _ in prompts:
        tier.write((root, root + 100), (length, tail))
        assert 0 <= tier.used <= 50
