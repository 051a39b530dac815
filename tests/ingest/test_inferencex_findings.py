"""Cases of data-contracts section 12 that concern result rows: what is missing, wrong or contradictory."""

from __future__ import annotations

import math
from typing import Any

import pytest

from dashboard.domain.catalog import Catalog
from dashboard.domain.records import Distribution, Finding
from dashboard.ingest.inferencex import recognise
from tests.ingest.inferencex_rows import (
    DISAGGREGATED,
    RECEIVED,
    SENT,
    Row,
    api,
    codes,
    early_agentic,
    fixed,
    nested,
    read,
    read_one,
)

NAN, INFINITY = math.nan, math.inf


def _found(findings: list[Finding], code: str) -> Finding:
    (finding,) = [finding for finding in findings if finding.code == code]
    return finding


@pytest.mark.parametrize(
    "row", [nested({"num_requests_successful": 0}), early_agentic({"num_requests_successful": 0})]
)
def test_a_run_without_a_success_is_listed_but_never_drawn(catalog: Catalog, row: Row) -> None:  # row 1
    point, findings = read_one(row, catalog)
    assert (point.publishable, point.requests_ok) == (False, 0)
    assert "no request succeeded" in point.notes
    assert _found(findings, "not_drawn").severity == "warning"


def test_an_all_failed_row_without_latency_keys_has_no_statistics_and_no_zeros(catalog: Catalog) -> None:
    kept = ("hw", "conc", "model", "framework", "precision", "scenario_type", "tp", "offloading")
    row = {key: value for key, value in early_agentic().items() if key in kept}
    row |= {"num_requests_total": 0, "num_requests_successful": 0, "server_gpu_cache_hit_rate": 0.0}
    point, _ = read_one(row, catalog)
    assert not point.statistics
    assert {name for name, value in point.scalars.items() if value is not None} == {"hbm_hit_rate"}


def test_a_run_of_warmup_only_is_listed_as_such(catalog: Catalog) -> None:  # row 2
    empty = {"ttft": {}, "e2el": {}, "itl": {}, "tpot": {}, "intvty": {}}
    accounting = {"records_dropped_total": 40, "records_warmup_dropped": 40, "records_error_dropped": 0}
    changes = {
        "num_requests_total": 40,
        "num_requests_successful": 0,
        "request_accounting": accounting,
        "request_metrics/latency": empty,
    }
    point, findings = read_one(nested(changes), catalog)
    assert (point.publishable, point.requests_warmup, point.requests_failed) == (False, 40, 0)
    assert "only warm-up requests were recorded" in point.notes
    assert "warmup_only" in codes(findings)
    assert not {"ttft_s", "itl_s", "e2el_s"} & set(point.statistics)


@pytest.mark.parametrize(
    "changes", [{"benchmark_outcome": {"status": "failed"}}, {"submission_valid": False}]
)
def test_a_run_its_producer_calls_failed_or_invalid_is_not_drawn(  # rows 3 and 25
    catalog: Catalog, changes: dict[str, Any]
) -> None:
    point, findings = read_one(nested(changes), catalog)
    assert point.publishable is False
    assert "not_drawn" in codes(findings)


def test_an_empty_block_of_statistics_is_missing_and_not_zero(catalog: Catalog) -> None:  # row 4
    changes = {"request_metrics/latency/ttft": {}, "request_metrics/qps": {}}
    point, findings = read_one(nested(changes), catalog)
    assert not {"ttft_s", "qps"} & set(point.statistics)
    assert not findings


@pytest.mark.parametrize("value", [NAN, INFINITY, -INFINITY, 10**400, -(10**400)])
def test_numbers_that_are_not_finite_are_missing_and_named(catalog: Catalog, value: object) -> None:  # row 5
    point, findings = read_one(nested({"request_metrics/latency/ttft/p90": value}), catalog)
    assert point.statistics["ttft_s"].p90 is None
    finding = _found(findings, "not_finite")
    assert finding.field == "request_metrics.latency.ttft.p90"
    assert finding.point_id == point.point_id


