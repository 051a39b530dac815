"""Totals from the server's own metrics: which name counts, what a hit rate is a share of, what is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dashboard.ingest.server_totals import ServerTotals, from_csv, from_json, read_server_totals
from tests.ingest.aiperf_runs import ARTIFACT, codes

CSV = """\
# AIPerf Server Metrics Export (CSV)
# schema_version: 1.0
Endpoint,Type,Metric,Unit,avg,min,max,std,engine,Description
node:1,gauge,vllm:kv_cache_usage_perc,ratio,0.5,0.0,0.75,0.1,0,"KV use, 1 is all"
node:1,gauge,vllm:kv_cache_usage_perc,ratio,0.6,0.0,0.9976,0.1,1,KV use

Endpoint,Type,Metric,Unit,total,rate,engine,source,Description
node:1,counter,vllm:prompt_tokens,tokens,400.0,1,0,,x
node:1,counter,vllm:prompt_tokens,tokens,600.0,1,1,,x
node:1,counter,vllm:generation_tokens_total,tokens,50.0,1,0,,x
node:1,counter,vllm:prompt_tokens_by_source,,700.0,1,0,local_cache_hit,x
node:1,counter,vllm:prompt_tokens_by_source,,100.0,1,0,external_kv_transfer,x
node:1,counter,vllm:prompt_tokens_by_source,,200.0,1,0,local_compute,x
node:1,counter,vllm:prefix_cache_queries,,900000.0,1,0,,x
node:1,counter,vllm:prefix_cache_hits,,1.0,1,0,,x

