"""The real rows: the public API's snapshot, the fork's early agentic rows, the nested rows of August 2026."""

from __future__ import annotations

import json
import math
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dashboard.domain.catalog import Catalog
from dashboard.domain.records import STATISTICS, Finding, Point
from dashboard.ingest.inferencex import RowContext, natural_key, read_rows, recognise, richer

pytestmark = pytest.mark.real

Row = dict[str, Any]
SNAPSHOT = ("benchmarks.json", "benchmarks-history.json")
WORDS = {"p50": "median"}


@cache
def _load(path: Path) -> Any:
    return json.loads(path.read_text())


def _read(rows: Any, artifact: str, catalog: Catalog) -> list[tuple[Point, list[Finding]]]:
    pairs = list(read_rows(rows, artifact, RowContext(catalog, None, artifact.removesuffix(".json"))))
    assert all(point is not None for point, _ in pairs)
    return [(point, findings) for point, findings in pairs if point is not None]


@pytest.fixture(scope="module")
def snapshot(shared: Path, catalog: Catalog) -> list[tuple[Row, Point, list[Finding]]]:
    folder = shared / "real-data" / "inferencex-public-api"
    read = []
    for name in SNAPSHOT:
        rows = _load(folder / name)
        assert recognise(rows) == "api"
        pairs = zip(rows, _read(rows, name, catalog), strict=True)
        read += [(row, point, findings) for row, (point, findings) in pairs]
    return read


@pytest.fixture(scope="module")
def points(snapshot: list[tuple[Row, Point, list[Finding]]]) -> dict[str, Point]:
    """One point for each natural key, as an ingest of both files keeps them."""
    kept: dict[str, Point] = {}
    for _, point, _ in snapshot:
        key = natural_key(point)
        kept[key] = richer(kept[key], point) if key in kept else point
    return kept


@pytest.fixture(scope="module")
def fork(shared: Path, catalog: Catalog) -> list[tuple[Row, Point, list[Finding]]]:
    read = []
    for path in sorted((shared / "real-data" / "agentx-fork-mi355x-b200" / "aggregate-rows").glob("*.json")):
        rows = _load(path)
        assert recognise(rows) == "flat"
        pairs = zip(rows, _read(rows, path.name, catalog), strict=True)
        read += [(row, point, findings) for row, (point, findings) in pairs]
    return read


def test_1897_rows_of_the_snapshot_are_1667_points(
    snapshot: list[tuple[Row, Point, list[Finding]]], points: dict[str, Point]
) -> None:
    assert len(snapshot) == 1897
    assert len(points) == 1667
    copies = Counter(natural_key(point) for _, point, _ in snapshot)
    assert Counter(copies.values()) == {1: 1437, 2: 230}


def test_of_two_copies_the_richer_stands_and_no_figure_is_lost(
    snapshot: list[tuple[Row, Point, list[Finding]]], points: dict[str, Point]
) -> None:
    for _, point, _ in snapshot:
        kept = points[natural_key(point)]
        for name, found in point.statistics.items():
            for stat in STATISTICS:
                value = getattr(found, stat)
                assert value is None or getattr(kept.statistics[name], stat) == value
        for name, value in point.scalars.items():
            assert value is None or kept.scalars[name] == value
        assert point.image is None or kept.image == point.image
    both = [point for point in points.values() if len(point.artifacts) == 2]
    assert len(both) == 230
    assert all(point.statistics["ttft_s"].mean is not None for point in both), "the history has no means"


def test_every_statistic_is_the_rows_own_in_seconds(snapshot: list[tuple[Row, Point, list[Finding]]]) -> None:
    for row, point, _ in snapshot:
        metrics = row["metrics"]
        for quantity, word in (("ttft_s", "ttft"), ("e2el_s", "e2el"), ("itl_s", "tpot")):
            for stat in ("mean", "p50", "p90", "p99", "std"):
                expected = metrics.get(f"{WORDS.get(stat, stat)}_{word}")
                assert getattr(point.statistics[quantity], stat) == expected


