"""How a store is opened: late, locked, in one state at a time; if not at all, with a sentence for people."""

from __future__ import annotations

import multiprocessing
import random
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dashboard.domain.choice import Choice
from dashboard.store import points
from dashboard.store.connection import Store, StoreError
from dashboard.store.writer import StoreWriter
from tests import invented


@pytest.fixture(scope="module")
def opened(tiny_store: Path) -> Store:
    return Store(tiny_store)


def write(store: Path, *stored: object) -> None:
    with StoreWriter(store, "0.0.0-test") as writer:
        for point in stored:
            writer.put(point)


def test_nothing_is_opened_before_the_first_question(tmp_path: Path) -> None:
    store = Store(tmp_path / "later")
    write(tmp_path / "later", invented.points()[0])
    assert store.info().points == 1


def test_info_describes_the_store(tiny_store: Path) -> None:
    info = Store(tiny_store).info()
    every = invented.points()
    assert (info.name, info.points, info.product_version) == ("store", len(every), "0.0.0-test")
    assert info.newest_run_date == date(2026, 8, 12)
    assert info.sources == ("aiperf", "inferencex")
    assert (info.unofficial, info.simulated) == (sum(not p.official for p in every), 0)
    assert info.created_at is not None and info.created_at.tzinfo is not None


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.mkdir()])
def test_an_absent_or_empty_folder_is_a_store_without_points(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "store")
    info = Store(tmp_path / "store").info()
    assert (info.points, info.newest_run_date, info.created_at, info.sources) == (0, None, None, ())


def test_a_store_that_is_filled_later_is_noticed(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    assert store.info().points == 0
    before = store.fingerprint()
    write(tmp_path / "store", invented.points()[0])
    assert store.info().points == 1
    assert store.fingerprint() != before


def test_an_ingest_that_adds_nothing_leaves_the_fingerprint(tmp_path: Path) -> None:
    write(tmp_path, *invented.points()[:3])
    store = Store(tmp_path)
    before = store.fingerprint()
    write(tmp_path, *invented.points()[:3])
    assert store.fingerprint() == before == Store(tmp_path).fingerprint()


def test_a_folder_of_something_else_is_named(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("dear reader")
    with pytest.raises(StoreError, match=r"not a store.*store\.json"):
        Store(tmp_path).info()


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"\0" * 1000 + b"PAR1"])
def test_a_damaged_index_is_named_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    write(tmp_path, invented.points()[0])
    (tmp_path / "points.parquet").write_bytes(content)
    with pytest.raises(StoreError, match=r"points\.parquet cannot be read.*ingest"):
        Store(tmp_path).info()


