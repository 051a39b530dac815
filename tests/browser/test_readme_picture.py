"""The README's picture: the bundled sample as `make run` shows it; `make screenshot` renews it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser

from tests.browser import chart
from tests.browser.visit import Visitor
from tests.serving import serving

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group(__name__)]

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "screenshot.png"
RENEW = "AGENTX_SCREENSHOT"


@pytest.fixture
def sample(browser: Browser, tmp_path: Path) -> Iterator[Visitor]:
    """A reader of the dashboard as `make run` starts it."""
    program = [str(Path(sys.executable).with_name("agentx-dashboard")), "serve"]
    with serving(program, tmp_path) as served:
        visitor = Visitor(browser, served.address)
        yield visitor
        visitor.leave()
        assert not visitor.faults, "\n".join(visitor.faults)


def test_the_picture_is_the_bundled_sample_in_one_screen(sample: Visitor, tmp_path: Path) -> None:
    page = sample.open("/")
    assert len(chart.traces(chart.picture(page), "line")) > 1
    page.wait_for_selector("#curves-table .ag-row")
    assert "SIMULATED" in page.locator("body").inner_text().upper()
    path = PICTURE if os.environ.get(RENEW) else tmp_path / PICTURE.name
    page.screenshot(path=path, animations="disabled", caret="hide")
    assert Image.open(path).size == Image.open(PICTURE).size


def test_the_readme_shows_the_picture() -> None:
    assert PICTURE.is_file()
    assert "](docs/screenshot.png)" in (ROOT / "README.md").read_text()
