"""From artifacts to a store: each measurement once, nothing lost, nothing half done."""

from __future__ import annotations

import hashlib
import json
import shutil
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from dashboard.domain.catalog import Catalog
from dashboard.ingest import intake
from dashboard.ingest.pipeline import IngestOptions, ingest
from dashboard.ingest.summary import IngestSummary
from dashboard.store.check import check
from dashboard.store.layout import StoreError
from tests.ingest.aiperf_runs import EPOCH_NS, failed, jsonl, record, summary, warmup, write_run
from tests.ingest.inferencex_rows import api, early_agentic, nested

Ingest = Callable[..., IngestSummary]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def run(tmp_path: Path, store: Path, catalog: Catalog) -> Ingest:
    """Ingests paths below `tmp_path / in` (all of it by default)."""

    def ingest_all(*paths: str, **options: Any) -> IngestSummary:
        chosen = [tmp_path / "in" / path for path in paths or ("",)]
        return ingest(chosen, IngestOptions(store, catalog, **options))

    return ingest_all


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    return folder


def points(store: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(store / "points.parquet").to_pylist()
    return rows


def only(store: Path) -> dict[str, Any]:
    (row,) = points(store)
    return row


def issues(store: Path) -> list[dict[str, Any]]:
    return [row for path in (store / "issues").glob("*.parquet") for row in pq.read_table(path).to_pylist()]


def bytes_of(store: Path) -> dict[str, str]:
    return {
        path.relative_to(store).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in store.rglob("*")
        if path.is_file()
    }


def outcome(result: IngestSummary) -> tuple[int, int, int]:
    return result.added, result.replaced, result.unchanged


def row_of_run(count: int = 8, **changes: Any) -> dict[str, Any]:
    """The early agentic row that the harness makes of the first `count` records (data-contracts 9)."""
    sent, received = sum(1000 + n for n in range(count)), 101 * count
    duration = float(count - 1 + 2)
    first = [0.5 + n / 1000 for n in range(count)]
    whole = [1.5 + n / 1000 for n in range(count)]
    itl = [0.01 + n / 10_000 for n in range(count)]
    dropped = [key for key in early_agentic() if key.startswith(("p75_", "p90_", "p95_", "std_", "mean_"))]
    said = {
        "num_requests_total": count,
        "num_requests_successful": count,
        "conc": 8,
        "mean_ttft": sum(first) / count,
        "mean_e2el": sum(whole) / count,
        "mean_itl": sum(itl) / count,
        "mean_input_tokens": sent / count,
        "mean_output_tokens_actual": received / count,
        "duration_seconds": duration,
        "total_tput_tps": (sent + received) / duration,
        "input_tput_tps": sent / duration,
        "output_tput_tps": received / duration,
        "tput_per_gpu": (sent + received) / duration / 4,
        "input_tput_per_gpu": sent / duration / 4,
        "output_tput_per_gpu": received / duration / 4,
        "total_prompt_tokens": sent,
        "total_generation_tokens": received,
        "total_requests_completed": count,
    }
    return early_agentic({**dict.fromkeys(dropped, ...), **said, **changes})


def records(count: int = 8) -> list[Any]:
    return [record(n) for n in range(count)]


def put(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def test_rows_and_runs_of_every_kind_become_points(source: Path, run: Ingest, store: Path) -> None:
    put(source / "rows.json", [nested(), early_agentic(), api()])
    write_run(source / "sweep" / "c8", records())
    result = run()
    assert outcome(result) == (4, 0, 0)
    assert (result.exit_code, result.skipped, result.joined, result.understood) == (0, 0, 0, 2)
    assert sorted(row["source"] for row in points(store)) == ["aiperf", "api", "inferencex", "inferencex"]
    assert check(store) == ()


def test_two_copies_of_a_row_are_one_point_with_what_both_know(
    source: Path, run: Ingest, store: Path
) -> None:
    rich = api()
    poor = {**rich, "metrics": {"median_ttft": rich["metrics"]["median_ttft"], "p75_ttft": 0.31}}
    del poor["image"]
    put(source / "a-history.json", [poor])
    put(source / "b.json", [rich])
    result = run()
    assert (outcome(result), result.joined) == ((1, 0, 0), 1)
    row = only(store)
    assert (row["image"], row["ttft_s_p75"]) == (rich["image"], 0.31)
    assert row["tput_total_per_gpu"] == rich["metrics"]["tput_per_gpu"]
    assert row["artifacts"] == ["in/a-history.json", "in/b.json"]


def test_a_row_and_the_folder_it_was_made_from_are_one_point(source: Path, run: Ingest, store: Path) -> None:
    put(source / "batch_0604.json", [row_of_run(), row_of_run(conc=16)])
    write_run(source / "runs" / "c8-lmcache", records())
    result = run()
    assert (outcome(result), result.joined) == ((2, 0, 0), 1)
    (row,) = [row for row in points(store) if row["has_requests"]]
    assert (row["concurrency"], row["run_id"], row["run_basis"]) == (8, "batch_0604", "batch")
    assert (row["hardware"], row["offload"]) == ("mi355x", "dram"), "who it is comes from the row"
    assert row["ttft_s_p50"] == pytest.approx(0.5035), "what the row lacks comes from the requests"
    assert row["ttft_s_n"] == 8
    assert row["tput_total_per_gpu"] == row_of_run()["tput_per_gpu"]
    assert row["artifacts"] == ["in/batch_0604.json", "in/runs/c8-lmcache"]
    requests = pq.read_table(store / "requests" / f"{row['point_id']}.parquet")
    assert requests.num_rows == 8
    assert set(requests["point_id"].to_pylist()) == {row["point_id"]}


@pytest.mark.parametrize("first", ["rows", "runs"])
def test_row_and_folder_join_in_separate_ingests_and_links_stay(
    first: str, source: Path, run: Ingest, store: Path
) -> None:
    put(source / "rows" / "batch.json", [row_of_run()])
    write_run(source / "runs" / "c8", records())
    second = "runs" if first == "rows" else "rows"
    run(first)
    identifier = only(store)["point_id"]
    assert outcome(run(second)) == (0, 1, 0)
    row = only(store)
    assert row["point_id"] == identifier
    assert (row["hardware"], row["has_requests"], row["ttft_s_n"]) == ("mi355x", True, 8)
    before = bytes_of(store)
    assert outcome(run(first)) == outcome(run(second)) == (0, 0, 1)
    assert {name: before[name] for name in before if "issues" not in name}.items() <= bytes_of(store).items()
    assert check(store) == ()


@pytest.mark.parametrize(
    "change",
    [
        {"hw": "b300"},
        {"conc": 12},
        {"num_requests_successful": 7},
        {"duration_seconds": 9.01},
        {"mean_ttft": 0.51},
        {"tp": 8},
    ],
)
def test_a_row_that_differs_in_what_tells_measurements_apart_stays_apart(
    change: dict[str, Any], source: Path, run: Ingest, store: Path
) -> None:
    put(source / "batch.json", [row_of_run(**change)])
    write_run(source / "runs" / "mi355x-tp4-c8", records())
    assert outcome(run()) == (2, 0, 0)


def test_a_row_and_a_folder_of_one_job_join_by_name_and_a_difference_is_named(
    source: Path, run: Ingest, store: Path
) -> None:
    put(source / "bmk_agentic_X" / "X.json", row_of_run(mean_ttft=0.9))
    write_run(source / "agentic_X" / "aiperf_artifacts", records())
    result = run()
    assert outcome(result) == (1, 0, 0)
    (doubt,) = [finding for finding in result.doubts if finding.code == "row_disagrees"]
    assert doubt.point_id == only(store)["point_id"]
    assert only(store)["ttft_s_mean"] == pytest.approx(0.5035), "the figures of the requests are shown"


def test_a_run_that_failed_whole_joins_its_row_which_lost_the_failures(
    source: Path, run: Ingest, store: Path
) -> None:
    dropped = dict.fromkeys([key for key in row_of_run() if "mean_" in key or "tput" in key], ...)
    lost = {"num_requests_total": 0, "num_requests_successful": 0, "total_requests_completed": 0}
    put(source / "batch.json", [row_of_run(**lost) | dict.fromkeys(dropped)])
    write_run(source / "runs" / "mi355x-kimik2.5-tp4-c8-lmcache", [failed(n) for n in range(5)])
    run()
    row = only(store)
    assert (row["requests_ok"], row["requests_failed"], row["publishable"]) == (0, 5, False)
    assert row["has_requests"]


def test_two_runs_of_one_configuration_in_one_sweep_are_two_points(
    source: Path, run: Ingest, store: Path
) -> None:
    write_run(source / "night" / "c8", records())
    write_run(source / "night" / "c8-again", [record(n + 100) for n in range(8)])
    assert outcome(run()) == (2, 0, 0)
    assert {row["run_id"] for row in points(store)} == {"night"}
    assert len({row["config_id"] for row in points(store)}) == 1


@pytest.mark.parametrize("key", ["ep", "tp", "hardware", "engine", "offload", "concurrency", "router"])
def test_runs_with_the_same_records_on_other_deployments_stay_apart(
    key: str, source: Path, run: Ingest, store: Path
) -> None:
    """A simulator starts all its runs at one moment, and an offload that is not needed changes no figure."""
    texts = {"hardware": ("b300", "b200"), "engine": ("vllm", "sglang"), "offload": ("none", "dram")}
    for name, value in zip(("a", "b"), texts.get(key, ("4", "8")), strict=True):
        write_run(source / "night" / name, records(), point__toml=f'{key} = "{value}"')
    assert outcome(run()) == (2, 0, 0)
    assert outcome(run()) == (0, 0, 2)


def test_a_copy_of_a_run_packed_or_open_is_the_same_point(source: Path, run: Ingest, store: Path) -> None:
    write_run(source / "night" / "c8", records(), summary())
    shutil.make_archive(str(source / "night" / "c8"), "gztar", source / "night", "c8")
    shutil.copytree(source / "night" / "c8", source / "copy" / "c8")
    result = run()
    assert (outcome(result), result.joined) == ((1, 0, 0), 2)


def test_a_run_that_has_gone_on_since_replaces_its_earlier_state(
    source: Path, run: Ingest, store: Path
) -> None:
    write_run(source / "night" / "c8", records(3))
    run()
    write_run(source / "night" / "c8", records(8), summary())
    assert outcome(run()) == (0, 1, 0)
    assert only(store)["requests_ok"] == 8
    assert pq.read_table(store / "requests").num_rows == 8


@pytest.mark.parametrize("pack", ["open", "zip", "gztar"])
def test_ingesting_the_same_artifacts_twice_leaves_every_byte(
    pack: str, source: Path, run: Ingest, store: Path
) -> None:
    put(source / "in" / "batch.json", [row_of_run(), nested(), api()])
    write_run(source / "in" / "runs" / "c8", [*records(), failed(8), warmup(9)], summary())
    put(source / "in" / "broken.json", "x")
    if pack != "open":
        shutil.make_archive(str(source / "packed"), pack, source / "in")
        shutil.rmtree(source / "in")
    first = run()
    before = bytes_of(store)
    second = run()
    assert bytes_of(store) == before
    assert outcome(second) == (0, 0, first.added)
    assert second.findings == first.findings


def test_a_path_given_from_further_in_is_the_same_artifact(source: Path, run: Ingest, store: Path) -> None:
    put(source / "deep" / "rows.json", [nested()])
    run()
    assert outcome(run("deep")) == outcome(run("deep/rows.json")) == (0, 0, 1)
    assert only(store)["artifacts"] == ["in/deep/rows.json"]


def test_a_corrected_row_replaces_what_its_file_said_before(source: Path, run: Ingest, store: Path) -> None:
    put(source / "rows.json", [nested()])
    run()
    put(source / "rows.json", [nested({"request_metrics/latency/ttft/p90": 2.5})])
    assert outcome(run()) == (0, 1, 0)
    assert only(store)["ttft_s_p90"] == 2.5


def test_a_later_copy_without_the_kv_pool_keeps_the_pool(source: Path, run: Ingest, store: Path) -> None:
    put(source / "old.json", nested())
    run()
    pool = only(store)["kv_pool_tokens"]
    assert pool == nested()["kv_cache_pool_tokens"]
    lost = {"kv_cache_pool_tokens": None, "server_metrics/kv_cache/gpu_total_tokens": None}
    put(source / "new.json", nested({**lost, "request_metrics/latency/ttft/mean": 9.5}))
    run("new.json")
    assert (only(store)["kv_pool_tokens"], only(store)["ttft_s_mean"]) == (pool, 9.5)


def test_earlier_points_stay_when_others_come(source: Path, run: Ingest, store: Path) -> None:
    put(source / "a.json", [nested()])
    put(source / "b.json", [api()])
    run("a.json")
    before = {name: digest for name, digest in bytes_of(store).items() if name.startswith("points/")}
    run("b.json")
    assert before.items() <= bytes_of(store).items()
    assert len(points(store)) == 2


def test_what_a_person_says_fills_what_artifacts_leave_out(source: Path, run: Ingest, store: Path) -> None:
    write_run(source / "x" / "c8", records(), summary())
    run(identity={"hardware": "b300", "engine": "vllm", "tp": "8"}, run="kimi night 3")
    row = only(store)
    assert (row["hardware"], row["engine"], row["gpus"]) == ("b300", "vllm", 8)
    assert (row["run_id"], row["run_basis"]) == ("kimi night 3", "name")


def test_a_run_name_does_not_rename_a_ci_run(source: Path, run: Ingest, store: Path) -> None:
    put(source / "rows.json", [api(), nested()])
    run(run="mine")
    assert {row["source"]: row["run_basis"] for row in points(store)} == {"api": "ci", "inferencex": "name"}


def test_every_refusal_is_an_issue_in_the_store_and_in_the_exit_code(
    source: Path, run: Ingest, store: Path
) -> None:
    put(source / "good.json", [nested()])
    put(source / "trace.json", {"id": "t", "requests": [], "block_size": 64, "hash_id_scope": "local"})
    (source / "cut.json").write_text('[{"hw": ')
    with zipfile.ZipFile(source / "evil.zip", "w") as evil:
        evil.writestr("../outside.json", "[]")
    result = run()
    assert (result.added, result.exit_code) == (1, 1)
    found = {(row["artifact"], row["code"]) for row in issues(store) if row["severity"] == "error"}
    assert found == {
        ("in/cut.json", "damaged"),
        ("in/trace.json", "trace_refused"),
        ("in/evil.zip", "damaged"),
    }
    assert not (source.parent / "outside.json").exists()


def test_a_row_that_gives_no_point_is_skipped_with_its_place(source: Path, run: Ingest, store: Path) -> None:
    put(source / "rows.json", [nested(), nested({"conc": 0}), "text"])
    result = run()
    assert (result.added, result.skipped, result.exit_code) == (1, 2, 1)
    assert [finding.field for finding in result.refused] == ["records[1]", "records[2]"]


def test_an_empty_folder_is_no_fault(source: Path, run: Ingest, store: Path) -> None:
    result = run()
    assert (outcome(result), result.exit_code) == ((0, 0, 0), 0)
    assert check(store) == ()


def test_a_reader_that_fails_unexpectedly_costs_its_artifact_only(
    source: Path, run: Ingest, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(source / "rows.json", [nested()])
    write_run(source / "c8", records())

    def broken(*_: object) -> object:
        raise ZeroDivisionError("somewhere")

    monkeypatch.setattr(intake, "read_folder", broken)
    result = run()
    assert result.added == 1
    (refusal,) = result.refused
    assert (refusal.artifact, refusal.code) == ("in/c8", "reader_failed")
    assert "defect" in refusal.detail


def test_an_ingest_that_is_stopped_leaves_no_point_and_no_scratch(
    source: Path, store: Path, catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(source / "a.json", [nested()])
    ingest([source], IngestOptions(store, catalog))
    before = bytes_of(store)
    put(source / "b.json", [api()])
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))

    def interrupted(steps: Any, what: str, total: int | None) -> Any:
        for step in steps:
            yield step
            if what == "writing points":
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ingest([source], IngestOptions(store, catalog), interrupted)
    assert bytes_of(store) == before
    assert list(scratch.iterdir()) == []


def test_a_folder_that_is_no_store_is_refused_before_anything_is_read(
    source: Path, tmp_path: Path, catalog: Catalog
) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_bytes(b"\xff\xd8")
    with pytest.raises(StoreError, match="not a store"):
        ingest([source], IngestOptions(tmp_path / "photos", catalog))
    assert [path.name for path in (tmp_path / "photos").iterdir()] == ["cat.jpg"]


def test_the_time_of_a_run_is_that_of_its_first_request(source: Path, run: Ingest, store: Path) -> None:
    (source / "lone.jsonl").write_bytes(jsonl(records(2)))
    run()
    began = datetime.fromtimestamp(EPOCH_NS // 10**9, UTC)
    assert only(store)["measured_at"].replace(microsecond=0) == began
    assert only(store)["run_date"] == began.date()
