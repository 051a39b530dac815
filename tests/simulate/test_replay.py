"""Physics of the simulated replay: what must hold for every load and every deployment."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.simulate.deployment import Deployment
from dashboard.simulate.generator import make_conversations
from dashboard.simulate.lanes import Load, Trace
from dashboard.simulate.replay import replay
from tests.simulate.deployments import corpus, deployment

#: What was published says nothing of the router, of speculative decoding or of the host tier's size.
BALANCED = {"acceptance": 3.0, "host_tokens": 43e6, "routing": "least_tokens"}
UNBALANCED = {"host_tokens": 100e6, "routing": "least_lanes"}


def run(plan: Deployment, concurrency: int = 12, duration_s: float = 240, seed: int = 1) -> Trace:
    return replay(corpus(), plan, Load(concurrency, duration_s, seed, grace_s=inf))


def mean_kv_use(trace: Trace) -> float:
    """KV use of all ranks over the profiling phase, weighted by time."""
    shares = []
    for rank in trace.decode_ranks or trace.prefill_ranks:
        times = np.array([state[0] for state in rank.log.states] + [trace.end_s])
        use = np.array([state[1] for state in rank.log.states])
        widths = np.diff(np.maximum(times, trace.profiling_start_s))
        shares.append((use * widths).sum() / widths.sum())
    return float(np.mean(shares))


@settings(max_examples=12, deadline=None)
@given(
    concurrency=st.integers(1, 40),
    offload=st.sampled_from(("none", "dram")),
    prefill_gpus=st.sampled_from((0, 4)),
    acceptance=st.sampled_from((1.0, 2.4)),
    pool=st.sampled_from((3e6, 2e7)),
    seed=st.integers(0, 5),
)
def test_every_prompt_token_is_hit_loaded_or_computed_and_counted_by_the_server(
    concurrency: int, offload: str, prefill_gpus: int, acceptance: float, pool: float, seed: int
) -> None:
    plan = deployment(
        offload=offload, prefill_gpus=prefill_gpus, prefill_ranks=2, acceptance=acceptance, pool_tokens=pool
    )
    trace = run(plan, concurrency, 120, seed)
    served = [request.job for request in trace.requests if request.is_ok]
    for job in served:
        assert job.hbm_tokens + job.host_tokens + job.computed_tokens == job.isl
        assert job.computed_tokens >= 1
        assert job.arrived < job.first_token <= job.ended
        assert offload == "dram" or job.host_tokens == 0
    logged = np.array([entry[1:] for rank in trace.prefill_ranks for entry in rank.log.prompts])
    assert logged[:, 0].sum() == sum(job.isl for job in served)
    assert logged[:, 1].sum() == sum(job.hbm_tokens for job in served)
    assert logged[:, 2].sum() == sum(job.host_tokens for job in served)


@settings(max_examples=5, deadline=None)
@given(offload=st.sampled_from(("none", "dram")), seed=st.integers(0, 9))
def test_more_concurrency_does_not_lower_mean_kv_use(offload: str, seed: int) -> None:
    plan = deployment(offload=offload)
    uses = [mean_kv_use(run(plan, lanes, seed=seed)) for lanes in (2, 8, 24, 48)]
    assert all(later > earlier - 0.02 for earlier, later in pairwise(uses))
    assert uses[-1] > 2 * uses[0]


def test_without_a_host_tier_nothing_is_hit_there_and_with_one_evicted_prefixes_come_back() -> None:
    def loaded(trace: Trace) -> int:
        return sum(request.job.host_tokens for request in trace.requests)

    without, with_tier = (run(deployment(offload=kind, pool_tokens=2e6), 24) for kind in ("none", "dram"))
    assert loaded(without) == 0
    assert loaded(with_tier) > 0.05 * sum(request.job.isl for request in with_tier.requests)


@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 9))
def test_ttft_grows_with_uncached_tokens_at_equal_load(seed: int) -> None:
    jobs = [request.job for request in run(deployment(), 4, 1200, seed).profiling]
    computed = np.array([job.computed_tokens for job in jobs])
    ttft = np.array([job.first_token - job.arrived for job in jobs])
    low, high = np.percentile(computed, (50, 90))
    assert np.median(ttft[computed >= high]) > 1.1 * np.median(ttft[computed <= low])
    assert np.corrcoef(computed, ttft)[0, 1] > 0.9


@settings(max_examples=8, deadline=None)
@given(lanes=st.integers(1, 64), acceptance=st.sampled_from((1.0, 2.0)), seed=st.integers(0, 3))
def test_throughput_never_exceeds_the_roofline(lanes: int, acceptance: float, seed: int) -> None:
    plan = deployment(acceptance=acceptance)
    trace = run(plan, lanes, 120, seed)
    jobs = [request.job for request in trace.requests]
    peak_flops = (plan.accelerator.fp4_tflops or 0) * 1e12 * plan.gpus
    computed = sum(job.computed_tokens for job in jobs)
    assert computed * 2 * plan.model.active_parameters / trace.end_s < peak_flops
    # A sequence gets at most `acceptance` tokens a step, and a step reads at least its own experts.
    weights = plan.weight_bytes * plan.model.active_parameters / plan.model.parameters
    step = weights / ((plan.accelerator.hbm_tb_per_s or 0) * 1e12 * plan.gpus)
    rates = [(job.osl - 1) / (job.ended - job.first_token) for job in jobs if job.osl > 1]
    assert max(rates) < acceptance / step


def test_a_prompt_being_computed_delays_the_sequences_being_decoded() -> None:
    model = deployment().roofline(8, 2)
    assert model.step_s(16, 1e6, 8192, 1e5) > 1.5 * model.step_s(16, 1e6, 0, 0)


def test_tokens_come_faster_with_speculative_decoding_and_on_faster_memory() -> None:
    def itl(plan: Deployment) -> float:
        jobs = [request.job for request in run(plan, 8).profiling if request.job.osl > 1]
        return float(np.median([(job.ended - job.first_token) / (job.osl - 1) for job in jobs]))

    assert itl(deployment(acceptance=2.0)) < 0.7 * itl(deployment())
    assert itl(deployment("b200", precision="fp8")) < itl(deployment("h200", precision="fp8"))


def test_warm_up_is_a_snapshot_of_each_live_stream_and_ten_one_token_requests_a_lane() -> None:
    trace = run(deployment(), concurrency=9)
    warm = [request for request in trace.requests if request.phase == "warmup"]
    assert {request.job.osl for request in warm} == {1}
    lanes = Counter(request.run.replay.lane for request in warm)
    assert set(lanes) == set(range(9))
    assert all(count >= 11 for count in lanes.values())
    assert max(request.job.ended for request in warm) <= trace.profiling_start_s


def test_lanes_enter_between_a_quarter_and_three_quarters_of_a_conversation() -> None:
    trace = run(deployment(), concurrency=30)
    first: dict[int, float] = {}
    for request in sorted(trace.requests, key=lambda one: one.start_s):
        stream = request.run.stream
        if stream.kind == "main" and request.run.replay.lane not in first:
            first[request.run.replay.lane] = (request.turn_index + 1) / len(stream.turns)
    assert min(first.values()) > 0.2
    assert max(first.values()) < 0.8


def test_a_turn_waits_for_its_predecessor_its_pause_and_the_subagents_it_joins() -> None:
    trace = run(deployment(), concurrency=20, duration_s=900)
    ended = {(request.run, request.turn_index): request.job.ended for request in trace.profiling}
    joins = 0
    for request in trace.profiling:
        before = ended.get((request.run, request.turn_index - 1))
        if before is not None:
            assert request.credit_s >= before + min(request.turn.delay_s, 300) - 1e-6
        for child in request.run.replay.runs[1:]:
            last = ended.get((child, len(child.stream.turns) - 1))
            if request.run.stream.kind == "main" and child.stream.joined_by == request.turn_index and last:
                joins += 1
                assert request.credit_s >= last - 1e-6
    assert joins > 5


def test_a_lane_that_has_finished_replays_another_conversation_with_a_cold_cache() -> None:
    trace = run(deployment(pool_tokens=8e7), concurrency=6, duration_s=2400)
    replays = Counter(request.run.replay for request in trace.profiling)
    assert len(replays) > 6
    fresh = [r for r in trace.profiling if r.turn_index == 0 and r.run.stream.kind == "main"]
    assert fresh
    assert all(request.job.hbm_tokens == 0 for request in fresh)


def test_failures_are_refused_cut_or_cancelled_and_the_replay_goes_on() -> None:
    trace = run(deployment(failure_rate=0.1), concurrency=24, duration_s=900)
    outcomes = Counter(request.outcome for request in trace.profiling)
    assert set(outcomes) == {"ok", "refused", "cut", "cancelled"}
    assert 0.05 < 1 - outcomes["ok"] / len(trace.profiling) < 0.15
    refused = [request for request in trace.profiling if request.outcome == "refused"]
    assert all(request.job.ended == request.start_s for request in refused)


def test_what_has_not_ended_within_the_grace_period_leaves_no_record() -> None:
    load = Load(10, 120, 1, grace_s=20)
    trace = replay(corpus(), deployment(), load)
    whole = run(deployment(), 10, 120)
    assert max(request.job.ended for request in trace.profiling) <= trace.end_s
    assert trace.end_s <= trace.profiling_start_s + load.duration_s + load.grace_s
    assert len(trace.profiling) < len(whole.profiling)


def test_the_same_seed_gives_the_same_run() -> None:
    def times(seed: int) -> list[float]:
        return [request.job.ended for request in run(deployment(), seed=seed).requests]

    assert times(4) == times(4)
    assert times(4) != times(5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hardware", "lanes", "pool", "changes", "hbm", "dram"),
    [
        (
            "b300",
            384,
            43e6,
            {"acceptance": 3.0, "host_tokens": 43e6, "routing": "least_tokens"},
            (0.91, 0.05),
            (0.014, 0.015),
        ),
        ("b200", 196, 22e6, {"host_tokens": 100e6, "routing": "hash"}, (0.73, 0.07), (0.20, 0.07)),
    ],
)
def test_hit_rates_and_lengths_are_those_published_for_a_pool_of_that_size(
    hardware: str,
    lanes: int,
    pool: float,
    changes: dict[str, object],
    hbm: tuple[float, float],
    dram: tuple[float, float],
) -> None:
    plan = replace(deployment(hardware, ranks=8, offload="dram", pool_tokens=pool), **changes)  # type: ignore[arg-type]
    sessions = [one.in_tokens_of(plan.model.token_ratio) for one in make_conversations(42)]
    jobs = [request.job for request in replay(sessions, plan, Load(lanes, 3600, 42)).profiling]
    prompt = sum(job.isl for job in jobs)
    assert sum(job.hbm_tokens for job in jobs) / prompt == pytest.approx(hbm[0], abs=hbm[1])
    assert sum(job.host_tokens for job in jobs) / prompt == pytest.approx(dram[0], abs=dram[1])
    isl = np.percentile([job.isl for job in jobs], (50, 90, 95, 99))
    osl = np.percentile([job.osl for job in jobs], (50, 90, 95, 99))
    assert isl == pytest.approx([88e3, 272e3, 404e3, 675e3], rel=0.25)
    assert osl == pytest.approx([413, 2200, 3700, 8600], rel=0.25)
