"""The first view, with no parameter in the address: several curves, calm, whole, computed once."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser import chart, many_stacks
from tests.browser.visit import PHONE, Visitor

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group(__name__)]

#: Curves of the fixture's first model and scenario that can be drawn.
SERIES = {
    (point.hardware, point.engine, point.precision)
    for point in many_stacks.points()
    if point.model == "dsv4" and point.scenario == "agentic" and point.requests_ok
}


@pytest.fixture(scope="module")
def page(resident: Visitor) -> Page:
    """The first view at rest; only looked at."""
    page = resident.open("/")
    chart.settle(page)
    page.wait_for_load_state("networkidle")
    return page


@pytest.fixture(scope="module")
def drawn(page: Page) -> dict[str, Any]:
    return chart.picture(page)


def test_more_than_one_curve_is_drawn_without_a_parameter(
    page: Page, drawn: dict[str, Any], resident: Visitor
) -> None:
    lines = [trace for trace in chart.traces(drawn, "line") if sum(x is not None for x in trace["x"]) > 1]
    assert len(lines) > 1
    assert page.url == f"{resident.address}/"


def test_the_two_charts_show_interactivity_and_ttft_on_one_y_axis(drawn: dict[str, Any]) -> None:
    assert {"xaxis", "xaxis2", "yaxis"} <= set(drawn["axes"])
    words = " ".join(drawn["words"])
    assert "interactivity" in words and "TTFT" in words and "better" in words
    by_interactivity, by_ttft = chart.marked(drawn, panel=0), chart.marked(drawn, panel=1)
    shared = by_interactivity.keys() & by_ttft.keys()
    assert shared
    for point_id in shared:
        assert by_interactivity[point_id][1] == by_ttft[point_id][1]


def test_every_mark_stands_at_its_points_own_figures(drawn: dict[str, Any]) -> None:
    known = {point.point_id: point for point in many_stacks.points()}
    for panel in (0, 1):
        for point_id, (x, y) in chart.marked(drawn, panel=panel).items():
            point = known[point_id]
            itl, ttft = point.statistics["itl_s"].p90, point.statistics["ttft_s"].p90
            assert itl and ttft
            assert x == pytest.approx(1 / itl if panel == 0 else ttft, rel=1e-12)
            assert y == pytest.approx(point.scalars["tput_total_per_gpu"], rel=1e-12)


def test_eight_series_at_most_are_in_colour_and_the_count_names_the_rest(
    page: Page, drawn: dict[str, Any]
) -> None:
    widths = [trace["line"][2] for trace in chart.traces(drawn, "line")]
    assert len(widths) == len(SERIES)
    assert sum(width > 1 for width in widths) == 8
    words = page.locator("#curves-counts").inner_text()
    assert re.search(rf"{len(SERIES)} of \d+ series shown", words)
    assert "8 in colour" in words


def test_the_chart_starts_high_and_is_whole_at_1440_by_900(page: Page) -> None:
    box = page.locator(chart.GRAPH).bounding_box()
    assert box and box["y"] < 180 and box["y"] + box["height"] <= 900
    plot = page.locator(f"{chart.GRAPH} .draglayer .xy .nsewdrag").bounding_box()
    assert plot and plot["height"] >= 350


def test_the_figure_comes_with_the_page_and_is_computed_once(visitor: Visitor) -> None:
    page = visitor.open("/?stat=p75")
    chart.settle(page)
    page.wait_for_load_state("networkidle")
    assert not [body for body in visitor.callbacks if '"curves-query"' in body and "curves-graph" in body]


def test_nothing_moves_while_the_page_builds_itself(page: Page) -> None:
    shift = page.evaluate("probe.shift()")
    assert shift < 0.02


def test_on_a_phone_the_charts_stand_under_each_other(visitor: Visitor) -> None:
    page = visitor.open("/", PHONE)
    chart.settle(page)
    charts = [page.locator(f"{chart.GRAPH} .draglayer .{axes} .nsewdrag") for axes in ("xy", "x2y2")]
    first, second = (each.bounding_box() for each in charts)
    assert first and second
    assert second["y"] >= first["y"] + first["height"]


def test_the_table_shows_the_rows_of_the_chart(page: Page, drawn: dict[str, Any]) -> None:
    shown = set(chart.marked(drawn, panel=0)) | set(chart.marked(drawn, panel=1))
    page.wait_for_selector("#curves-table .ag-row")
    assert f"{len(shown)} on the frontiers shown" in page.locator("#curves-export").inner_text()
