"""All shared real inputs through `agentx-dashboard ingest`: understood, or refused with one line."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from dashboard import cli
from dashboard.domain.records import Finding
from dashboard.ingest.discover import Discovery
from dashboard.ingest.found import FolderFound

pytestmark = [pytest.mark.real, pytest.mark.xdist_group("ingest-everything")]

FORK = "real-data/agentx-fork-mi355x-b200"


def ingest(store: Path, *paths: Path) -> tuple[int, dict[str, Any]]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = cli.main(["ingest", "--json", "--store", str(store), *map(str, paths)])
    return status, json.loads(printed.getvalue())


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("everything") / "store"


@pytest.fixture(scope="module")
def told(shared: Path, store: Path) -> dict[str, Any]:
    """The summary of the ingest that the issue names."""
    status, summary = ingest(store, shared / "real-data", shared / "aiperf-artifacts")
    assert status == summary["exit_code"] == 1, "some of the files are no benchmark artifacts"
    return summary


@pytest.fixture(scope="module")
def rows(told: dict[str, Any], store: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(store / "points.parquet").to_pylist()
    return found


def of(rows: list[dict[str, Any]], artifact: str) -> list[dict[str, Any]]:
    return [row for row in rows if any(artifact in name for name in row["artifacts"])]


def names_on_disk(folder: Path) -> set[str]:
    """Every file as the ingest calls it, those inside archives included."""
    names = set()
    for path in folder.rglob("*"):
        name = f"{folder.name}/{path.relative_to(folder).as_posix()}"
        if path.name.endswith(".tar.gz"):
            with tarfile.open(path) as packed:
                names |= {f"{name}!/{member.name}" for member in packed if member.isfile()}
        elif path.is_file():
            names.add(name)
    return names


@pytest.mark.parametrize("part", ["real-data", "aiperf-artifacts"])
def test_every_file_is_understood_or_named(part: str, shared: Path, tmp_path: Path) -> None:
    found = list(Discovery(tmp_path).walk([shared / part]))
    named = Counter(
        one.artifact if isinstance(one, Finding) else one.place.name
        for one in found
        if not (isinstance(one, FolderFound) and (shared / one.place.name).is_dir())
    )
    runs_in_archives = {name for name in named if name.endswith(tuple(archive_runs(found)))}
    assert set(named) - runs_in_archives == names_on_disk(shared / part)
    assert max(named.values()) == 1, "one line each"


def archive_runs(found: list[Any]) -> list[str]:
    """Run folders inside archives, which stand for themselves beside their files."""
    return [one.place.name for one in found if isinstance(one, FolderFound) and "!/" in one.place.name]


def test_nothing_fails_unexpectedly_and_each_refusal_says_what_it_is(told: dict[str, Any]) -> None:
    refused = [finding for finding in told["findings"] if finding["severity"] == "error"]
    assert told["refused"] == len(refused) == len({finding["artifact"] for finding in refused})
    assert Counter(finding["code"] for finding in refused) == {
        "vllm_bench_summary": 169,
        "inference_perf_report": 97,
        # bad_extra_field.json: its `requests` are empty, so there is no session; its extra field alone
        # would be passed over. The other 25 + 17 files and the 31 of an archive are datasets.
        "trace_refused": 1,
        "guidellm_report": 6,
        "table": 4,
        "evaluation": 2,
        "api_availability": 1,
        "api_reliability": 1,
        "api_submissions": 1,
        "api_workflow": 1,
        "llm_d_report": 1,
        "text": 1,
    }


def test_recorded_sessions_become_datasets_named_after_their_folders(
    told: dict[str, Any], shared: Path
) -> None:
    found = {one["slug"]: (one["conversations"], one["requests"]) for one in told["datasets"]}
    assert len(found) == len(told["datasets"])
    real, fixtures = shared / "real-data/weka-traces", shared / "real-data/aiperf-test-fixtures"
    assert found == {
        "weka-traces": counted(of_folder(real) + of_folder(fixtures / "weka_traces")),  # one slug for both
        "weka-traces-fanout": counted(of_folder(fixtures / "weka_traces_fanout")),
        "weka-traces-overlap-groups": counted(of_folder(fixtures / "weka_traces_overlap_groups")),
        "weka-traces-small": counted(of_folder(fixtures / "weka_traces_small")),
        "traces12": counted(of_archive(shared / "aiperf-artifacts/traces12.tar.gz")),
    }
    assert sum(conversations for conversations, _ in found.values()) == 25 + 17 + 31
    repeated = {f["artifact"] for f in told["findings"] if f["code"] == "duplicate_session"}
    assert repeated == {
        "real-data/weka-traces/trace_0427.json",
        "real-data/aiperf-test-fixtures/weka_traces/one_subagent.json",
    }
    assert sum(one["duplicates"] for one in told["datasets"]) == len(repeated)


def of_folder(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_bytes()) for path in folder.glob("*.json")]


def of_archive(path: Path) -> list[dict[str, Any]]:
    with tarfile.open(path) as packed:
        members = [packed.extractfile(one) for one in packed if one.name.endswith(".json")]
        return [json.load(member) for member in members if member is not None]


def counted(traces: list[dict[str, Any]]) -> tuple[int, int]:
    """Conversations by their ids, and their requests with those of sub-agents, from the files as they are."""
    return len({trace["id"] for trace in traces}), sum(calls(trace["requests"]) for trace in traces)


def calls(entries: list[dict[str, Any]]) -> int:
    return sum(calls(one["requests"]) if one["type"] == "subagent" else 1 for one in entries)


def test_the_points_are_as_many_as_the_readmes_say(told: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    sources = Counter((row["source"], row["run_basis"]) for row in rows)
    repeated_in_batch_0601 = 3
    assert sources == {
        ("api", "ci"): 1667,
        ("inferencex", "batch"): 254 - repeated_in_batch_0601 + 2,
        ("aiperf", "folder"): 3 + 23,
        ("aiperf", "sweep"): 6,
    }
    assert told["added"] == len(rows)
    assert told["joined"] == 230 + repeated_in_batch_0601 + 10 + 43


def test_the_copies_of_230_public_rows_are_one_point_with_both_sources(rows: list[dict[str, Any]]) -> None:
    both = [row for row in of(rows, "benchmarks-history.json") if of([row], "api/benchmarks.json")]
    assert len(both) == 230
    assert all(row["image"] for row in both if row["run_date"] is None or row["image"] is not None)
    assert sum(row["ttft_s_p90"] is not None for row in both) > 0, "the richer row's figures"


def test_each_kept_run_and_lone_summary_is_the_point_of_its_row(rows: list[dict[str, Any]]) -> None:
    runs = of(rows, f"{FORK}/runs/")
    assert len(runs) == 10
    assert all(row["has_requests"] and row["run_id"].startswith("batch_") and row["gpus"] for row in runs)
    assert all(row["ttft_s_p99"] is not None for row in runs if row["requests_ok"])
    lone = of(rows, f"{FORK}/more-aggregates/")
    assert len(lone) == 43
    assert all(row["run_id"].startswith("batch_") and row["ttft_s_p99"] is not None for row in lone)


def test_failed_requests_that_vanish_from_the_rows_are_counted(rows: list[dict[str, Any]]) -> None:
    (some,) = of(rows, "c16-lmcache-16errors")
    assert (some["requests_ok"], some["requests_failed"]) == (25, 16)
    (none,) = of(rows, "c32-lmcache-allfailed")
    assert (none["requests_ok"], none["requests_failed"], none["publishable"]) == (0, 32, False)


def test_a_sweep_is_one_run_and_its_trials_are_attempts(rows: list[dict[str, Any]]) -> None:
    cells = of(rows, "synth-sweep")
    assert {row["run_id"] for row in cells} == {"synth-sweep-c2-4-8-x2"}
    points = sorted((row["run_attempt"], row["concurrency"]) for row in cells)
    assert points == [(trial, concurrency) for trial in (1, 2) for concurrency in (2, 4, 8)]


def test_folders_and_archives_of_one_parent_are_one_run(rows: list[dict[str, Any]]) -> None:
    beside = [row for row in of(rows, "aiperf-artifacts/") if row["run_basis"] == "folder"]
    assert len(beside) == 23
    assert {row["run_id"] for row in beside} == {"aiperf-artifacts"}
    assert all(not row["official"] for row in beside)


def test_names_that_are_only_in_a_folder_name_are_marked(rows: list[dict[str, Any]]) -> None:
    (run,) = of(rows, "agentx-nooffload-c08")
    assert (run["offload"], run["named_by_file"], run["hardware"]) == ("none", ["offload"], None)


def test_parts_that_come_again_leave_every_byte(
    told: dict[str, Any], rows: list[dict[str, Any]], store: Path, shared: Path
) -> None:
    before = digests(store)
    fork, artifacts = shared / FORK, shared / "aiperf-artifacts"
    parts = [
        fork / "runs",
        fork / "more-aggregates",
        artifacts / "synth-c04.tar.gz",
        shared / "real-data/agentx-new-schema",
    ]
    for part in parts:
        summary = ingest(store, part)[1]
        assert (summary["added"], summary["replaced"]) == (0, 0), part.name
    assert digests(store) == before


def digests(store: Path) -> dict[str, str]:
    return {
        path.relative_to(store).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in store.rglob("*.parquet")
        if path.parent.name != "issues"
    }
