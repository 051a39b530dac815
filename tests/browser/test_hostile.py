"""Hostile names are shown as text, hostile parameters get a named notice; nothing breaks."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from tests.browser import chart, many_stacks
from tests.browser.many_stacks import HOSTILE, SCRIPT
from tests.browser.visit import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group(__name__)]

POINT = next(many_stacks.hostile())
VALUES = (
    "nonsense",
    "",
    "-1",
    "1e999",
    "NaN",
    "\x00",
    "../../../etc/passwd",
    "'; DROP TABLE points; --",
    SCRIPT,
    "𝔘" * 20,
    "a" * 250,
    "%",
    ",,,\\",
)
NAMES = ("x", "stat", "runs", "since", "pin", "price", "zx", "no_such_parameter")


def no_script_ran(visitor: Visitor, path: str, graph: str | None) -> str:
    """Open the page with every dialog noted; its visible text."""
    page = visitor.open(path)
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.reload()
    page.wait_for_selector("main h1", state="attached")
    if graph:
        chart.settle(page, graph)
    page.wait_for_load_state("networkidle")
    assert not dialogs
    assert page.locator("main script").count() == 0
    return str(page.locator("body").inner_text())


@pytest.mark.parametrize(
    ("path", "graph"),
    [
        (f"/?model={quote(SCRIPT)}&labels=topology&pin={POINT.point_id}", chart.GRAPH),
        (f"/point/{POINT.point_id}", None),
        (f"/config/{POINT.config_id}", None),
    ],
    ids=["curves", "point", "config"],
)
def test_a_script_in_a_name_is_shown_as_text(visitor: Visitor, path: str, graph: str | None) -> None:
    assert SCRIPT in no_script_ran(visitor, path, graph)


def test_a_script_in_a_name_is_text_in_hover_and_in_the_title(visitor: Visitor) -> None:
    page = visitor.open(f"/?model={quote(SCRIPT)}")
    chart.settle(page)
    x, y, _ = next(iter(chart.centres(page).values()))
    page.mouse.move(x, y)
    assert SCRIPT in chart.tip(page)
    assert HOSTILE.model in page.title()


def test_a_hostile_link_of_an_artifact_is_not_a_link(visitor: Visitor) -> None:
    page = visitor.open(f"/point/{POINT.point_id}")
    page.wait_for_selector("main h1")
    links = page.eval_on_selector_all("a", "links => links.map((a) => a.getAttribute('href'))")
    assert all(link.startswith(("/", "#", "https://", "http://")) for link in links if link)


@pytest.fixture(scope="module")
def window(resident: Visitor) -> Page:
    """A reader's window in which one view follows another."""
    page = resident.open("/?" + "&".join(f"{name}={quote(SCRIPT)}" for name in NAMES))
    chart.settle(page)
    return page


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_any_text_in_any_parameter_gives_a_page_and_a_named_notice(window: Page, value: str) -> None:
    page = window
    chart.change(page, "/?" + "&".join(f"{name}={quote(value)}" for name in NAMES))
    said = page.locator("#curves-notices").inner_text()
    for name in NAMES if value else ("no_such_parameter",):
        assert name in said, name
    assert chart.marked(chart.picture(page))


def test_an_unknown_model_says_so_and_leads_to_one_that_is_there(visitor: Visitor) -> None:
    page = visitor.open("/?model=no-such-model")
    page.get_by_text("no-such-model").first.wait_for()
    assert page.locator("main a[href^='/']").count() > 0


def test_a_parameter_twice_is_named_and_the_first_counts(visitor: Visitor) -> None:
    page = visitor.open("/?stat=p75&stat=p99")
    assert "stat" in page.locator("#curves-notices").inner_text()
    assert chart.picture(page)["traces"] == chart.picture(visitor.open("/?stat=p75"))["traces"]