@pytest.mark.parametrize("value", [0, 0.0, -0.3])
def test_a_latency_that_is_not_above_zero_is_missing_and_named(
    catalog: Catalog, value: float
) -> None:  # rows 6, 44
    for row, field in (
        (nested({"request_metrics/latency/ttft/p90": value}), "request_metrics.latency.ttft.p90"),
        (fixed({"p90_ttft": value}), "p90_ttft"),
    ):
        point, findings = read_one(row, catalog)
        assert point.statistics["ttft_s"].p90 is None
        assert _found(findings, "out_of_range").field == field
    zero_tpot, _ = read_one(fixed({"p90_tpot": value, "p90_intvty": ...}), catalog)
    assert zero_tpot.statistics["itl_s"].p90 is None


def test_missing_server_metrics_leave_nulls_and_the_clients_totals_stay_the_clients(  # row 13
    catalog: Catalog,
) -> None:
    server = {
        "present": False,
        "adapter": "none",
        "tokens": {"prompt_total": SENT, "generation_total": RECEIVED},
    }
    changes = {
        "server_metrics": server,
        "kv_cache_pool_tokens": None,
        "warnings": ["server metrics are missing"],
    }
    point, _ = read_one(nested(changes), catalog)
    missing = ("hbm_hit_rate", "offload_hit_rate", "overall_hit_rate", "kv_usage_max", "kv_pool_tokens")
    assert {name: point.scalars[name] for name in missing} == dict.fromkeys(missing)
    assert (point.scalars["prompt_tokens_server"], point.scalars["prompt_tokens_client"]) == (None, SENT)
    assert point.hit_rate_basis is None
    assert "harness: server metrics are missing" in point.notes


def test_a_dynamo_row_without_engine_rates_takes_its_front_ends(catalog: Catalog) -> None:  # row 13b
    cache = {"gpu_cache_hit_rate": None, "overall_cache_hit_rate": None, "frontend_cache_hit_rate": 0.91}
    point, _ = read_one(nested({"framework": "dynamo-sglang", "server_metrics/cache": cache}), catalog)
    assert (point.scalars["hbm_hit_rate"], point.scalars["overall_hit_rate"]) == (None, 0.91)
    assert point.hit_rate_basis == "front-end counters, share of prompt tokens"


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"model": "acme/Rocket-9B", "infmax_model_prefix": ""}, "model"),
        ({"hw": "z900-lab"}, "hardware"),
        ({"precision": "fp2"}, "precision"),
        ({"framework": "NewServe"}, "engine"),
        ({"spec_decoding": "oracle"}, "spec_method"),
        ({"kv_offload_backend": {"name": "tapecache"}}, "offload_backend"),
    ],
)
def test_unknown_names_are_kept_and_listed(
    catalog: Catalog, changes: Row, kind: str
) -> None:  # rows 17 and 18
    point, findings = read_one(nested(changes), catalog)
    finding = _found(findings, "unknown_name")
    assert finding.field == kind
    assert finding.severity == "warning"
    assert getattr(point, kind) in {"rocket-9b", "z900", "fp2", "newserve", "oracle", "tapecache"}


def test_names_a_row_leaves_out_are_unknown_and_how_to_say_them_is_told(catalog: Catalog) -> None:
    point, findings = read_one(early_agentic({"hw": "", "framework": "", "precision": None}), catalog)
    assert (point.hardware, point.engine, point.precision) == (None, None, None)
    assert "--set hardware=" in _found(findings, "identity_missing").detail


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (fixed({"isl": None}), "isl"),
        (fixed({"osl": ...}), "osl"),
        (fixed({"isl": 0}), "isl"),
        (fixed({"isl": ..., "osl": ...}), "isl"),
        (fixed({"conc": 0}), "conc"),
        (fixed({"conc": -4}), "conc"),
        (fixed({"conc": "many"}), "conc"),
        (nested({"conc": None}), "conc"),
        (api({"isl": None, "osl": None}), "isl"),
        (api({"conc": 1.5}), "conc"),
        (early_agentic({"conc": 0}), "conc"),
    ],
)
def test_a_row_without_lengths_or_concurrency_is_refused_in_one_sentence(  # row 19
    catalog: Catalog, row: Row, why: str
) -> None:
    points, findings = read([row], catalog)
    assert points == [None]
    refusal = _found(findings, "row_refused")
    assert (refusal.severity, refusal.field) == ("error", "records[0]")
    assert why in refusal.detail


