"""Real runs on B200 and MI355X: what was published about them is recomputed from their requests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pytest

from dashboard.domain.catalog import Catalog
from dashboard.domain.records import Point
from dashboard.ingest.aiperf import FolderReading, read_summary_file
from dashboard.ingest.run_files import read_summary
from tests.ingest.aiperf_runs import codes, context, read_run

pytestmark = pytest.mark.real

FIVE_DIGITS = 5e-6
RUNS = (
    "b200-kimik2.5-tp4-c16-lmcache",
    "b200-kimik2.5-tp4-c16-nooffload",
    "b200-kimik2.5-tp4-c56-lmcache-0604",
    "b200-kimik2.5-tp8-c1-nooffload",
    "b200-kimik2.5-tp8-c16-lmcache-16errors",
    "b200-kimik2.5-tp8-c2-nooffload",
    "b200-kimik2.5-tp8-c24-nooffload-1error",
    "mi355x-kimik2.5-tp4-c1-nooffload",
    "mi355x-qwen3.5-sglang-c1-nooffload-faultybatch",
)
ALL_FAILED = "b200-kimik2.5-tp8-c32-lmcache-allfailed"
#: The run with an ITL of zero: AIPerf's summary counts it, the harness's row and data-contracts 12 do not.
ZERO_ITL = "b200-kimik2.5-tp8-c24-nooffload-1error"

#: Quantity of a point -> name in an aggregate row.
ROW_NAMES = {
    "ttft_s": "ttft",
    "itl_s": "itl",
    "e2el_s": "e2el",
    "isl": "input_tokens",
    "osl": "output_tokens_actual",
    "qps": "qps",
}
ROW_SCALARS = {
    "duration_s": "duration_seconds",
    "tput_total": "total_tput_tps",
    "tput_input": "input_tput_tps",
    "tput_output": "output_tput_tps",
    "tput_total_per_gpu": "tput_per_gpu",
    "tput_input_per_gpu": "input_tput_per_gpu",
    "tput_output_per_gpu": "output_tput_per_gpu",
}


@pytest.fixture(scope="module")
def folder(shared: Path) -> Path:
    return shared / "real-data" / "agentx-fork-mi355x-b200"


@pytest.fixture(scope="module")
def readings(folder: Path, catalog: Catalog) -> dict[str, FolderReading]:
    return {name: read_run(folder / "runs" / name, catalog) for name in (*RUNS, ALL_FAILED)}


@pytest.fixture(scope="module")
def points(readings: dict[str, FolderReading]) -> dict[str, Point]:
    return {name: reading.point for name, reading in readings.items() if reading.point is not None}


@pytest.fixture(scope="module")
def published(folder: Path, points: dict[str, Point]) -> dict[str, Mapping[str, Any]]:
    """The aggregate row of each run: the one whose requests took exactly as long."""
    rows = [
        row
        for path in sorted((folder / "aggregate-rows").glob("*.json"))
        for row in json.loads(path.read_text())
    ]
    found = {}
    for name in RUNS:
        seconds = points[name].scalars["duration_s"]
        found[name] = next(r for r in rows if r.get("duration_seconds") == pytest.approx(seconds, abs=1e-6))
    return found


@pytest.mark.parametrize("name", RUNS)
def test_the_aggregate_row_is_recomputed(
    points: dict[str, Point], published: dict[str, Mapping[str, Any]], name: str
) -> None:
    row, found = published[name], points[name]
    for quantity, named in ROW_NAMES.items():
        for statistic in ("mean", "p75", "p90", "p95", "std"):
            value = getattr(found.statistics[quantity], statistic)
            assert value == pytest.approx(row[f"{statistic}_{named}"], rel=FIVE_DIGITS), (quantity, statistic)
    for scalar, named in ROW_SCALARS.items():
        assert found.scalars[scalar] == pytest.approx(row[named], rel=FIVE_DIGITS), scalar


@pytest.mark.parametrize("name", RUNS)
def test_the_clients_summary_is_recomputed(folder: Path, points: dict[str, Point], name: str) -> None:
    client = read_summary(folder / "runs" / name / "profile_export_aiperf.json")
    theirs = client.statistics()
    assert set(theirs) == {"ttft_s", "itl_s", "e2el_s", "isl", "osl"}
    for quantity, expected in theirs.items():
        if (name, quantity) == (ZERO_ITL, "itl_s"):
            continue
        found = points[name].statistics[quantity]
        assert found.n == expected.n
        for statistic in ("mean", "p50", "p75", "p90", "p95", "p99", "max", "std"):
            assert getattr(found, statistic) == pytest.approx(getattr(expected, statistic), rel=FIVE_DIGITS)
    scalars = client.scalars()
    for scalar in ("duration_s", "tput_total", "tput_input", "tput_output"):
        assert points[name].scalars[scalar] == pytest.approx(scalars[scalar], rel=FIVE_DIGITS)


def test_an_itl_of_zero_is_left_out_as_the_harness_does_and_the_client_does_not(
    folder: Path, readings: dict[str, FolderReading]
) -> None:
    requests = readings[ZERO_ITL].requests
    assert requests is not None
    measured = requests.filter(pc.is_valid(requests["itl_s"]))["itl_s"].to_numpy()
    theirs = read_summary(folder / "runs" / ZERO_ITL / "profile_export_aiperf.json").distribution("itl_s")
    assert theirs is not None and theirs.n == len(measured) + 1
    assert np.percentile([*measured, 0.0], 90) == pytest.approx(theirs.p90, rel=FIVE_DIGITS)
    assert {"no_latency", "client_disagrees"} <= set(codes(readings[ZERO_ITL].findings))


def test_failed_requests_come_back_that_the_row_does_not_know(
    points: dict[str, Point], published: dict[str, Mapping[str, Any]]
) -> None:
    name = "b200-kimik2.5-tp8-c16-lmcache-16errors"
    found = points[name]
    assert (published[name]["num_requests_total"], published[name]["num_requests_successful"]) == (25, 25)
    assert (found.requests_total, found.requests_ok, found.requests_failed) == (41, 25, 16)
    assert found.error_categories == {"ValueError": 16}


def test_a_run_in_which_all_failed_is_listed_and_never_drawn(readings: dict[str, FolderReading]) -> None:
    reading = readings[ALL_FAILED]
    found = reading.point
    assert found is not None and reading.requests is not None
    assert (found.requests_total, found.requests_ok, found.requests_failed) == (32, 0, 32)
    assert found.publishable is False
    assert {found.scalars[name] for name in ("tput_total", "duration_s")} == {None}
    assert all(figures.n == 0 for figures in found.statistics.values())
    assert reading.requests.num_rows == 32, "its requests are kept: they say why"


def test_one_failure_among_a_thousand_is_counted(points: dict[str, Point]) -> None:
    found = points[ZERO_ITL]
    assert (found.requests_ok, found.requests_failed, found.error_categories) == (
        1044,
        1,
        {"ClientOSError": 1},
    )


@pytest.mark.parametrize("name", [*RUNS, ALL_FAILED])
def test_every_request_of_the_index_is_there_by_depth(
    folder: Path, readings: dict[str, FolderReading], name: str
) -> None:
    index = {entry["dir"]: entry for entry in json.loads((folder / "runs" / "index.json").read_text())}
    requests = readings[name].requests
    assert requests is not None and requests.num_rows == index[name]["requests"]
    depths = {str(pair["values"]): pair["counts"] for pair in pc.value_counts(requests["depth"]).to_pylist()}
    assert depths == index[name]["by_depth"]
    assert pc.count_distinct(requests["conversation_id"]).as_py() == index[name]["conversations"]


def test_records_without_a_root_find_their_lane_through_their_parents(
    readings: dict[str, FolderReading],
) -> None:
    requests = readings["b200-kimik2.5-tp8-c2-nooffload"].requests
    assert requests is not None
    children = requests.filter(pc.equal(requests["depth"], 1))
    assert children.num_rows == 139
    assert children["lane_id"].equals(children["parent_lane_id"])
    assert set(children["kind"].to_pylist()) == {"subagent"}


def test_these_records_have_no_warm_up(points: dict[str, Point]) -> None:
    assert {point.requests_warmup for point in points.values()} == {0}


def test_identity_comes_from_names_and_the_index_and_is_marked(points: dict[str, Point]) -> None:
    found = points["b200-kimik2.5-tp8-c16-lmcache-16errors"]
    assert (found.model, found.hardware, found.engine, found.precision) == ("kimik2.5", "b200", "vllm", "fp4")
    assert (found.topology_label, found.gpus, found.concurrency) == ("TP8", 8, 16)
    assert (found.offload, found.offload_backend) == ("dram", "lmcache")
    assert {"hardware", "engine", "precision", "decode_tp", "offload"} <= set(found.named_by_file)
    assert "model" not in found.named_by_file and "concurrency" not in found.named_by_file
    plain = points["b200-kimik2.5-tp8-c2-nooffload"]
    assert (plain.offload, plain.offload_backend) == ("none", None)


def test_the_servers_hit_rate_is_the_published_one(
    points: dict[str, Point], published: dict[str, Mapping[str, Any]]
) -> None:
    for name in ("b200-kimik2.5-tp8-c1-nooffload", "b200-kimik2.5-tp8-c2-nooffload", ZERO_ITL):
        rate = published[name]["server_gpu_cache_hit_rate"]
        assert points[name].scalars["hbm_hit_rate"] == pytest.approx(rate, rel=FIVE_DIGITS)
        assert points[name].scalars["prompt_tokens_server"] == published[name]["total_prompt_tokens"]


def test_offload_shows_where_hbm_finds_nothing(points: dict[str, Point]) -> None:
    scalars = points["b200-kimik2.5-tp4-c16-lmcache"].scalars
    assert scalars["hbm_hit_rate"] == 0.0
    assert scalars["offload_hit_rate"] == pytest.approx(13715200 / 14925695)


def test_prompt_tokens_that_the_server_counted_twice_are_a_conflict(
    readings: dict[str, FolderReading],
) -> None:
    reading = readings["b200-kimik2.5-tp8-c16-lmcache-16errors"]
    assert reading.point is not None
    client, server = (reading.point.scalars[f"prompt_tokens_{side}"] for side in ("client", "server"))
    assert (client, server) == (2_044_778.0, 2_788_722.0)
    assert "token_counts_differ" in codes(reading.findings)


def test_the_pool_of_sglang_is_counted_once_for_its_ranks(points: dict[str, Point]) -> None:
    scalars = points["mi355x-qwen3.5-sglang-c1-nooffload-faultybatch"].scalars
    assert scalars["kv_pool_tokens"] == 4_758_097.0
    assert scalars["hbm_hit_rate"] == pytest.approx(3784704 / 4407609)


def _lone_summaries(folder: Path, catalog: Catalog) -> Iterator[tuple[str, Point]]:
    for path in sorted((folder / "more-aggregates").glob("*.json")):
        point = read_summary_file(path, context(catalog)).point
        assert point is not None
        yield path.stem, point


def test_summaries_that_lie_alone_are_points_named_by_their_files(folder: Path, catalog: Catalog) -> None:
    found = dict(_lone_summaries(folder, catalog))
    assert len(found) == 43
    for name, point in found.items():
        assert name.startswith(f"{point.hardware}-{point.model}-tp{point.decode.tp}-conc{point.concurrency}-")
        assert f"-offload{point.offload_backend or 'none'}-{point.precision}-" in name
        assert {"hardware", "precision", "offload", "decode_tp"} <= set(point.named_by_file)
        assert point.statistics["itl_s"].p90 is not None and point.scalars["tput_total_per_gpu"] is not None
        assert (point.scenario, point.has_requests) == ("agentic", False)


def test_summaries_that_lie_alone_agree_with_their_rows(folder: Path, catalog: Catalog) -> None:
    """23 of the 43 have a row in the batch that their name gives."""
    compared = 0
    rows = {
        batch: json.loads((folder / "aggregate-rows" / f"batch_{batch}.json").read_text())
        for batch in ("0603_sa", "0604")
    }
    for name, point in _lone_summaries(folder, catalog):
        for row in rows[name.split("-")[-1]]:
            if row.get("duration_seconds") == pytest.approx(point.scalars["duration_s"], rel=1e-9):
                compared += 1
                assert row["p90_ttft"] == pytest.approx(point.statistics["ttft_s"].p90, rel=FIVE_DIGITS)
                assert row["tput_per_gpu"] == pytest.approx(
                    point.scalars["tput_total_per_gpu"], rel=FIVE_DIGITS
                )
    assert compared == 23
