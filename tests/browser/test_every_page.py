"""What holds for every page: sound, accessible, legible at every width, light and dark."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser import chart, many_stacks
from tests.browser.visit import DESKTOP, PHONE, Theme, Visitor

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group(__name__)]

POINT = next(point for point in many_stacks.points() if point.has_requests)
PINNED = next(point for point in many_stacks.points() if point.offload == "dram")
#: Every page, with the selector of its chart where it has one.
PAGES: Mapping[str, tuple[str, str | None]] = {
    "curves": ("/", chart.GRAPH),
    "curves-pinned": (f"/?pin={PINNED.point_id}", chart.GRAPH),
    "curves-nothing-left": ("/?precision=int4", None),
    "point": (f"/point/{POINT.point_id}", None),
    "timeline": (f"/point/{POINT.point_id}/timeline", None),
    "datasets-none": ("/datasets", None),
    "config": (f"/config/{POINT.config_id}", "#config-graph .js-plotly-plot"),
    "method": ("/method", None),
    "not-found": ("/point/0000000000", None),
}
THEMES: tuple[Theme, ...] = ("light", "dark")
#: Widths (px) at which nothing may stick out at the side.
WIDTHS = (3840, 2560, 1440, 1100, 768, 360)


def show(visitor: Visitor, name: str, size: tuple[int, int] = DESKTOP, theme: Theme = "light") -> Page:
    """The page, at rest."""
    path, graph = PAGES[name]
    visitor.expected.add(404)
    page = visitor.open(path, size, theme)
    page.wait_for_selector("main h1", state="attached")
    if graph:
        chart.settle(page, graph)
    for part in ("#instrument", "#timeline"):
        if page.locator(part).count():
            page.wait_for_selector(f"{part}[data-ready]")
    if name.startswith("curves") and size == DESKTOP:
        page.wait_for_selector("#curves-table .ag-header-cell", state="attached")
    page.wait_for_load_state("networkidle")
    return page


def leave_picture(page: Page, folder: Path, name: str) -> None:
    """A screenshot of the whole page, for a person to look at."""
    path = folder / f"{name}.png"
    page.screenshot(path=path, full_page=True, animations="disabled", caret="hide")
    assert path.stat().st_size > 5_000


def serious_findings(page: Page) -> list[str]:
    """What axe finds that keeps somebody from using the page."""
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in Axe().run(page).response["violations"]
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_sound_and_accessible_and_fits_every_width(
    visitor: Visitor, artifacts: Path, name: str, theme: Theme
) -> None:
    page = show(visitor, name, theme=theme)
    leave_picture(page, artifacts, f"{name}-{DESKTOP[0]}-{theme}")
    html = page.locator("html")
    assert (html.get_attribute("lang"), html.get_attribute("data-bs-theme")) == ("en", theme)
    assert (page.locator("main").count(), page.locator("h1").count()) == (1, 1)
    assert "agentx" in page.title()
    findings = serious_findings(page)
    assert not findings, "\n".join(findings)
    for width in WIDTHS if theme == "light" else ():
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(60)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} at {width} px"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_a_phone(visitor: Visitor, artifacts: Path, name: str) -> None:
    page = show(visitor, name, PHONE, "dark")
    leave_picture(page, artifacts, f"{name}-{PHONE[0]}-dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    findings = serious_findings(page)
    assert not findings, "\n".join(findings)


def test_a_page_prints_its_chart_and_no_controls(visitor: Visitor, artifacts: Path) -> None:
    page = show(visitor, "curves")
    page.emulate_media(media="print")
    assert page.locator("#curves-graph").is_visible()
    assert not page.locator("#curves-filters").is_visible()
    page.pdf(path=artifacts / "curves.pdf")
