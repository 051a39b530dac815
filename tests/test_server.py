"""The web server: forks before anything is opened, writes nowhere, ends when told."""

from __future__ import annotations

import os
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from gunicorn.config import Config

from dashboard import server
from dashboard.settings import Settings
from tests.serving import clean_environment, serving


def test_gunicorn_knows_every_option_and_loads_nothing_before_the_fork() -> None:
    known = Config()
    for name, value in server._gunicorn_options(Settings(host="::1", port=8050), workers=3).items():
        known.set(name, value)
    assert (known.workers, known.worker_class_str, known.preload_app) == (3, "gthread", False)
    assert known.address == [("::1", 8050)]


def test_an_address_that_is_not_ours_is_told_in_a_sentence() -> None:
    with pytest.raises(server.AddressError, match=r"Cannot listen on 203\.0\.113\.1 port 8050: .*--host"):
        server.check_address(Settings(host="203.0.113.1"))
    with pytest.raises(server.AddressError, match="Cannot listen on no such host"):
        server.check_address(Settings(host="no such host"))


def test_serving_writes_nothing_at_home_or_in_the_current_folder(tmp_path: Path, tiny_store: Path) -> None:
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    before = {path: path.stat().st_mtime_ns for path in tiny_store.rglob("*")}
    program = [sys.executable, "-m", "dashboard.cli", "serve", "--store", str(tiny_store), "--workers", "2"]
    with serving(program, here, clean_environment(HOME=str(home))) as served:
        with urllib.request.urlopen(f"{served.address}/", timeout=30) as page:
            assert page.status == 200
        pid = served.pid
    assert list(home.iterdir()) == []
    assert [path.name for path in here.iterdir()] == ["server.log"]
    assert {path: path.stat().st_mtime_ns for path in tiny_store.rglob("*")} == before
    assert _is_gone(pid)


def _is_gone(pid: int) -> bool:
    for _ in range(50):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False
