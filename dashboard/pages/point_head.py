"""The head of a point's page: who it is, its neighbours, its eight figures, and the views over them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import html
from dash.development.base_component import Component

from components.figure_row import figure_row
from components.option import attributes
from components.point_title import point_title, provenance_line
from dashboard.domain.choice import Choice
from dashboard.domain.ids import readable_slug
from dashboard.links import (
    CurvesView,
    PageView,
    PointView,
    TimelineView,
    config_url,
    curves_url,
    dataset_url,
    point_api_url,
    point_view_url,
    timeline_url,
)
from dashboard.pages.point_explore import explore_part
from dashboard.pages.point_figures import point_figures
from dashboard.pages.point_neighbours import economics, strip
from dashboard.pages.wording import Wording
from dashboard.services import services
from dashboard.store.dataset_presence import holds_dataset

#: Where the page tells command, files and the artifact's own words.
DETAILS = "#provenance"


def title_part(
    row: Mapping[str, Any], view: PointView, words: Wording, here: str = "datapoint"
) -> list[Component]:
    """The title line with the pages of the point, `here` the present one, then the provenance line."""
    slug = row["dataset_slug"]
    dataset = dataset_url(slug) if holds_dataset(services().store, slug) else ""
    scenario = words.optional("scenario", row["scenario"])
    return [
        html.Header(
            [
                html.Div(
                    [
                        point_title(row, words.label),
                        provenance_line(row, words.label, scenario, dataset, DETAILS),
                    ]
                ),
                html.Div([_tabs(row, view, here), *_ways_out(row, view)], className="point-ways"),
            ],
            className="point-header",
        )
    ]


def _tabs(row: Mapping[str, Any], view: PointView, here: str) -> html.Nav:
    """Datapoint and timeline; where no request is stored there is no timeline to open."""
    slug = readable_slug(row, row["point_id"])
    present = attributes(aria_current="page")
    chosen = present if here == "datapoint" else {}
    datapoint = html.A("Datapoint", href=point_view_url(slug, view), **chosen)
    timeline: Component = html.Span("Timeline", title="No request of this point is in this store")
    if row["has_requests"]:
        shown = TimelineView(window=view.window, theme=view.theme)
        chosen = present if here == "timeline" else {}
        timeline = html.A("Timeline", href=timeline_url(slug, shown), **chosen)
    return html.Nav([datapoint, timeline], className="tabs", **attributes(aria_label="Views of this point"))


def _ways_out(row: Mapping[str, Any], view: PointView) -> list[Component]:
    back = PageView(back=view.back, theme=view.theme)
    config = config_url(readable_slug({**row, "concurrency": None}, row["config_id"]), back)
    return [
        _button("Configuration", config, "This configuration over concurrency and runs"),
        _button("Back to curves", curves_url(back_to(row, view)), "The view one came from"),
        _button("JSON", point_api_url(row["point_id"]), "Everything the store knows about this point"),
    ]


def _button(words: str, href: str, title: str) -> html.A:
    return html.A(words, href=href, title=title, className="button")


def neighbours_part(row: Mapping[str, Any], view: PointView, words: Wording) -> list[Component]:
    """The other points of the same stack and run."""
    return strip(row, view, words)


def figures_part(row: Mapping[str, Any], view: PointView) -> list[Component]:
    """The eight figures."""
    heading = html.H2("Headline figures, profiling phase", className="visually-hidden")
    return [heading, *figure_row(point_figures(row, economics(view)))]


def aggregate_part(row: Mapping[str, Any], view: PointView, words: Wording) -> list[Component]:
    """Any metric of the neighbours against concurrency, and the scatter of requests; below the panels."""
    return explore_part(row, view, words)


def back_to(row: Mapping[str, Any], view: PointView) -> CurvesView:
    """The view the reader came from; else the point's own model and scenario with the point pinned."""
    if view.back is not None:
        return view.back
    choice = Choice(model=row["model"], scenario=row["scenario"])
    return CurvesView(choice=choice, pin=(row["point_id"],), theme=view.theme)
