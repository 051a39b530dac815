"""Rows of every generation become points: names, counts, statistics and rates in one set of units."""

from __future__ import annotations

import json
import math

import pytest

from dashboard.domain.catalog import Catalog
from dashboard.domain.records import Distribution, Role
from dashboard.ingest.inferencex import recognise
from tests.ingest.inferencex_rows import (
    DISAGGREGATED,
    E2EL,
    GPUS,
    ITL,
    MULTI_NODE,
    RECEIVED,
    SENT,
    TTFT,
    api,
    codes,
    early_agentic,
    fixed,
    nested,
    read,
    read_one,
)


def test_each_generation_is_recognised_alone_and_in_an_array() -> None:
    for row, generation in ((nested(), "v3"), (early_agentic(), "flat"), (fixed(), "flat"), (api(), "api")):
        assert recognise(row) == generation
        assert recognise([None, 7, row]) == generation


@pytest.mark.parametrize(
    "document",
    [
        None,
        7,
        "hw",
        [],
        {},
        [[]],
        {"hw": "b200"},
        {"hw": "b200", "conc": 4, "model": "m", "task": "gsm8k"},
        {"hardware": "b200", "framework": "vllm", "task": "gsm8k", "metrics": {"em_strict": 0.9}},
        {"hardware": "b200", "framework": "vllm", "metrics": []},
        {"requests": [], "block_size": 64},
    ],
)
def test_evaluations_and_other_documents_are_not_rows(document: object) -> None:
    assert recognise(document) is None


def test_a_nested_row_keeps_its_identity(catalog: Catalog) -> None:
    point, findings = read_one(nested(), catalog)
    assert not findings
    assert (point.source, point.official, point.scenario, point.concurrency) == (
        "inferencex",
        False,
        "agentic",
        24,
    )
    assert (point.model, point.hardware, point.hardware_raw) == ("dsv4", "b300", "cluster:b300-nv")
    assert (point.engine, point.precision, point.spec_method) == ("vllm", "fp4", "none")
    assert (point.deployment, point.topology_label, point.gpus) == ("single_node", "TEP8", 8)
    assert (point.offload, point.offload_backend, point.offload_backend_version) == (
        "dram",
        "mooncake",
        "0.3.12.post1",
    )
    assert (point.router, point.router_version) == ("vllm-router", "0.1.14")
    assert point.dataset_slug == "cc-traces-weka-062126"
    assert (point.isl_nominal, point.osl_nominal) == (None, None)


def test_a_nested_row_keeps_its_statistics_in_seconds_and_tokens(catalog: Catalog) -> None:
    point, _ = read_one(nested(), catalog)
    assert point.statistics["ttft_s"] == Distribution(**TTFT)
    assert point.statistics["e2el_s"] == Distribution(**E2EL)
    assert point.statistics["itl_s"] == Distribution(**ITL)
    assert point.statistics["isl"].p90 == 223692.2
    assert point.statistics["osl"].p50 == 425
    assert point.statistics["qps"] == Distribution(mean=0.45, p50=0.0, p90=1, std=0.67, n=611)


def test_e2e_time_per_token_is_the_reciprocal_of_the_same_slow_tail_statistic(catalog: Catalog) -> None:
    found = read_one(nested(), catalog)[0].statistics["e2e_per_token_s"]
    assert found.p90 == pytest.approx(1 / 25.0)
    assert found.p50 == pytest.approx(1 / 44.0)
    assert found.mean == pytest.approx(1 / 40.0)
    assert found.std is None, "the reciprocal of a rate's spread is not the spread of a time"


def test_the_full_responses_itl_goes_before_the_plain_one(catalog: Catalog) -> None:
    point, _ = read_one(nested({"request_metrics/latency/full_response_itl": {"p90": 0.0251}}), catalog)
    assert point.statistics["itl_s"] == Distribution(p90=0.0251)