def test_a_row_without_scenario_and_lengths_is_agentic_by_its_own_keys(catalog: Catalog) -> None:
    assert read_one(early_agentic({"scenario_type": ...}), catalog)[0].scenario == "agentic"


@pytest.mark.parametrize(
    "item", [None, 3, "row", [], {}, {"hw": "b200"}, {"task": "gsm8k", "hw": "b200", "conc": 1}]
)
def test_what_is_not_a_row_is_named_and_the_others_are_read(catalog: Catalog, item: object) -> None:
    points, findings = read([item, nested()], catalog)
    assert points[0] is None
    assert points[1] is not None
    assert _found(findings, "not_a_row").field == "records[0]"


def test_one_identity_measured_twice_in_a_batch_is_named_and_the_later_one_stands(
    catalog: Catalog,
) -> None:  # 20
    again = early_agentic({"duration_seconds": 1801.5, "tput_per_gpu": 350.0})
    points, findings = read([early_agentic(), nested(), again], catalog)
    assert points[0] is not None
    assert points[2] is not None
    assert points[0].point_id == points[2].point_id
    finding = _found(findings, "measured_again")
    assert (finding.field, finding.severity) == ("records[2]", "warning")
    assert "records[0]" in finding.detail
    assert "this one is kept" in finding.detail


def test_one_row_twice_in_a_batch_is_no_second_measurement(catalog: Catalog) -> None:
    _, findings = read([early_agentic(), early_agentic()], catalog)
    assert codes(findings) == {"row_repeated"}


def test_a_retry_on_another_runner_is_the_same_point(catalog: Catalog) -> None:  # row 39
    first, _ = read_one(nested({"hw": "b300-nv"}), catalog)
    retried, _ = read_one(nested({"hw": "cluster:b300-dgxc"}), catalog)
    assert retried.hardware_raw != first.hardware_raw
    assert retried.point_id == first.point_id


def test_two_datasets_in_one_run_are_an_error(catalog: Catalog) -> None:  # row 23
    run = {"run_url": "https://github.com/someone/InferenceX/actions/runs/9/attempts/1"}
    first, second = nested(run), nested({**run, "conc": 32, "dataset/hf_dataset_name": "acme/other-traces"})
    points, findings = read([first, second], catalog)
    assert points[0] is not None
    assert points[1] is None
    finding = _found(findings, "two_datasets")
    assert finding.severity == "error"
    assert "other-traces" in finding.detail
    assert "cc-traces-weka-062126" in finding.detail


def test_a_short_run_is_tagged(catalog: Catalog) -> None:  # row 24
    short, _ = read_one(early_agentic(), catalog)
    assert any("short run: 1,800 s" in note for note in short.notes)
    assert short.publishable, "it is shown, and said to be short"
    assert not any("short run" in note for note in read_one(nested(), catalog)[0].notes)


@pytest.mark.parametrize(
    ("gauge", "share", "code"),
    [
        (0.88, 0.88, None),
        (1.0, 1.0, None),
        (0.0, 0.0, None),
        (88.0, 0.88, "gauge_in_percent"),
        (100, 1.0, "gauge_in_percent"),
        (1.2, None, "out_of_range"),
        (140.0, None, "out_of_range"),
        (-0.1, None, "out_of_range"),
    ],
)
def test_a_gauge_of_per_cent_is_read_as_a_share_and_said(  # row 26
    catalog: Catalog, gauge: float, share: float | None, code: str | None
) -> None:
    point, findings = read_one(nested({"server_metrics/kv_cache/gpu_usage_pct": gauge}), catalog)
    assert point.scalars["kv_usage_max"] == (None if share is None else pytest.approx(share))
    assert codes(findings) == ({code} if code else set())


