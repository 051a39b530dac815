"""`/`: best-per-stack curves. The whole first view is in the layout; one callback answers each change of it.

The state is the query string in the store `curves-query`. `assets/url-sync.js` writes it together with the
address bar, the server only reads it. The table comes after the charts are painted: its library is large.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import dash
from dash import ClientsideFunction, Input, Output, State, html, no_update
from dash.development.base_component import Component

from components.control_line import control_line
from components.counts_line import CountLinks, counts_line
from components.curves_layout import CurvesParts, curves_layout
from components.export_bar import export_bar
from components.figures.pareto import figure_alt
from components.filter_bar import filter_bar
from components.legend import legend
from components.notice import empty_state
from components.option import Option
from components.plain import plain
from dashboard.domain.choice import Choice
from dashboard.links import (
    CURVES,
    CurvesView,
    curves_query,
    curves_url,
    linked,
    parse_curves,
    parse_query,
    points_api_url,
)
from dashboard.pages import curves_controls as controls
from dashboard.pages import curves_filters as filters
from dashboard.pages.curves_legend import series_href, vendor_only
from dashboard.pages.curves_panel import comparisons, panel, pinned_rows
from dashboard.pages.curves_picture import labels_of, picture, tab_title
from dashboard.pages.curves_table import refill, table
from dashboard.pages.curves_view import Answer, answer, effective
from dashboard.pages.curves_zoom import zoom_notices
from dashboard.pages.frame import guarded, notice_lines, page, set_title, title
from dashboard.pages.wording import Wording
from dashboard.parameters import Notice
from dashboard.services import services

#: The output that stands first in the callback that draws a view.
DRAWN = "curves-graph.figure"


def register(app: dash.Dash) -> None:
    """Add the page and its callbacks.

    All outputs stand in the page's own layout: an output outside would make Dash call `update` at every load.
    """
    dash.register_page(__name__, path=CURVES, title=title, layout=guarded(layout))
    app.callback(
        Output("curves-graph", "figure"),
        Output("curves-controls", "children"),
        Output("curves-filters", "children"),
        Output("curves-legend", "children"),
        Output("curves-counts", "children"),
        Output("curves-panel", "children"),
        Output("curves-notices", "children"),
        Output("curves-export", "children"),
        Output("curves-scope", "children"),
        Output("curves-title", "children"),
        Input("curves-query", "data"),
        State("curves-painted", "data"),
        prevent_initial_call=True,
    )(update)
    app.callback(
        Output("curves-table", "children"),
        Input("curves-painted", "data"),
        State("curves-query", "data"),
        prevent_initial_call=True,
    )(first_table)
    app.clientside_callback(
        ClientsideFunction("curves", "zoomed"),
        Output("curves-graph", "className"),
        Input("curves-graph", "relayoutData"),
        prevent_initial_call=True,
    )
    for name, told in (("titled", "curves-title"), ("scoped", "curves-scope")):
        app.clientside_callback(
            ClientsideFunction("curves", name),
            Output(told, "className"),
            Input(told, "children"),
            prevent_initial_call=True,
        )


def layout(**query: Any) -> Component:
    """The page of a query string, complete but for its table."""
    view, notices = parse_curves(query)
    words = Wording(services().catalog)
    found = answer(services(), view)
    parts = _parts(found, notices, words)
    told = [html.Div(_scope(found), id="curves-scope", hidden=True), html.Div(id="curves-title", hidden=True)]
    content = [curves_layout(parts), *told]
    return page("curves", tab_title(found, words), content, view.theme, found.info, labels_of(found.scene))


def update(search: str | None, painted: object) -> tuple[Any, ...]:
    """Every part of the page for another query string; the table's rows too, once it is there."""
    view, notices = parse_curves(parse_query(search or ""))
    words = Wording(services().catalog)
    found = answer(services(), view)
    parts = _parts(found, notices, words)
    if painted:
        refill(found, words)
    told = (
        parts.figure,
        parts.controls,
        parts.filters,
        parts.legend,
        parts.counts,
        parts.panel,
        parts.notices,
        parts.export,
        _scope(found),
        set_title(tab_title(found, words), labels_of(found.scene)),
    )
    return tuple(plain(part) for part in told)


def first_table(painted: object, search: str | None) -> Any:
    """The table of the view that is shown when the charts have been painted."""
    if not painted:
        return no_update
    view, _ = parse_curves(parse_query(search or ""))
    return table(answer(services(), view), Wording(services().catalog))


def _parts(found: Answer, notices: tuple[Notice, ...], words: Wording) -> CurvesParts:
    view, scene, rows = linked(found.asked), found.scene, effective(found)
    pinned, missing = pinned_rows(view)
    places = comparisons(found, pinned)
    query = curves_query(found.asked)
    said = (*notices, *found.notices, *missing, *zoom_notices(scene, found.asked))
    return CurvesParts(
        query=f"?{query}" if query else "",
        notices=[*notice_lines(said), *_nothing(found, words)],
        controls=control_line(controls.left_menus(found, words), controls.right_menus(found, words)),
        filters=filter_bar(filters.facets(found, words), filters.dates(found), filters.clear(found)),
        figure=picture(found, [place for place in places if place is not None], words),
        alt=figure_alt(scene),
        counts=counts_line(scene, _count_links(view)),
        legend=legend(scene, series_href(view, scene), vendor_only(view, scene)),
        panel=panel(found, pinned, places, words),
        export=export_bar(points_api_url(rows, "csv"), points_api_url(rows, "parquet"), scene),
    )


def _scope(found: Answer) -> str:
    """Model and scenario on the screen as parameters: a shared link must not depend on what comes first."""
    choice = found.asked.choice
    return curves_query(CurvesView(choice=Choice(model=choice.model, scenario=choice.scenario)))


def _count_links(view: CurvesView) -> CountLinks:
    toggled = Option(
        "Hide" if view.dominated else "Show", curves_url(replace(view, dominated=not view.dominated))
    )
    older = Option("Show all runs", curves_url(replace(view, runs="all")))
    everything = Option("Show all series", curves_url(replace(view, hide=(), only=())))
    return CountLinks(toggled, older if view.runs != "all" else None, everything)


def _nothing(found: Answer, words: Wording) -> list[Component]:
    """Why no curve is drawn, and the clicks that help."""
    if found.scene.series:
        return []
    if not found.info.points:
        return [
            empty_state(
                "No points yet",
                "This store holds no results.",
                command="agentx-dashboard ingest --store STORE RESULTS",
            )
        ]
    if found.scene.rows.size == 0 and found.selection.relaxations:
        return [
            empty_state("No point matches", "No point has all of the chosen values.", filters.relaxing(found))
        ]
    reasons = {**{one.reason: one.points for one in found.scene.hidden}, **found.scene.unplotted}
    return [empty_state("No curve to draw", "; ".join(reasons) or "No point has values on both axes.")]