def test_a_nested_row_keeps_rates_hit_rates_and_both_token_counts(catalog: Catalog) -> None:
    point, _ = read_one(nested(), catalog)
    scalars = point.scalars
    assert scalars["tput_total"] == pytest.approx((SENT + RECEIVED) / 3600)
    assert scalars["tput_total_per_gpu"] == pytest.approx((SENT + RECEIVED) / 3600 / GPUS)
    assert scalars["tput_input_per_gpu"] == pytest.approx(SENT / 3600 / GPUS)
    assert scalars["tput_output_per_gpu"] == pytest.approx(RECEIVED / 3600 / GPUS)
    assert scalars["duration_s"] == 3600.0
    assert (scalars["hbm_hit_rate"], scalars["offload_hit_rate"], scalars["overall_hit_rate"]) == (
        0.9,
        0.013,
        0.913,
    )
    assert scalars["theoretical_hit_rate"] == 0.96481
    assert point.hit_rate_basis == "engine counters, share of prompt tokens"
    assert (scalars["kv_usage_max"], scalars["kv_pool_tokens"]) == (0.88, 10822656)
    assert (scalars["prompt_tokens_client"], scalars["prompt_tokens_server"]) == (SENT, 36_400_000)
    assert (scalars["generated_tokens_client"], scalars["generated_tokens_server"]) == (RECEIVED, 361_000)


def test_hit_rates_without_sources_are_shares_of_lookups(catalog: Catalog) -> None:
    point, _ = read_one(nested({"server_metrics/tokens/prompt_by_source/raw": {}}), catalog)
    assert point.hit_rate_basis == "engine counters, share of lookups"


def test_requests_of_a_nested_row_are_counted_apart(catalog: Catalog) -> None:
    point, _ = read_one(nested(), catalog)
    assert (point.requests_total, point.requests_ok, point.requests_warmup) == (301, 279, 18)
    assert (point.requests_failed, point.requests_cancelled) == (3, 1)
    assert point.error_categories == {"RequestCancellationError": 1, "HTTPError": 3}


def test_a_failed_warmup_request_counts_once_and_hides_which_were_cancelled(catalog: Catalog) -> None:
    """dropped_total <= warmup + error: here 2 of the 4 errors happened in warm-up (18 + 4 - 2 = 20)."""
    accounting = {
        "records_dropped_total": 20,
        "records_warmup_dropped": 18,
        "records_error_dropped": 4,
        "error_categories": {"RequestCancellationError": 1, "HTTPError": 3},
    }
    point, _ = read_one(nested({"request_accounting": accounting}), catalog)
    assert (point.requests_warmup, point.requests_failed, point.requests_cancelled) == (18, 2, None)


def test_a_multi_node_row_takes_its_topology_from_its_roles_and_not_from_tp_which_is_a_sum(
    catalog: Catalog,
) -> None:
    changes = {**MULTI_NODE, "request_metrics/throughput/per_gpu": {"total_tput_tps": 505.0}}
    point, _ = read_one(nested(changes), catalog)
    assert point.deployment == "disaggregated"
    assert point.topology_label == "2×DEP8 + 1×DEP4"
    assert (point.gpus, point.prefill.gpus, point.decode.gpus) == (20, 16, 4)
    assert point.decode == Role(workers=1, tp=4, pp=1, dcp=1, pcp=1, ep=4, dp_attention=True, gpus=4)
    assert point.kv_transfer == "nixl"


def test_an_aggregated_multi_node_row_has_no_decode_pool_and_its_zeros_are_not_degrees(
    catalog: Catalog,
) -> None:
    changes = {
        **MULTI_NODE,
        "disagg": False,
        "tp": 8,
        "prefill_num_workers": 4,
        "num_prefill_gpu": 32,
        "decode_num_workers": 0,
        "decode_tp": 0,
        "decode_ep": 0,
        "num_decode_gpu": 0,
        "request_metrics/throughput/per_gpu": ...,
    }
    point, findings = read_one(nested(changes), catalog)
    assert not findings
    assert (point.deployment, point.gpus, point.topology_label) == ("multi_node", 32, "4×DEP8")
    assert point.prefill == Role()
    assert (point.decode.workers, point.decode.tp, point.decode.gpus) == (4, 8, 32)


def test_a_multi_node_row_without_roles_has_no_topology(catalog: Catalog) -> None:
    point, findings = read_one(nested({"is_multinode": True, "tp": 12}), catalog)
    assert (point.gpus, point.topology_label, point.decode.tp) == (None, None, None)
    assert "no_roles" in codes(findings)


def test_prefill_and_decode_on_different_accelerators_is_said(catalog: Catalog) -> None:
    point, _ = read_one(nested({**MULTI_NODE, "prefill_hw": "h200", "decode_hw": "b200"}), catalog)
    assert "prefill runs on h200, decode on b200" in point.notes


