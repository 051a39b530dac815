"""Described parts in a real browser: drawn as described, aligned without losing what the reader has open."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from dash import html
from playwright.sync_api import Browser, Page

from components.described import Element, described
from dashboard.resources import assets_dir

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group(__name__)]

SCRIPT = "<img src=x onerror=alert(1)>"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    opened = browser.new_page()
    opened.set_content('<div id="part"></div>')
    opened.add_script_tag(path=str(assets_dir() / "parts.js"))
    yield opened
    opened.close()


def draw(page: Page, *children: object) -> None:
    tree = described(children).to_plotly_json()["props"]["data-tree"]
    page.evaluate("(tree) => document.getElementById('part').setAttribute('data-tree', tree)", tree)
    page.evaluate("() => new Promise(requestAnimationFrame)")


def menu(*labels: str) -> html.Details:
    options = [html.A(label, href=f"/?x={label}") for label in labels]
    return html.Details([html.Summary("x"), html.Div(options, className="menu-list")])


def test_a_part_is_drawn_as_it_is_described(page: Page) -> None:
    draw(page, html.P(["all ", html.B("three")], className="quiet"), Element("input", {"value": "2026"}))
    assert page.inner_html("#part") == '<p class="quiet">all <b>three</b></p><input value="2026">'


def test_text_of_an_artifact_stays_text(page: Page) -> None:
    draw(page, html.P(SCRIPT, title=SCRIPT))
    assert page.locator("#part img").count() == 0 and page.inner_text("#part p") == SCRIPT


def test_a_change_keeps_open_menus_and_the_elements_that_stay(page: Page) -> None:
    draw(page, menu("a", "b"))
    page.evaluate(
        "() => { document.querySelector('details').open = true; document.querySelector('a').mine = 1; }"
    )
    draw(page, menu("c", "d", "e"))
    assert page.locator("#part a").all_inner_texts() == ["c", "d", "e"]
    assert page.evaluate(
        "() => [document.querySelector('details').open, document.querySelector('a').mine]"
    ) == [True, 1]
    assert page.get_attribute("#part a", "href") == "/?x=c"


def test_what_is_no_longer_described_goes(page: Page) -> None:
    draw(page, html.P("one", title="t"), html.P("two"))
    draw(page, html.P("one"))
    assert page.inner_html("#part") == "<p>one</p>"


def test_a_part_for_phones_is_drawn_on_phones_only(page: Page) -> None:
    page.set_viewport_size({"width": 1000, "height": 500})
    page.evaluate("() => { document.getElementById('part').dataset.media = '(max-width: 767px)'; }")
    draw(page, html.P("card"))
    assert page.inner_html("#part") == ""
    page.set_viewport_size({"width": 390, "height": 500})
    page.wait_for_selector("#part p")
