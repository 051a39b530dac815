"""The timeline in Chromium: bars at their places, zoom, fold, filter, pin, link; each is in the address."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page

from tests.browser import many_stacks
from tests.browser.visit import PHONE, Visitor, address

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group(__name__)]

POINT = next(point for point in many_stacks.points() if point.has_requests)


def opened(visitor: Visitor, query: str = "", **more: Any) -> Page:
    page = visitor.open(f"/point/{POINT.point_id}/timeline{query}", **more)
    page.wait_for_selector("#timeline[data-complete]")
    return page


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(address(page)).query)


def painted(page: Page) -> int:
    """Pixels of the lanes' canvas that are not ground: bars and lines."""
    count: int = page.evaluate(
        """() => {
          const canvas = document.querySelector(".lanes-canvas");
          const copy = new OffscreenCanvas(canvas.width, canvas.height);
          const ctx = copy.getContext("2d", { willReadFrequently: true });
          ctx.drawImage(canvas, 0, 0);
          const words = new Uint32Array(ctx.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
          return words.reduce((sum, word) => sum + (word !== words[words.length - 1] ? 1 : 0), 0);
        }"""
    )
    return count


def window(page: Page, before: str | None = None) -> str | None:
    """The window in the address, once it is another than `before`: it follows when the reader rests."""
    page.wait_for_function(
        "(before) => new URLSearchParams(location.search).get('window') !== before", arg=before
    )
    return query(page).get("window", [None])[0]


def test_zoom_fold_filter_sort_and_colour_change_picture_and_address(visitor: Visitor) -> None:
    page = opened(visitor)
    before = painted(page)
    assert before > 500
    box = page.locator(".lanes-plot").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 30)
    page.mouse.wheel(0, -900)
    zoomed = window(page)
    assert zoomed and painted(page) != before
    page.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + 30)
    assert window(page, zoomed) is None
    for label, value, name in (("Sort", "ttft", "sort"), ("Colour", "ttft", "colour")):
        page.locator("label", has_text=label).locator("select").select_option(value)
        assert query(page)[name] == [value]
    page.get_by_role("button", name="By worker").click()
    assert query(page)["rows"] == ["worker"]
    page.get_by_text("Status", exact=True).click()
    page.get_by_label("failed").check()
    assert query(page)["status"] == ["failed"]
    assert "hidden by filters" in page.locator(".timeline-counts").inner_text()
    again = opened(visitor, urlsplit(address(page)).query and "?" + urlsplit(address(page)).query)
    assert again.locator(".timeline-counts").inner_text() == page.locator(".timeline-counts").inner_text()
    assert painted(again) == painted(page)


def test_a_pinned_request_is_in_the_address_and_its_link_opens_with_it(visitor: Visitor) -> None:
    page = opened(visitor)
    page.locator(".lanes-plot").focus()
    box = page.locator(".lanes-plot").bounding_box()
    assert box
    page.mouse.move(box["x"] + 0.42 * box["width"], box["y"] + 30)
    page.locator(".timeline-card").wait_for(state="visible")
    page.mouse.down()
    page.mouse.up()
    page.wait_for_function("location.search.includes('request=')")
    request = query(page)["request"][0]
    card = page.locator(".timeline-card")
    assert request in card.inner_text() and "ISL" in card.inner_text() and " ns" in card.inner_text()
    page.locator(".lanes-plot").focus()
    page.keyboard.press(".")
    assert query(page)["request"][0] != request
    page.keyboard.press("Escape")
    assert "request" not in query(page)
    linked = opened(visitor, f"?request={request}")
    assert request in linked.locator(".timeline-card").inner_text()


def test_the_requests_in_view_are_there_as_a_table_and_as_files(visitor: Visitor) -> None:
    page = opened(visitor)
    page.get_by_text("The requests in view as a table").click()
    assert page.locator(".timeline-table tbody tr").count() > 10
    page.get_by_text("Export", exact=True).click()
    for name, ending in (("CSV", ".csv"), ("Perfetto trace", ".trace.json")):
        with page.expect_download() as started:
            page.locator(".timeline-menu-panel").get_by_text(name, exact=True).click()
        assert started.value.suggested_filename.endswith(ending)


def test_a_narrow_window_shows_the_lanes_too(visitor: Visitor) -> None:
    page = opened(visitor, size=PHONE, theme="dark")
    assert painted(page) > 200
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def test_lanes_fold_and_the_overview_sets_the_window(sample_visitor: Visitor) -> None:
    page = sample_visitor.open("/point/fa4710118f/timeline")
    page.wait_for_selector("#timeline[data-complete]")
    labels = page.locator(".lanes-row:visible .lanes-text")
    folded = labels.all_inner_texts()
    page.locator(".lanes-fold:visible[aria-expanded='false']").first.click()
    lane = query(page)["unfold"][0]
    opened_labels = labels.all_inner_texts()
    assert opened_labels != folded and any("subagent" in label for label in opened_labels)
    page.locator(".lanes-fold:visible[aria-expanded='true']").first.click()
    assert "unfold" not in query(page) and labels.all_inner_texts() == folded
    box = page.locator(".run-overview").bounding_box()
    assert box and lane.isdigit()
    y = box["y"] + 20
    page.mouse.move(box["x"] + 0.4 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], y, steps=4)
    page.mouse.up()
    first = window(page) or ""
    low, high = (float(end) for end in first.split(".."))
    page.mouse.move(box["x"] + 0.45 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.55 * box["width"], y, steps=4)
    page.mouse.up()
    moved = [float(end) for end in (window(page, first) or "").split("..")]
    assert moved[0] > low + 1 and moved[1] - moved[0] == pytest.approx(high - low, rel=1e-3)