def test_a_fixed_sequence_row_keeps_what_it_has(catalog: Catalog) -> None:
    point, findings = read_one(fixed(), catalog)
    assert not findings
    assert (point.scenario, point.isl_nominal, point.osl_nominal) == ("8k1k", 8192, 1024)
    assert (point.model, point.model_raw) == ("dsr1", "deepseek-ai/DeepSeek-R1-0528")
    assert (point.spec_method, point.recipe_fingerprint) == ("none", None)
    assert point.image == "example/sglang:v9"
    assert (point.deployment, point.gpus, point.topology_label) == ("single_node", 8, "TP8")
    assert point.statistics["ttft_s"] == Distribution(mean=1.91, p50=1.72, p90=2.8, p99=4.4, std=0.66)
    assert point.scalars["tput_total_per_gpu"] == 1480.0
    assert (point.requests_ok, point.scalars["tput_total"], point.scalars["duration_s"]) == (None, None, None)
    assert point.offload is None, "a row that says nothing about offload does not say none"


def test_the_time_per_token_of_a_fixed_sequence_row_is_tpot_since_itl_is_between_chunks(
    catalog: Catalog,
) -> None:
    point, _ = read_one(fixed(), catalog)
    assert point.statistics["itl_s"] == Distribution(mean=0.04, p50=0.04, p90=0.05, p99=0.0625, std=0.004)


def test_p90_interactivity_of_a_fixed_sequence_row_is_the_slow_tail(catalog: Catalog) -> None:
    itl = read_one(fixed(), catalog)[0].statistics["itl_s"]
    assert itl.p90 is not None
    assert itl.p50 is not None
    assert 1 / itl.p90 == pytest.approx(20.0)
    assert 1 / itl.p90 < 1 / itl.p50


def test_interactivity_gives_the_time_per_token_where_tpot_is_missing_but_never_its_spread(
    catalog: Catalog,
) -> None:
    missing = {f"{stat}_tpot": ... for stat in ("mean", "median", "std", "p90", "p99")}
    itl = read_one(fixed(missing), catalog)[0].statistics["itl_s"]
    assert itl == Distribution(mean=1 / 25.0, p50=1 / 25.0, p90=1 / 20.0, p99=1 / 16.0)
    assert itl.std is None, "std_intvty is 1000 / std and means nothing"


def test_time_between_chunks_alone_is_no_time_per_token(catalog: Catalog) -> None:
    missing = {
        f"{stat}_{name}": ... for stat in ("mean", "median", "p90", "p99") for name in ("tpot", "intvty")
    }
    point, _ = read_one(fixed(missing | {"std_tpot": ...}), catalog)
    assert "itl_s" not in point.statistics


def test_a_split_row_of_the_flat_generation(catalog: Catalog) -> None:
    changes = {
        **MULTI_NODE,
        "framework": "dynamo-sglang",
        "input_tput_per_gpu": 2000.0,
        "output_tput_per_gpu": 900.0,
    }
    point, _ = read_one(fixed(changes), catalog)
    assert (point.deployment, point.gpus, point.engine_family) == ("disaggregated", 20, "sglang")
    assert point.scalars["tput_input_per_gpu"] == 2000.0, "per prefill GPU, as its producer gave it"
    assert point.scalars["tput_output_per_gpu"] == 900.0, "per decode GPU, as its producer gave it"
    assert any("do not add up" in note for note in point.notes)


def test_an_early_agentic_row(catalog: Catalog) -> None:
    point, findings = read_one(early_agentic(), catalog)
    assert not findings
    assert (point.scenario, point.model, point.gpus) == ("agentic", "kimik2.5", 4)
    assert (point.offload, point.offload_backend, point.offload_raw) == ("dram", "lmcache", "lmcache")
    assert point.statistics["ttft_s"] == Distribution(mean=5.0, p75=6.0, p90=8.0, p95=9.0)
    assert point.statistics["isl"] == Distribution(mean=100_000.0, p90=180_000.0)
    assert point.statistics["osl"] == Distribution(mean=400.0)
    assert point.statistics["qps"] == Distribution(mean=0.014, p90=0.0)
    assert point.scalars["tput_total"] == pytest.approx(1394.4444444)
    assert (point.scalars["hbm_hit_rate"], point.scalars["theoretical_hit_rate"]) == (0.7, None)