def test_an_index_cut_anywhere_is_named(tmp_path: Path) -> None:
    write(tmp_path, *invented.points()[:4])
    index = tmp_path / "points.parquet"
    whole = index.read_bytes()
    for percent in range(0, 100, 10):
        index.write_bytes(whole[: len(whole) * percent // 100])
        with pytest.raises(StoreError, match="cannot be read"):
            Store(tmp_path).info()


def test_a_flipped_byte_is_noticed_or_harmless(tmp_path: Path) -> None:
    """Wherever one byte of the index changes, the store says so or holds the very same rows."""
    write(tmp_path, *invented.points()[:4])
    index = tmp_path / "points.parquet"
    whole, everything = index.read_bytes(), "SELECT * FROM points ORDER BY point_id"
    rows = Store(tmp_path).ask(everything)
    places, noticed = random.Random(3), 0
    for _ in range(60):
        damaged = bytearray(whole)
        damaged[places.randrange(len(whole))] ^= 1 << places.randrange(8)
        index.write_bytes(damaged)
        try:
            assert Store(tmp_path).ask(everything).equals(rows)
        except StoreError:
            noticed += 1
    assert noticed > 10


def test_an_index_of_other_columns_is_named(tmp_path: Path) -> None:
    write(tmp_path, invented.points()[0])
    pq.write_table(pa.table({"model": ["dsv4"]}), tmp_path / "points.parquet")
    with pytest.raises(StoreError, match="other columns"):
        Store(tmp_path).info()


def test_the_last_good_state_stays_when_a_bad_one_follows(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path, *invented.points()[:3])
    store = Store(tmp_path)
    before = store.fingerprint()
    (tmp_path / "points.parquet").write_bytes(b"PAR1 but no more")
    assert (store.info().points, store.fingerprint()) == (3, before)
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    (tmp_path / "points.parquet").unlink()
    write(tmp_path, *invented.points()[:4])
    assert store.info().points == 4


OUTSIDE = [
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_parquet('{store}/points.parquet')",
    "SELECT * FROM '{store}/../store/points.parquet'",
    "SELECT * FROM glob('/*')",
    "COPY points TO '{store}/copy.parquet'",
    "COPY points FROM '{store}/points.parquet'",
    "EXPORT DATABASE '{store}/export'",
    "ATTACH '{store}/other.duckdb'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SELECT getenv('HOME')",
    "SET memory_limit = '100GB'",
    "SET enable_external_access = true",
    "SET allowed_directories = ['/']",
    "SET lock_configuration = false",
    "SELECT * FROM a_python_variable",
    "CREATE SECRET (TYPE s3)",
]


@pytest.mark.parametrize("sql", OUTSIDE)
def test_no_statement_reaches_beyond_memory(tiny_store: Path, opened: Store, sql: str) -> None:
    a_python_variable = pa.table({"secret": [1]})
    before = sorted(tiny_store.rglob("*"))
    with pytest.raises(duckdb.Error):
        opened.ask(sql.format(store=tiny_store))
    assert sorted(tiny_store.rglob("*")) == before
    assert a_python_variable.num_rows == 1


def test_reading_changes_nothing_in_the_store(tmp_path: Path) -> None:
    write(tmp_path, *invented.points()[:8])
    before = {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in tmp_path.rglob("*")}
    store = Store(tmp_path)
    points.facets(store, Choice())
    points.rows(store, Choice(), ["point_id"])
    assert {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in tmp_path.rglob("*")} == before


ENDLESS = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range % 7 = b.range % 11"


def test_a_question_that_takes_too_long_is_stopped(tiny_store: Path) -> None:
    store = Store(tiny_store, deadline_s=0.2)
    began = time.monotonic()
    with pytest.raises(StoreError, match=r"longer than 0\.2 s"):
        store.ask(ENDLESS)
    assert time.monotonic() - began < 5
    assert store.ask("SELECT count(*) AS n FROM points").to_pylist() == [{"n": 60}]


def test_an_answer_beyond_the_memory_limit_is_said_plainly(tiny_store: Path) -> None:
    store = Store(tiny_store, memory_limit="60MB")
    with pytest.raises(StoreError, match="memory limit of 60MB"):
        store.ask("SELECT list(range) FROM range(50000000)")
    assert store.info().points == 60


def test_many_threads_ask_at_once(tiny_store: Path) -> None:
    store, failures = Store(tiny_store), []

    def ask() -> None:
        try:
            for _ in range(10):
                assert len(points.rows(store, Choice("dsv4", "agentic"), ["point_id"])["point_id"]) == 38
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def _ask_in_child(store: Store, answers: multiprocessing.Queue[int]) -> None:
    answers.put(store.info().points + len(points.rows(store, Choice(), ["point_id"])["point_id"]))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_store_used_before_a_fork_works_after_it(tiny_store: Path) -> None:
    store = Store(tiny_store)
    assert store.info().points == 60
    context = multiprocessing.get_context("fork")
    answers: multiprocessing.Queue[int] = context.Queue()
    child = context.Process(target=_ask_in_child, args=(store, answers))
    child.start()
    try:
        assert answers.get(timeout=30) == 60 + 38
    finally:
        child.kill()
        child.join()


def numbered(generation: int) -> list[object]:
    """The same three points, all marked with one number."""
    return [replace(point, image=f"image:{generation}") for point in invented.points()[:3]]


def test_a_reader_never_sees_two_states_in_one_block(tmp_path: Path) -> None:
    """Readers ask while the index is replaced again and again; each block of questions sees one state."""
    write(tmp_path, *numbered(0))
    store, stop, failures, seen = Store(tmp_path), threading.Event(), [], set()

    def read() -> None:
        while not stop.is_set():
            try:
                with store.reading() as fingerprint:
                    first = set(points.rows(store, Choice("dsv4", "agentic"), ["image"])["image"])
                    second = {points.one(store, p.point_id)["image"] for p in invented.points()[:3]}
                    assert store.fingerprint() == fingerprint
                assert first == second and len(first) == 1
                seen.add((fingerprint, *first))
            except Exception as error:
                failures.append(error)
                return

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for generation in range(1, 6):
        write(tmp_path, *numbered(generation))
    time.sleep(0.2)
    stop.set()
    for reader in readers:
        reader.join()
    assert failures == []
    assert len({fingerprint for fingerprint, _ in seen}) == len({image for _, image in seen}) > 1
    assert points.one(store, invented.points()[0].point_id)["image"] == "image:5"


def test_a_store_made_read_only_can_be_read(tmp_path: Path) -> None:
    write(tmp_path, invented.points()[0])
    for path in (*tmp_path.rglob("*"), tmp_path):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert Store(tmp_path).info().points == 1
    finally:
        for path in (tmp_path, *tmp_path.rglob("*")):
            path.chmod(0o755)


def test_a_pinned_state_does_not_leak_into_another_thread(tmp_path: Path) -> None:
    write(tmp_path, *numbered(0))
    store, other = Store(tmp_path), []
    with store.reading() as before:
        write(tmp_path, *numbered(1))
        thread = threading.Thread(target=lambda: other.append(store.fingerprint()))
        thread.start()
        thread.join()
        assert store.fingerprint() == before != other[0]
    assert store.fingerprint() == other[0]
