"""Figures of a run from its requests, recomputed in plain Python from the definitions of data-contracts 9."""

from __future__ import annotations

import math
import statistics as plain
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.domain.records import QUANTITIES
from dashboard.ingest import run_statistics
from dashboard.ingest.run_statistics import counts, distribution, scalars, statistics
from tests.ingest.aiperf_runs import EPOCH_NS, failed, ms, record, table, tokens, warmup

SECOND = 1_000_000_000


def linear_percentile(values: Sequence[float], percent: float) -> float:
    """Linear interpolation at rank (n - 1) x p / 100."""
    ordered = sorted(values)
    rank = (len(ordered) - 1) * percent / 100
    below = math.floor(rank)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (rank - below)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=200))
def test_percentiles_are_linear_between_ranks_and_the_deviation_is_the_populations(
    values: list[float],
) -> None:
    found = distribution(np.array(values))
    for percent in (50, 75, 90, 95, 99):
        assert getattr(found, f"p{percent}") == pytest.approx(linear_percentile(values, percent), rel=1e-9)
    assert found.mean == pytest.approx(plain.fmean(values), rel=1e-9)
    assert found.std == pytest.approx(plain.pstdev(values), rel=1e-6, abs=1e-9)
    assert (found.max, found.n) == (max(values), len(values))


def test_missing_values_are_left_out_and_n_says_so() -> None:
    found = distribution(np.array([1.0, np.nan, 3.0]))
    assert (found.mean, found.n) == (2.0, 2)


def test_statistics_of_nothing_are_missing_not_zero() -> None:
    found = distribution(np.array([]))
    assert found.n == 0
    assert {getattr(found, name) for name in ("mean", "p50", "p90", "p99", "max", "std")} == {None}


def test_every_quantity_of_a_point_is_measured() -> None:
    assert set(statistics(table(record()))) == set(QUANTITIES)


def test_headline_figures_take_successful_profiling_requests_only() -> None:
    slow = {"request_latency": ms(90_000.0)}
    odd_ones = [
        failed(10),
        record(11, {"was_cancelled": True}, slow),
        record(12, {"benchmark_phase": "warmup"}, slow),
        record(13, {"benchmark_phase": "cooldown"}, slow),
    ]
    sound = [record(n) for n in range(10)]
    alone, mixed = table(*sound), table(*sound, *odd_ones)
    assert statistics(mixed) == statistics(alone)
    assert scalars(mixed) == scalars(alone)


def test_latency_per_token_is_the_latency_over_the_output_of_each_request() -> None:
    runs = [(1000.0, 10), (3000.0, 60)]
    records = [
        record(n, metrics={"request_latency": ms(latency), "output_sequence_length": tokens(osl)})
        for n, (latency, osl) in enumerate(runs)
    ]
    found = statistics(table(*records))["e2e_per_token_s"]
    assert found.mean == pytest.approx((0.1 + 0.05) / 2)
    assert found.max == pytest.approx(0.1)


def test_a_request_without_output_has_no_latency_per_token() -> None:
    found = statistics(table(record(0, metrics={"output_sequence_length": tokens(0)}), record(1)))
    assert found["e2e_per_token_s"].n == 1
    assert found["osl"].n == 2


def test_uncached_input_is_what_the_server_did_not_find_in_its_cache() -> None:
    cached = [("usage_prompt_cache_read_tokens", tokens(n)) for n in (800, 1200)]
    records = [record(n, metrics=dict([one])) for n, one in enumerate(cached)]
    found = statistics(table(*records, record(2, without=["usage_prompt_cache_read_tokens"])))["uncached_isl"]
    assert (found.mean, found.n) == (200.0, 1), "more cached than sent, or not told, is missing"


def test_throughput_is_over_the_first_start_to_the_last_end() -> None:
    records = [record(n, {"request_end_ns": EPOCH_NS + n * SECOND + 3 * SECOND}) for n in range(5)]
    found = scalars(table(*records))
    isl, osl, span = sum(1000 + n for n in range(5)), 5 * 101, 7.0
    assert found["duration_s"] == pytest.approx(span, abs=1e-12)
    assert found["tput_input"] == pytest.approx(isl / span)
    assert found["tput_output"] == pytest.approx(osl / span)
    assert found["tput_total"] == pytest.approx((isl + osl) / span)
    assert (found["prompt_tokens_client"], found["generated_tokens_client"]) == (isl, osl)


def test_a_run_without_success_has_no_throughput_and_no_duration() -> None:
    assert set(scalars(table(failed(0), failed(1))).values()) == {None}


def test_the_duration_is_exact_although_epoch_times_exceed_a_float() -> None:
    found = scalars(table(record(0, {"request_end_ns": EPOCH_NS + 123_456_789_123})))
    assert found["duration_s"] == 123.456789123


@pytest.mark.parametrize(
    ("ends_ms", "expected"),
    [
        ([0, 100, 1500, 2500, 3999], [2, 1, 1]),
        ([0, 4500], [1, 0, 0, 0]),
        ([0, 999], []),
        ([0], []),
        ([], []),
    ],
)
def test_queries_per_second_are_completions_in_whole_seconds_after_the_first(
    ends_ms: list[int], expected: list[int]
) -> None:
    ends = [{"request_end_ns": EPOCH_NS + 60 * SECOND + end * 1_000_000} for end in ends_ms]
    requests = table(*(record(n, end) for n, end in enumerate(ends)), warmup(99))
    completions = run_statistics.completions_per_second(run_statistics.successful(requests))
    assert completions.tolist() == expected


def test_counts_tell_failed_cancelled_and_warm_up_apart() -> None:
    by_client = {"code": 499, "type": "RequestCancellationError"}
    found = counts(
        table(
            *(record(n) for n in range(5)),
            failed(5),
            failed(6, {"type": "Timeout"}),
            failed(7, by_client),
            warmup(8),
            failed(9, benchmark_phase="warmup"),
            record(10, {"benchmark_phase": "cooldown"}),
        )
    )
    assert (found.ok, found.failed, found.cancelled, found.warmup, found.other) == (5, 2, 1, 2, 1)
    assert found.total == 8
    assert found.error_categories == {
        "Internal Server Error": 1,
        "RequestCancellationError": 1,
        "Timeout": 1,
    }


def test_suspected_stream_errors_stay_successes_and_are_counted() -> None:
    silent = record(9, without=["usage_total_tokens"])
    found = counts(table(*(record(n) for n in range(5)), silent, failed(10)))
    assert (found.ok, found.failed, found.suspected) == (6, 1, 1)
    assert found.error_categories["suspected stream error"] == 1


_outcome = st.sampled_from(["ok", "failed", "cancelled", "warmup", "cooldown"])


@settings(max_examples=30, deadline=None)
@given(st.lists(_outcome, min_size=1, max_size=25))
def test_every_request_is_counted_exactly_once(outcomes: list[str]) -> None:
    makers: dict[str, Any] = {
        "ok": record,
        "failed": failed,
        "cancelled": lambda n: record(n, {"was_cancelled": True}),
        "warmup": warmup,
        "cooldown": lambda n: record(n, {"benchmark_phase": "cooldown"}),
    }
    found = counts(table(*(makers[outcome](n) for n, outcome in enumerate(outcomes))))
    counted = (found.ok, found.failed, found.cancelled, found.warmup, found.other)
    assert counted == tuple(outcomes.count(name) for name in makers)
