"""The cache of computed views: never stale, never another key's, one computation for many misses."""

from __future__ import annotations

import stat
import tempfile
import threading
import time
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from flask import Flask

from dashboard.caching import ViewCache


@pytest.fixture(params=["memory", "files"])
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> ViewCache:
    return ViewCache(Flask("test"), request.param, tmp_path / "cache")


class Counted:
    """A computation that counts how often it runs."""

    def __init__(self, answer: object = "answer", seconds: float = 0.0) -> None:
        self.runs, self.answer, self.seconds = 0, answer, seconds

    def __call__(self) -> object:
        self.runs += 1
        time.sleep(self.seconds)
        return self.answer


def test_an_answer_is_computed_once_per_key(cache: ViewCache) -> None:
    compute = Counted()
    assert [cache.remember(("curves", "f1", "model=dsv4"), compute) for _ in range(3)] == ["answer"] * 3
    assert compute.runs == 1


def test_another_state_of_the_store_is_another_key(cache: ViewCache) -> None:
    assert cache.remember(("curves", "f1"), lambda: "before") == "before"
    assert cache.remember(("curves", "f2"), lambda: "after") == "after"


@pytest.mark.parametrize("nothing", [None, 0, "", ()])
def test_nothing_is_an_answer_too(cache: ViewCache, nothing: object) -> None:
    compute = Counted(nothing)
    assert [cache.remember(("empty",), compute) for _ in range(2)] == [nothing, nothing]
    assert compute.runs == 1


def test_equal_scalars_are_one_key_in_any_spelling(cache: ViewCache) -> None:
    compute = Counted()
    for one in (1, 1.0, np.int64(1), np.float64(1.0)):
        cache.remember(("point", one, (one, "x")), compute)
    cache.remember(("point", 1, [1, "x"]), compute)
    assert compute.runs == 1


def test_different_scalars_are_different_keys(cache: ViewCache) -> None:
    compute = Counted()
    keys = [
        (1,),
        ("1",),
        (True,),
        (None,),
        ("None",),
        ((1,),),
        (1, 2),
        ((1, 2),),
        (1.5,),
        (date(2026, 8, 1),),
    ]
    keys += [("2026-08-01",), ("a", "b"), ("a,b",), ("a", ("b",))]
    for key in keys:
        cache.remember(key, compute)
    assert compute.runs == len(keys)


@pytest.mark.parametrize("key", [np.array([1, 2]), {"a": 1}, {1}, object(), b"bytes"])
def test_a_key_of_anything_but_scalars_is_refused(cache: ViewCache, key: object) -> None:
    with pytest.raises(TypeError, match="scalars"):
        cache.remember((key,), Counted())


def test_fifty_simultaneous_misses_compute_once(cache: ViewCache) -> None:
    compute, answers = Counted(seconds=0.1), []
    threads = [
        threading.Thread(target=lambda: answers.append(cache.remember(("key",), compute))) for _ in range(50)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (compute.runs, answers) == (1, ["answer"] * 50)


def test_different_keys_do_not_wait_for_each_other(cache: ViewCache) -> None:
    inside, finished = threading.Event(), threading.Event()

    def slow() -> str:
        inside.set()
        assert finished.wait(5)
        return "slow"

    thread = threading.Thread(target=lambda: cache.remember(("slow",), slow))
    thread.start()
    assert inside.wait(5)
    assert cache.remember(("quick",), lambda: "quick") == "quick"
    finished.set()
    thread.join()


def test_a_failed_computation_is_tried_again(cache: ViewCache) -> None:
    with pytest.raises(ZeroDivisionError):
        cache.remember(("key",), lambda: 1 // 0)
    assert cache.remember(("key",), lambda: 1) == 1


def test_changing_an_answer_does_not_change_the_kept_one(cache: ViewCache) -> None:
    cache.remember(("key",), lambda: [1]).append(2)
    assert cache.remember(("key",), list) == [1]


def test_workers_of_one_server_share_files(tmp_path: Path) -> None:
    first, second = (ViewCache(Flask("worker"), "files", tmp_path) for _ in range(2))
    first.remember(("key",), lambda: "computed by the first")
    assert second.remember(("key",), lambda: "computed again") == "computed by the first"


def test_answers_of_another_catalog_are_not_read(tmp_path: Path) -> None:
    catalog = tmp_path / "catalog"
    catalog.mkdir()
    (catalog / "prices.toml").write_text("b300 = 2.26")
    before = ViewCache(Flask("before"), "files", tmp_path / "cache", (catalog,))
    before.remember(("cost",), lambda: 2.26)
    (catalog / "prices.toml").write_text("b300 = 2.5")
    after = ViewCache(Flask("after"), "files", tmp_path / "cache", (catalog,))
    assert after.remember(("cost",), lambda: 2.5) == 2.5


def test_files_lie_where_only_this_user_can_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ViewCache(Flask("test"), "files").remember(("key",), lambda: 1)
    (folder,) = tmp_path.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_others_can_write_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ViewCache(Flask("test"), "files")
    (planted,) = tmp_path.iterdir()
    planted.chmod(0o777)
    before = set(planted.iterdir())
    ViewCache(Flask("test"), "files").remember(("key",), lambda: 1)
    assert set(planted.iterdir()) == before
    assert len(list(tmp_path.iterdir())) == 2


def test_the_number_of_kept_answers_is_bounded(tmp_path: Path) -> None:
    cache = ViewCache(Flask("test"), "files", tmp_path)
    for number in range(520):
        cache.remember((number,), lambda: 0)
    assert len(list(tmp_path.iterdir())) <= 502


def test_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="files or memory"):
        ViewCache(Flask("test"), "redis", tmp_path)


def test_a_step_is_recalled_in_this_process_and_not_shared(tmp_path: Path) -> None:
    first, second = (ViewCache(Flask("worker"), "files", tmp_path) for _ in range(2))
    step = first.recall(("step", 1), object)
    assert first.recall(("step", 1), object) is step
    assert second.recall(("step", 1), object) is not step


def test_only_the_newest_steps_are_kept(cache: ViewCache) -> None:
    compute = Counted()
    for number in (*range(40), 39, 0):
        cache.recall(("step", number), compute)
    assert compute.runs == 41
