"""Light and dark without a flash, and everything by keyboard."""

from __future__ import annotations

import pytest

from tests.browser import chart
from tests.browser.visit import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group(__name__)]


def line_colours(visitor: Visitor, path: str, theme: str) -> set[str]:
    drawn = chart.picture(visitor.open(path, theme=theme))  # type: ignore[arg-type]
    return {trace["line"][0] for trace in chart.traces(drawn, "line")}


def test_the_system_theme_decides_at_first_sight_and_the_figure_is_drawn_in_it_at_once(
    visitor: Visitor,
) -> None:
    light, dark = line_colours(visitor, "/", "light"), line_colours(visitor, "/", "dark")
    assert light and dark and not light & dark
    assert not any('"curves-graph' in body for body in visitor.callbacks)


def test_the_theme_in_a_link_overrides_the_system(visitor: Visitor) -> None:
    assert line_colours(visitor, "/?theme=dark", "light") == line_colours(visitor, "/", "dark")
    page = visitor.open("/?theme=dark", theme="light")
    assert page.locator("html").get_attribute("data-bs-theme") == "dark"


def test_the_toggle_changes_page_and_chart_and_is_remembered(visitor: Visitor) -> None:
    page = visitor.open("/", theme="light")
    before = chart.picture(page)
    page.locator("#theme-toggle").click()
    page.wait_for_selector("html[data-bs-theme='dark']")
    page.wait_for_load_state("networkidle")
    after = chart.picture(page)
    assert {t["line"][0] for t in chart.traces(after, "line")} != {
        t["line"][0] for t in chart.traces(before, "line")
    }
    assert chart.marked(after) == chart.marked(before)
    page.reload()
    chart.settle(page)
    assert page.locator("html").get_attribute("data-bs-theme") == "dark"
    assert page.url == f"{visitor.address}/"


def test_a_menu_opens_and_a_choice_is_made_by_keyboard_alone(visitor: Visitor) -> None:
    page = visitor.open("/")
    chart.settle(page)
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#curves-controls summary') !== null"):
            break
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('details').open")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('a[data-view]')")
    if page.evaluate("document.activeElement.hasAttribute('aria-current')"):
        page.keyboard.press("Tab")
    href = page.evaluate("document.activeElement.getAttribute('href')")
    with chart.answered(page):
        page.keyboard.press("Enter")
    assert page.url.startswith(visitor.address + href)


def test_focus_is_visible_and_stays_on_the_page_after_a_choice(visitor: Visitor) -> None:
    page = visitor.open("/")
    chart.settle(page)
    page.keyboard.press("Tab")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    shadow = page.evaluate("getComputedStyle(document.activeElement).boxShadow")
    assert outline != "none" or shadow != "none"


def test_the_chart_has_a_text_alternative(visitor: Visitor) -> None:
    page = visitor.open("/")
    chart.settle(page)
    label = page.locator("[role='img'][aria-label], figure[aria-label]").first.get_attribute("aria-label")
    assert label and "throughput" in label.lower()