@pytest.mark.parametrize("key", ["gpu_cache_hit_rate", "external_cache_hit_rate", "overall_cache_hit_rate"])
def test_a_hit_rate_above_one_is_missing_and_not_clipped(catalog: Catalog, key: str) -> None:  # row 27
    point, findings = read_one(nested({f"server_metrics/cache/{key}": 1.14}), catalog)
    assert 1.0 not in (point.scalars["hbm_hit_rate"], point.scalars["offload_hit_rate"])
    assert point.scalars["overall_hit_rate"] != 1.0
    assert _found(findings, "out_of_range").field == f"server_metrics.cache.{key}"


def test_hit_rates_that_exceed_one_together_give_no_overall_rate(catalog: Catalog) -> None:
    cache = {"gpu_cache_hit_rate": 0.9, "external_cache_hit_rate": 0.4, "overall_cache_hit_rate": None}
    point, _ = read_one(nested({"server_metrics/cache": cache}), catalog)
    assert point.scalars["overall_hit_rate"] is None


@pytest.mark.parametrize("word", [True, "true", "True", 1, "1"])
def test_truth_values_may_be_words(catalog: Catalog, word: object) -> None:  # row 35
    point, findings = read_one(fixed({"dp_attention": word, "ep": 8}), catalog)
    assert (point.decode.dp_attention, point.topology_label) == (True, "DEP8")
    assert not findings


@pytest.mark.parametrize("word", ["maybe", 3, [True], {}])
def test_another_word_is_no_truth_value(catalog: Catalog, word: object) -> None:
    point, findings = read_one(fixed({"dp_attention": word}), catalog)
    assert point.decode.dp_attention is None
    assert _found(findings, "wrong_type").field == "dp_attention"


@pytest.mark.parametrize("fingerprint", ["", "  ", None, ...])
def test_an_empty_recipe_fingerprint_is_none_and_equals_a_missing_one(  # row 38
    catalog: Catalog, fingerprint: object
) -> None:
    point, _ = read_one(nested({"recipe_fingerprint": fingerprint}), catalog)
    assert point.recipe_fingerprint is None
    assert point.point_id == read_one(nested({"recipe_fingerprint": None}), catalog)[0].point_id


@pytest.mark.parametrize(("server", "differs"), [(1.05, False), (0.95, False), (1.4, True), (0.5, True)])
def test_server_and_client_token_counts_that_differ_are_named(  # row 42
    catalog: Catalog, server: float, differs: bool
) -> None:
    changes = {
        "server_metrics/tokens": {"prompt_total": int(SENT * server), "generation_total": RECEIVED},
    }
    point, findings = read_one(nested(changes), catalog)
    assert ("token_counts_differ" in codes(findings)) is differs
    assert point.scalars["prompt_tokens_server"] == int(SENT * server)
    assert point.scalars["prompt_tokens_client"] == SENT


def test_an_agentic_row_with_lengths_has_none(catalog: Catalog) -> None:  # row 45
    for row in (nested({"isl": 8192, "osl": 1024}), early_agentic({"isl": 8192, "osl": 1024})):
        point, _ = read_one(row, catalog)
        assert (point.scenario, point.isl_nominal, point.osl_nominal) == ("agentic", None, None)


POWER = {
    "power_metric_schema_version": 2,
    "power_valid": 1,
    "avg_power_w": 811.402,
    "joules_per_successful_query": 14401.53,
    "joules_per_input_token": 0.128516,
    "joules_per_output_token": 20.297063,
    "joules_per_total_token": 0.127707,
}


@pytest.mark.parametrize("valid", [1, "1", True])
def test_valid_power_of_schema_2_is_kept(catalog: Catalog, valid: object) -> None:
    point, findings = read_one(nested(POWER | {"power_valid": valid}), catalog)
    assert point.power_valid is True
    assert point.scalars["power_w_per_gpu"] == 811.402
    assert point.scalars["joules_per_request"] == 14401.53
    assert point.scalars["joules_per_output_token"] == 20.297063
    assert not findings


