"""No figure of the bundled sample passes for a measurement: wherever it is shown, it says so."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from playwright.sync_api import Page

from tests.browser import chart
from tests.browser.visit import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group(__name__)]


@pytest.fixture
def visitor(sample_visitor: Visitor) -> Visitor:
    return sample_visitor


def downloaded(page: Page, name: str, folder: Path) -> Path:
    with page.expect_download() as started:
        page.locator("#curves-export").get_by_text(name, exact=True).click()
    path = folder / started.value.suggested_filename
    started.value.save_as(path)
    return path


def test_header_title_chart_tip_and_every_export_of_curves_say_simulated(
    visitor: Visitor, tmp_path: Path
) -> None:
    page = visitor.open("/")
    drawn = chart.picture(page)
    assert "SIMULATED" in page.title()
    assert "SIMULATED" in page.locator("header").first.inner_text()
    assert "simulated" in " ".join(drawn["words"]).lower()
    x, y, _ = next(iter(chart.centres(page).values()))
    page.mouse.move(x - 30, y - 30)
    page.mouse.move(x, y)
    assert "simulated" in chart.tip(page).lower()
    words = re.sub(r"<[^>]+>", " ", downloaded(page, "SVG", tmp_path).read_text())
    assert "simulated" in words.lower()
    rows = list(csv.DictReader(io.StringIO(downloaded(page, "CSV", tmp_path).read_text("utf-8-sig"))))
    assert {row["source"] for row in rows} == {"simulated"}
    assert set(pq.read_table(downloaded(page, "Parquet", tmp_path))["source"].to_pylist()) == {"simulated"}
    page.wait_for_selector("#curves-table .ag-row")
    assert "simulated" in page.locator("#curves-table").inner_text().lower()


@pytest.mark.parametrize("path", ["/point/fa4710118f", "/point/fa4710118f/timeline", "/datasets"])
def test_the_other_pages_say_so_too(visitor: Visitor, path: str) -> None:
    page = visitor.open(path)
    page.wait_for_selector("main h1")
    assert "SIMULATED" in page.locator("main").inner_text()
    assert path == "/datasets" or "SIMULATED" in page.title()
