"""The dashed ring stands exactly on the points whose KV cache is offloaded."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser import chart, many_stacks
from tests.browser.visit import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group(__name__)]

OFFLOADED = {point.point_id for point in many_stacks.points() if point.offload in ("dram", "nvme")}


@pytest.fixture(scope="module")
def page(resident: Visitor) -> Page:
    """The first view at rest; only looked at."""
    page = resident.open("/")
    chart.settle(page)
    return page


@pytest.mark.parametrize("panel", [0, 1])
def test_rings_sit_exactly_on_the_points_with_offload(page: Page, panel: int) -> None:
    drawn = chart.picture(page)
    marks, rings = chart.marked(drawn, panel=panel), chart.marked(drawn, "ring", panel)
    assert rings
    assert rings.keys() == marks.keys() & OFFLOADED
    assert all(rings[point_id] == marks[point_id] for point_id in rings)
    on_screen, under = chart.centres(page, "ring", panel), chart.centres(page, "mark", panel)
    assert on_screen.keys() == rings.keys()
    for point_id, (x, y, width) in on_screen.items():
        assert (x, y) == pytest.approx(under[point_id][:2], abs=0.3)
        assert width > under[point_id][2]


def test_a_ring_is_dashed_on_the_screen(page: Page) -> None:
    dashes = page.evaluate("(s) => probe.ringDashes(s)", chart.GRAPH)
    assert dashes and all(dash not in ("none", "") for dash in dashes)


def test_a_ring_hides_with_its_curve(visitor: Visitor) -> None:
    drawn = chart.picture(visitor.open("/?hide=b300.vllm.fp4"))
    assert "b300.vllm.fp4" not in {trace["series"] for trace in drawn["traces"] if "series" in trace}


def test_the_ring_has_a_key(page: Page) -> None:
    assert page.get_by_text("KV offload").first.is_visible()
