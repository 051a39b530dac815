"""The instrument of a point's page in Chromium: one window for all panels, kept in the address."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page

from tests.browser import many_stacks
from tests.browser.visit import Visitor, address

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group(__name__)]

POINT = next(point for point in many_stacks.points() if point.has_requests)
PANEL = "[data-panel='ttft_over_time'] .run-panel-box"


def opened(visitor: Visitor, query: str = "", theme: str = "light") -> Page:
    page = visitor.open(f"/point/{POINT.point_id}{query}", theme=theme)  # type: ignore[arg-type]
    page.wait_for_selector("#instrument[data-ready]")
    page.wait_for_load_state("networkidle")
    return page


def band(page: Page, panel: str) -> int:
    """How many pixels of a panel's upper layer are painted: none without a window."""
    painted: int = page.evaluate(
        """(panel) => {
          const canvas = document.querySelector(`[data-panel='${panel}'] .run-panel-above`);
          const copy = new OffscreenCanvas(canvas.width, canvas.height);
          const ctx = copy.getContext("2d", { willReadFrequently: true });
          ctx.drawImage(canvas, 0, 0);
          const { data } = ctx.getImageData(0, 0, canvas.width, canvas.height);
          return data.reduce((sum, value, place) => sum + (place % 4 === 3 && value > 0 ? 1 : 0), 0);
        }""",
        panel,
    )
    return painted


def query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(address(page)).query)


def test_a_drag_over_one_panel_moves_all_of_them_and_the_address_which_brings_it_back(
    visitor: Visitor,
) -> None:
    page = opened(visitor)
    assert band(page, "e2el_over_time") == 0
    page.locator(PANEL).scroll_into_view_if_needed()
    box = page.locator(PANEL).bounding_box()
    assert box
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.4 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], y, steps=4)
    with page.expect_response(lambda answer: "/window?" in answer.url):
        page.mouse.up()
    page.wait_for_selector(".window-table")
    after = page.locator(PANEL).bounding_box()
    assert after and abs(after["y"] - box["y"]) < 2, "the panel has moved away under the pointer"
    assert "window" in query(page)
    assert all(band(page, panel) > 0 for panel in ("ttft_over_time", "e2el_over_time", "completed"))
    words = page.locator(".window-words").inner_text()
    assert "touch it" in words
    assert "window=" in (page.locator(".window-bar a.button").get_attribute("href") or "")
    rows = page.locator(".flight-name").all_inner_texts()
    again = opened(visitor, address(page).split(POINT.point_id)[1])
    assert again.locator(".window-words").inner_text() == words
    assert again.locator(".flight-name").all_inner_texts() == rows
    assert band(again, "completed") == band(page, "completed")


def test_keys_move_resize_zoom_and_clear_the_window(visitor: Visitor) -> None:
    page = opened(visitor)
    page.locator(".run-overview").focus()
    page.keyboard.press("ArrowRight")
    first = query(page)["window"][0].split("..")
    page.keyboard.press("ArrowRight")
    second = query(page)["window"][0].split("..")
    assert float(second[0]) > float(first[0]) and float(second[1]) > float(first[1])
    page.keyboard.press("Shift+ArrowLeft")
    third = query(page)["window"][0].split("..")
    assert third[0] == second[0] and float(third[1]) < float(second[1])
    page.keyboard.press("+")
    assert "zoom" in query(page)
    page.keyboard.press("Escape")
    assert not query(page).keys() & {"window", "zoom"}


def test_the_phase_switch_keeps_panels_colours_and_order(visitor: Visitor) -> None:
    page = opened(visitor)

    def keys() -> list[str]:
        found: list[str] = page.evaluate(
            """[...document.querySelectorAll(".run-panel")].map((panel) => {
              const keys = [...panel.querySelectorAll(".legend-line")].map((key) => key.className);
              return [panel.dataset.panel, ...keys].join();
            })"""
        )
        return found

    before = keys()
    for name, phase in (("Warm-up", "warmup"), ("All", "all"), ("Profiling", None)):
        page.get_by_role("button", name=name, exact=True).click()
        assert query(page).get("phase", [None])[0] == phase
        assert keys() == before
        pressed = page.get_by_role("group", name="Phase").locator("[aria-pressed='true']").inner_text()
        assert pressed == name


def test_a_choice_asks_for_other_lines_and_a_picture_can_be_taken(visitor: Visitor) -> None:
    page = opened(visitor, "?kind=main")
    with page.expect_response(lambda answer: "/panels?" in answer.url and "line=p50" in answer.url):
        page.get_by_label("Line").select_option("p50")
    page.wait_for_function("document.querySelector('[data-panel=ttft_over_time]').innerText.includes('p50')")
    assert query(page) == {"kind": ["main"], "line": ["p50"]}
    with page.expect_download() as started:
        page.locator("[data-panel='ttft_over_time'] button", has_text="PNG").click()
    assert started.value.suggested_filename == f"agentx-{POINT.point_id}-ttft_over_time.png"


def test_requests_are_drawn_against_each_other_and_a_dot_leads_to_its_moment(visitor: Visitor) -> None:
    page = opened(visitor)
    canvas = page.locator(".scatter-box canvas")
    assert not canvas.is_visible()
    page.get_by_role("button", name="TTFT against ISL").click()
    canvas.wait_for(state="visible")
    assert query(page) == {"scatter": ["ttft_s,isl"]}
    with page.expect_response(lambda answer: "scatter=ttft_s%2Cosl" in answer.url):
        page.locator(".scatter-line").get_by_label("x").select_option("osl")
    assert query(page) == {"scatter": ["ttft_s,osl"]}
    again = opened(visitor, "?scatter=ttft_s,osl&kind=main", "dark")
    again.locator(".scatter-box canvas").wait_for(state="visible")
    assert "OSL" in (again.locator(".scatter-box canvas").get_attribute("aria-label") or "")
    names = again.locator(".run-scatter .legend-key").all_inner_texts()
    assert names == ["main"]
    box = again.locator(".scatter-box")
    box.scroll_into_view_if_needed()
    place = box.bounding_box()
    assert place
    for share in range(20, 100, 2):  # along the middle there is a dot somewhere
        again.mouse.move(place["x"] + place["width"] * share / 100, place["y"] + place["height"] / 2)
        if "on-mark" in (box.get_attribute("class") or ""):
            break
    assert "starts at" in again.locator(".scatter-tip").inner_text()
    again.mouse.down()
    again.mouse.up()
    assert "window" in query(again)