def test_p90_interactivity_of_an_early_agentic_row_comes_from_itl_and_never_from_its_fast_end(
    catalog: Catalog,
) -> None:
    """The row writes p90_intvty 66, the fast end; 1 / p90 ITL is 25."""
    itl = read_one(early_agentic(), catalog)[0].statistics["itl_s"]
    assert itl.p90 == 0.04
    without_itl = {
        f"{stat}_{name}": ... for stat in ("mean", "p75", "p90", "p95", "std") for name in ("itl", "tpot")
    }
    point, _ = read_one(early_agentic(without_itl), catalog)
    assert "itl_s" not in point.statistics


def test_an_early_agentic_row_does_not_know_its_failures(catalog: Catalog) -> None:
    """41 records, 16 of them errors: the row says 25 of 25."""
    point, _ = read_one(early_agentic(), catalog)
    assert (point.requests_total, point.requests_ok) == (25, 25)
    assert (point.requests_failed, point.requests_cancelled, point.requests_warmup) == (None, None, None)
    assert "the row does not count failed requests" in point.notes


def test_users_are_the_concurrency_of_the_first_agentic_rows(catalog: Catalog) -> None:
    assert read_one(early_agentic({"users": 32}), catalog)[0].concurrency == 32


def test_the_servers_token_totals_are_none_where_the_harness_copied_the_clients(catalog: Catalog) -> None:
    copied = {
        "server_gpu_cache_hit_rate": None,
        "total_prompt_tokens": 2_500_000,
        "total_generation_tokens": 10_000,
    }
    scalars = read_one(early_agentic(copied), catalog)[0].scalars
    assert (scalars["prompt_tokens_client"], scalars["generated_tokens_client"]) == (2_500_000, 10_000)
    assert (scalars["prompt_tokens_server"], scalars["generated_tokens_server"]) == (None, None)
    counted = read_one(early_agentic({**copied, "server_gpu_cache_hit_rate": 0.7}), catalog)[0].scalars
    assert counted["prompt_tokens_server"] == 2_500_000, "a server that was measured may agree exactly"
    measured = read_one(early_agentic(), catalog)[0].scalars
    assert (measured["prompt_tokens_server"], measured["generated_tokens_server"]) == (2_600_000, 10_200)


def test_a_row_of_the_public_api(catalog: Catalog) -> None:
    point, findings = read_one(api(), catalog)
    assert not findings
    assert (point.source, point.official) == ("api", True)
    assert (point.run_id, point.run_basis, point.run_attempt) == ("27213443242", "ci", 2)
    assert str(point.run_date) == "2026-06-11"
    assert (point.spec_method, point.scenario, point.gpus) == ("mtp", "1k1k", 8)
    assert (point.prefill, point.decode.tp, point.topology_label) == (Role(), 8, "TP8")
    assert point.statistics["itl_s"] == Distribution(p50=0.01, p99=0.0125)
    assert point.scalars["tput_total_per_gpu"] == 750.0


def test_a_disaggregated_row_of_the_api_keeps_its_rates_as_given(catalog: Catalog) -> None:
    """(2 x 4 GPUs x 3000 + 16 GPUs x 750) / 24 = 1500: each rate has its own pool of GPUs."""
    rates = {"tput_per_gpu": 1500.0, "input_tput_per_gpu": 3000.0, "output_tput_per_gpu": 750.0}
    point, _ = read_one(api({**DISAGGREGATED, "metrics": rates}), catalog)
    assert (point.gpus, point.prefill.gpus, point.decode.gpus) == (24, 8, 16)
    assert point.topology_label == "2×DEP4 + 1×DEP16"
    given = [point.scalars[f"tput_{name}_per_gpu"] for name in ("total", "input", "output")]
    assert given == [1500.0, 3000.0, 750.0]
    assert any("do not add up" in note for note in point.notes)


