"""What an ingest may rely on: whole or nothing, the same bytes for the same artifacts, and nothing lost."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dashboard.domain.records import Distribution, Finding, Point
from dashboard.store.layout import StoreError
from dashboard.store.schema import ISSUES, POINTS, REQUESTS, point_row
from dashboard.store.writer import StoreWriter, load_point, read_point
from tests import invented


def ingest(
    store: Path, *points: Point, requests: pa.Table | None = None, findings: list[Finding] | None = None
) -> list[str]:
    with StoreWriter(store, "0.0.0-test") as writer:
        outcomes = [writer.put(point, requests) for point in points]
        writer.findings(findings or [])
    return outcomes


def contents(store: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(store)): path.read_bytes() for path in sorted(store.rglob("*")) if path.is_file()
    }


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


POINTS_OF_TEST = invented.points()


def test_a_stored_point_reads_back_as_it_was(store: Path) -> None:
    ingest(store, *POINTS_OF_TEST[:3])
    for point in POINTS_OF_TEST[:3]:
        assert load_point(store, point.point_id) == point
        assert read_point(store, point.point_id) == point_row(point)


def test_a_figure_that_is_not_finite_is_stored_as_missing(store: Path) -> None:
    odd = Distribution(mean=float("nan"), p50=float("inf"), p90=0.0, n=3)
    point = replace(POINTS_OF_TEST[0], statistics={"ttft_s": odd}, scalars={"tput_total": float("-inf")})
    ingest(store, point)
    stored = load_point(store, point.point_id)
    assert stored.statistics == {"ttft_s": Distribution(p90=0.0, n=3)}
    assert stored.scalars == {}


def test_an_unknown_or_malformed_id_names_no_point(store: Path) -> None:
    ingest(store, POINTS_OF_TEST[0])
    for name in ("0123456789", "../points", "", "0123456789/../" + POINTS_OF_TEST[0].point_id):
        assert read_point(store, name) is None


def test_the_index_holds_every_row_of_points(tiny_store: Path) -> None:
    index = pq.read_table(tiny_store / "points.parquet")
    assert index.schema.remove_metadata().equals(POINTS)
    rows = {row["point_id"]: row for row in index.to_pylist()}
    parts = [pq.ParquetFile(path).read() for path in (tiny_store / "points").glob("*.parquet")]
    assert all(part.schema.equals(POINTS) for part in parts)
    assert rows == {part["point_id"][0].as_py(): part.to_pylist()[0] for part in parts}
    assert len(rows) == 60


def test_ingesting_twice_leaves_byte_equal_files(store: Path) -> None:
    requests = invented.requests(POINTS_OF_TEST[0])
    first = ingest(store, POINTS_OF_TEST[0], requests=requests, findings=invented.findings())
    before = contents(store)
    second = ingest(store, POINTS_OF_TEST[0], requests=requests, findings=invented.findings())
    assert (first, second) == (["added"], ["unchanged"])
    assert contents(store) == before


def test_the_order_and_the_grouping_of_ingests_leave_no_trace(tmp_path: Path) -> None:
    points = POINTS_OF_TEST[:12]
    ingest(tmp_path / "at-once", *points)
    for point in reversed(points):
        ingest(tmp_path / "one-by-one", point)
    at_once, one_by_one = contents(tmp_path / "at-once"), contents(tmp_path / "one-by-one")
    del at_once["store.json"], one_by_one["store.json"]
    assert at_once == one_by_one


def test_a_changed_point_replaces_only_itself(store: Path) -> None:
    ingest(store, *POINTS_OF_TEST[:4])
    before = contents(store)
    changed = replace(POINTS_OF_TEST[2], image="example/vllm:v10")
    assert ingest(store, changed) == ["replaced"]
    after = contents(store)
    different = {name for name in after if after[name] != before.get(name)}
    assert different == {"points.parquet", f"points/{changed.point_id}.parquet"}
    assert load_point(store, changed.point_id) == changed


def test_the_last_of_several_versions_in_one_ingest_counts(store: Path) -> None:
    first, last = (replace(POINTS_OF_TEST[0], image=image) for image in ("example:1", "example:2"))
    assert ingest(store, first, last) == ["added", "replaced"]
    index = pq.read_table(store / "points.parquet")
    assert index["image"].to_pylist() == ["example:2"]


def test_points_of_earlier_ingests_stay(store: Path) -> None:
    ingest(store, *POINTS_OF_TEST[:5])
    ingest(store, *POINTS_OF_TEST[5:9])
    index = pq.read_table(store / "points.parquet")
    assert set(index["point_id"].to_pylist()) == {point.point_id for point in POINTS_OF_TEST[:9]}


def test_requests_are_sorted_by_start_and_typed(store: Path) -> None:
    point = POINTS_OF_TEST[0]
    shuffled = invented.requests(point).take(list(range(239, -1, -1)))
    ingest(store, point, requests=shuffled)
    stored = pq.ParquetFile(store / "requests" / f"{point.point_id}.parquet").read()
    assert stored.schema.equals(REQUESTS)
    assert stored.equals(invented.requests(point))


def test_requests_survive_a_row_that_comes_without_them(store: Path) -> None:
    point = POINTS_OF_TEST[0]
    ingest(store, point, requests=invented.requests(point))
    assert ingest(store, replace(point, image="later:1", has_requests=False)) == ["replaced"]
    assert (store / "requests" / f"{point.point_id}.parquet").exists()
    assert load_point(store, point.point_id).has_requests


def test_has_requests_never_promises_what_is_not_stored(store: Path) -> None:
    ingest(store, replace(POINTS_OF_TEST[0], has_requests=True))
    assert load_point(store, POINTS_OF_TEST[0].point_id).has_requests is False


def test_new_requests_of_an_unchanged_row_count_as_a_replacement(store: Path) -> None:
    point = POINTS_OF_TEST[0]
    ingest(store, point, requests=invented.requests(point))
    assert ingest(store, point, requests=invented.requests(point, 241)) == ["replaced"]


def test_requests_of_other_columns_are_refused(store: Path) -> None:
    with pytest.raises(ValueError, match="columns"):
        ingest(store, POINTS_OF_TEST[0], requests=pa.table({"ttft_s": [0.1]}))
    assert not (store / "points.parquet").exists()


def test_findings_are_kept_once_per_ingest(store: Path) -> None:
    ingest(store, findings=invented.findings())
    ingest(store, findings=list(reversed(invented.findings())))
    (path,) = (store / "issues").iterdir()
    stored = pq.ParquetFile(path).read()
    assert stored.schema.equals(ISSUES)
    assert {row["detail"] for row in stored.to_pylist()} == {
        finding.detail for finding in invented.findings()
    }
    assert set(stored["ingest_id"].to_pylist()) == {path.stem}


def test_an_ingest_that_fails_leaves_the_store_as_it_was(store: Path) -> None:
    ingest(store, POINTS_OF_TEST[0])
    before = contents(store)
    with pytest.raises(RuntimeError), StoreWriter(store, "0.0.0-test") as writer:
        writer.put(POINTS_OF_TEST[1], invented.requests(POINTS_OF_TEST[1]))
        writer.findings(invented.findings())
        raise RuntimeError("the reader broke off")
    assert contents(store) == before
    assert not list(store.glob(".ingest-*"))


def test_a_point_is_invisible_until_its_ingest_ends(store: Path) -> None:
    ingest(store, POINTS_OF_TEST[0])
    with StoreWriter(store, "0.0.0-test") as writer:
        writer.put(POINTS_OF_TEST[1])
        assert pq.read_table(store / "points.parquet").num_rows == 1
        assert read_point(store, POINTS_OF_TEST[1].point_id) is None
    assert pq.read_table(store / "points.parquet").num_rows == 2


def test_a_lost_or_damaged_index_is_built_anew_from_its_parts(store: Path) -> None:
    ingest(store, *POINTS_OF_TEST[:5])
    index = store / "points.parquet"
    whole = index.read_bytes()
    for damage in (
        lambda: index.unlink(),
        lambda: index.write_bytes(b"PAR1 not"),
        lambda: index.write_bytes(whole[:-9]),
    ):
        damage()
        ingest(store, POINTS_OF_TEST[0])
        assert index.read_bytes() == whole


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("dear reader")
    with pytest.raises(StoreError, match=r"not a store.*store\.json"), StoreWriter(tmp_path, "0"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["letters.txt"]


MANIFEST = {"format": "agentx-store", "format_version": 1, "created_at": "2026-08-01", "product_version": "0"}


@pytest.mark.parametrize(
    ("manifest", "sentence"),
    [
        (json.dumps(MANIFEST | {"format_version": 99}), "format_version is 99"),
        (json.dumps(MANIFEST | {"format": "other"}), "format is 'other'"),
        (json.dumps(MANIFEST | {"created_at": "yesterday"}), "damaged"),
        (json.dumps(MANIFEST)[:-1], "damaged"),
        ("[]", "damaged"),
        ("[" * 100_000, "damaged"),
    ],
)
def test_a_store_of_another_format_is_refused_with_the_reason(
    store: Path, manifest: str, sentence: str
) -> None:
    store.mkdir()
    (store / "store.json").write_text(manifest)
    with pytest.raises(StoreError, match=sentence), StoreWriter(store, "0"):
        pass


def test_a_store_on_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"), StoreWriter(tmp_path / "file", "0"):
        pass


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_store_is_refused_with_the_place(store: Path) -> None:
    ingest(store, POINTS_OF_TEST[0])
    store.chmod(0o555)
    try:
        with pytest.raises(StoreError, match="cannot be written"):
            ingest(store, POINTS_OF_TEST[1])
    finally:
        store.chmod(0o755)


def test_a_full_disk_is_said_plainly_and_changes_nothing(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(store, POINTS_OF_TEST[0])
    before = contents(store)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(StoreError, match="No space left on device"):
            ingest(store, POINTS_OF_TEST[1])
    assert contents(store) == before
