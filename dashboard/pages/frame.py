"""What stands round every page: the bar with the store's name and age, the tab's title, the theme."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import unquote

from dash import ctx, html
from dash.development.base_component import Component
from dash.exceptions import MissingCallbackContextException
from flask import g, request

from components.figures.frame import Arrangement
from components.navbar import StoreLine, navbar
from components.notice import empty_state, notices
from components.option import Option
from dashboard.links import CURVES, CurvesView, DatasetsView, Theme, curves_url, datasets_url, method_url
from dashboard.parameters import Notice
from dashboard.store.connection import StoreError, StoreInfo

_log = logging.getLogger(__name__)

#: Cookies that assets/theme.js sets before Dash asks for the page.
THEME_COOKIE, WIDTH_COOKIE = "agentx_theme", "agentx_width"


def page(
    name: str,
    title: str,
    content: Sequence[Component],
    theme: Theme | None,
    info: StoreInfo | None,
    labels: Sequence[str] = (),
) -> html.Div:
    """A page under its bar; `name` marks the page's own link there, `title` goes to the browser's tab.

    `labels` say what a reader must know about the figures of this page, such as UNOFFICIAL.
    """
    set_title(title, labels)
    return html.Div([navbar(_pages(name, theme), store_line(info)), *content], className="frame")


def set_title(title: str, labels: Sequence[str]) -> str:
    """The tab's title with the labels of what is shown; kept for the router of this request."""
    g.page_title = " · ".join(word for word in (title, *labels, "agentx") if word)
    return str(g.page_title)


def title(**_path: str) -> str:
    """The title that the layout of this request has set."""
    return str(g.get("page_title", "agentx"))


def guarded(layout: Callable[..., Component], path: str = "") -> Callable[..., Component]:
    """A layout that answers a damaged store with a sentence instead of an error.

    `path` is the template of the page's path. What stands in the path counts, whatever the query says under
    the same name: Dash would let the query win, and show another page than the address names.
    """

    def answer(**query: Any) -> Component:
        try:
            return layout(**(query | _in_path(path)))
        except StoreError as error:
            return _trouble("The store cannot be read", str(error))
        except Exception:
            _log.exception("A page could not be made: %s", query)
            return _trouble("This page could not be made", "The server's log has the details.")

    return answer


def _in_path(template: str) -> dict[str, str]:
    """The variables of a template in the path that Dash's router was asked for; none outside of it."""
    try:
        asked = str(ctx.inputs.get("_pages_location.pathname") or "")
    except MissingCallbackContextException:
        return {}
    pattern = re.sub(r"<(\w+)>", r"(?P<\1>[^/]+)", template)
    found = re.fullmatch(pattern, asked) if template else None
    return {name: unquote(value) for name, value in found.groupdict().items()} if found else {}


def _trouble(what: str, why: str) -> Component:
    state = empty_state(what, why, [Option("First view", CURVES)])
    heading = html.H1(what, className="visually-hidden")
    return page("", what, [html.Main([heading, state], id="main", className="page")], None, None)


def theme_of(asked: Theme | None) -> Theme:
    """The theme to draw in: the URL's, else the browser's as its cookie tells, else light."""
    told = asked or request.cookies.get(THEME_COOKIE)
    return "dark" if told == "dark" else "light"


def arrangement() -> Arrangement:
    """Charts beside each other or, in a narrow window, below each other."""
    return "stacked" if request.cookies.get(WIDTH_COOKIE) == "stacked" else "wide"


def notice_lines(found: Sequence[Notice]) -> list[Component]:
    """What of the URL was ignored, in one line each."""
    return notices([f"{one.parameter}={one.value}: {one.detail}." for one in found])


def store_line(info: StoreInfo | None) -> StoreLine:
    """Name, size and age of the store, and the badges of what it holds."""
    if info is None:
        return StoreLine("")
    parts = [info.name, f"{info.points:,} points".replace(",", "\u202f")]
    if info.newest_run_date is not None:
        parts.append(f"newest run {age(info.newest_run_date)}")
    return StoreLine(" · ".join(parts), badges(info))


def badges(info: StoreInfo) -> tuple[str, ...]:
    """UNOFFICIAL and SIMULATED when all points are; a mixture is labelled series by series."""
    if not info.points:
        return ()
    simulated = info.simulated == info.points
    unofficial = info.unofficial == info.points and not simulated
    return ("SIMULATED",) if simulated else ("UNOFFICIAL",) if unofficial else ()


def age(day: date) -> str:
    """How long ago a day was, in the words of a calendar."""
    days = (datetime.now(UTC).date() - day).days
    if days < 0:
        return f"{day.day} {day:%b %Y}"
    if days < 2:
        return ("today", "yesterday")[days]
    return f"{days} days ago" if days < 60 else f"{day.day} {day:%b %Y}"


def _pages(name: str, theme: Theme | None) -> list[Option]:
    return [
        Option("Curves", curves_url(CurvesView(theme=theme)), chosen=name == "curves"),
        Option("Datasets", datasets_url(DatasetsView(theme=theme)), chosen=name == "datasets"),
        Option("Method", method_url(theme=theme), chosen=name == "method"),
    ]
