"""Permalinks: `/point/<id>`, `/config/<id>`, the way back, friendly answers to what is not there."""

from __future__ import annotations

import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest

from tests.browser import chart, many_stacks
from tests.browser.visit import Visitor, plain

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group(__name__)]

POINT = next(point for point in many_stacks.points() if point.has_requests)
SWEEP = [point for point in many_stacks.points() if point.config_id == POINT.config_id]


def status(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def test_a_readable_prefix_does_not_matter_only_the_hash_does(visitor: Visitor) -> None:
    bare = visitor.open(f"/point/{POINT.point_id}").locator("h1")
    other = next(point.point_id for point in many_stacks.points() if point.model != POINT.model)
    prefixed = visitor.open(f"/point/anything-at-all-{POINT.point_id}?slug={other}").locator("h1")
    assert bare.inner_text() == prefixed.inner_text()


def test_a_points_page_states_its_own_values(visitor: Visitor) -> None:
    text = visitor.open(f"/point/{POINT.point_id}").locator("main").inner_text()
    for word in (
        "MI355X",
        "vLLM",
        "FP4",
        str(POINT.concurrency),
        POINT.topology_label or "",
        POINT.image or "",
    ):
        assert word in text
    assert f"{POINT.requests_ok}" in plain(text)
    assert "UNOFFICIAL" in text.upper()


def test_a_configurations_page_shows_its_points_over_concurrency(visitor: Visitor) -> None:
    page = visitor.open(f"/config/{POINT.config_id}")
    drawn = chart.picture(page, "#config-graph .js-plotly-plot")
    values = {x for trace in drawn["traces"] for x in trace["x"] or () if x is not None}
    assert {point.concurrency for point in SWEEP} <= values
    links = page.eval_on_selector_all(
        "main a[href^='/point/']", "links => links.map(a => a.getAttribute('href'))"
    )
    for point in SWEEP:
        assert any(point.point_id in link for link in links)


def test_the_way_back_leads_to_the_chart_the_reader_came_from(visitor: Visitor) -> None:
    page = visitor.open(f"/?model=kimik3&stat=p75&pin={POINT.point_id}")
    before = chart.picture(page)
    page.locator("#curves-panel a[href^='/point/']").first.click()
    page.wait_for_selector("main h1")
    page.wait_for_url("**/point/**")
    back = page.locator("main a[href^='/?']").first
    assert "stat=p75" in (back.get_attribute("href") or "")
    back.click()
    page.wait_for_url("**/?**stat=p75**")
    assert chart.picture(page)["traces"] == before["traces"]


@pytest.mark.parametrize(
    "path", ["/point/0000000000", "/config/0000000000", "/point/no-such", "/nothing/here"]
)
def test_what_is_not_there_gets_a_friendly_page_with_status_404(visitor: Visitor, path: str) -> None:
    visitor.expected.add(404)
    assert status(visitor.address + path) == 404
    page = visitor.open(path)
    page.wait_for_selector("main h1")
    text = page.locator("main").inner_text()
    assert "Traceback" not in text and "Error loading" not in text
    assert page.locator("main a[href='/']").count() >= 1


def test_what_is_there_has_status_200(visitor: Visitor) -> None:
    for path in ("/", "/method", f"/point/{POINT.point_id}", f"/config/{POINT.config_id}", "/healthz"):
        assert status(visitor.address + path) == 200, path


def test_the_method_page_explains_each_metric_at_its_own_address(visitor: Visitor) -> None:
    from dashboard.domain.metrics import REGISTRY

    page = visitor.open("/method")
    page.wait_for_selector("main h1")
    text = page.locator("main").text_content() or ""
    assert urlsplit(page.url).path == "/method"
    for metric in REGISTRY.values():
        assert metric.label in text and metric.formula in text
