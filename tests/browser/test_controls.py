"""Every control changes the address and the picture, and the address alone brings the picture back."""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page

from dashboard.links import CURVES_PARAMETERS
from tests.browser import chart, many_stacks
from tests.browser.visit import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group(__name__)]

SCOPE = "/?model=dsv4&scenario=agentic"
#: Parameters that a link sets, with a value of each that must change the picture.
LINKED = {
    "model": "kimik3",
    "scenario": "8k1k",
    "x": "ttft",
    "y": "tput_output",
    "stat": "p75",
    "xs": "linear",
    "ys": "log",
    "runs": "all",
    "dominated": "1",
    "precision": "fp8",
    "vendor": "AMD",
    "hardware": "b200",
    "engine": "vllm",
    "deploy": "disaggregated",
    "spec": "none",
    "offload": "dram",
    "official": "unofficial",
    "only": "h200.sglang.fp8",
    "labels": "concurrency",
    "tier": "rental",
}
#: Where a control has something to change only in another view.
BASES = {"tier": f"{SCOPE}&y=cost_total", "runs": f"{SCOPE}&dominated=1"}
#: What is set otherwise: by a form, a gesture, a click on a point, or by hand.
OTHERWISE = {"since", "until", "price", "pin", "zx", "zx2", "zy", "theme", "hide"}


def query(url: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(url).query)


def setting(page: Page, parameter: str, value: str) -> str:
    """The control that sets a parameter to a value (or one that begins so) and keeps the rest of the view."""
    kept = {name: values for name, values in query(page.url).items() if name not in (parameter, "scenario")}
    for href in chart.controls(page):
        then = query(href)
        if then.get(parameter, [""])[0].startswith(value) and kept.items() <= then.items():
            return href
    raise AssertionError(f"no control sets {parameter}={value}")


def test_each_parameter_is_set_by_a_control_or_is_known_to_be_set_otherwise() -> None:
    assert {parameter.name for parameter in CURVES_PARAMETERS} == LINKED.keys() | OTHERWISE


@pytest.fixture(scope="module")
def window(resident: Visitor) -> Page:
    """A reader's window in which one view follows another."""
    return resident.open(SCOPE)


@pytest.mark.parametrize("parameter", LINKED)
def test_the_control_changes_address_and_picture_and_the_address_brings_it_back(
    visitor: Visitor, window: Page, parameter: str
) -> None:
    page = window
    if page.url != visitor.address + (base := BASES.get(parameter, SCOPE)):
        chart.change(page, base)
    before = chart.picture(page)
    href = setting(page, parameter, LINKED[parameter])
    chart.follow(page, href)
    after = chart.picture(page)
    assert query(href).items() <= query(page.url).items()
    assert after != before
    assert chart.picture(visitor.open(page.url.removeprefix(visitor.address))) == after


def test_a_control_is_shown_as_chosen_after_it_was_followed(visitor: Visitor) -> None:
    page = visitor.open("/")
    chart.settle(page)
    chart.follow(page, chart.control(page, stat="p75"))
    chosen = page.locator("#curves-controls a[aria-current='true']")
    assert "p75" in " ".join(chosen.all_text_contents())


def test_a_filter_offers_what_the_selection_has_with_its_count(visitor: Visitor) -> None:
    page = visitor.open("/")
    chart.settle(page)
    offered = {
        option.text_content(): int(option.get_attribute("data-count") or 0)
        for option in page.locator("[data-facet='hardware'] .option").all()
    }
    here = [p for p in many_stacks.points() if p.model == "dsv4" and p.scenario == "agentic"]
    words = {"gb300": "GB300 NVL72", "gb200": "GB200 NVL72"}
    counted = Counter(words.get(str(point.hardware), str(point.hardware).upper()) for point in here)
    assert offered == counted