def test_p99_interactivity_is_slower_than_the_median_and_equals_the_rows(
    snapshot: list[tuple[Row, Point, list[Finding]]],
) -> None:
    for row, point, _ in snapshot:
        itl = point.statistics["itl_s"]
        assert itl.p50 is not None
        assert itl.p99 is not None
        assert 1 / itl.p99 <= 1 / itl.p50
        assert 1 / itl.p99 == pytest.approx(row["metrics"]["p99_intvty"], rel=1e-9)


def test_only_a_third_of_the_rows_has_p90_and_the_others_leave_it_out(
    snapshot: list[tuple[Row, Point, list[Finding]]],
) -> None:
    with_p90 = [point for _, point, _ in snapshot if point.statistics["itl_s"].p90 is not None]
    assert len(with_p90) == 145 + 264


def test_382_rows_state_tp_times_ep_gpus_and_each_is_flagged_and_counted_right(
    snapshot: list[tuple[Row, Point, list[Finding]]],
) -> None:
    flagged = [(row, point, findings) for row, point, findings in snapshot if point.gpus_conflict]
    assert len(flagged) == 382
    for row, point, findings in flagged:
        assert row["num_decode_gpu"] == row["decode_tp"] * row["decode_ep"] > row["decode_tp"]
        assert point.gpus == row["decode_tp"]
        assert "gpu_count_conflict" in {finding.code for finding in findings}


def test_gpu_counts_of_single_servers_agree_with_the_measured_rates(
    snapshot: list[tuple[Row, Point, list[Finding]]],
) -> None:
    """Little's law: output rate x mean time of a request / OSL cannot exceed the requests in flight."""
    for row, point, _ in snapshot:
        metrics = row["metrics"]
        if row["disagg"] or "output_tput_per_gpu" not in metrics or point.gpus is None:
            continue
        in_flight = metrics["output_tput_per_gpu"] * point.gpus * metrics["median_e2el"] / row["osl"]
        assert in_flight <= row["conc"] * 1.05


def test_gpu_counts_of_disaggregated_rows_agree_with_their_three_rates(
    snapshot: list[tuple[Row, Point, list[Finding]]],
) -> None:
    """Total x GPUs = input x prefill GPUs + output x decode GPUs: so each rate has its own denominator."""
    disaggregated = [(row, point) for row, point, _ in snapshot if row["disagg"]]
    assert len(disaggregated) == 670
    for row, point in disaggregated:
        total, by_input, by_output = (
            point.scalars[f"tput_{name}_per_gpu"] for name in ("total", "input", "output")
        )
        assert total == row["metrics"]["tput_per_gpu"]
        assert by_input == row["metrics"].get("input_tput_per_gpu")
        assert by_output == row["metrics"].get("output_tput_per_gpu")
        assert point.gpus is not None
        if point.prefill.gpus is None or point.decode.gpus is None:
            continue
        assert by_input is not None
        assert by_output is not None
        parts = by_input * point.prefill.gpus + by_output * point.decode.gpus
        assert math.isclose(parts, row["metrics"]["tput_per_gpu"] * point.gpus, rel_tol=1e-6)


def test_eight_disaggregated_rows_mirror_one_total_into_both_pools(
    snapshot: list[tuple[Row, Point, list[Finding]]],
) -> None:
    """Their rates only add up over one total: D / P = (input - total) / (total - output) at P + D = total."""
    mirrored = [(row, point) for row, point, _ in snapshot if row["disagg"] and not row["is_multinode"]]
    assert len(mirrored) == 8
    for row, point in mirrored:
        metrics = row["metrics"]
        total = metrics["tput_per_gpu"]
        ratio = (metrics["input_tput_per_gpu"] - total) / (total - metrics["output_tput_per_gpu"])
        prefill = row["num_prefill_gpu"] / (1 + ratio)
        assert prefill == pytest.approx(round(prefill), abs=1e-6), "whole GPUs at P + D = the stated figure"
        assert (point.gpus, point.prefill.gpus) == (row["num_prefill_gpu"], None)


