"""An ingest killed at any moment: the store opens, earlier points are untouched, the next completes it."""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import time
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dashboard.store import durable
from dashboard.store.check import check
from dashboard.store.connection import Store
from dashboard.store.writer import StoreWriter
from tests import invented
from tests.store.killed_ingest import POINTS, ingest

PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.store.killed_ingest"])


def contents(store: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(store)): path.read_bytes() for path in sorted(store.rglob("*")) if path.is_file()
    }


def start(store: Path, image: str) -> ForkServerProcess:
    """A process of its own that has just begun to ingest."""
    begins = PROCESSES.Event()
    process = PROCESSES.Process(target=ingest, args=(store, image, begins))
    process.start()
    assert begins.wait(60)
    return process


def ended(process: ForkServerProcess) -> bool:
    process.join(60)
    return process.exitcode == 0


def images(store: Path) -> set[str]:
    return set(pq.ParquetFile(store / "points.parquet").read(columns=["image"])["image"].to_pylist())


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store as an earlier ingest left it."""
    store = tmp_path_factory.mktemp("before") / "store"
    ingest(store, "image:1")
    return store


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory, before: Path) -> dict[str, bytes]:
    """What the store holds once the second ingest has come to its end."""
    store = tmp_path_factory.mktemp("after") / "store"
    shutil.copytree(before, store)
    ingest(store, "image:2")
    return contents(store)


def kill_and_resume(store: Path, before: Path, after: dict[str, bytes], seconds: float) -> str:
    """Kill a second ingest after a while, look at what readers see, finish; says what the kill left."""
    shutil.copytree(before, store)
    process = start(store, "image:2")
    time.sleep(seconds)
    process.kill()
    process.join()
    assert Store(store).info().points == len(POINTS)
    seen = images(store)
    assert seen in ({"image:1"}, {"image:2"})
    if not list(store.glob(".ingest-*/commit.json")) and seen == {"image:1"}:
        untouched = {name: content for name, content in contents(store).items() if not name.startswith(".")}
        assert untouched == contents(before)
    ingest(store, "image:2")
    assert contents(store) == after
    assert check(store) == ()
    shutil.rmtree(store)
    return seen.pop()


def test_a_kill_at_random_moments_costs_nothing(
    tmp_path: Path, before: Path, after: dict[str, bytes]
) -> None:
    moments = random.Random(1)
    for round_ in range(3):
        kill_and_resume(tmp_path / f"store-{round_}", before, after, moments.uniform(0.0, 0.4))


@pytest.mark.slow
def test_a_hundred_kills_cost_nothing(tmp_path: Path, before: Path, after: dict[str, bytes]) -> None:
    moments, longest, left = random.Random(2), 0.2, set()
    for round_ in range(100):
        seen = kill_and_resume(tmp_path / f"store-{round_}", before, after, moments.uniform(0.0, longest))
        longest *= 1.1 if seen == "image:1" else 0.9  # so that the moments gather around the publication
        left.add(seen)
    assert left == {"image:1", "image:2"}


class KilledError(BaseException):
    """Stands for the kill in a step-by-step test: nothing after it runs, not even clean-up."""


def die_at(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the `count`-th rename of the next publication be the last thing that happens."""
    renames = 0
    rename = Path.replace

    def counted(self: Path, target: Path) -> Path:
        nonlocal renames
        renames += 1
        if renames > count:
            raise KilledError
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", counted)
    monkeypatch.setattr(shutil, "rmtree", _killed)


def _killed(*_: object, **__: object) -> None:
    raise KilledError


def renames_of_one_publication(store: Path, before: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    count = 0
    rename = Path.replace

    def counted(self: Path, target: Path) -> Path:
        nonlocal count
        count += 1
        return rename(self, target)

    shutil.copytree(before, store)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", counted)
        ingest(store, "image:2")
    return count


def test_a_kill_between_any_two_renames_is_finished_by_the_next_ingest(
    tmp_path: Path, before: Path, after: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    total = renames_of_one_publication(tmp_path / "counted", before, monkeypatch)
    assert total > len(POINTS)
    for count in (0, 1, 2, total // 2, total - 1, total):
        store = tmp_path / f"store-{count}"
        shutil.copytree(before, store)
        with monkeypatch.context() as patched:
            die_at(count, patched)
            with pytest.raises(KilledError):
                ingest(store, "image:2")
        assert images(store) == ({"image:2"} if count >= total else {"image:1"})
        with StoreWriter(store, "0.0.0-test"):
            pass
        committed = count > 0
        assert images(store) == ({"image:2"} if committed else {"image:1"})
        assert contents(store) == (after if committed else contents(before))


def test_what_a_kill_left_does_not_undo_a_later_ingest(
    tmp_path: Path, before: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index that the killed ingest staged is older than what was published since, and is not used."""
    store = tmp_path / "store"
    shutil.copytree(before, store)
    with monkeypatch.context() as patched:
        die_at(5, patched)
        with pytest.raises(KilledError):
            ingest(store, "image:2")
    extra = invented.point(invented.Stack("glm5.2", "h200", "vllm", "fp8"), 8)
    monkeypatch.setattr("dashboard.store.writer.recover", lambda layout: None)
    with StoreWriter(store, "0.0.0-test") as writer:
        writer.put(extra)
    monkeypatch.undo()
    with StoreWriter(store, "0.0.0-test"):
        pass
    assert Store(store).info().points == len(POINTS) + 1
    assert check(store) == ()


def test_a_running_ingest_is_left_alone(tmp_path: Path) -> None:
    store = tmp_path / "store"
    point, other = invented.points()[:2]
    with StoreWriter(store, "0.0.0-test") as running:
        running.put(point)
        with StoreWriter(store, "0.0.0-test") as second:
            second.put(other)
        assert [finding.code for finding in check(store)] == ["ingest_running"]
    assert Store(store).info().points == 2
    assert check(store) == ()


def test_a_kill_leaves_a_leftover_that_check_names(
    tmp_path: Path, before: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store"
    shutil.copytree(before, store)
    with monkeypatch.context() as patched:
        die_at(0, patched)
        with pytest.raises(KilledError):
            ingest(store, "image:2")
    assert {finding.code for finding in check(store)} <= {"ingest_killed", "temporary_file"}
    assert "ingest_killed" in {finding.code for finding in check(store)}


def test_ingests_at_the_same_time_all_arrive(tmp_path: Path) -> None:
    store = tmp_path / "store"
    processes = [start(store, "image:1") for _ in range(3)]
    assert all(ended(process) for process in processes)
    assert Store(store).info().points == len(POINTS)
    assert images(store) == {"image:1"}
    assert check(store) == ()
    assert not list(store.glob(".*"))


def test_two_ingests_of_different_points_lose_none(tmp_path: Path) -> None:
    store = tmp_path / "store"
    process = start(store, "image:1")
    stack = invented.Stack("glm5.2", "h200", "vllm", "fp8")
    for level in (8, 16, 32):
        with StoreWriter(store, "0.0.0-test") as writer:
            writer.put(invented.point(stack, level))
    assert ended(process)
    assert Store(store).info().points == len(POINTS) + 3
    assert check(store) == ()


def test_the_lock_of_a_dead_process_is_free(tmp_path: Path) -> None:
    handle = durable.hold(tmp_path)
    assert durable.is_held(tmp_path)
    os.close(handle)
    assert not durable.is_held(tmp_path)
