"""What holds for every page: sound, accessible, legible at every width, light and dark."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser import chart, many_stacks
from tests.browser.visit import DESKTOP, PHONE, Theme, Visitor

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

POINT = next(point for point in many_stacks.points() if point.has_requests)
PINNED = next(point for point in many_stacks.points() if point.offload == "dram")
#: Every page, with the selector of its chart where it has one.
PAGES: Mapping[str, tuple[str, str | None]] = {
    "curves": ("/", chart.GRAPH),
    "curves-pinned": (f"/?pin={PINNED.point_id}", chart.GRAPH),
    "curves-nothing-left": ("/?precision=int4", None),
    "point": (f"/point/{POINT.point_id}", None),
    "config": (f"/config/{POINT.config_id}", "#config-graph .js-plotly-plot"),
    "method": ("/method", None),
    "not-found": ("/point/0000000000", None),
}
THEMES: tuple[Theme, ...] = ("light", "dark")
#: Widths (px) at which nothing may stick out at the side.
WIDTHS = (360, 390, 768, 1100, 1440, 2560, 3840)


def show(visitor: Visitor, name: str, size: tuple[int, int] = DESKTOP, theme: Theme = "light") -> Page:
    """The page, at rest."""
    path, graph = PAGES[name]
    visitor.expected.add(404)
    page = visitor.open(path, size, theme)
    page.wait_for_selector("main h1", state="attached")
    if graph:
        chart.settle(page, graph)
    page.wait_for_load_state("networkidle")
    return page


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", PAGES)
def test_axe_has_no_serious_finding(visitor: Visitor, name: str, theme: Theme) -> None:
    found = Axe().run(show(visitor, name, theme=theme)).response["violations"]
    serious = [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]
    assert not serious, "\n".join(serious)


@pytest.mark.parametrize("name", PAGES)
def test_nothing_sticks_out_at_the_side_at_any_width(visitor: Visitor, name: str) -> None:
    page = show(visitor, name)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(60)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} at {width} px"


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["1440", "390"])
@pytest.mark.parametrize("name", PAGES)
def test_screenshots_are_left_for_a_person_to_look_at(
    visitor: Visitor, artifacts: Path, name: str, size: tuple[int, int], theme: Theme
) -> None:
    page = show(visitor, name, size, theme)
    picture = artifacts / f"{name}-{size[0]}-{theme}.png"
    page.screenshot(path=picture, full_page=True, animations="disabled", caret="hide")
    assert picture.stat().st_size > 5_000
    assert page.locator("html").get_attribute("data-bs-theme") == theme


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_one_heading_a_language_a_main_part_and_a_title(visitor: Visitor, name: str) -> None:
    page = show(visitor, name)
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("main").count() == 1
    assert page.locator("h1").count() == 1
    assert "agentx" in page.title()


def test_a_page_prints_its_chart_and_no_controls(visitor: Visitor, artifacts: Path) -> None:
    page = show(visitor, "curves")
    page.emulate_media(media="print")
    assert page.locator("#curves-graph").is_visible()
    assert not page.locator("#curves-filters").is_visible()
    page.pdf(path=artifacts / "curves.pdf")