def test_every_row_of_the_snapshot_is_official_and_belongs_to_a_ci_run(points: dict[str, Point]) -> None:
    assert {(point.official, point.run_basis, point.source) for point in points.values()} == {
        (True, "ci", "api")
    }
    assert all(point.run_id.isdigit() and point.run_attempt for point in points.values())
    assert {point.model for point in points.values()} == {"dsr1"}
    assert all(point.vendor and point.engine_family and point.run_date for point in points.values())


def test_energy_per_token_of_the_snapshot_is_of_unknown_scope_and_left_out(
    snapshot: list[tuple[Row, Point, list[Finding]]],
) -> None:
    with_power = [point for row, point, _ in snapshot if "avg_power_w" in row["metrics"]]
    assert len(with_power) == 17 + 24
    assert all(point.scalars["power_w_per_gpu"] for point in with_power)
    assert not any(
        name.startswith("joules")
        for _, point, _ in snapshot
        for name, value in point.scalars.items()
        if value
    )


def test_every_snapshot_finding_is_expected(snapshot: list[tuple[Row, Point, list[Finding]]]) -> None:
    found = Counter(finding.code for _, _, findings in snapshot for finding in findings)
    assert found == {"gpu_count_conflict": 382, "topology_incomplete": 120, "energy_ambiguous": 41}


def test_evaluations_and_availability_of_the_api_are_not_rows(shared: Path) -> None:
    folder = shared / "real-data" / "inferencex-public-api"
    others = [path for path in folder.glob("*.json") if path.name not in SNAPSHOT]
    assert len(others) == 6
    assert [recognise(_load(path)) for path in others] == [None] * 6


def test_254_rows_of_the_fork_are_points(fork: list[tuple[Row, Point, list[Finding]]]) -> None:
    assert len(fork) == 254
    assert {point.official for _, point, _ in fork} == {False}
    assert {point.scenario for _, point, _ in fork} == {"agentic"}
    assert Counter(point.hardware for _, point, _ in fork) == {
        "mi355x": 213,
        "b200": 23,
        None: 10,
        "mi300x": 8,
    }
    assert Counter(point.model for _, point, _ in fork) == {
        "qwen3.5": 76,
        "minimaxm2.5": 89,
        "kimik2.5": 75,
        "glm5.1": 14,
    }


def test_offload_of_the_fork_is_named_by_its_backend(fork: list[tuple[Row, Point, list[Finding]]]) -> None:
    named = Counter((row["offloading"], point.offload, point.offload_backend) for row, point, _ in fork)
    assert named == {
        ("none", "none", None): 122,
        ("lmcache", "dram", "lmcache"): 87,
        ("hicache", "dram", "hicache"): 45,
    }


def test_p90_interactivity_of_the_fork_is_never_its_fast_end(
    fork: list[tuple[Row, Point, list[Finding]]],
) -> None:
    differing = 0
    for row, point, _ in fork:
        itl = point.statistics.get("itl_s")
        if itl is None or itl.p90 is None:
            continue
        assert itl.p90 == row["p90_itl"]
        differing += not math.isclose(1 / itl.p90, row["p90_intvty"], rel_tol=0.05)
    assert differing > 200, "the row's own p90_intvty is another quantity"


def test_per_gpu_rates_of_the_fork_are_total_by_tp(fork: list[tuple[Row, Point, list[Finding]]]) -> None:
    for row, point, findings in fork:
        assert point.gpus == row["tp"]
        if "total_tput_tps" in row:
            assert point.scalars["tput_total_per_gpu"] == pytest.approx(
                row["total_tput_tps"] / row["tp"], rel=1e-9
            )
        assert "per_gpu_disagrees" not in {finding.code for finding in findings}


def test_the_row_with_16_errors_says_25_of_25_and_does_not_know_its_failures(
    fork: list[tuple[Row, Point, list[Finding]]],
) -> None:
    found = [
        point
        for row, point, _ in fork
        if (row["hw"], row["tp"], row["conc"], row["offloading"]) == ("b200-dgxc", 8, 16, "lmcache")
        and row["num_requests_total"] == 25
    ]
    assert found
    assert {(point.requests_ok, point.requests_failed) for point in found} == {(25, None)}


