"""`/method`: every metric with definition, formula, unit, better direction and source, from the registry."""

from __future__ import annotations

from typing import Any

import dash
from dash import html
from dash.development.base_component import Component

from components.method_page import method_page
from components.simulation_method import simulation_method
from dashboard.domain.metrics import REGISTRY
from dashboard.links import METHOD, parse_page
from dashboard.pages.frame import guarded, notice_lines, page, title
from dashboard.services import services


def register(app: dash.Dash) -> None:
    """Add the page."""
    dash.register_page(__name__, path=METHOD, title=title, layout=guarded(layout))


def layout(**query: Any) -> Component:
    """The page; each metric has its key as anchor."""
    view, notices = parse_page(query)
    content = [html.H1("Method"), *notice_lines(notices), *method_page(REGISTRY), simulation_method()]
    body = html.Main(content, id="main", className="page")
    return page("method", "Method", [body], view.theme, services().store.info())