@pytest.mark.parametrize("valid", [0, "0", False])
def test_power_its_producer_found_invalid_is_scrubbed(catalog: Catalog, valid: object) -> None:  # row 46
    point, findings = read_one(nested(POWER | {"power_valid": valid}), catalog)
    assert point.power_valid is False
    assert not [
        name for name in point.scalars if name.startswith(("power", "joules")) and point.scalars[name]
    ]
    assert "power_invalid" in codes(findings)


@pytest.mark.parametrize("version", [{}, {"power_metric_schema_version": 1}])
def test_energy_without_a_schema_version_is_dropped_and_power_stays(  # row 47
    catalog: Catalog, version: dict[str, int]
) -> None:
    metrics = {"avg_power_w": 628.907, "joules_per_total_token": 3.16, "joules_per_output_token": 6.35}
    point, findings = read_one(api({"metrics": metrics | version}), catalog)
    assert (point.scalars["power_w_per_gpu"], point.power_valid) == (628.907, None)
    assert not [name for name in point.scalars if name.startswith("joules")]
    assert "energy_ambiguous" in codes(findings)


def test_an_append_only_run_is_said(catalog: Catalog) -> None:  # row 49
    assert any("append-only" in note for note in read_one(nested({"append_only": True}), catalog)[0].notes)


def test_a_gpu_count_of_tp_times_ep_is_flagged_and_the_right_one_kept(catalog: Catalog) -> None:
    changes = {"prefill_ep": 8, "decode_ep": 8, "num_prefill_gpu": 64, "num_decode_gpu": 64}
    point, findings = read_one(api(changes), catalog)
    assert point.gpus == 8
    assert point.gpus_conflict is not None
    finding = _found(findings, "gpu_count_conflict")
    assert "64" in finding.detail
    assert "counted as 8" in finding.detail
    assert point.scalars["tput_total_per_gpu"] == 750.0, "per physical GPU already"


def test_pools_their_degrees_do_not_explain_keep_the_stated_count(catalog: Catalog) -> None:
    changes = {**DISAGGREGATED, "prefill_tp": 1, "prefill_ep": 1, "num_prefill_gpu": 8}
    point, findings = read_one(api(changes), catalog)
    assert (point.gpus, point.gpus_conflict) == (24, None)
    assert point.topology_label == "2×4 GPU + 1×DEP16"
    assert "topology_incomplete" in codes(findings)


def test_a_total_mirrored_into_both_pools_is_counted_once(catalog: Catalog) -> None:
    mirrored = {
        "disagg": True,
        "is_multinode": False,
        "prefill_tp": 36,
        "decode_tp": 36,
        "num_prefill_gpu": 36,
        "num_decode_gpu": 36,
    }
    point, findings = read_one(api(mirrored), catalog)
    assert (point.gpus, point.prefill.gpus, point.decode.gpus) == (36, None, None)
    assert "topology_incomplete" in codes(findings)


def test_per_gpu_rates_that_imply_another_gpu_count_are_named(catalog: Catalog) -> None:
    finding = _found(read_one(nested({"tp": 4}), catalog)[1], "per_gpu_disagrees")
    assert "implies 8 GPUs, not 4" in finding.detail


def test_prompt_sources_that_do_not_add_up_are_named(catalog: Catalog) -> None:
    _, findings = read_one(nested({"server_metrics/tokens/prompt_by_source/computed": 9_000_000}), catalog)
    finding = _found(findings, "prompt_sources_do_not_add_up")
    assert "42,233,200" in finding.detail
    assert "36,400,000" in finding.detail


def test_interactivity_from_the_fast_end_is_named_and_not_used(catalog: Catalog) -> None:
    point, findings = read_one(nested({"request_metrics/latency/intvty/p90": 66.0}), catalog)
    assert point.statistics["itl_s"].p90 == 0.025
    finding = _found(findings, "interactivity_disagrees")
    assert finding.field == "request_metrics.latency.intvty.p90"
    assert "1 / ITL is 40" in finding.detail


def test_percentiles_that_fall_are_named(catalog: Catalog) -> None:
    _, findings = read_one(nested({"request_metrics/latency/ttft/p95": 1.0}), catalog)
    assert "ttft_s" in _found(findings, "percentiles_fall").detail


