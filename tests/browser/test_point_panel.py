"""Hover tells the essentials; a click pins a panel with the row's own values that never covers its point."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from playwright.sync_api import Page

from dashboard.domain.records import Point
from tests.browser import chart, many_stacks
from tests.browser.visit import PHONE, Visitor, plain

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group(__name__)]

KNOWN = {point.point_id: point for point in many_stacks.points()}


def pin(page: Page, point_id: str) -> None:
    """Click the point's mark."""
    x, y, _ = chart.centres(page)[point_id]
    with chart.answered(page):
        page.mouse.click(x, y)


def drawn(page: Page, wanted: Iterable[str] = ("dram",)) -> Point:
    """A drawn point of the first chart with that offload, far from the others."""
    chart.settle(page)
    places = {p: c for p, c in chart.centres(page).items() if KNOWN[p].offload in wanted}
    return KNOWN[max(places, key=lambda point_id: places[point_id][0])]


def test_hover_names_stack_concurrency_topology_gpus_and_both_values(visitor: Visitor) -> None:
    page = visitor.open("/")
    point = drawn(page)
    x, y, _ = chart.centres(page)[point.point_id]
    page.mouse.move(x - 40, y - 40)
    page.mouse.move(x, y)
    words = plain(chart.tip(page))
    assert str(point.concurrency) in words
    assert f"{point.gpus} GPU" in words
    assert point.topology_label and point.topology_label in words
    assert "tok/s" in words and "p90" in words
    assert "DRAM" in words


def test_a_click_opens_the_panel_with_the_rows_own_values(visitor: Visitor) -> None:
    page = visitor.open("/")
    point = drawn(page)
    pin(page, point.point_id)
    assert f"pin={point.point_id}" in page.url
    words = plain(page.locator("#curves-panel").inner_text())
    itl, ttft = point.statistics["itl_s"].p90, point.statistics["ttft_s"].p90
    rate = point.scalars["tput_total_per_gpu"]
    assert itl and ttft and rate
    assert f"{1 / itl:.3g}" in words
    assert f"{rate / 1000:.3g}k" in words
    for own in (point.concurrency, point.gpus, point.topology_label, point.image, point.gpus_rule):
        assert str(own) in words, own
    assert f"{point.requests_ok}" in words and f"{point.requests_warmup}" in words
    assert "DRAM" in words and point.offload_backend_version and point.offload_backend_version in words
    assert point.run_date and (str(point.run_date) in words or f"{point.run_date.day} Aug" in words)
    assert page.locator(f"#curves-panel a[href='{point.run_url}']").count() == 1


def test_the_panel_never_covers_its_point(visitor: Visitor) -> None:
    page = visitor.open("/")
    for point_id in list(chart.centres(page) if not chart.settle(page) else ())[:3]:
        pin(page, point_id)
        panel = page.locator("#curves-panel").bounding_box()
        x, y, _ = chart.centres(page)[point_id]
        assert panel
        assert not (
            panel["x"] <= x <= panel["x"] + panel["width"] and panel["y"] <= y <= panel["y"] + panel["height"]
        )
        with chart.answered(page):
            page.keyboard.press("Escape")


def test_escape_closes_the_panel_and_takes_the_pin_out_of_the_address(visitor: Visitor) -> None:
    page = visitor.open("/")
    point = drawn(page)
    pin(page, point.point_id)
    with chart.answered(page):
        page.keyboard.press("Escape")
    assert "pin=" not in page.url
    assert page.locator("#curves-panel").inner_text().strip() == ""


def test_a_click_outside_closes_the_panel(visitor: Visitor) -> None:
    page = visitor.open("/")
    point = drawn(page)
    pin(page, point.point_id)
    plot = page.locator(f"{chart.GRAPH} .draglayer .xy .nsewdrag").bounding_box()
    assert plot
    with chart.answered(page):
        page.mouse.click(plot["x"] + plot["width"] - 6, plot["y"] + 6)
    assert "pin=" not in page.url


def test_two_pins_show_their_difference(visitor: Visitor) -> None:
    ids = list(KNOWN)[:2]
    first, second = KNOWN[ids[0]], KNOWN[ids[1]]
    page = visitor.open(f"/?pin={first.point_id},{second.point_id}")
    chart.settle(page)
    words = plain(page.locator("#curves-panel").inner_text())
    assert str(first.concurrency) in words and str(second.concurrency) in words


def test_the_panel_leads_to_the_points_page_and_copies_the_configurations_link(visitor: Visitor) -> None:
    page = visitor.open("/")
    point = drawn(page)
    pin(page, point.point_id)
    panel = page.locator("#curves-panel")
    assert point.point_id in (panel.locator("a[href^='/point/']").first.get_attribute("href") or "")
    panel.get_by_text("Copy link").first.click()
    page.wait_for_timeout(100)
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "/config/" in copied and point.config_id in copied and copied.startswith(visitor.address)


def test_copy_link_in_the_bar_copies_the_address(visitor: Visitor) -> None:
    page = visitor.open("/?stat=p75")
    chart.settle(page)
    page.get_by_role("button", name="Copy link").first.click()
    page.wait_for_timeout(100)
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_an_all_failed_run_is_listed_with_its_reason_and_never_drawn(visitor: Visitor) -> None:
    failed = next(point for point in many_stacks.points() if point.requests_ok == 0)
    page = visitor.open("/?dominated=1&runs=all")
    everything = chart.picture(page)
    ids = {point_id for trace in everything["traces"] for point_id in trace["ids"] or ()}
    assert ids and failed.point_id not in ids
    assert (
        "no request succeeded" in page.locator("#curves-counts").inner_text().lower()
        or page.locator("#curves-counts", has_text="succe").count()
    )


def test_hovering_the_legend_fades_the_other_curves_without_asking_the_server(visitor: Visitor) -> None:
    page = visitor.open("/")
    chart.settle(page)
    page.wait_for_load_state("networkidle")
    asked = len(visitor.callbacks)
    page.locator("#curves-legend [data-series^='b300.vllm.fp4']").first.hover()
    page.wait_for_timeout(300)
    strong = page.evaluate("(s) => probe.opacity(s)", "[class*='traceb300.vllm.fp4'][class*='__line0']")
    faint = page.evaluate("(s) => probe.opacity(s)", "[class*='traceb200.vllm.fp4'][class*='__line0']")
    assert strong == 1 and faint < 0.5
    assert len(visitor.callbacks) == asked


def test_on_a_phone_the_panel_is_a_sheet_at_the_bottom(visitor: Visitor) -> None:
    point = next(point for point in KNOWN.values() if point.offload == "dram")
    page = visitor.open(f"/?pin={point.point_id}", PHONE)
    chart.settle(page)
    box = page.locator("#curves-panel").bounding_box()
    assert box and box["width"] >= 380 and box["y"] > 0