def test_an_impossible_combination_says_which_filter_to_relax(visitor: Visitor) -> None:
    page = visitor.open("/?hardware=gb300&engine=sglang")
    page.wait_for_selector("main h1", state="attached")
    ways = page.get_by_role("link", name=re.compile("Open (Hardware|Engine)"))
    ways.first.wait_for()
    leading = [query(way.get_attribute("href") or "") for way in ways.all()]
    assert any("hardware" in way and "engine" not in way for way in leading)
    assert any("engine" in way and "hardware" not in way for way in leading)


def test_a_date_in_the_form_bounds_the_runs(visitor: Visitor) -> None:
    page = visitor.open("/?runs=all")
    before = chart.picture(page)
    page.locator("[data-facet='date'] summary").click()
    page.locator("[data-facet='date'] input[name='until']").fill("2026-07-31")
    with chart.answered(page):
        page.locator("[data-facet='date'] button[type='submit']").click()
    assert query(page.url)["until"] == ["2026-07-31"]
    assert len(chart.picture(page)["traces"]) < len(before["traces"])


def test_the_readers_own_price_is_in_the_address_and_moves_the_cost(visitor: Visitor) -> None:
    page = visitor.open("/?model=dsv4&scenario=agentic&y=cost_total&only=b300.vllm.fp4")
    before = chart.marked(chart.picture(page))
    priced = visitor.open("/?model=dsv4&scenario=agentic&y=cost_total&only=b300.vllm.fp4&price=b300:1000")
    after = chart.marked(chart.picture(priced))
    assert before.keys() == after.keys()
    known = {point.point_id: point for point in many_stacks.points()}
    for point_id, (_, cost) in after.items():
        rate = known[point_id].scalars["tput_total_per_gpu"]
        assert rate and cost == pytest.approx(1000 * 1e6 / (rate * 3600), rel=1e-12)
        assert cost > before[point_id][1]


def test_the_price_form_writes_the_price_into_the_address(visitor: Visitor) -> None:
    page = visitor.open("/?y=cost_total")
    chart.settle(page)
    box = page.locator("input[name='price.b300']")
    page.evaluate("() => document.querySelector(\"input[name='price.b300']\").closest('details').open = true")
    box.fill("2.5")
    with chart.answered(page):
        box.press("Enter")
    assert query(page.url)["price"] == ["b300:2.5"]


def test_ready_made_views_are_plain_links_that_each_show_something(visitor: Visitor) -> None:
    page = visitor.open("/")
    chart.settle(page)
    views = page.eval_on_selector_all(
        "[data-menu='views'] a", "links => links.map((a) => a.getAttribute('href'))"
    )
    assert len(views) >= 3
    pictures = []
    for href in views:
        if page.url != visitor.address + href:
            page.evaluate("(href) => probe.follow(href)", href)
            page.wait_for_url(visitor.address + href)
        page.wait_for_load_state("networkidle")
        pictures.append(chart.picture(page))
        assert chart.marked(pictures[-1]), href
    assert len({str(picture) for picture in pictures}) == len(views)


def test_a_zoom_is_written_into_the_address_and_comes_back_with_it(visitor: Visitor) -> None:
    page = visitor.open("/")
    chart.settle(page)
    entries = page.evaluate("history.length")
    plot = page.locator(f"{chart.GRAPH} .draglayer .xy .nsewdrag").bounding_box()
    assert plot
    page.mouse.move(plot["x"] + 0.2 * plot["width"], plot["y"] + 0.2 * plot["height"])
    page.mouse.down()
    page.mouse.move(plot["x"] + 0.7 * plot["width"], plot["y"] + 0.7 * plot["height"], steps=5)
    page.mouse.up()
    page.wait_for_url("**/?**z*")
    zoomed = chart.picture(page)
    assert {"zx", "zy"} <= query(page.url).keys()
    assert page.evaluate("history.length") == entries
    again = chart.picture(visitor.open(page.url.removeprefix(visitor.address)))
    for axis in ("xaxis", "yaxis"):
        assert again["axes"][axis]["range"] == pytest.approx(zoomed["axes"][axis]["range"], rel=1e-3)
