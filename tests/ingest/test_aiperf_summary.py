"""The client's own summary: its forms over the versions, its load, where it disagrees with the records."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.ingest.client_config import load_in, load_in_command
from dashboard.ingest.client_crosscheck import (
    compare_counts,
    compare_statistics,
    compare_tokens,
    throughput_window,
)
from dashboard.ingest.client_summary import ClientSummary, is_client_summary
from dashboard.ingest.run_statistics import counts, scalars, statistics
from tests.ingest.aiperf_runs import ARTIFACT, codes, failed, record, summary, table


def block(unit: str = "ms", **stats: float) -> dict[str, Any]:
    return {"unit": unit, **stats}


# What it says about latencies and totals


def test_latencies_are_read_in_seconds_by_their_unit() -> None:
    client = ClientSummary(
        summary(time_to_first_token=block(avg=500.0, p90=800.0, max=900.0, std=10.0, count=8))
    )
    found = client.distribution("ttft_s")
    assert found is not None
    assert (found.mean, found.p90, found.max, found.std, found.n) == (0.5, 0.8, 0.9, 0.01, 8)
    assert found.p99 is None


def test_older_summaries_without_a_count_are_as_many_as_the_successes() -> None:
    found = ClientSummary(summary(request_latency=block(avg=1.0))).distribution("e2el_s")
    assert found is not None and found.n == 8


def test_an_unknown_unit_or_an_empty_block_gives_no_statistics() -> None:
    for odd in ({}, block("fortnights", avg=1.0), block(avg="fast"), "none", None):
        assert ClientSummary(summary(request_latency=odd)).distribution("e2el_s") is None


def test_throughput_is_over_the_span_of_requests_not_over_the_clients_phase() -> None:
    client = ClientSummary(
        summary(
            benchmark_duration={"unit": "sec", "avg": 70.0},
            total_isl={"unit": "tokens", "avg": 7000.0},
            total_osl={"unit": "tokens", "avg": 700.0},
            output_token_throughput={"unit": "tokens/sec", "avg": 700 / 90},
        )
    )
    found = client.scalars()
    assert (found["tput_total"], found["tput_input"], found["tput_output"]) == (110.0, 100.0, 10.0)


@pytest.mark.parametrize(
    ("hit", "rate"),
    [
        ({"unit": "%", "avg": 95.0, "sum": 90, "count": 100}, 0.9),
        ({"unit": "%", "avg": 95.0}, 0.95),
        ({"unit": "ratio", "avg": 0.95}, None),
        ({"unit": "%", "sum": 1, "count": 0}, None),
        (None, None),
    ],
)
def test_the_theoretical_hit_rate_is_hit_blocks_over_all_blocks(hit: Any, rate: float | None) -> None:
    assert ClientSummary(summary(theoretical_prefix_cache_hit=hit)).theoretical_hit_rate() == rate


def test_local_times_without_a_zone_are_not_taken_for_a_moment() -> None:
    client = ClientSummary(summary(start_time="2026-06-02T22:24:27.616498"))
    assert client.began() is None
    placed = ClientSummary(summary(min_request_timestamp={"unit": "ns", "avg": 1.780439068652171e18}))
    assert str(placed.began()) == "2026-06-02 22:24:28.652171+00:00"


@pytest.mark.parametrize("value", [True, "8", None, [8], {"a": 1}, float("nan"), float("inf"), 10**400])
def test_a_figure_that_is_no_finite_number_is_missing(value: Any) -> None:
    client = ClientSummary(summary(request_count={"avg": value}, benchmark_duration={"avg": value}))
    assert (client.count("request_count"), client.scalars()["duration_s"]) == (None, None)


def test_an_invalid_submission_gives_its_reasons() -> None:
    said = {"submission_valid": False, "submission_invalid_reasons": ["unsafe_override"]}
    assert ClientSummary(summary(metadata=said)).invalid_reasons() == ("unsafe_override",)
    assert ClientSummary(summary()).invalid_reasons() is None
    assert ClientSummary(summary(metadata=None)).invalid_reasons() is None


@pytest.mark.parametrize(
    ("document", "is_one"),
    [
        (summary(), True),
        ({"input_config": {}, "error_request_count": {"avg": 3}}, True),
        ({"input_config": {}, "timeslices": []}, False),
        ({"request_count": {"avg": 3}}, False),
        ([], False),
        (None, False),
    ],
)
def test_a_summary_is_told_by_its_configuration_and_its_figures(document: Any, is_one: bool) -> None:
    assert is_client_summary(document) is is_one


# What it says about the load


def test_the_load_of_a_replay_in_the_newest_form() -> None:
    document = summary()
    found = load_in(document["input_config"], document["metadata"])
    assert found == {
        "model": "moonshotai/Kimi-K2.5",
        "concurrency": "8",
        "dataset": "traces12",
        "scenario": "agentic",
    }


def test_the_load_of_a_replay_in_the_form_of_0_8() -> None:
    config = {
        "endpoint": {"model_names": ["models/Kimi-K2.5-NVFP4"]},
        "input": {"public_dataset": "semianalysis_cc_traces_weka"},
        "loadgen": {"concurrency": 16},
        "scenario": "inferencex-agentx-mvp",
    }
    assert load_in(config, {}) == {
        "model": "models/Kimi-K2.5-NVFP4",
        "concurrency": "16",
        "dataset": "semianalysis_cc_traces_weka",
        "scenario": "agentic",
    }


@pytest.mark.parametrize(
    "config",
    [
        {
            "datasets": [
                {"type": "synthetic", "prompts": {"isl": {"mean": 8192.0}, "osl": {"mean": 1024.0}}}
            ],
            "phases": [{"kind": "warmup", "concurrency": 1}, {"kind": "profiling", "concurrency": 4}],
        },
        {
            "input": {"prompt": {"input_tokens": {"mean": 8192}, "output_tokens": {"mean": 1024}}},
            "loadgen": {"concurrency": 4},
        },
    ],
)
def test_synthetic_prompts_name_their_scenario_by_their_lengths(config: dict[str, Any]) -> None:
    assert load_in(config, {}) == {"concurrency": "4", "isl": "8192", "osl": "1024", "scenario": "8k1k"}


def test_several_turns_are_another_scenario() -> None:
    prompts = {"isl": {"mean": 300}, "osl": {"mean": 60}}
    config = {"datasets": [{"type": "synthetic", "prompts": prompts, "turns": {"mean": 4.0}}]}
    assert load_in(config, {})["scenario"] == "multi-turn"


def test_a_load_by_rate_has_no_concurrency() -> None:
    assert "concurrency" not in load_in({"phases": [{"kind": "profiling", "rate": 6.0}]}, {})


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            "agentx profile --scenario inferencex-agentx-mvp -m m --concurrency 4 --input-file data/traces12",
            {"model": "m", "concurrency": "4", "dataset": "traces12", "scenario": "agentic"},
        ),
        ("agentx profile -m m", {"model": "m", "scenario": "agentic"}),
        (
            "aiperf profile --model=m --isl 1024 --osl 8192 --concurrency=2",
            {"model": "m", "concurrency": "2", "isl": "1024", "osl": "8192", "scenario": "1k8k"},
        ),
        ("aiperf profile --concurrency 2,4,8", {}),
        ("aiperf 'unbalanced", {}),
        ("", {}),
    ],
)
def test_the_load_of_a_run_that_wrote_only_its_command_line(command: str, expected: dict[str, str]) -> None:
    assert load_in_command(command) == expected


@pytest.mark.parametrize(
    "odd", [None, [], "text", {"phases": 3, "datasets": "x", "models": [], "endpoint": []}]
)
def test_an_odd_configuration_says_nothing(odd: Any) -> None:
    assert load_in(odd if isinstance(odd, dict) else {}, {}) == {}


# Where it disagrees


def test_a_summary_that_agrees_gives_no_finding() -> None:
    requests = table(*(record(n) for n in range(8)))
    figures = statistics(requests)
    ttft = {"unit": "ms", "avg": figures["ttft_s"].mean * 1e3, "p90": figures["ttft_s"].p90 * 1e3}  # type: ignore[operator]
    client = ClientSummary(summary(time_to_first_token=ttft))
    found = [
        *compare_counts(client, counts(requests), ARTIFACT),
        *compare_statistics(client, figures, ARTIFACT),
        *throughput_window(client, scalars(requests), ARTIFACT),
    ]
    assert found == []


def test_counts_that_differ_are_named_with_both_numbers() -> None:
    requests = table(*(record(n) for n in range(7)), failed(7))
    found = list(compare_counts(ClientSummary(summary()), counts(requests), ARTIFACT))
    assert [(f.code, f.field) for f in found] == [
        ("client_disagrees", "request_count"),
        ("client_disagrees", "error_request_count"),
    ]
    assert "8" in found[0].detail and "7" in found[0].detail


def test_a_percentile_that_differs_in_the_fifth_digit_is_named() -> None:
    requests = table(*(record(n) for n in range(8)))
    p90 = statistics(requests)["ttft_s"].p90
    assert p90 is not None
    for factor, expected in ((1 + 1e-6, []), (1 + 2e-5, ["client_disagrees"])):
        client = ClientSummary(summary(time_to_first_token=block(avg=503.5, p90=p90 * 1e3 * factor)))
        assert codes(list(compare_statistics(client, statistics(requests), ARTIFACT))) == expected


def test_a_throughput_over_a_longer_window_is_explained() -> None:
    client = ClientSummary(summary(output_token_throughput={"avg": 218.7}))
    found = list(throughput_window(client, {"tput_output": 278.2, "duration_s": 70.74}, ARTIFACT))
    assert codes(found) == ["throughput_window"]
    assert "218.7" in found[0].detail and "90.0 s" in found[0].detail and "278.2" in found[0].detail


@pytest.mark.parametrize(
    ("server", "told"), [(1000.0, False), (1090.0, False), (1200.0, True), (800.0, True)]
)
def test_server_tokens_beyond_a_tenth_of_the_clients_are_named(server: float, told: bool) -> None:
    found = list(compare_tokens({"prompt_tokens_client": 1000.0, "prompt_tokens_server": server}, ARTIFACT))
    assert codes(found) == (["token_counts_differ"] if told else [])
