"""Real runs into a store: their telemetry is there, says what the raw files say, again and again."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dashboard.domain.catalog import Catalog
from dashboard.ingest.pipeline import IngestOptions, ingest
from dashboard.store import series
from dashboard.store.connection import Store

SHARED = Path(__file__).resolve().parents[3] / "shared"
RUNS = (
    SHARED / "real-data/agentx-fork-mi355x-b200/runs/b200-kimik2.5-tp8-c32-lmcache-allfailed",
    SHARED / "aiperf-artifacts/multiturn-raw",
)
pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not all(run.is_dir() for run in RUNS), reason="../shared is not there"),
]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_a_run_keeps_its_telemetry(run: Path, tmp_path: Path, catalog: Catalog) -> None:
    options = IngestOptions(tmp_path / "store", catalog)
    assert ingest([run], options).added == 1
    (row,) = pq.read_table(options.store / "points.parquet").to_pylist()
    assert row["has_series"]
    exported = json.loads((run / "server_metrics_export.json").read_text())["metrics"]
    gauges = {
        "kv_usage": "vllm:kv_cache_usage_perc",
        "running": "vllm:num_requests_running",
        "waiting": "vllm:num_requests_waiting",
    }
    counters = {
        "prompt_tps": "vllm:prompt_tokens",
        "generation_tps": "vllm:generation_tokens",
        "prefix_query_tps": "vllm:prefix_cache_queries",
        "offload_hit_tps": "vllm:external_prefix_cache_hits",
        "preemptions": "vllm:num_preemptions",
    }
    for metric, name in (gauges | counters).items():
        table = series.columns(Store(options.store), row["point_id"], [metric])
        assert table is not None
        kept = [one for one in table.to_pylist() if one["phase"] == "profiling"]
        told = exported[name]["series"][0]["timeslices"]
        assert [one["t_ns"] for one in kept] == [one["start_ns"] for one in told]
        for one, of_file in zip(kept, told, strict=True):
            seconds = (of_file["end_ns"] - of_file["start_ns"]) / 1e9
            value = of_file["avg"] if metric in gauges else of_file["total"] / seconds
            assert one["value"] == pytest.approx(value)
    before = (options.store / "series" / f"{row['point_id']}.parquet").read_bytes()
    assert ingest([run], options).unchanged == 1
    assert (options.store / "series" / f"{row['point_id']}.parquet").read_bytes() == before
