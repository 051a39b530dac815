"""Read the chart as plotly drew it, and wait until a page is at rest. The looking is done by `probe.js`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Page

GRAPH = "#curves-graph .js-plotly-plot"
#: Parameters that the first view leaves to the store and that its controls write out.
WRITTEN_OUT = {"model", "scenario"}


def settle(page: Page, selector: str = GRAPH) -> None:
    """Wait until the chart is drawn and nothing changes it any more."""
    page.wait_for_load_state("load")
    page.wait_for_selector(f"{selector} .cartesianlayer", state="attached")
    assert page.evaluate("(s) => probe.atRest(s)", selector), f"the chart at {page.url} does not come to rest"


def picture(page: Page, selector: str = GRAPH) -> dict[str, Any]:
    """Everything that the chart shows, as comparable values."""
    settle(page, selector)
    drawn: dict[str, Any] = page.evaluate("(s) => probe.picture(s)", selector)
    return drawn


def traces(drawn: dict[str, Any], role: str, panel: int = 0) -> list[dict[str, Any]]:
    """The traces of one role (gap, dominated, line, mark, ring) in one chart of a picture."""
    return [trace for trace in drawn["traces"] if trace.get("role") == role and trace.get("panel") == panel]


def marked(drawn: dict[str, Any], role: str = "mark", panel: int = 0) -> dict[str, tuple[float, float]]:
    """Where each point is drawn, by point id, in data units."""
    return {
        point_id: (x, y)
        for trace in traces(drawn, role, panel)
        for point_id, x, y in zip(trace["ids"], trace["x"], trace["y"], strict=True)
    }


def centres(page: Page, role: str = "mark", panel: int = 0) -> dict[str, tuple[float, float, float]]:
    """Screen position of the middle, and width, of each drawn symbol (px), by point id."""
    found: dict[str, tuple[float, float, float]] = page.evaluate(
        "(a) => probe.centres(a)", [GRAPH, role, panel]
    )
    return found


def tip(page: Page) -> str:
    """The words of the tip that hovering has brought up."""
    shown = page.locator("#curves-tip")
    shown.wait_for(state="visible")
    return str(shown.inner_text())


def controls(page: Page) -> list[str]:
    """Where the controls of the page lead, each address once."""
    found: list[str] = page.evaluate("probe.controls()")
    return list(dict.fromkeys(found))


def control(page: Page, **chosen: str) -> str:
    """Where the control leads that sets these parameters and changes no other."""
    now = parse_qs(urlsplit(page.url).query)
    wanted = {**now, **{name: [value] for name, value in chosen.items()}}
    for href in controls(page):
        then = parse_qs(urlsplit(href).query)
        names = (then.keys() | wanted.keys()) - (WRITTEN_OUT - chosen.keys())
        if all(then.get(name) == wanted.get(name) for name in names):
            return href
    raise AssertionError(f"no control of {page.url} sets {chosen} alone")


@contextmanager
def answered(page: Page, selector: str = GRAPH) -> Iterator[None]:
    """What happens inside leads to one answer of the server; afterwards the page is at rest again."""
    with page.expect_response(lambda response: "/_dash-update-component" in response.url):
        yield
    settle(page, selector)


def follow(page: Page, href: str) -> None:
    """Click the control that leads to `href` (it may be folded away) and wait for the new picture."""
    with answered(page):
        page.evaluate("(href) => probe.follow(href)", href)


def change(page: Page, href: str) -> None:
    """Go to any view of the page within the window, as by *back*, and wait for the new picture."""
    with answered(page):
        page.evaluate("(href) => probe.change(href)", href)