def test_a_first_token_after_the_last_is_named(catalog: Catalog) -> None:
    _, findings = read_one(nested({"request_metrics/latency/ttft/mean": 16.0}), catalog)
    assert "16" in _found(findings, "ttft_above_e2el").detail


def test_offload_without_granted_memory_is_said(catalog: Catalog) -> None:
    point, _ = read_one(nested({"allocated_cpu_dram_gb": 0}), catalog)
    assert "KV offload is on, but the row grants it 0 GB of host memory" in point.notes
    off = nested({"allocated_cpu_dram_gb": 0, "kv_offloading": "none", "kv_offload_backend": None})
    assert not any("0 GB" in note for note in read_one(off, catalog)[0].notes)


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "file:///etc/passwd", 'https://x"><script>', "27213443242"]
)
def test_a_run_address_that_is_no_web_link_is_not_kept(catalog: Catalog, url: str) -> None:
    point, findings = read_one(api({"run_url": url}), catalog)
    assert (point.run_url, point.official, point.run_basis) == (None, False, "batch")
    assert "not_a_link" in codes(findings)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("hw", 7),
        ("model", ["a"]),
        ("framework", {"name": "vllm"}),
        ("image", False),
        ("tp", "8"),
        ("tput_per_gpu", "fast"),
        ("p90_ttft", True),
        ("p90_ttft", [1.0]),
        ("date", 20260611),
        ("run_url", 5),
    ],
)
def test_a_value_of_the_wrong_type_is_missing_and_named(catalog: Catalog, key: str, value: object) -> None:
    _, findings = read_one(fixed({key: value}), catalog)
    finding = next(finding for finding in findings if finding.code == "wrong_type")
    assert finding.field == key
    assert finding.artifact == "rows.json"


def test_a_date_that_is_none_is_named(catalog: Catalog) -> None:
    point, findings = read_one(api({"date": "2026-02-30", "run_started_at": "noon"}), catalog)
    assert (point.run_date, point.measured_at) == (None, None)
    assert {finding.field for finding in findings if finding.code == "wrong_type"} == {
        "date",
        "run_started_at",
    }


def test_a_time_without_a_zone_is_not_guessed(catalog: Catalog) -> None:  # row 32
    assert read_one(api({"run_started_at": "2026-08-20T09:00:00"}), catalog)[0].measured_at is None
    placed = read_one(api({"run_started_at": "2026-08-20T11:00:00+02:00"}), catalog)[0].measured_at
    assert placed is not None
    assert placed.isoformat() == "2026-08-20T09:00:00+00:00"


def test_names_are_data_and_come_through_as_text(catalog: Catalog) -> None:
    point, _ = read_one(nested({"model": "<script>alert(1)</script>", "infmax_model_prefix": ""}), catalog)
    assert point.model_raw == "<script>alert(1)</script>"
    endless, _ = read_one(nested({"image": "x" * 10_000, "kv_p2p_transfer": "ni\x00xl\ud800"}), catalog)
    assert endless.image is not None
    assert len(endless.image) <= 500
    assert endless.kv_transfer is not None
    assert endless.kv_transfer.isprintable()


def test_one_fault_is_named_once(catalog: Catalog) -> None:
    """The duration is read for itself and for the token totals."""
    _, findings = read_one(nested({"request_metrics/throughput/duration_seconds": "long"}), catalog)
    assert [finding.code for finding in findings] == ["wrong_type"]


def test_a_row_of_nothing_but_its_identity_is_a_point_without_figures(catalog: Catalog) -> None:
    row = {
        "hw": "b200",
        "conc": 4,
        "framework": "vllm",
        "model": "dsr1",
        "precision": "fp8",
        "isl": 1024,
        "osl": 1024,
    }
    assert recognise(row) == "flat"
    point, findings = read_one(row, catalog)
    assert not findings
    assert not point.statistics
    assert not [value for value in point.scalars.values() if value is not None]
    assert (point.gpus, point.decode.tp, point.requests_ok) == (None, None, None)
    assert point.statistics.get("ttft_s", Distribution()).p90 is None
