"""Paths that are no page: what was asked, and the pages there are. The HTTP status is 404 (routes.errors)."""

from __future__ import annotations

from typing import Any

import dash
from dash import html
from dash.development.base_component import Component

from components.notice import empty_state
from components.option import Option
from dashboard.links import CURVES, METHOD, parse_page
from dashboard.pages.frame import guarded, page, title
from dashboard.services import services


def register(app: dash.Dash) -> None:
    """Add the page; Dash shows the module of this name for every path that is no other page."""
    dash.register_page(__name__, path="/404", title=title, layout=guarded(layout))


def layout(**query: Any) -> Component:
    """The page for an unknown path."""
    return not_found("This page does not exist", "The address leads to no page of this dashboard.", **query)


def not_found(what: str, why: str, **query: Any) -> Component:
    """A friendly page about something that is not there, with the ways on."""
    view, _ = parse_page(query)
    ways = [Option("Curves", CURVES), Option("Method", METHOD)]
    heading = html.H1(what, className="visually-hidden")
    body = html.Main([heading, empty_state(what, why, ways)], id="main", className="page")
    return page("", what, [body], view.theme, services().store.info())
