"""What is this path: each file and folder is told by its contents, nothing is passed over in silence."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import socket
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from dashboard.domain.records import Finding
from dashboard.ingest.discover import Discovery
from dashboard.ingest.found import FolderFound, Found, Noted, RowsFound
from dashboard.ingest.grouping import Job
from tests.ingest.aiperf_runs import jsonl, record, summary, write_run
from tests.ingest.inferencex_rows import api, early_agentic, nested

Walk = Callable[..., list[Found]]


@pytest.fixture
def walk(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """Everything that is found under paths below `tmp_path` (by default all of it)."""

    def run(*paths: str | Path, store: Path | None = None) -> list[Found]:
        scratch = tmp_path_factory.mktemp("scratch")
        return list(Discovery(scratch, store).walk([tmp_path / path for path in paths or ("",)]))

    return run


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def packed(archive: Path, folder: Path) -> Path:
    with tarfile.open(archive, "w:gz") as out:
        out.add(folder, folder.name)
    return archive


def rows_of(found: list[Found]) -> list[RowsFound]:
    return [one for one in found if isinstance(one, RowsFound)]


def runs_of(found: list[Found]) -> list[FolderFound]:
    return [one for one in found if isinstance(one, FolderFound)]


def refused(found: list[Found]) -> dict[str, str]:
    """Code by last part of the name of what was refused."""
    return {one.artifact.rsplit("/", 1)[-1]: one.code for one in found if isinstance(one, Finding)}


@pytest.mark.parametrize("row", [nested(), early_agentic(), api()])
def test_rows_are_told_by_their_keys_whatever_the_file_is_called(
    row: object, tmp_path: Path, walk: Walk
) -> None:
    write(tmp_path / "one.json", row)
    write(tmp_path / "many.dat", [row, row])
    write(tmp_path / "lines.jsonl", json.dumps(row) + "\n" + json.dumps(row))
    (tmp_path / "zipped.json.gz").write_bytes(gzip.compress(json.dumps([row]).encode()))
    found = walk()
    assert {one.place.name.split("/")[-1]: one.document for one in rows_of(found)} == {
        "one.json": row,
        "many.dat": [row, row],
        "lines.jsonl": [row, row],
        "zipped.json.gz": [row],
    }
    assert len(found) == 4


def test_a_folder_with_an_export_is_one_run_and_all_in_it_belongs_to_it(tmp_path: Path, walk: Walk) -> None:
    run = write_run(tmp_path / "sweep" / "c8", [record(0)], summary(), command__txt="aiperf profile")
    write(run / "phases" / "warmup" / "profile_export_aiperf.json", summary())
    write(run / "logs" / "aiperf.log", "log")
    found = walk("sweep")
    (only,) = runs_of(found)
    assert (only.folder, only.place.name) == (run, "sweep/c8")
    assert all(isinstance(one, Noted) for one in found if one is not only)
    assert len(found) == 1 + 5


def test_a_row_among_the_files_of_a_run_is_the_row_of_that_run(tmp_path: Path, walk: Walk) -> None:
    run = write_run(tmp_path / "c8", [record(0)])
    write(run / "result.json", nested())
    found = walk("c8")
    (rows,), (only,) = rows_of(found), runs_of(found)
    assert rows.job == only.job
    assert rows.batch == only.run.run_id


@pytest.mark.parametrize("wrapper", ["aiperf_artifacts", "trace_replay", "aiperf_artifacts/run_0"])
def test_ci_artifacts_pair_by_the_name_of_their_job(wrapper: str, tmp_path: Path, walk: Walk) -> None:
    job = "dsv4_fp4_vllm_tp8_conc24_b300-nv_03"
    write(tmp_path / f"bmk_agentic_{job}" / f"{job}.json", nested())
    write_run(tmp_path / f"agentic_{job}" / wrapper, [record(0)])
    write(tmp_path / f"agentic_{job}" / "server.log", "INFO started")
    write(tmp_path / f"server_logs_{job}" / "server.log", "INFO started")
    write(tmp_path / f"gpu_metrics_{job}" / "gpu_metrics.csv", "timestamp, power")
    found = walk()
    (rows,), (run,) = rows_of(found), runs_of(found)
    assert rows.job == run.job == Job(job)
    assert run.place.name.endswith(f"agentic_{job}")
    assert rows.batch == run.run.run_id
    assert refused(found) == {}


@pytest.mark.parametrize("pack", ["zip", "gztar"])
def test_ci_artifacts_pair_as_they_are_downloaded(pack: str, tmp_path: Path, walk: Walk) -> None:
    write(tmp_path / "work" / "bmk_agentic_X" / "X.json", nested())
    write_run(tmp_path / "work" / "agentic_X" / "results" / "aiperf_artifacts", [record(0)])
    write(tmp_path / "work" / "results_bmk" / "agg_bmk.json", [nested(), early_agentic()])
    for folder in (tmp_path / "work").iterdir():
        shutil.make_archive(str(tmp_path / "run 7" / folder.name), pack, folder)
    found = walk("run 7")
    (run,), rows = runs_of(found), rows_of(found)
    assert [one.job for one in rows] == [Job("X"), None]
    assert run.job == Job("X")
    assert {one.batch for one in rows} == {run.run.run_id} == {"run-7"}
    assert refused(found) == {}


def test_a_multi_node_job_pairs_by_concurrency_as_well(tmp_path: Path, walk: Walk) -> None:
    for concurrency in (8, 16):
        write(tmp_path / "bmk_agentic_X" / f"X_conc{concurrency}.json", nested({"conc": concurrency}))
        write_run(tmp_path / "agentic_X" / "LOGS" / "agentic" / f"conc_{concurrency}", [record(0)])
    found = walk()
    assert (
        {one.job for one in rows_of(found)}
        == {one.job for one in runs_of(found)}
        == {Job("X", 8), Job("X", 16)}
    )


def test_a_foreign_report_in_the_tree_of_a_job_is_still_named(tmp_path: Path, walk: Walk) -> None:
    write(tmp_path / "agentic_X" / "trace.json", FOREIGN["trace.json"][0])
    write(tmp_path / "agentic_X" / "server.log", "INFO")
    write(tmp_path / "agentic_X" / "engine_config.json", {"tp": 8})
    assert refused(walk()) == {"trace.json": "weka_trace"}


def test_a_job_that_left_no_results_says_so_and_its_row_is_read(tmp_path: Path, walk: Walk) -> None:
    write(tmp_path / "agentic_X" / "aiperf_artifacts" / "profile_export_raw.jsonl", "")
    write(tmp_path / "agentic_X" / "X.json", nested())
    found = walk()
    assert refused(found) == {"aiperf_artifacts": "no_export"}
    assert len(rows_of(found)) == 1


def test_the_second_run_beside_the_one_that_is_read_is_named(tmp_path: Path, walk: Walk) -> None:
    for name in ("run_0", "run_1"):
        write_run(tmp_path / "job" / "aiperf_artifacts" / name, [record(0)])
    found = walk()
    assert [one.folder.name for one in runs_of(found)] == ["run_0"]
    assert refused(found) == {"run_1": "second_run"}


def test_the_cells_of_a_sweep_are_one_run_and_trials_are_attempts(tmp_path: Path, walk: Walk) -> None:
    for trial in (1, 2):
        for concurrency in (2, 4):
            cell = tmp_path / "night" / "profile_runs" / f"trial_000{trial}" / f"concurrency_{concurrency}"
            write_run(cell, [record(0)])
    write(tmp_path / "night" / "aggregate" / "sweep_aggregate" / "profile_export_aiperf_sweep.json", {})
    write(tmp_path / "night" / "command.txt", "aiperf profile")
    found = walk("night")
    runs = [(one.run.run_id, one.run.basis, one.run.attempt) for one in runs_of(found)]
    assert runs == [("night", "sweep", 1)] * 2 + [("night", "sweep", 2)] * 2
    assert refused(found) == {}


def test_folders_under_one_parent_are_one_run_packed_or_open(tmp_path: Path, walk: Walk) -> None:
    parent = tmp_path / "kimi-night"
    write_run(parent / "c8", [record(0)])
    packed(parent / "c16.tar.gz", write_run(tmp_path / "elsewhere" / "c16", [record(0)]))
    packed(parent / "other-name.tgz", write_run(tmp_path / "elsewhere" / "c32", [record(0)]))
    together = {one.place.name: one.run.run_id for one in runs_of(walk("kimi-night"))}
    assert together == {
        "kimi-night/c16.tar.gz!/c16": "kimi-night",
        "kimi-night/c8": "kimi-night",
        "kimi-night/other-name.tgz!/c32": "other-name",
    }
    alone = {one.run.run_id for one in runs_of(walk("kimi-night/c8", "kimi-night/c16.tar.gz"))}
    assert alone == {"kimi-night"}


def test_a_parent_whose_name_says_nothing_is_joined_by_the_folder_above(tmp_path: Path, walk: Walk) -> None:
    write_run(tmp_path / "b300 night" / "results" / "c8", [record(0)])
    assert [one.run.run_id for one in runs_of(walk())] == ["b300-night-results"]


def test_an_export_under_its_own_prefix_is_a_run_of_that_name(tmp_path: Path, walk: Walk) -> None:
    write(tmp_path / "exports" / "b300-c8.jsonl", jsonl([record(0)]).decode())
    write(tmp_path / "exports" / "b300-c8.json", summary())
    write(tmp_path / "exports" / "b300-c8_server_metrics.csv", "# header")
    write(tmp_path / "exports" / "point.toml", 'hardware = "b300"')
    (run,) = runs_of(found := walk())
    assert run.folder.name == "b300-c8"
    names = {path.name for path in run.folder.iterdir()}
    assert names == {"b300-c8.jsonl", "b300-c8.json", "b300-c8_server_metrics.csv", "point.toml"}
    assert refused(found) == {}


def test_a_lone_summary_is_a_run_named_by_its_file(tmp_path: Path, walk: Walk) -> None:
    write(tmp_path / "b200-kimik2.5-tp4-conc12.json", summary())
    write(tmp_path / "qwen_concurrency4_profile_export_aiperf.json", summary())
    runs = runs_of(walk())
    assert [run.folder.name for run in runs] == ["b200-kimik2.5-tp4-conc12", "qwen_concurrency4"]
    assert all((run.folder / "profile_export_aiperf.json").is_file() for run in runs)


def test_one_export_file_given_by_itself_is_named_by_its_folder(tmp_path: Path, walk: Walk) -> None:
    write_run(tmp_path / "b300-c8", [record(0)], summary())
    (run,) = runs_of(walk("b300-c8/profile_export.jsonl"))
    assert run.folder.name == "b300-c8"
    assert [path.name for path in run.folder.iterdir()] == ["profile_export.jsonl"]


FOREIGN = {
    "trace.json": ([{"id": "t", "requests": [], "block_size": 64, "hash_id_scope": "local"}], "weka_trace"),
    "guide.json": ({"metadata": {"guidellm_version": "0.5"}, "benchmarks": []}, "guidellm_report"),
    "stage.json": ({"load_summary": {}, "successes": {}, "failures": {}}, "inference_perf_report"),
    "bench.json": (
        {"num_prompts": 1, "request_throughput": 1.0, "completed": 1, "model_id": "m"},
        "vllm_bench_summary",
    ),
    "evals.json": ([{"hardware": "b300", "framework": "vllm", "metrics": {}, "task": "gsm8k"}], "evaluation"),
    "reliability.json": ([{"hardware": "b300", "n_success": 1, "total": 2}], "api_reliability"),
    "other.json": ({"colour": "red"}, "unknown_json"),
    "none.json": ([], "no_rows"),
    "number.json": (7, "unknown_json"),
    "cut.json": ('[{"hw": "b300", "conc"', "damaged"),
    "blank.json": ("", "empty"),
    "notes.txt": ("nothing to see", "text"),
    "server.log": ("[2026-08-12 10:00:00] INFO started\n", "text"),
    "table.csv": ("a,b\n1,2\n", "table"),
    "report.yaml": ("version: '0.2'\nrun:\n  uid: 1\n", "llm_d_report"),
    "latin.json": (None, "damaged"),
    "image.bin": (None, "binary"),
    "points.parquet": (None, "parquet"),
}
RAW = {
    "latin.json": '{"model": "größe"}'.encode("latin-1"),
    "image.bin": b"\x89\x00\x01\x02",
    "points.parquet": b"PAR1" + bytes(20),
}


def test_every_other_file_is_refused_with_one_line_that_says_what_it_is(tmp_path: Path, walk: Walk) -> None:
    for name, (content, _) in FOREIGN.items():
        if content is None:
            (tmp_path / name).write_bytes(RAW[name])
        else:
            write(tmp_path / name, content)
    found = walk()
    assert refused(found) == {name: code for name, (_, code) in FOREIGN.items()}
    assert len(found) == len(FOREIGN)


def test_documentation_is_understood_without_a_word(tmp_path: Path, walk: Walk) -> None:
    for name in ("README.md", "LICENSE", "how/make.py", "plot.png"):
        write(tmp_path / name, "text")
    assert all(isinstance(one, Noted) for one in walk())


def test_the_store_that_is_written_and_any_other_are_not_read_as_artifacts(
    tmp_path: Path, walk: Walk
) -> None:
    write(tmp_path / "mine" / "x.json", nested())
    write(tmp_path / "other" / "store.json", {})
    write(tmp_path / "other" / "points.parquet", "PAR1")
    found = walk(store=tmp_path / "mine")
    assert [one.place.path.name for one in found if isinstance(one, Noted)] == ["mine", "other"]
    assert len(found) == 2


def test_pipes_sockets_and_dangling_links_are_named_and_never_opened(tmp_path: Path, walk: Walk) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "gone").symlink_to("nowhere")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "sock"))
        assert refused(walk()) == {"pipe": "not_a_file", "sock": "not_a_file", "gone": "unreadable"}


def test_links_in_a_circle_are_walked_once(tmp_path: Path, walk: Walk) -> None:
    write(tmp_path / "a" / "row.json", nested())
    (tmp_path / "a" / "again").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    assert len(rows_of(walk())) == 1


def test_archives_in_archives_are_read_to_a_depth_of_three(tmp_path: Path, walk: Walk) -> None:
    inner = write(tmp_path / "work" / "row.json", nested())
    for level in range(4):
        outer = tmp_path / "work" / f"level{level}.tar.gz"
        with tarfile.open(outer, "w:gz") as out:
            out.add(inner, inner.name)
        inner = outer
    assert len(rows_of(walk("work/level2.tar.gz"))) == 1
    assert refused(walk("work/level3.tar.gz")) == {"level0.tar.gz": "damaged"}


def test_names_of_any_bytes_are_shown_in_print(tmp_path: Path, walk: Walk) -> None:
    raw = os.fsencode(tmp_path) + b"/\xff\x1b[31m\n.json"
    Path(os.fsdecode(raw)).write_text("{")
    (name,) = refused(walk())
    assert name.isprintable()
    assert name.endswith(".json")


def test_the_order_of_what_is_found_depends_on_names_only(tmp_path: Path, walk: Walk) -> None:
    for name in ("b", "a", "c"):
        write(tmp_path / name / "row.json", nested())
    names = [one.place.name.rsplit("/", 2)[1] for one in rows_of(walk())]
    assert names == ["a", "b", "c"]
