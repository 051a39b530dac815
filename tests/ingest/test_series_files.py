"""Server telemetry over time: names of every engine, resets, twins, mirrors, scales, late parts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from dashboard.ingest.json_series import BLOCKS, SeriesScan
from dashboard.ingest.series_files import Entry, read_server_series, series_table

T0 = 1_787_300_400_000_000_000
S = 1_000_000_000
REAL = Path(__file__).resolve().parents[3] / "shared" / "aiperf-artifacts" / "multiturn-raw"


def slices(values: list[float | None], kind: str, start: int = T0, step: int = S) -> list[dict[str, Any]]:
    name = "avg" if kind == "gauge" else "total"
    return [
        {"start_ns": start + n * step, "end_ns": start + (n + 1) * step, name: value}
        for n, value in enumerate(values)
    ]


def entry(
    metric: str,
    values: list[float | None],
    labels: Mapping[str, str] | None = None,
    kind: str = "gauge",
    block: str = "metrics",
    url: str = "http://node0:8888/metrics",
    start: int = T0,
) -> Entry:
    content = {"endpoint_url": url, "labels": labels, "timeslices": slices(values, kind, start)}
    return Entry(block, metric, content)


def rows(table: pa.Table | None, metric: str, **where: str | None) -> list[dict[str, Any]]:
    assert table is not None
    return [
        row
        for row in table.to_pylist()
        if row["metric"] == metric and all(row[name] == value for name, value in where.items())
    ]


@pytest.mark.parametrize(
    ("reported", "metric"),
    [
        ("vllm:kv_cache_usage_perc", "kv_usage"),
        ("vllm:gpu_cache_usage_perc", "kv_usage"),
        ("sglang:token_usage", "kv_usage"),
        ("trtllm_kv_cache_utilization", "kv_usage"),
        ("atom_kv_cache_usage_ratio", "kv_usage"),
        ("atom:kv_cache_usage_ratio", "kv_usage"),
        ("dynamo_component_gpu_cache_usage_percent", "kv_usage"),
        ("sglang:num_queue_reqs", "waiting"),
        ("vllm:num_requests_running", "running"),
    ],
)
def test_gauges_of_every_engine_have_one_name(reported: str, metric: str) -> None:
    table = series_table([entry(reported, [0.25, 0.5], {"engine": "3"})])
    found = rows(table, metric)
    assert [row["value"] for row in found] == [0.25, 0.5]
    assert {(row["rank"], row["statistic"], row["phase"]) for row in found} == {("3", "mean", "profiling")}


@pytest.mark.parametrize("suffix", ["", "_total"])
@pytest.mark.parametrize("name", ["vllm:prompt_tokens", "sglang:prompt_tokens", "trtllm_prompt_tokens"])
def test_a_counter_is_a_rate_with_and_without_total_in_its_name(name: str, suffix: str) -> None:
    table = series_table([entry(name + suffix, [100, 300], kind="counter")])
    assert [row["value"] for row in rows(table, "prompt_tps")] == [100, 300]
    assert rows(table, "prompt_tps")[0]["statistic"] == "rate"


def test_the_first_name_that_has_data_wins() -> None:
    table = series_table(
        [
            entry("vllm:gpu_cache_usage_perc", [0.9]),
            entry("vllm:kv_cache_usage_perc", [0.3]),
        ]
    )
    assert [row["value"] for row in rows(table, "kv_usage")] == [0.3]


def test_warm_up_and_profiling_follow_each_other_whatever_their_order_in_the_file() -> None:
    table = series_table(
        [
            entry("vllm:num_requests_running", [5], start=T0 + 10 * S),
            entry("vllm:num_requests_running", [1, 2], block="warmup_metrics"),
        ]
    )
    found = rows(table, "running")
    assert [(row["t_ns"] - T0, row["value"], row["phase"]) for row in found] == [
        (0, 1, "warmup"),
        (S, 2, "warmup"),
        (10 * S, 5, "profiling"),
    ]


def test_a_reset_a_null_and_a_hostile_value_leave_no_row() -> None:
    values = [10, -5, None, float("nan"), float("inf"), 20]
    table = series_table([entry("vllm:generation_tokens", values, kind="counter")])
    assert [(row["t_ns"] - T0) // S for row in rows(table, "generation_tps")] == [0, 5]


def test_a_last_partial_slice_counts_by_its_width() -> None:
    one = entry("vllm:generation_tokens", [1000], kind="counter")
    one.content["timeslices"].append(
        {"start_ns": T0 + S, "end_ns": T0 + S + S // 4, "total": 100, "is_complete": False}
    )
    found = rows(series_table([one]), "generation_tps")
    assert [(row["value"], row["width_s"]) for row in found] == [(1000, 1.0), (400, 0.25)]


def test_a_share_on_a_scale_of_0_to_100_is_one_for_all_its_values() -> None:
    table = series_table([entry("dynamo_component_gpu_cache_usage_percent", [1.2, 60, 99])])
    assert [row["value"] for row in rows(table, "kv_usage")] == pytest.approx([0.012, 0.6, 0.99])


def test_mirrored_endpoints_count_once_and_different_ones_apart() -> None:
    labels = {"engine": "0"}
    mirrored = [
        entry("vllm:prompt_tokens", [100, 100, 100], labels, "counter"),
        entry("vllm:prompt_tokens", [101, 99], labels, "counter", url="http://mirror:8888/metrics"),
    ]
    assert [row["value"] for row in rows(series_table(mirrored), "prompt_tps")] == [100, 100, 100]
    apart = [
        *mirrored[:1],
        entry("vllm:prompt_tokens", [900, 900], labels, "counter", url="http://b:1/metrics"),
    ]
    workers = {row["worker"] for row in rows(series_table(apart), "prompt_tps")}
    assert workers == {"node0:8888", "b:1"}


def test_roles_of_a_split_deployment_stay_apart() -> None:
    labels = {"engine": "0"}
    table = series_table(
        [
            entry("vllm:num_requests_running", [1], labels, url="http://prefill-0:8000/metrics"),
            entry("vllm:num_requests_running", [1], labels, url="http://decode-0:8000/metrics"),
        ]
    )
    assert {row["role"] for row in rows(table, "running")} == {"prefill", "decode"}


def test_twins_of_one_source_are_added_though_their_slices_lie_apart() -> None:
    table = series_table(
        [
            entry("sglang:prompt_tokens", [10, 10, 10], {"dp_rank": "0", "streaming": "true"}, "counter"),
            entry(
                "sglang:prompt_tokens",
                [1, 1, 1],
                {"dp_rank": "0", "streaming": "false"},
                "counter",
                start=T0 + 16_000_000,
            ),
        ]
    )
    values = [row["value"] for row in rows(table, "prompt_tps", rank="0")]
    assert max(values) == 11 and len(values) >= 3


def test_a_rank_that_starts_late_and_a_metric_that_appears_half_way_begin_where_they_begin() -> None:
    table = series_table(
        [
            entry("vllm:kv_cache_usage_perc", [0.1] * 10, {"engine": "0"}),
            entry("vllm:kv_cache_usage_perc", [0.2] * 4, {"engine": "1"}, start=T0 + 6 * S),
            entry("vllm:external_prefix_cache_hits", [7], {"engine": "0"}, "counter", start=T0 + 9 * S),
        ]
    )
    assert min(row["t_ns"] for row in rows(table, "kv_usage", rank="1")) == T0 + 6 * S
    assert [row["t_ns"] for row in rows(table, "offload_hit_tps")] == [T0 + 9 * S]


def test_prompt_tokens_by_source_go_to_the_names_of_the_panel() -> None:
    names = {"local_compute": "computed", "local_cache_hit": "hbm_hit", "external_kv_transfer": "external"}
    table = series_table(
        [
            entry("vllm:prompt_tokens_by_source", [n + 1.0], {label: source}, "counter")
            for n, (source, label) in enumerate(zip(names, ("source", "reason", "kind"), strict=True))
        ]
    )
    for n, name in enumerate(names.values()):
        assert [row["value"] for row in rows(table, f"prompt_source_tps.{name}")] == [n + 1.0]


def test_without_a_slice_there_is_no_telemetry() -> None:
    content = {"endpoint_url": "u", "labels": None, "stats": {"avg": 1.0}}
    assert series_table([Entry("metrics", "vllm:num_requests_running", content)]) is None


# Scanning


def scanned(data: bytes, size: int) -> list[tuple[str, str, Any]]:
    class Pieces:
        def __init__(self) -> None:
            self.at = 0

        def read(self, _: int = -1) -> bytes:
            piece = data[self.at : self.at + size]
            self.at += size
            return piece

    scan = SeriesScan(lambda name: name.startswith("vllm:"))
    return [(one.block, one.metric, json.loads(one.text)) for one in scan.read(Pieces())]  # type: ignore[arg-type]


def document() -> dict[str, Any]:
    tricky = {"labels": {"a": 'quote " brace } bracket ] backslash \\'}, "timeslices": [{"x": [1, {"y": 2}]}]}
    return {
        "summary": {"metrics": {"vllm:decoy": {"series": [{"no": 1}]}}},
        "metrics": {
            "vllm:a": {"type": "gauge", "series": [tricky, {"n": 2}]},
            "other": {"series": [{"n": 3}]},
            "vllm:b": {"series": []},
        },
        "warmup_metrics": {"vllm:a": {"series": [{"n": 4}]}},
    }


@pytest.mark.parametrize("size", [1, 2, 7, 64, 1 << 20])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_gives_its_wanted_series_however_it_is_cut_into_pieces(
    size: int, indent: int | None
) -> None:
    whole = document()
    found = scanned(json.dumps(whole, indent=indent).encode(), size)
    assert found == [
        (block, name, one)
        for block in BLOCKS
        for name, metric in whole[block].items()
        if name.startswith("vllm:")
        for one in metric["series"]
    ]


def test_a_document_that_ends_in_the_middle_gives_what_stands_before(tmp_path: Path) -> None:
    whole = {"metrics": {"vllm:num_requests_running": {"series": [
        {"labels": {"engine": str(n)}, "timeslices": slices([1.0, 2.0], "gauge")} for n in range(4)
    ]}}}  # fmt: skip
    text = json.dumps(whole)
    path = tmp_path / "server_metrics_export.json"
    path.write_text(text[: int(len(text) * 0.6)])
    table, findings = read_server_series(path, None, "run")
    assert {row["rank"] for row in rows(table, "running")} == {"0", "1"}
    assert [finding.code for finding in findings] == ["server_metrics_cut"]


@pytest.mark.parametrize("text", [b"", b"]}]", b"{]]}", b"not json", b'{"metrics": 3}', b"\x00" * 100])
def test_what_is_no_document_gives_nothing(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "server_metrics_export.json"
    path.write_bytes(text)
    assert read_server_series(path, None, "run")[0] is None


# Scrapes


def test_scrapes_give_what_counters_gained_and_nothing_across_a_reset(tmp_path: Path) -> None:
    path = tmp_path / "server_metrics_export.jsonl"
    values = [(0, 100.0, 0.1), (1, 160.0, 0.2), (2, 30.0, 0.3), (4, 90.0, 0.4)]

    def lines() -> Iterator[str]:
        for second, tokens, used in values:
            yield json.dumps(
                {
                    "timestamp_ns": T0 + second * S,
                    "endpoint_url": "http://n:1/metrics",
                    "metrics": {
                        "vllm:generation_tokens": [{"labels": {"engine": "0"}, "value": tokens}],
                        "vllm:kv_cache_usage_perc": [{"labels": {"engine": "0"}, "value": used}],
                    },
                }
            )

    path.write_text("\n".join([*lines(), "{broken"]) + "\n")
    table, findings = read_server_series(None, path, "run")
    gained = rows(table, "generation_tps")
    assert [(row["t_ns"] - T0, row["width_s"], row["value"]) for row in gained] == [
        (0, 1.0, 60.0),
        (2 * S, 2.0, 30.0),
    ]
    assert [row["value"] for row in rows(table, "kv_usage")] == [0.1, 0.2, 0.3]
    assert [finding.code for finding in findings] == ["server_scrapes_unreadable"]


@pytest.mark.real
@pytest.mark.skipif(not REAL.is_dir(), reason="../shared/aiperf-artifacts is not there")
def test_the_two_exports_of_one_real_run_agree() -> None:
    exported = REAL / "server_metrics_export.json"
    table, _ = read_server_series(exported, None, "run")
    raw, _ = read_server_series(None, REAL / "server_metrics_export.jsonl", "run")
    assert table is not None and raw is not None
    told = json.loads(exported.read_text())
    for metric, name in (("prompt_tps", "vllm:prompt_tokens"), ("prefix_hit_tps", "vllm:prefix_cache_hits")):
        kept = rows(table, metric)
        blocks = [told[block][name]["series"][0]["timeslices"] for block in BLOCKS if block in told]
        assert len(kept) == sum(len(block) for block in blocks)
        total = sum(one["total"] for block in blocks for one in block)
        assert sum(row["value"] * row["width_s"] for row in kept) == pytest.approx(total, rel=1e-9)
        scraped = sum(row["value"] * row["width_s"] for row in rows(raw, metric))
        assert scraped == pytest.approx(total, rel=0.02, abs=1)
    usage = [one["avg"] for one in told["metrics"]["vllm:kv_cache_usage_perc"]["series"][0]["timeslices"]]
    profiling = [row["value"] for row in rows(table, "kv_usage", phase="profiling")]
    assert np.allclose(profiling, usage)


# Several endpoints, host pools, phases, columns


def test_two_workers_under_an_even_load_are_no_mirrors() -> None:
    """Their totals agree within 5 %, as those of mirrors do; what happened when does not."""
    random = np.random.default_rng(7)
    loads = [random.integers(0, 2000, 600).astype(float).tolist() for _ in range(2)]
    urls = ("http://n:1/metrics", "http://n:2/metrics")
    table = series_table(
        [entry("vllm:prompt_tokens", load, {"engine": "0"}, "counter", url=url)
         for load, url in zip(loads, urls, strict=True)]
        + [entry("vllm:num_requests_waiting", [0.0] * 600, {"engine": "0"}, url=url) for url in urls]
    )  # fmt: skip
    assert abs(sum(loads[0]) / sum(loads[1]) - 1) < 0.05
    for worker, load in zip(("1", "2"), loads, strict=True):
        assert [row["value"] for row in rows(table, "prompt_tps", worker=worker)] == load
        assert len(rows(table, "waiting", worker=worker)) == 600


def test_ranks_inside_one_engine_report_it_once() -> None:
    table = series_table(
        [entry("sglang:num_running_reqs", [3, 4], {"dp_rank": "1", "tp_rank": str(tp)}) for tp in range(8)]
    )
    assert [(row["rank"], row["value"]) for row in rows(table, "running")] == [("1", 3), ("1", 4)]


def test_the_host_pool_of_sglang_is_what_is_used_of_what_there_is() -> None:
    table = series_table(
        [
            entry("sglang:hicache_host_used_tokens", [0, 50, 200]),
            entry("sglang:hicache_host_total_tokens", [200, 200, 200]),
        ]
    )
    assert [row["value"] for row in rows(table, "kv_usage_host")] == [0, 0.25, 1]


def test_prompt_tokens_of_trt_llm_that_no_cache_gave_were_computed() -> None:
    table = series_table(
        [
            entry("trtllm_prompt_tokens_total", [100, 80], kind="counter"),
            entry("trtllm_prompt_cached_tokens_total", [30, 80], kind="counter"),
        ]
    )
    assert [row["value"] for row in rows(table, "prompt_source_tps.computed")] == [70, 0]
    assert [row["value"] for row in rows(table, "prompt_source_tps.hbm_hit")] == [30, 80]


def test_hits_above_queries_stay_as_they_were_counted() -> None:
    table = series_table(
        [
            entry("vllm:prefix_cache_hits", [120], kind="counter"),
            entry("vllm:prefix_cache_queries", [100], kind="counter"),
        ]
    )
    assert (rows(table, "prefix_hit_tps")[0]["value"], rows(table, "prefix_query_tps")[0]["value"]) == (
        120,
        100,
    )


def test_a_warm_up_that_reaches_into_profiling_is_not_counted_twice() -> None:
    table = series_table(
        [
            entry("vllm:prompt_tokens", [10, 20, 30], kind="counter", block="warmup_metrics"),
            entry("vllm:prompt_tokens", [5], kind="counter", start=T0 + 3 * S // 2),
        ]
    )
    assert [(row["phase"], row["value"]) for row in rows(table, "prompt_tps")] == [
        ("warmup", 10), ("warmup", 20), ("profiling", 5),
    ]  # fmt: skip


STOPPED = REAL.parent / "sigterm-mid-profiling" / "server_metrics_export.jsonl"


@pytest.mark.real
@pytest.mark.skipif(not STOPPED.is_file(), reason="../shared/aiperf-artifacts is not there")
def test_a_run_that_was_stopped_has_its_scrapes_in_their_phases() -> None:
    table, findings = read_server_series(None, STOPPED, "run")
    scrapes = [json.loads(line) for line in STOPPED.read_text().splitlines()]
    phases = {scrape["timestamp_ns"]: scrape.get("benchmark_phase") for scrape in scrapes}
    usage = {
        scrape["timestamp_ns"]: scrape["metrics"]["vllm:kv_cache_usage_perc"][0]["value"]
        for scrape in scrapes
        if "vllm:kv_cache_usage_perc" in scrape["metrics"]
    }
    found = rows(table, "kv_usage")
    assert findings == [] and {row["phase"] for row in found} >= {"warmup", "profiling"}
    assert len(found) == len(usage) - 1
    assert all((row["phase"], row["value"]) == (phases[row["t_ns"]], usage[row["t_ns"]]) for row in found)


@pytest.mark.real
@pytest.mark.skipif(not REAL.is_dir(), reason="../shared/aiperf-artifacts is not there")
def test_the_columns_of_a_real_run_tell_the_same_as_its_scrapes() -> None:
    raw, _ = read_server_series(None, REAL / "server_metrics_export.jsonl", "run")
    columns, findings = read_server_series(None, None, "run", REAL / "server_metrics_export.parquet")
    assert raw is not None and columns is not None and findings == []
    for metric in ("kv_usage", "prompt_tps", "generation_tps", "prefix_hit_tps", "offload_bytes_out"):
        told = {row["t_ns"]: row["value"] for row in rows(raw, metric, phase="profiling")}
        kept = {row["t_ns"]: row["value"] for row in rows(columns, metric)}
        shared = sorted(told.keys() & kept.keys())
        assert len(shared) >= 0.9 * len(told) > 0
        assert [kept[t] for t in shared] == pytest.approx([told[t] for t in shared])


@pytest.mark.parametrize("text", [b"", b"PAR1", b"not parquet" * 50])
def test_what_is_no_parquet_is_named(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "server_metrics_export.parquet"
    path.write_bytes(text)
    table, findings = read_server_series(None, None, "run", path)
    assert table is None
    assert [finding.code for finding in findings] == ["unreadable_server_metrics"]


def test_a_series_with_odd_values_keeps_its_good_slices_and_one_that_is_none_is_named(tmp_path: Path) -> None:
    good = slices([1.0, 2.0], "gauge")
    odd = [*good[:1], "?", {"start_ns": "x", "end_ns": 3, "avg": 1}, {**good[1], "avg": "much"}, good[1]]
    listed = [{"labels": {"engine": "0"}, "timeslices": odd}, ["no", "series"]]
    path = tmp_path / "server_metrics_export.json"
    path.write_text(json.dumps({"metrics": {"vllm:num_requests_running": {"series": listed}}}))
    table, findings = read_server_series(path, None, "run")
    assert [row["value"] for row in rows(table, "running", rank="0")] == [1.0, 2.0]
    assert [finding.code for finding in findings] == ["server_series_unreadable"]


@pytest.mark.real
@pytest.mark.skipif(not REAL.is_dir(), reason="../shared/aiperf-artifacts is not there")
@pytest.mark.parametrize("kind", ["json", "jsonl", "parquet"])
def test_damage_anywhere_in_a_real_export_is_survived(tmp_path: Path, kind: str) -> None:
    raw = (REAL / f"server_metrics_export.{kind}").read_bytes()
    random, path = np.random.default_rng(11), tmp_path / f"export.{kind}"
    places = {"json": 0, "jsonl": 1, "parquet": 3}
    for percent in range(0, 100, 20 if kind == "jsonl" else 5):
        damaged = np.frombuffer(raw, np.uint8).copy()
        damaged[random.integers(0, len(raw), 20)] = random.integers(0, 256, 20, np.uint8)
        for content in (raw[: len(raw) * percent // 100], damaged.tobytes()):
            path.write_bytes(content)
            given: list[Any] = [None, None, "run", None]
            given[places[kind]] = path
            table, _ = read_server_series(*given)
            assert table is None or table.num_rows > 0