def test_the_row_where_all_requests_failed_is_listed_and_never_drawn(
    fork: list[tuple[Row, Point, list[Finding]]],
) -> None:
    failed = [point for _, point, _ in fork if point.requests_ok == 0]
    assert len(failed) == 1
    (point,) = failed
    assert (point.hardware, point.gpus, point.concurrency, point.publishable) == ("b200", 8, 32, False)
    assert not point.statistics
    assert [point for _, point, _ in fork if not point.publishable] == failed


def test_identities_that_occur_twice_are_kept_apart_by_batch_and_named_within_one(
    fork: list[tuple[Row, Point, list[Finding]]],
) -> None:
    by_batch = Counter(natural_key(point) for _, point, _ in fork)
    assert Counter(by_batch.values()) == {1: 248, 2: 3}
    named = [finding for _, _, findings in fork for finding in findings if finding.code == "measured_again"]
    assert len(named) == 3
    across = Counter((point.config_id, point.concurrency) for _, point, _ in fork)
    assert sum(count > 1 for count in across.values()) >= 33


def test_27_rows_of_the_fork_do_not_say_what_they_ran_on(
    fork: list[tuple[Row, Point, list[Finding]]],
) -> None:
    silent = [
        point for _, point, findings in fork if "identity_missing" in {finding.code for finding in findings}
    ]
    assert len(silent) == 27
    assert all(point.engine is None and point.precision is None for point in silent)


def test_server_token_counts_of_the_fork_are_none_where_they_copy_the_clients(
    fork: list[tuple[Row, Point, list[Finding]]],
) -> None:
    for row, point, _ in fork:
        if row["server_gpu_cache_hit_rate"] is None:
            assert point.scalars["prompt_tokens_server"] is None
            assert point.scalars["prompt_tokens_client"] == row["total_prompt_tokens"]
        else:
            assert point.scalars["prompt_tokens_server"] == row["total_prompt_tokens"]


@pytest.mark.parametrize("concurrency", [32, 48])
def test_the_nested_rows_of_august_2026(shared: Path, catalog: Catalog, concurrency: int) -> None:
    name = f"dsv4_tp8_conc{concurrency}_kvdram-hicache_spec-mtp_fp4_sglang.json"
    row = _load(shared / "real-data" / "agentx-new-schema" / name)
    assert recognise(row) == "v3"
    ((point, findings),) = _read(row, name, catalog)
    assert (point.model, point.hardware, point.engine, point.precision) == ("dsv4", "mi355x", "sglang", "fp4")
    assert (point.spec_method, point.offload, point.offload_backend) == ("mtp", "dram", "hicache")
    assert (point.gpus, point.concurrency, point.official) == (8, concurrency, False)
    latency = row["request_metrics"]["latency"]
    itl = point.statistics["itl_s"]
    assert itl.p90 is not None
    assert 1 / itl.p90 == pytest.approx(latency["intvty"]["p90"], rel=2.5e-3)
    assert 1 / itl.p90 < latency["intvty"]["p50"]
    assert point.scalars["tput_total_per_gpu"] == pytest.approx(
        (point.scalars["tput_total"] or 0) / 8, rel=1e-6
    )
    assert point.requests_total == (point.requests_ok or 0) + (point.requests_warmup or 0)
    assert "prompt_sources_do_not_add_up" in {finding.code for finding in findings}


def test_the_nested_row_without_image_and_granted_memory_says_so(shared: Path, catalog: Catalog) -> None:
    folder = shared / "real-data" / "agentx-new-schema"
    read = {path.name: _read(_load(path), path.name, catalog)[0][0] for path in folder.glob("*.json")}
    without = [point for point in read.values() if point.image is None]
    assert len(without) == 1
    assert any("0 GB of host memory" in note for note in without[0].notes)
