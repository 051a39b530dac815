"""The bundled store: simulated throughout, small, coherent, and the same as today's simulator makes it."""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from dashboard.domain.frontier import pareto
from dashboard.ingest.pipeline import IngestOptions, ingest
from dashboard.simulate.plan import DATASET, SPECIALS, plan
from dashboard.simulate.sample import RUNS, simulate_point
from dashboard.store.check import check
from tests.simulate.deployments import CATALOG

SAMPLE = Path(__file__).parents[2] / "data" / "sample"
RENEW = "renew it with: python scripts/sample.py"
LARGEST_BYTES = 25_000_000


@pytest.fixture(scope="module")
def points() -> dict[str, dict[str, Any]]:
    return {row["point_id"]: row for row in pq.read_table(SAMPLE / "points.parquet").to_pylist()}


@pytest.fixture(scope="module")
def special(points: dict[str, dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Points that the README names, by what it says they show."""
    rows = re.findall(
        r"^\| ([^|]+) \|[^|]+\|[^|]+\| (`/point/.*) \|$", (SAMPLE / "README.md").read_text(), re.M
    )
    return {
        shows: [points[one] for one in re.findall(r"/point/([0-9a-f]{10})", links)] for shows, links in rows
    }


def test_the_sample_is_sound_small_and_simulated_throughout(points: dict[str, dict[str, Any]]) -> None:
    assert [finding for finding in check(SAMPLE) if finding.severity == "error"] == []
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()) < LARGEST_BYTES
    assert {(row["source"], row["official"]) for row in points.values()} == {("simulated", False)}
    assert not any(artifact.startswith("/") for row in points.values() for artifact in row["artifacts"])


def test_the_sample_has_several_models_vendors_engines_and_both_kinds_of_offload(
    points: dict[str, dict[str, Any]],
) -> None:
    distinct = {
        key: {row[key] for row in points.values()} for key in ("model", "vendor", "engine", "offload")
    }
    assert len(distinct["model"]) == 3
    assert distinct["vendor"] == {"NVIDIA", "AMD"}
    assert len(distinct["engine"]) >= 5
    assert distinct["offload"] == {"none", "dram"}
    assert 55 <= len(points) <= 65


def test_every_special_point_is_in_the_readme_and_shows_what_it_says(
    special: dict[str, list[dict[str, Any]]], points: dict[str, dict[str, Any]]
) -> None:
    assert set(special) == {one.shows for one in SPECIALS}
    first, second = special["one configuration measured twice in a run"]
    assert first["config_id"] == second["config_id"] and first["run_id"] == second["run_id"]
    (errors,) = special["a point with errors"]
    assert errors["requests_failed"] + errors["requests_cancelled"] > 10
    (bare,) = special["a point without server metrics"]
    assert bare["kv_usage_max"] is None and bare["hbm_hit_rate"] is None and bare["ttft_s_p90"] > 0
    (short,) = special["a run too short for its percentiles"]
    assert 0 < short["requests_ok"] < 100
    (single,) = special["a curve of a single point"]
    stack = single["model"], single["hardware"], single["engine"]
    assert sum((row["model"], row["hardware"], row["engine"]) == stack for row in points.values()) == 1
    dates = [special[f"the {age} of two dates of one stack"][0]["run_date"] for age in ("older", "newer")]
    assert dates[0] < dates[1]
    (split,) = special["disaggregated prefill and decode"]
    assert (split["deployment"], split["prefill_gpus"], split["decode_gpus"]) == ("disaggregated", 8, 8)


def test_a_frontier_mixes_configurations(points: dict[str, dict[str, Any]]) -> None:
    run = [row for row in points.values() if row["run_id"] == "dsv4-b300-vllm-2026-08-21"]
    interactivity = np.array([1 / row["itl_s_p90"] for row in run])
    throughput = np.array([row["tput_total_per_gpu"] for row in run])
    best = [run[place] for place in pareto(interactivity, throughput, maximise_x=True, maximise_y=True)]
    assert len(best) > 3
    assert len({row["topology_label"] for row in best}) > 1
    assert {row["offload"] for row in best} == {"none", "dram"}


def test_requests_of_all_runs_pooled_are_as_long_as_published(points: dict[str, dict[str, Any]]) -> None:
    ids = [point_id for point_id, row in points.items() if row["model"] == "dsv4"]
    tables = [
        pq.read_table(SAMPLE / "requests" / f"{one}.parquet", columns=["phase", "isl", "osl"]) for one in ids
    ]
    rows = pa.concat_tables(tables).filter(pc.field("phase") == "profiling").drop_null()
    for column, published in (("isl", [88e3, 272e3, 404e3, 675e3]), ("osl", [413, 2200, 3700, 8600])):
        shares = np.percentile(rows[column].to_numpy(), (50, 90, 95, 99))
        assert shares == pytest.approx(published, rel=0.25)


def test_each_request_has_its_turn_in_the_dataset(points: dict[str, dict[str, Any]]) -> None:
    turns = pq.read_table(SAMPLE / "datasets" / DATASET / "turns.parquet")
    known = set(
        zip(*(turns[name].to_pylist() for name in ("conversation_id", "outer", "inner")), strict=True)
    )
    for point_id, row in points.items():
        assert row["dataset_slug"] == DATASET
        requests = pq.read_table(SAMPLE / "requests" / f"{point_id}.parquet")
        columns = ("source_trace", "source_outer", "source_inner")
        assert known >= set(zip(*(requests[name].to_pylist() for name in columns), strict=True))


def test_a_part_of_the_sample_is_simulated_again_to_the_same_bytes(tmp_path: Path) -> None:
    chosen = ("minimaxm3-mi300x-vllm-2026-08-21", "dsv4-mi355x-sglang-2026-08-21")
    again = [one for one in plan(CATALOG, 42) if one.run in chosen and one.labels.load.concurrency <= 16]
    assert len(again) == 3
    for planned in again:
        simulate_point(planned, tmp_path / RUNS, 42)
    ingest([tmp_path / RUNS], IngestOptions(tmp_path / "store", CATALOG))
    made = list((tmp_path / "store" / "points").iterdir())
    assert len(made) == len(again)
    for path in made:
        for table in ("points", "requests", "series"):
            part = f"{table}/{path.name}"
            assert (tmp_path / "store" / part).read_bytes() == (SAMPLE / part).read_bytes(), RENEW


def test_the_store_is_as_old_as_its_newest_run(points: dict[str, dict[str, Any]]) -> None:
    created = datetime.fromisoformat(json.loads((SAMPLE / "store.json").read_text())["created_at"])
    assert created == max(row["measured_at"] for row in points.values()).replace(microsecond=0)


def test_all_points_but_one_carry_telemetry_of_every_rank(points: dict[str, dict[str, Any]]) -> None:
    without = [row for row in points.values() if not row["has_series"]]
    assert len(without) == 1 and without[0]["kv_usage_max"] is None
    (split,) = (row for row in points.values() if row["prefill_gpus"] and row["concurrency"] == 192)
    series = pq.read_table(SAMPLE / "series" / f"{split['point_id']}.parquet")
    assert set(series["role"].to_pylist()) == {"prefill", "decode"}
    assert set(series["phase"].to_pylist()) == {"warmup", "profiling"}


def test_turns_of_the_dataset_carry_what_recorded_ones_carry() -> None:
    turns = pq.read_table(SAMPLE / "datasets" / DATASET / "turns.parquet")
    assert turns["blocks"].null_count == turns["api_s"].null_count == 0
    blocks, isl = turns["blocks"].to_numpy(), turns["isl"].to_numpy()
    assert np.all(blocks * 64 <= isl) and np.all(turns["repeated_blocks"].to_numpy() <= blocks)
    streams = {
        (row["conversation_id"], row["stream"])
        for row in turns.select(["conversation_id", "stream"]).to_pylist()
    }
    assert turns["delay_s"].null_count == len(streams)