Endpoint,Metric,Key,Value,Description
node:1,vllm:cache_config_info,num_gpu_blocks,5000,Information
"""


def counters(**totals: float) -> ServerTotals:
    """Totals of counters without labels; `__` in a name stands for the colon."""
    metrics = {
        name.replace("__", ":"): {"type": "counter", "series": [{"labels": None, "stats": {"total": total}}]}
        for name, total in totals.items()
    }
    return from_json({"metrics": metrics})


def labelled(name: str, label: str, **totals: float) -> dict[str, Any]:
    series = [{"labels": {label: value}, "stats": {"total": total}} for value, total in totals.items()]
    return {name: {"type": "counter", "series": series}}


def test_blocks_with_other_columns_follow_each_other_in_the_csv() -> None:
    totals = from_csv(CSV.splitlines())
    assert totals.prompt_tokens() == 1000.0
    assert totals.generated_tokens() == 50.0, "the _total of a counter is the same metric"
    assert totals.kv_usage_max() == 0.9976, "the highest of all engines"


def test_prompt_tokens_by_source_give_the_hit_rates_where_they_exist() -> None:
    rates = from_csv(CSV.splitlines()).hit_rates()
    assert (rates.hbm, rates.offload, rates.overall) == (0.7, 0.1, pytest.approx(0.8))
    assert rates.basis == "prompt tokens by source"


@pytest.mark.parametrize("label", ["source", "reason", "kind"])
def test_the_label_of_prompt_sources_has_several_names(label: str) -> None:
    series = labelled("vllm:prompt_tokens_by_source", label, local_cache_hit=3.0, local_compute=1.0)
    assert from_json({"metrics": series}).hit_rates().hbm == 0.75


def test_older_vllm_counts_hits_over_lookups_and_offload_over_external_lookups() -> None:
    rates = counters(
        vllm__prefix_cache_hits=90,
        vllm__prefix_cache_queries=100,
        vllm__external_prefix_cache_hits=5,
        vllm__external_prefix_cache_queries=10,
    ).hit_rates()
    assert (rates.hbm, rates.offload, rates.overall) == (0.9, 0.5, None)
    assert rates.basis is not None and "external" in rates.basis


def test_no_external_lookups_is_no_offload_rate_instead_of_zero() -> None:
    rates = counters(vllm__prefix_cache_hits=90, vllm__prefix_cache_queries=100).hit_rates()
    assert rates.offload is None


def test_sglang_counts_cached_tokens_by_tier_over_prompt_tokens() -> None:
    cached = labelled("sglang:cached_tokens", "cache_source", device=600.0, host=300.0)
    prompt = labelled("sglang:prompt_tokens", "model_name", m=1000.0)
    rates = from_json({"metrics": cached | prompt}).hit_rates()
    assert (rates.hbm, rates.offload, rates.overall) == (0.6, 0.3, 0.9)


@pytest.mark.parametrize("prefix", ["atom__", "atom_"])
def test_atom_loads_are_not_added_to_its_cached_tokens(prefix: str) -> None:
    metrics = {"prefix_cache_full_tokens_total": 100.0, "prefix_cache_cached_tokens_total": 60.0}
    rates = counters(**{prefix + name: total for name, total in metrics.items()}).hit_rates()
    assert (rates.hbm, rates.overall) == (0.6, 0.6)


def test_a_front_end_alone_gives_the_overall_rate_only() -> None:
    rates = counters(dynamo_frontend_input_sequence_tokens=100, dynamo_frontend_cached_tokens=80).hit_rates()
    assert (rates.hbm, rates.offload, rates.overall) == (None, None, 0.8)


def test_a_hit_rate_above_one_is_none() -> None:
    assert counters(vllm__prefix_cache_hits=110, vllm__prefix_cache_queries=100).hit_rates().hbm is None


def test_no_lookup_at_all_is_no_rate() -> None:
    rates = counters(vllm__prefix_cache_hits=0, vllm__prefix_cache_queries=0).hit_rates()
    assert (rates.hbm, rates.basis) == (None, None)


@pytest.mark.parametrize(
    ("peak", "share"), [(0.93, 0.93), (1.0, 1.0), (93.0, 0.93), (1.2, None), (-0.1, None)]
)
def test_kv_use_is_a_share_on_either_scale(peak: float, share: float | None) -> None:
    gauge = {"vllm:kv_cache_usage_perc": {"series": [{"labels": {}, "stats": {"avg": 0.1, "max": peak}}]}}
    found = from_json({"metrics": gauge}).kv_usage_max()
    assert found == (pytest.approx(share) if share is not None else None)


def test_ranks_of_one_tensor_parallel_group_share_a_pool_and_data_parallel_ranks_add_up() -> None:
    ranks = [{"tp_rank": str(tp), "dp_rank": str(dp)} for tp in range(4) for dp in range(2)]
    series = [{"endpoint_url": "n", "labels": labels, "stats": {"max": 5000.0}} for labels in ranks]
    totals = from_json({"metrics": {"sglang:max_total_num_tokens": {"series": series}}})
    assert totals.kv_pool_tokens() == 10_000.0


def test_the_warm_up_block_and_time_slices_are_passed_over() -> None:
    series = [{"labels": {}, "stats": {"total": 5.0}, "timeslices": [{"total": 9.0}]}]
    document = {
        "metrics": {"vllm:prompt_tokens": {"series": series}},
        "warmup_metrics": {"vllm:prompt_tokens": {"series": [{"stats": {"total": 100.0}}]}},
    }
    assert from_json(document).prompt_tokens() == 5.0


@pytest.mark.parametrize(
    "document",
    [None, [], {}, {"metrics": []}, {"metrics": {"a": 3, "b": {"series": "x"}, "c": {"series": [1]}}}],
)
def test_an_odd_document_has_no_totals(document: Any) -> None:
    totals = from_json(document)
    assert (totals.prompt_tokens(), totals.kv_usage_max(), totals.hit_rates().basis) == (None, None, None)


@pytest.mark.parametrize("text", ["", "\x00\x00", "Endpoint,Type\nx", "a,b,c\n1,2,3\n", '"unclosed\n' * 5])
def test_an_odd_csv_has_no_totals(text: str, tmp_path: Path) -> None:
    path = tmp_path / "server_metrics_export.csv"
    path.write_text(text)
    totals, _ = read_server_totals(path, None, ARTIFACT)
    assert totals is None or totals.prompt_tokens() is None


def test_the_json_is_read_where_there_is_no_csv(tmp_path: Path) -> None:
    path = tmp_path / "server_metrics_export.json"
    path.write_text(json.dumps({"metrics": labelled("vllm:prompt_tokens", "engine", a=7.0)}))
    totals, findings = read_server_totals(None, path, ARTIFACT)
    assert totals is not None and totals.prompt_tokens() == 7.0
    assert findings == []


def test_a_broken_export_is_named_and_the_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "server_metrics_export.json"
    path.write_text('{"metrics": ')
    totals, findings = read_server_totals(None, path, ARTIFACT)
    assert totals is None
    assert [(f.severity, f.field) for f in findings] == [("warning", "server_metrics_export.json")]
    assert codes(findings) == ["unreadable_server_metrics"]