def test_an_agentic_row_of_the_api_has_no_lengths_and_its_own_flag_for_offload(catalog: Catalog) -> None:
    metrics = {
        "tput_per_gpu": 6353.6,
        "p90_itl": 0.025,
        "p90_full_response_itl": 0.0252,
        "p90_tpot": 0.005,
        "p90_intvty": 39.7,
        "p90_e2e_norm_intvty": 20.0,
        "theoretical_cache_hit_rate": 0.965,
        "server_gpu_cache_hit_rate": 0.915,
        "server_cpu_cache_hit_rate": 0.02,
        "server_external_cache_hit_rate": 0.02,
        "total_requests_completed": 279,
        "mean_input_tokens": 112_000,
    }
    changes = {
        "benchmark_type": "agentic_traces",
        "isl": None,
        "osl": None,
        "offload_mode": "on",
        "metrics": metrics,
    }
    point, _ = read_one(api(changes), catalog)
    assert (point.scenario, point.offload, point.offload_backend) == ("agentic", "dram", None)
    assert point.statistics["itl_s"] == Distribution(p90=0.0252)
    assert point.statistics["e2e_per_token_s"].p90 == pytest.approx(0.05)
    assert point.scalars["overall_hit_rate"] == pytest.approx(0.935), (
        "CPU and external are one source, not two"
    )
    assert point.requests_ok == 279


def test_an_array_may_mix_generations(catalog: Catalog) -> None:
    points, findings = read([nested(), fixed(), api(), early_agentic()], catalog)
    assert [point.scenario for point in points if point] == ["agentic", "8k1k", "1k1k", "agentic"]
    assert not findings
    assert len({point.point_id for point in points if point}) == 4


def test_integers_and_floats_are_the_same_numbers(catalog: Catalog) -> None:
    """Producers write integral floats as integers, so a column is int in one file and float in the next."""
    whole = read_one(fixed({"conc": 64, "tput_per_gpu": 1480, "tp": 8}), catalog)[0]
    float_ = read_one(fixed({"conc": 64.0, "tput_per_gpu": 1480.0, "tp": 8.0}), catalog)[0]
    assert whole == float_
    assert isinstance(whole.scalars["tput_total_per_gpu"], float)


def test_rows_without_a_run_belong_to_the_named_run_or_to_their_batch(catalog: Catalog) -> None:
    batch = read_one(nested(), catalog, batch="batch_0604")[0]
    named = read_one(nested(), catalog, run_name="my sweep")[0]
    assert (batch.run_id, batch.run_basis) == ("batch_0604", "batch")
    assert (named.run_id, named.run_basis) == ("my sweep", "name")
    assert batch.config_id == named.config_id
    assert batch.point_id != named.point_id


def test_a_run_name_does_not_displace_the_ci_run_a_row_names(catalog: Catalog) -> None:
    assert read_one(api(), catalog, run_name="my sweep")[0].run_id == "27213443242"


def test_attempts_of_a_run_are_different_points_and_attempt_0_of_old_rows_is_one(catalog: Catalog) -> None:
    url = "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/1/attempts/"
    attempts = [read_one(api({"run_url": url + number}), catalog)[0] for number in ("0", "1", "2")]
    assert [point.run_attempt for point in attempts] == [0, 1, 2]
    assert len({point.point_id for point in attempts}) == 3
    assert len({point.config_id for point in attempts}) == 1


def test_what_a_row_leaves_out_can_be_said_by_the_user_and_what_it_says_stands(catalog: Catalog) -> None:
    said = {"hardware": "b200", "engine": "sglang", "precision": "nvfp4", "concurrency": "9"}
    silent = early_agentic({"hw": "", "framework": "", "precision": ""})
    point, findings = read_one(silent, catalog, identity=said)
    assert (point.hardware, point.engine, point.precision, point.concurrency) == ("b200", "sglang", "fp4", 16)
    assert "said by the user, not by the row: engine, hardware, precision" in point.notes
    assert "identity_missing" not in codes(findings)
    assert read_one(early_agentic(), catalog, identity=said)[0].hardware == "mi355x"


def test_speculative_acceptance_of_agentic_rows_is_synthetic_and_said(catalog: Catalog) -> None:
    assert any("synthetic" in note for note in read_one(nested({"spec_decoding": "mtp"}), catalog)[0].notes)
    assert not any("synthetic" in note for note in read_one(nested(), catalog)[0].notes)


def test_reading_a_row_does_not_change_it(catalog: Catalog) -> None:
    row = nested()
    before = json.dumps(row)
    first, second = read_one(row, catalog)[0], read_one(row, catalog)[0]
    assert json.dumps(row) == before
    assert first == second
    assert all(value is None or math.isfinite(value) for value in first.scalars.values())
