"""`/point/<point_id>/timeline`: every replayed request in its lane; `assets/modules/timeline.js` draws it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dash
from dash import html
from dash.development.base_component import Component

from components.option import attributes
from components.point_description import headline
from dashboard.links import (
    PointView,
    dataset_url,
    id_in,
    module_url,
    parse_timeline,
    timeline_api_url,
)
from dashboard.pages.frame import guarded, notice_lines, page, title
from dashboard.pages.not_found_404 import not_found
from dashboard.pages.point_head import title_part
from dashboard.pages.wording import Wording
from dashboard.services import services
from dashboard.store import points
from dashboard.store.dataset_presence import holds_dataset

_MARKS = (
    "thin line: queue wait · high bar: prefill · low bar: decode · hatched: failed or cancelled, by colour · "
    "pale: outside of the profiling phase · n in colour: some of the row failed or were cancelled"
)
_KEYS = (
    "wheel zooms, drag pans, double-click shows all · W A S D and arrows · a click pins a request, Enter "
    "opens its dataset turn · Ctrl or middle click opens that in a new tab"
)


def register(app: dash.Dash) -> None:
    """Add the page; its path lies below that of the point and is matched first."""
    path = "/point/<slug>/timeline"
    dash.register_page(__name__, path_template=path, title=title, layout=guarded(layout, path), order=5)


def layout(slug: object = "", **query: Any) -> Component:
    """The timeline of a point; a friendly page for an unknown id."""
    view, notices = parse_timeline(query)
    name = id_in(str(slug))
    row = points.one(services().store, name) if name else None
    if row is None:
        why = "This store holds no point with this id. It may be in another store, or its address was cut."
        return not_found("No such point", why, **query)
    words = Wording(services().catalog)
    who = headline(row, words.label)
    shown = PointView(window=view.window, theme=view.theme)
    content = [
        *notice_lines(notices),
        *title_part(row, shown, words, here="timeline"),
        *(_timeline(row) if row["has_requests"] else _nothing()),
    ]
    main = html.Main(content, id="main", className="page page-timeline")
    tab = f"Timeline, {who.stack}, {who.scope}"
    return page("", tab, [main], view.theme, services().store.info(), who.badges)


def _nothing() -> list[Component]:
    why = (
        "This store holds aggregates of this point only, no single requests. Ingest its AIPerf folder "
        "(profile_export.jsonl) to see its timeline."
    )
    return [html.P(why)]


def _timeline(row: Mapping[str, Any]) -> list[Component]:
    parts = [
        html.Div(className="window-bar timeline-bar", **attributes(data_part="bar")),
        html.P(className="quiet timeline-counts", role="status", **attributes(data_part="counts")),
        html.Div(**attributes(data_part="overview")),
        html.Div(className="timeline-strip", **attributes(data_part="strip")),
        html.Div(className="timeline-lanes", **attributes(data_part="lanes")),
        html.P(_MARKS, className="quiet timeline-keys"),
        html.P(_KEYS, className="quiet timeline-keys"),
        html.Div(**attributes(data_part="table")),
    ]
    told = attributes(aria_label="Requests over time", data_module=module_url("timeline"), **_addresses(row))
    return [html.Section(parts, id="timeline", className="timeline", **told)]


def _addresses(row: Mapping[str, Any]) -> dict[str, str | None]:
    """Where the module finds its data, and where a bar leads."""
    point_id, dataset = str(row["point_id"]), row["dataset_slug"]
    held = holds_dataset(services().store, dataset)
    command = f"agentx-dashboard ingest --dataset {dataset} PATH"
    how_to = f"The dataset {dataset} is not in this store: {command} adds it."
    if not dataset:
        how_to = "The run does not name its dataset."
    return {
        "data_columns": timeline_api_url(point_id),
        "data_ids": timeline_api_url(point_id, "ids"),
        "data_requests": timeline_api_url(point_id, "requests"),
        "data_series": timeline_api_url(point_id, "series") if row["has_series"] else None,
        "data_dataset": dataset_url(dataset) if held else None,
        "data_howto": None if held else how_to,
    }
