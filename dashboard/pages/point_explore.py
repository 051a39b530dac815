"""The two views of a point's page that are drawn when asked for; a change of them keeps the rest of the page.

`assets/explore.js` writes the address and the store `explore-query`; one callback answers with both views.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dash
from dash import Input, Output, dcc, html, no_update
from dash.development.base_component import Component

from components.explore import explorer
from dashboard.links import PointView, id_in, parse_point, parse_query
from dashboard.pages.point_across import across_explorer
from dashboard.pages.wording import Wording
from dashboard.services import services
from dashboard.store import points


def register(app: dash.Dash) -> None:
    """Add the callback; its output stands in the page's own layout."""
    app.callback(
        Output("explore-views", "children"),
        Input("explore-query", "data"),
        prevent_initial_call=True,
    )(update)


def explore_part(row: Mapping[str, Any], view: PointView, words: Wording) -> list[Component]:
    """Both views as the address has them."""
    views = html.Div(_views(row, view, words), id="explore-views", className="explore-views")
    return [views, dcc.Store(id="explore-query")]


def update(asked: Any) -> Any:
    """Both views for another address, given as {"slug": ..., "search": ...}."""
    if not isinstance(asked, Mapping):
        return no_update
    name = id_in(str(asked.get("slug", "")))
    row = points.one(services().store, name) if name else None
    if row is None:
        return no_update
    view, _ = parse_point(parse_query(str(asked.get("search", ""))))
    return _views(row, view, Wording(services().catalog))


def _views(row: Mapping[str, Any], view: PointView, words: Wording) -> list[Component]:
    return [explorer(across_explorer(row, view, words))]
