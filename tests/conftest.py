"""Fixtures of every room: the shared real inputs, the catalog, a small store of invented points, Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, sync_playwright

from dashboard.domain.catalog import Catalog, load_catalog
from dashboard.store.writer import StoreWriter
from tests import invented
from tests.browser.ensure_chromium import ADVICE, find_chromium

ROOT = Path(__file__).parent.parent

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# How long an example takes depends on what else the machine does; a slow machine is no failure.
settings.register_profile("steady", deadline=None)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real artifacts and specifications beside the checkout."""
    folder = ROOT.parent / "shared"
    if not (folder / "real-data").is_dir():
        pytest.skip(f"the shared real inputs are absent: no {folder.name}/real-data beside the checkout")
    return folder


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load_catalog(ROOT / "data" / "catalog")


@pytest.fixture(scope="session")
def tiny_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the 60 points of `tests.invented`, four with requests; read it, never write to it."""
    folder = tmp_path_factory.mktemp("tiny") / "store"
    with StoreWriter(folder, product_version="0.0.0-test") as writer:
        for point in invented.points():
            writer.put(point, invented.requests(point) if point.has_requests else None)
        writer.findings(invented.findings())
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The one Chromium of a test process: Playwright starts once in each."""
    executable = find_chromium()
    if executable is None:
        pytest.skip(ADVICE)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        yield running
        running.close()
