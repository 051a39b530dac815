"""Recorded sessions into datasets: folders and lines of traces, what is refused, what is said of the rest."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from dashboard.domain.catalog import Catalog
from dashboard.ingest.pipeline import IngestOptions, ingest
from dashboard.ingest.summary import IngestSummary
from dashboard.store.check import check
from dashboard.store.datasets import TABLES, is_slug
from tests.domain.traces import call, subagent, trace

Ingest = Callable[..., IngestSummary]


@pytest.fixture
def read_in(tmp_path: Path, catalog: Catalog) -> Ingest:
    """Ingests into one store, with options."""

    def run(*paths: Path, **options: Any) -> IngestSummary:
        return ingest(paths, IngestOptions(tmp_path / "store", catalog, **options))

    return run


def table(tmp_path: Path, slug: str, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(
        tmp_path / "store/datasets" / slug / f"{name}.parquet"
    ).to_pylist()
    return rows


def put(path: Path, *documents: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(document) for document in documents))
    return path


def fingerprints(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def session(name: str, isl: int = 256) -> dict[str, Any]:
    return trace(call(0, list(range(isl // 64)), isl, 9, api=1.0), id=name)


def test_a_folder_of_traces_is_a_dataset_of_its_name(tmp_path: Path, read_in: Ingest) -> None:
    for number in range(3):
        put(tmp_path / "My Traces_1" / f"t{number}.json", session(f"t{number}", 64 * (number + 1)))
    summary = read_in(tmp_path / "My Traces_1")
    (dataset,) = summary.datasets
    assert (dataset.slug, dataset.outcome, dataset.conversations) == ("my-traces-1", "added", 3)
    assert is_slug(dataset.slug)
    assert [row["isl_max"] for row in table(tmp_path, dataset.slug, "conversations")] == [64, 128, 192]
    assert not summary.refused and check(tmp_path / "store") == ()


@pytest.mark.parametrize("packed", [False, True])
def test_lines_of_traces_give_the_same_tables_as_files(tmp_path: Path, read_in: Ingest, packed: bool) -> None:
    documents = [session(f"t{number}", 64 * (number + 1)) for number in range(3)]
    for document in documents:
        put(tmp_path / "files" / f"{document['id']}.json", document)
    lines = put(tmp_path / "lines" / "traces.jsonl", *documents)
    if packed:
        lines.with_suffix(".jsonl.gz").write_bytes(gzip.compress(lines.read_bytes()))
        lines.unlink()
    read_in(tmp_path / "files", tmp_path / "lines")
    for name in TABLES:
        assert table(tmp_path, "files", name) == table(tmp_path, "lines", name)


def test_two_folders_of_one_name_are_one_dataset_and_said_to_be(tmp_path: Path, read_in: Ingest) -> None:
    for name in ("one", "two"):
        put(tmp_path / "in" / name / "sessions" / "t.json", session(name))
    summary = read_in(tmp_path / "in")
    assert [dataset.conversations for dataset in summary.datasets] == [2]
    (shared,) = (finding for finding in summary.findings if finding.code == "dataset_name_shared")
    assert shared.artifact == "in/two/sessions" and "--dataset" in shared.detail


def test_a_named_dataset_takes_all_in_and_is_replaced_as_a_whole(tmp_path: Path, read_in: Ingest) -> None:
    first, second = (put(tmp_path / name / "a.json", session(name)) for name in ("one", "two"))
    assert read_in(first, second, dataset="both").datasets[0].conversations == 2
    assert read_in(first, dataset="both").datasets[0].outcome == "replaced"
    assert [row["conversation_id"] for row in table(tmp_path, "both", "conversations")] == ["one"]
    before = fingerprints(tmp_path / "store")
    assert read_in(first, dataset="both").datasets[0].outcome == "unchanged"
    assert fingerprints(tmp_path / "store") == before


def test_a_repeated_session_is_marked_under_another_id_and_left_out_under_its_own(
    tmp_path: Path, read_in: Ingest
) -> None:
    path = put(tmp_path / "d" / "traces.jsonl", session("a"), session("b"), session("a"), session("c", 64))
    summary = read_in(path)
    rows = table(tmp_path, "d", "conversations")
    assert [(row["conversation_id"], row["duplicate_of"]) for row in rows] == [
        ("a", None),
        ("b", "a"),
        ("c", None),
    ]
    said = {(finding.artifact, finding.code) for finding in summary.findings}
    assert said == {
        ("traces.jsonl, line 2", "duplicate_session"),
        ("traces.jsonl, line 3", "trace_repeated"),
    }


def test_what_cannot_be_used_is_refused_by_name_and_costs_only_itself(
    tmp_path: Path, read_in: Ingest
) -> None:
    bad = trace(call(0, [1], -5, 9), id="bad")
    odd = session("odd") | {"colour": "blue"}
    path = put(tmp_path / "d" / "traces.jsonl", session("good"), bad, {"id": "x"}, odd, session("good", 64))
    with path.open("a") as lines:
        lines.write('\n{"id": ')
    summary = read_in(path)
    refused = {(finding.artifact, finding.field) for finding in summary.refused}
    assert refused == {
        ("traces.jsonl, line 2", "requests[0].in"),
        ("traces.jsonl, line 3", "requests, block_size, hash_id_scope"),
        ("traces.jsonl, line 5", "id"),
        ("traces.jsonl, line 6", None),
    }
    assert [f.field for f in summary.findings if f.code == "unknown_field"] == ["colour"]
    assert [row["conversation_id"] for row in table(tmp_path, "d", "conversations")] == ["good", "odd"]


def test_a_description_beside_the_traces_names_source_and_licence(tmp_path: Path, read_in: Ingest) -> None:
    put(tmp_path / "d" / "a.json", session("a"))
    (tmp_path / "d" / "dataset.toml").write_text('name = "Sessions"\nlicence = "Apache-2.0"\nother = 1\n')
    read_in(tmp_path / "d")
    about = json.loads((tmp_path / "store/datasets/d/dataset.json").read_text())
    assert (about["name"], about["licence"], about["conversations"]) == ("Sessions", "Apache-2.0", 1)
    assert "other" not in about


def test_a_check_names_a_damaged_dataset(tmp_path: Path, read_in: Ingest) -> None:
    put(tmp_path / "d" / "traces.jsonl", session("a"), session("b", 64))
    read_in(tmp_path / "d")
    folder = tmp_path / "store/datasets/d"
    rows = pq.read_table(folder / "conversations.parquet")
    pq.write_table(rows.slice(0, 1), folder / "conversations.parquet")
    (folder / "edges.parquet").write_bytes(b"PAR1")
    found = {(finding.artifact.rpartition("/")[2], finding.code) for finding in check(tmp_path / "store")}
    assert {("edges.parquet", "unreadable"), ("dataset.json", "rows")} <= found


def test_the_worked_example_of_the_format_gives_its_cached_prefixes(tmp_path: Path, read_in: Ingest) -> None:
    worked = trace(
        call(0.0, [0, 1, 2, 3], 256, 90, api=3.1, model="large"),
        subagent(
            4.0,
            call(4.2, [4, 5], 128, 40, api=2.0, model="small"),
            call(7.0, [4, 5, 6], 192, 60, api=5.5, model="small"),
        ),
        call(14.0, [0, 1, 2, 3, 7, 8, 9], 448, 120, api=6.0, model="large"),
        id="worked",
    )
    read_in(put(tmp_path / "d" / "a.json", worked))
    rows = sorted(table(tmp_path, "d", "turns"), key=lambda row: row["t_s"])
    told = [(row["cached_prefix_tokens"], row["uncached_tokens"]) for row in rows]
    assert told == [(0, 256), (0, 128), (128, 64), (256, 192)]
    assert [row["t_s"] for row in rows] == [0.0, 4.2, 7.0, 14.0], "inner times count from the root here"
    assert {row["kind"] for row in table(tmp_path, "d", "edges")} == {"spawn", "join"}
