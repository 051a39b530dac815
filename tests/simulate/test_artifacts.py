"""A simulated run on disk is read by the same ingest as a real one, and says that it is simulated."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from dashboard.ingest.pipeline import IngestOptions, ingest
from dashboard.simulate.artifacts import write_run
from dashboard.simulate.labels import Labels
from dashboard.simulate.lanes import Load, Trace
from dashboard.simulate.replay import replay
from tests.simulate.deployments import CATALOG, corpus, deployment

RUN = "dsv4-b200-vllm-2026-08-14"


def labels(concurrency: int, **changes: object) -> Labels:
    plan = deployment(**changes)
    offloads = plan.offload != "none"
    backend = ("mooncake", "0.3.12.post1") if offloads else None
    transfer = "nixl" if plan.disaggregated else None
    return Labels(
        plan, Load(concurrency, 200), date(2026, 8, 14), "simulated", "none", backend, None, transfer
    )


POINTS = {
    "plain": labels(6),
    "errors": labels(12, failure_rate=0.1, offload="dram", pool_tokens=3e6),
    "split": labels(12, prefill_gpus=4, prefill_ranks=2),
}


def traced(named: Labels) -> Trace:
    return replay(corpus(), named.deployment, named.load)


@pytest.fixture(scope="module")
def traces() -> Mapping[str, Trace]:
    return {name: traced(one) for name, one in POINTS.items()}


@pytest.fixture(scope="module")
def artifacts(traces: Mapping[str, Trace], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("artifacts")
    for name, trace in traces.items():
        write_run(folder / RUN, trace, POINTS[name])
    return folder


@pytest.fixture(scope="module")
def store(artifacts: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("ingested") / "store"
    summary = ingest([artifacts], IngestOptions(store, CATALOG))
    assert [finding for finding in summary.findings if finding.severity == "error"] == []
    return store


@pytest.fixture(scope="module")
def points(store: Path) -> Mapping[str, dict[str, Any]]:
    rows = pq.read_table(store / "points.parquet").to_pylist()
    names = {
        (p.load.concurrency, p.deployment.offload, p.deployment.disaggregated): n for n, p in POINTS.items()
    }
    keys = [(r["concurrency"], r["offload"], r["deployment"] == "disaggregated") for r in rows]
    return {names[key]: row for key, row in zip(keys, rows, strict=True)}


def test_row_and_folder_of_a_run_are_one_simulated_unofficial_point(
    points: Mapping[str, dict[str, Any]],
) -> None:
    assert set(points) == set(POINTS)
    for row in points.values():
        assert (row["source"], row["official"], row["has_requests"]) == ("simulated", False, True)
        assert (row["model"], row["hardware"], row["engine"]) == ("dsv4", "b200", "vllm")
        assert (row["run_id"], row["dataset_slug"], row["run_date"]) == (RUN, "simulated", date(2026, 8, 14))
        assert len(row["artifacts"]) == 2


def test_a_folder_without_its_row_and_a_row_without_its_folder_are_simulated_as_well(
    artifacts: Path, tmp_path: Path
) -> None:
    for kind in ("agentic", "bmk_agentic"):
        (folder,) = (artifacts / RUN).glob(f"{kind}_*r2p4_*")
        store = tmp_path / kind
        ingest([folder], IngestOptions(store, CATALOG))
        (row,) = pq.read_table(store / "points.parquet").to_pylist()
        assert (row["source"], row["deployment"], row["gpus"]) == ("simulated", "disaggregated", 8)
        assert row["topology_label"] == "2×TEP2 + 1×DEP4"


def test_stored_requests_are_those_of_the_simulation(
    points: Mapping[str, dict[str, Any]], traces: Mapping[str, Trace], store: Path
) -> None:
    for name, trace in traces.items():
        table = pq.read_table(store / "requests" / f"{points[name]['point_id']}.parquet")
        recorded = [request for request in trace.requests if request.outcome != "overflow"]
        assert table.num_rows == len(recorded)
        done = [request for request in trace.profiling if request.is_ok]
        ok = table.filter(
            pc.and_(
                pc.equal(table["phase"], "profiling"), pc.invert(pc.or_(table["failed"], table["cancelled"]))
            )
        )
        assert sorted(ok["isl"].to_pylist()) == sorted(request.job.isl for request in done)
        waits = [request.job.first_token - request.start_s for request in done]
        assert sorted(ok["ttft_s"].to_pylist()) == pytest.approx(sorted(waits), abs=2e-9, rel=1e-6)
        kinds = {request.run.stream.kind for request in recorded}
        assert set(table["kind"].to_pylist()) == kinds
        lanes = {(request.run.replay.lane, request.run.replay.base) for request in recorded}
        assert len(set(table["lane_id"].to_pylist())) == len(lanes)


def test_each_request_names_its_turn_of_the_dataset(
    points: Mapping[str, dict[str, Any]], store: Path
) -> None:
    turns = {(one.trace_id, turn.outer, turn.inner): turn.isl for one in corpus() for turn in one.turns()}
    table = pq.read_table(store / "requests" / f"{points['plain']['point_id']}.parquet")
    columns = ("source_trace", "source_outer", "source_inner", "isl")
    for trace, outer, inner, isl in zip(*(table[name].to_pylist() for name in columns), strict=True):
        assert turns[trace, outer, inner] == isl


def test_failures_are_counted_apart(
    points: Mapping[str, dict[str, Any]], traces: Mapping[str, Trace]
) -> None:
    outcomes = [request.outcome for request in traces["errors"].profiling]
    row = points["errors"]
    assert row["requests_failed"] == outcomes.count("refused") + outcomes.count("cut") > 0
    assert row["requests_cancelled"] == outcomes.count("cancelled")
    assert row["requests_ok"] == outcomes.count("ok")


def test_server_metrics_are_per_rank_and_sum_up_to_what_the_prompts_were(
    artifacts: Path, traces: Mapping[str, Trace]
) -> None:
    (path,) = (artifacts / RUN).glob("agentic_*p0_none_none_*/server_metrics_export.json")
    document = json.loads(path.read_text("utf-8"))
    trace = traces["plain"]
    for block, since, until in (
        ("warmup_metrics", 0.0, trace.profiling_start_s),
        ("metrics", trace.profiling_start_s, trace.end_s),
    ):
        series = document[block]["vllm:prompt_tokens"]["series"]
        assert [one["labels"]["engine"] for one in series] == ["0", "1"]
        for one, rank in zip(series, trace.prefill_ranks, strict=True):
            expected = sum(entry[1] for entry in rank.log.prompts if since < entry[0] <= until)
            assert one["stats"]["total"] == expected
            assert sum(part["total"] for part in one["timeslices"]) == pytest.approx(expected)
            widths = {part["end_ns"] - part["start_ns"] for part in one["timeslices"][:-1]}
            assert max(widths) - min(widths) <= 1
            assert np.mean(list(widths)) == pytest.approx(1e9, abs=1)
        by_source = document[block]["vllm:prompt_tokens_by_source"]["series"]
        assert sum(one["stats"]["total"] for one in by_source) == sum(one["stats"]["total"] for one in series)


def test_kv_use_of_a_rank_is_averaged_over_time_within_each_slice(
    artifacts: Path, traces: Mapping[str, Trace]
) -> None:
    (path,) = (artifacts / RUN).glob("agentic_*p0_none_none_*/server_metrics_export.json")
    series = json.loads(path.read_text("utf-8"))["metrics"]["vllm:kv_cache_usage_perc"]["series"]
    trace = traces["plain"]
    for one, rank in zip(series, trace.prefill_ranks, strict=True):
        for number, part in enumerate(one["timeslices"][:40]):
            moments = trace.profiling_start_s + number + (np.arange(400) + 0.5) / 400
            at = np.searchsorted([state[0] for state in rank.log.states], moments, side="right") - 1
            sampled = np.array([rank.log.states[place][1] for place in at])
            assert part["avg"] == pytest.approx(sampled.mean(), abs=2e-3)
            assert part["min"] <= sampled.min() + 1e-6
            assert part["max"] >= sampled.max() - 1e-6


def test_the_same_seed_gives_the_same_bytes(artifacts: Path, tmp_path: Path) -> None:
    write_run(tmp_path / RUN, traced(POINTS["errors"]), POINTS["errors"])
    for path in tmp_path.rglob("*.*"):
        if path.is_file():
            twin = artifacts / path.relative_to(tmp_path)
            assert hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(twin.read_bytes()).digest()
