"""Back and forward restore each view, with one computation a step; links also work as links."""

from __future__ import annotations

import pytest

from tests.browser import chart
from tests.browser.visit import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group(__name__)]

STEPS = ({"stat": "p75"}, {"y": "tput_output"}, {"x": "ttft"})


def figures(visitor: Visitor) -> int:
    """How often the server has been asked for a figure."""
    return sum('"curves-graph' in body or "curves-graph.figure" in body for body in visitor.callbacks)


def test_back_and_forward_restore_each_view_with_one_computation_a_step(visitor: Visitor) -> None:
    page = visitor.open("/")
    pictures, addresses = [chart.picture(page)], [page.url]
    for step in STEPS:
        asked = figures(visitor)
        chart.follow(page, chart.control(page, **step))
        pictures.append(chart.picture(page))
        addresses.append(page.url)
        assert figures(visitor) == asked + 1
    for place in (2, 1, 0, 1, 2, 3):
        asked = figures(visitor)
        back = addresses.index(page.url) > place
        with chart.answered(page):
            page.evaluate("history.back()" if back else "history.forward()")
        assert page.url == addresses[place]
        assert chart.picture(page) == pictures[place]
        assert figures(visitor) == asked + 1


def test_the_first_back_leaves_no_trap(visitor: Visitor) -> None:
    page = visitor.open("/method")
    page.wait_for_selector("main h1")
    page.goto(visitor.address + "/")
    chart.settle(page)
    page.go_back()
    page.wait_for_url("**/method")
    page.wait_for_selector("main h1")


def test_back_from_another_page_restores_the_view_that_was_left(visitor: Visitor) -> None:
    page = visitor.open("/")
    chart.settle(page)
    chart.follow(page, chart.control(page, stat="p75"))
    left = chart.picture(page)
    page.get_by_role("link", name="Method", exact=True).click()
    page.wait_for_url("**/method")
    page.wait_for_selector("main h1")
    page.go_back()
    page.wait_for_url("**/?*stat=p75")
    assert chart.picture(page) == left


def test_a_reload_shows_the_same(visitor: Visitor) -> None:
    page = visitor.open("/")
    chart.settle(page)
    chart.follow(page, chart.control(page, stat="p75"))
    before = chart.picture(page)
    page.reload()
    assert chart.picture(page) == before


def test_a_control_opened_in_a_new_tab_shows_its_view(visitor: Visitor) -> None:
    page = visitor.open("/")
    chart.settle(page)
    href = chart.control(page, stat="p75")
    link = page.locator(f"a[data-view][href='{href}']").first
    page.locator("[data-menu='stat'] summary").click()
    with page.context.expect_page() as opened:
        link.click(modifiers=["ControlOrMeta"])
    tab = opened.value
    assert chart.marked(chart.picture(tab))
    assert (tab.url, page.url) == (visitor.address + href, f"{visitor.address}/")


def test_quick_clicks_end_at_the_last_view(visitor: Visitor) -> None:
    page = visitor.open("/")
    chart.settle(page)
    hrefs = [chart.control(page, stat=stat) for stat in ("p50", "p75", "p95", "p99")]
    page.evaluate("(hrefs) => hrefs.forEach((href) => probe.follow(href))", hrefs)
    page.wait_for_load_state("networkidle")
    shown = chart.picture(page)
    assert page.url == visitor.address + hrefs[-1]
    assert shown == chart.picture(visitor.open(hrefs[-1]))
