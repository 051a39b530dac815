"""Whole run folders: where the files lie, what each ending leaves, which point and requests come out."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from dashboard.domain.catalog import Catalog
from dashboard.ingest.aiperf import read_folder, read_summary_file
from dashboard.store.schema import REQUESTS, point_row
from tests.ingest.aiperf_runs import (
    ARTIFACT,
    DEPLOYMENT,
    EPOCH_NS,
    codes,
    context,
    failed,
    jsonl,
    ms,
    read_run,
    record,
    summary,
    warmup,
    write_run,
)

SOUND = [record(n) for n in range(8)]


def write_sound_run(folder: Path) -> Path:
    return write_run(folder, SOUND, summary())


# Where the files lie


@pytest.mark.parametrize("inner", ["", "aiperf_artifacts", "trace_replay", "run_0", "aiperf_artifacts/run_0"])
def test_the_files_may_lie_deeper(tmp_path: Path, catalog: Catalog, inner: str) -> None:
    write_sound_run(tmp_path / "c8" / inner)
    reading = read_run(tmp_path / "c8", catalog, **DEPLOYMENT)
    assert reading.point is not None and reading.point.requests_ok == 8
    assert reading.findings == ()


def test_of_several_runs_in_one_folder_the_first_is_read_and_the_rest_named(
    tmp_path: Path, catalog: Catalog
) -> None:
    write_run(tmp_path / "c8" / "run_0", [record()], summary(request_count={"avg": 1.0}))
    write_sound_run(tmp_path / "c8" / "run_1")
    reading = read_run(tmp_path / "c8", catalog, **DEPLOYMENT)
    assert reading.point is not None and reading.point.requests_ok == 1
    assert codes(reading.findings) == ["several_runs"]
    assert "run_1" in reading.findings[0].detail


def test_another_export_prefix_is_found_by_what_the_files_hold(tmp_path: Path, catalog: Catalog) -> None:
    folder = tmp_path / "c8"
    folder.mkdir()
    (folder / "mine.jsonl").write_bytes(jsonl(SOUND))
    (folder / "mine.json").write_text(json.dumps(summary()))
    (folder / "mine_raw.jsonl").write_bytes(jsonl([record(99)]))
    reading = read_run(folder, catalog)
    assert reading.point is not None
    assert (reading.point.requests_ok, reading.point.model) == (8, "kimik2.5")


def test_packed_records_are_read_in_place(tmp_path: Path, catalog: Catalog) -> None:
    folder = write_run(tmp_path / "c8", client=summary())
    (folder / "profile_export.jsonl.gz").write_bytes(gzip.compress(jsonl(SOUND)))
    reading = read_run(folder, catalog)
    assert reading.point is not None and reading.point.has_requests


def test_a_torn_archive_of_records_is_refused_in_words(tmp_path: Path, catalog: Catalog) -> None:
    folder = write_run(tmp_path / "c8")
    (folder / "profile_export.jsonl.gz").write_bytes(gzip.compress(jsonl(SOUND))[:-20])
    reading = read_run(folder, catalog)
    assert reading.point is None
    assert [(f.code, f.severity) for f in reading.findings] == [("unreadable_records", "error")]


def test_a_folder_without_a_run_is_refused_with_one_line(tmp_path: Path, catalog: Catalog) -> None:
    reading = read_run(write_run(tmp_path / "empty", notes__txt="nothing here"), catalog)
    assert (reading.point, reading.requests) == (None, None)
    assert [(f.code, f.severity, f.artifact) for f in reading.findings] == [("no_run", "error", ARTIFACT)]


# The point


def test_the_requests_carry_the_id_of_their_point(tmp_path: Path, catalog: Catalog) -> None:
    reading = read_run(write_sound_run(tmp_path / "c8"), catalog)
    assert reading.point is not None and reading.requests is not None
    assert reading.requests.schema.equals(REQUESTS)
    assert set(reading.requests["point_id"].to_pylist()) == {reading.point.point_id}


def test_throughput_per_gpu_has_one_denominator(tmp_path: Path, catalog: Catalog) -> None:
    found = read_run(write_sound_run(tmp_path / "c8"), catalog, tp="4", pp="2").point
    assert found is not None and found.gpus == 8
    for name in ("tput_total", "tput_input", "tput_output"):
        rate = found.scalars[name]
        assert rate is not None and found.scalars[f"{name}_per_gpu"] == pytest.approx(rate / 8)


def test_without_a_gpu_count_there_is_no_rate_per_gpu(tmp_path: Path, catalog: Catalog) -> None:
    found = read_run(write_sound_run(tmp_path / "c8"), catalog).point
    assert found is not None and found.scalars["tput_total_per_gpu"] is None


def test_the_run_is_dated_by_its_first_request(tmp_path: Path, catalog: Catalog) -> None:
    found = read_run(write_sound_run(tmp_path / "c8"), catalog).point
    assert found is not None and found.measured_at is not None
    assert (found.run_date, found.measured_at.tzname()) == (date(2026, 11, 30), "UTC")
    assert int(found.measured_at.timestamp()) == EPOCH_NS // 10**9


def test_the_point_belongs_to_the_run_it_is_given(tmp_path: Path, catalog: Catalog) -> None:
    given = context(catalog, run_id="b300-sweep", basis="sweep", attempt=2)
    found = read_folder(write_sound_run(tmp_path / "c8"), given).point
    assert found is not None
    assert (found.run_id, found.run_basis, found.run_attempt) == ("b300-sweep", "sweep", 2)


def test_one_measurement_has_one_id_wherever_it_lies(tmp_path: Path, catalog: Catalog) -> None:
    first = read_run(write_sound_run(tmp_path / "a"), catalog).point
    copy = read_run(write_sound_run(tmp_path / "b" / "aiperf_artifacts"), catalog).point
    assert first is not None and copy is not None and first.point_id == copy.point_id


def test_a_repetition_in_the_same_run_is_another_point_of_the_same_configuration(
    tmp_path: Path, catalog: Catalog
) -> None:
    first = read_run(write_sound_run(tmp_path / "a"), catalog).point
    later = [record(n, {"request_start_ns": EPOCH_NS + 10**15 + n}) for n in range(8)]
    again = read_run(write_run(tmp_path / "b", later, summary()), catalog).point
    assert first is not None and again is not None
    assert (first.config_id, first.concurrency) == (again.config_id, again.concurrency)
    assert first.point_id != again.point_id


def test_reading_twice_gives_the_same(tmp_path: Path, catalog: Catalog) -> None:
    folder = write_sound_run(tmp_path / "c8")
    one, other = read_run(folder, catalog), read_run(folder, catalog)
    assert one.point is not None and other.point is not None
    assert point_row(one.point) == point_row(other.point)
    assert one.requests is not None and one.requests.equals(other.requests)


# What each ending leaves


def test_a_finished_run_has_statistics_of_its_requests(tmp_path: Path, catalog: Catalog) -> None:
    found = read_run(write_sound_run(tmp_path / "c8"), catalog).point
    assert found is not None
    assert found.statistics["ttft_s"].p50 == pytest.approx(0.5035)
    assert (found.requests_total, found.requests_ok, found.publishable) == (8, 8, True)


def test_a_run_without_a_summary_is_computed_from_its_records_and_marked(
    tmp_path: Path, catalog: Catalog
) -> None:
    found = read_run(write_run(tmp_path / "c8", [warmup(0), *SOUND[1:]]), catalog).point
    assert found is not None
    assert (found.requests_ok, found.requests_warmup, found.publishable) == (7, 1, True)
    assert any(note.startswith("Unfinished") for note in found.notes)


def test_a_summary_without_records_is_a_point_without_requests(tmp_path: Path, catalog: Catalog) -> None:
    client = summary(
        request_latency={"unit": "ms", "avg": 1500.0, "p90": 2000.0, "count": 8},
        benchmark_duration={"unit": "sec", "avg": 10.0},
        total_isl={"unit": "tokens", "avg": 8000.0},
        total_osl={"unit": "tokens", "avg": 800.0},
        error_request_count={"unit": "requests", "avg": 2.0},
        error_summary=[{"error_details": {"type": "Timeout", "message": "x"}, "count": 2}],
    )
    reading = read_run(write_run(tmp_path / "c8", client=client), catalog)
    found = reading.point
    assert found is not None and reading.requests is None
    assert (found.has_requests, found.statistics["e2el_s"].p90) == (False, 2.0)
    assert (found.requests_total, found.requests_ok, found.requests_failed) == (10, 8, 2)
    assert found.requests_cancelled is None, "the client does not tell cancelled from failed"
    assert (found.scalars["tput_total"], found.error_categories) == (880.0, {"Timeout": 2})


def test_a_summary_that_lies_alone_is_read_under_any_name(tmp_path: Path, catalog: Catalog) -> None:
    path = tmp_path / "mi355x-kimik2.5-tp4-conc16-offloadlmcache-fp4-0603.json"
    path.write_text(json.dumps(summary()))
    found = read_summary_file(path, context(catalog)).point
    assert found is not None
    assert (found.hardware, found.decode.tp, found.precision) == ("mi355x", 4, "fp4")
    assert (found.offload_backend, found.requests_ok, found.has_requests) == ("lmcache", 8, False)


def test_a_lone_file_that_is_no_summary_is_refused(tmp_path: Path, catalog: Catalog) -> None:
    path = tmp_path / "x.json"
    path.write_text("[1]")
    reading = read_summary_file(path, context(catalog))
    assert reading.point is None
    assert [(f.code, f.severity) for f in reading.findings] == [("unreadable_summary", "error")]


def test_a_run_of_warm_up_only_is_listed_and_never_drawn(tmp_path: Path, catalog: Catalog) -> None:
    reading = read_run(
        write_run(tmp_path / "c8", [warmup(n) for n in range(9)] + [failed(9, benchmark_phase="warmup")]),
        catalog,
    )
    found = reading.point
    assert found is not None
    assert (found.requests_total, found.requests_ok, found.requests_warmup) == (0, 0, 10)
    assert found.publishable is False
    assert "warmup_only" in codes(reading.findings)
    assert any(note.startswith("Warm-up only") for note in found.notes)


def test_a_run_in_which_all_failed_is_listed_and_never_drawn(tmp_path: Path, catalog: Catalog) -> None:
    reading = read_run(write_run(tmp_path / "c8", [failed(n) for n in range(4)]), catalog)
    found = reading.point
    assert found is not None
    assert (found.requests_total, found.requests_ok, found.requests_failed) == (4, 0, 4)
    assert (found.publishable, found.scalars["tput_total"]) == (False, None)
    assert "not_drawn" in codes(reading.findings)


def test_a_submission_that_the_harness_calls_invalid_is_not_publishable(
    tmp_path: Path, catalog: Catalog
) -> None:
    said = {"submission_valid": False, "submission_invalid_reasons": ["context_overflow_rate_exceeded"]}
    found = read_run(write_run(tmp_path / "c8", SOUND, summary(metadata=said)), catalog).point
    assert found is not None and found.publishable is False
    assert any("context_overflow_rate_exceeded" in note for note in found.notes)


def test_overflows_and_cancellation_are_noted(tmp_path: Path, catalog: Catalog) -> None:
    client = summary(context_overflow_count={"unit": "requests", "avg": 3.0}, was_cancelled=True)
    found = read_run(write_run(tmp_path / "c8", SOUND, client), catalog).point
    assert found is not None
    assert any("3 requests outgrew" in note for note in found.notes)
    assert any("cancelled before its time" in note for note in found.notes)


def test_a_short_agentic_run_is_noted(tmp_path: Path, catalog: Catalog) -> None:
    found = read_run(write_sound_run(tmp_path / "c8"), catalog).point
    assert found is not None and any("short run of 9 s" in note for note in found.notes)


def test_suspected_stream_errors_are_noted_and_stay_successes(tmp_path: Path, catalog: Catalog) -> None:
    silent = record(8, without=["usage_total_tokens"])
    client = summary(request_count={"unit": "requests", "avg": 9.0})
    reading = read_run(write_run(tmp_path / "c8", [*SOUND, silent], client), catalog)
    assert reading.point is not None and reading.point.requests_ok == 9
    assert "suspected_stream_errors" in codes(reading.findings)
    assert any("1 request succeeded without token usage" in note for note in reading.point.notes)


def test_the_clients_count_of_failures_is_checked_against_the_records(
    tmp_path: Path, catalog: Catalog
) -> None:
    reading = read_run(write_run(tmp_path / "c8", [*SOUND[:7], failed(7)], summary()), catalog, **DEPLOYMENT)
    assert reading.point is not None and reading.point.requests_failed == 1
    assert codes(reading.findings) == ["client_disagrees", "client_disagrees"]
    assert {f.point_id for f in reading.findings} == {reading.point.point_id}


# Caches


def test_the_server_gives_hit_rates_tokens_and_kv_use(tmp_path: Path, catalog: Catalog) -> None:
    export = (
        "Endpoint,Type,Metric,Unit,avg,max,engine,Description\n"
        "n,gauge,vllm:kv_cache_usage_perc,ratio,0.1,0.5,0,x\n\n"
        "Endpoint,Type,Metric,Unit,total,engine,source,Description\n"
        "n,counter,vllm:prompt_tokens,tokens,8028.0,0,,x\n"
        "n,counter,vllm:generation_tokens,tokens,808.0,0,,x\n"
        "n,counter,vllm:prompt_tokens_by_source,,6000.0,0,local_cache_hit,x\n"
        "n,counter,vllm:prompt_tokens_by_source,,2000.0,0,local_compute,x\n"
    )
    folder = write_run(tmp_path / "c8", SOUND, summary(), server_metrics_export__csv=export)
    found = read_run(folder, catalog).point
    assert found is not None
    assert (found.scalars["hbm_hit_rate"], found.scalars["offload_hit_rate"]) == (0.75, 0.0)
    assert (found.scalars["kv_usage_max"], found.scalars["prompt_tokens_server"]) == (0.5, 8028.0)
    assert (found.scalars["generated_tokens_server"], found.hit_rate_basis) == (
        808.0,
        "prompt tokens by source",
    )


def test_of_a_disaggregated_deployment_the_server_totals_are_not_used(
    tmp_path: Path, catalog: Catalog
) -> None:
    """Both roles count a prompt, and KV that is handed over looks like a cache hit (data-contracts 9.7)."""
    export = "Endpoint,Type,Metric,Unit,total,engine\nn,counter,vllm:prompt_tokens,tokens,16056.0,0\n"
    folder = write_run(tmp_path / "c8", SOUND, summary(), server_metrics_export__csv=export)
    found = read_run(folder, catalog, deployment="disaggregated").point
    assert found is not None
    assert found.scalars.get("prompt_tokens_server") is None
    assert found.hit_rate_basis is not None and found.hit_rate_basis.startswith("client")


def test_metrics_of_an_unknown_engine_give_no_rates_and_the_run_is_read(
    tmp_path: Path, catalog: Catalog
) -> None:
    export = "Endpoint,Type,Metric,Unit,total,engine\nn,counter,abacus:beads,tokens,16056.0,0\n"
    folder = write_run(tmp_path / "c8", SOUND, summary(), server_metrics_export__csv=export)
    found = read_run(folder, catalog).point
    assert found is not None and found.requests_ok == 8
    assert (found.scalars["hbm_hit_rate"], found.scalars["prompt_tokens_server"]) == (None, None)


def test_without_server_metrics_the_requests_usage_gives_the_overall_rate(
    tmp_path: Path, catalog: Catalog
) -> None:
    found = read_run(write_sound_run(tmp_path / "c8"), catalog).point
    assert found is not None
    assert found.scalars["overall_hit_rate"] == pytest.approx(8 * 800 / sum(1000 + n for n in range(8)))
    assert found.scalars.get("hbm_hit_rate") is None
    assert found.hit_rate_basis is not None and found.hit_rate_basis.startswith("client")


def test_a_run_that_tells_nothing_of_its_cache_has_no_basis(tmp_path: Path, catalog: Catalog) -> None:
    silent = [record(n, without=["usage_prompt_cache_read_tokens"]) for n in range(4)]
    found = read_run(write_run(tmp_path / "c8", silent), catalog).point
    assert found is not None
    assert (found.scalars["overall_hit_rate"], found.hit_rate_basis) == (None, None)


def test_measured_and_theoretical_hit_rates_stand_side_by_side(tmp_path: Path, catalog: Catalog) -> None:
    client = summary(theoretical_prefix_cache_hit={"unit": "%", "avg": 95.0, "sum": 90, "count": 100})
    found = read_run(write_run(tmp_path / "c8", SOUND, client), catalog).point
    assert found is not None and found.scalars["theoretical_hit_rate"] == 0.9


# Broken files beside sound ones


def test_refused_records_leave_the_point_of_the_summary(tmp_path: Path, catalog: Catalog) -> None:
    reading = read_run(write_run(tmp_path / "c8", ["broken", *SOUND], summary()), catalog)
    assert reading.point is not None and reading.requests is None
    assert (reading.point.requests_ok, reading.point.has_requests) == (8, False)
    assert [f.code for f in reading.findings if f.severity == "error"] == ["malformed_records"]


@pytest.mark.parametrize("broken", ["", "{", "[]", '{"input_config": 3}', "\x00\x01", '{"a": NaN}'])
def test_a_broken_summary_is_named_and_the_records_are_read(
    tmp_path: Path, catalog: Catalog, broken: str
) -> None:
    folder = write_run(tmp_path / "c8", SOUND, profile_export_aiperf__json=broken)
    reading = read_run(folder, catalog)
    assert reading.point is not None and reading.point.requests_ok == 8
    assert "unreadable_summary" in codes(reading.findings)


def _hostile(value: Any) -> list[dict[str, Any]]:
    """The summary with `value` in place of each of its parts, one at a time."""
    sound = summary(
        time_to_first_token=ms(1.0) | {"avg": 1.0},
        benchmark_duration={"unit": "sec", "avg": 1.0},
        error_summary=[],
        warmup_metrics={},
        theoretical_prefix_cache_hit={},
    )
    outer = [sound | {key: value} for key in sound]
    inner = [sound | {"input_config": sound["input_config"] | {key: value}} for key in sound["input_config"]]
    return outer + inner


@pytest.mark.parametrize(
    "value", [None, 3, "x", [], {}, [[]], [{"name": 3}], {"avg": "x"}, True, 1e308, -(10**30)]
)
def test_anything_in_any_part_of_a_summary_never_raises(tmp_path: Path, catalog: Catalog, value: Any) -> None:
    for number, client in enumerate(_hostile(value)):
        folder = write_run(tmp_path / str(number), SOUND[:1], client)
        reading = read_folder(folder, replace(context(catalog), artifact=str(number)))
        assert reading.point is not None
        point_row(reading.point)
