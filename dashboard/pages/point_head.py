"""The head of a point's page: who it is, its neighbours, its eight figures, and the views over them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import html
from dash.development.base_component import Component

from components.navbar import badge
from components.point_card import title_line
from components.point_description import headline
from dashboard.domain.choice import Choice
from dashboard.domain.ids import readable_slug
from dashboard.links import CurvesView, PageView, PointView, config_url, curves_url, point_api_url
from dashboard.pages.wording import Wording


def title_part(row: Mapping[str, Any], view: PointView, words: Wording) -> list[Component]:
    """The way back, the title line, the provenance line, and where the page leads."""
    who = headline(row, words.label)
    back = PageView(back=view.back, theme=view.theme)
    config = config_url(readable_slug({**row, "concurrency": None}, row["config_id"]), back)
    return [
        html.P(html.A("Back to the curves", href=curves_url(back_to(row, view)))),
        html.H1(
            [*title_line(who).children, " ", *[badge(word) for word in who.badges]], className="point-title"
        ),
        html.P(who.scope, className="point-scope"),
        html.P(
            [
                html.A("This configuration over concurrency and runs", href=config),
                " · ",
                html.A("JSON", href=point_api_url(row["point_id"])),
            ]
        ),
    ]


def neighbours_part(row: Mapping[str, Any], view: PointView, words: Wording) -> list[Component]:
    """The other points of the same stack and run."""
    return []


def figures_part(row: Mapping[str, Any], view: PointView) -> list[Component]:
    """The eight figures."""
    return []


def aggregate_part(row: Mapping[str, Any], view: PointView, words: Wording) -> list[Component]:
    """Any metric of the neighbours against concurrency, and the scatter of requests; below the panels."""
    return []


def back_to(row: Mapping[str, Any], view: PointView) -> CurvesView:
    """The view the reader came from; else the point's own model and scenario with the point pinned."""
    if view.back is not None:
        return view.back
    choice = Choice(model=row["model"], scenario=row["scenario"])
    return CurvesView(choice=choice, pin=(row["point_id"],), theme=view.theme)
