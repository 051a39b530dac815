"""One server for all browser tests; a fresh context, watched for faults, for each page."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from dashboard.resources import sample_store_dir
from tests.browser import many_stacks
from tests.browser.visit import Visitor
from tests.serving import Served, serving


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of `many_stacks`: every kind of point that the pages must tell apart."""
    folder = tmp_path_factory.mktemp("browser") / "store"
    many_stacks.write(folder)
    return folder


@pytest.fixture(scope="session")
def server(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    program = [str(Path(sys.executable).with_name("agentx-dashboard")), "serve", "--store", str(store)]
    with serving(program, tmp_path_factory.mktemp("server")) as served:
        yield served


@pytest.fixture(scope="session")
def sample_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The bundled sample, as `serve` shows it where no store is named."""
    program = [str(Path(sys.executable).with_name("agentx-dashboard")), "serve"]
    command = [*program, "--store", str(sample_store_dir())]
    with serving(command, tmp_path_factory.mktemp("sample-server")) as served:
        yield served


def watched(browser: Browser, server: Served) -> Iterator[Visitor]:
    """Opens pages; at the end nothing may have gone wrong on any of them, nor in the server's log."""
    said = server.log.stat().st_size
    visitor = Visitor(browser, server.address)
    yield visitor
    visitor.leave()
    trouble = server.log.read_bytes()[said:].decode(errors="replace")
    assert not visitor.faults, "\n".join([*visitor.faults, trouble])
    assert "Traceback" not in trouble, trouble


@pytest.fixture
def visitor(browser: Browser, server: Served) -> Iterator[Visitor]:
    """A visitor of one test."""
    yield from watched(browser, server)


@pytest.fixture
def sample_visitor(browser: Browser, sample_server: Served) -> Iterator[Visitor]:
    """A visitor of one test to the bundled sample."""
    yield from watched(browser, sample_server)


@pytest.fixture(scope="module")
def resident(browser: Browser, server: Served) -> Iterator[Visitor]:
    """A visitor of one module: tests that only look share its pages, as a visit costs seconds."""
    yield from watched(browser, server)


@pytest.fixture(scope="session")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where screenshots and exports are left: the folder of AGENTX_ARTIFACTS, else a temporary one."""
    named = os.environ.get("AGENTX_ARTIFACTS")
    folder = Path(named) if named else tmp_path_factory.mktemp("artifacts")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
