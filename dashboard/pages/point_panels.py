"""The instrument of a point's page: window bar, overview, statistics, panels, rail of requests in flight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import html
from dash.development.base_component import Component

from components.option import attributes
from components.point_description import headline
from components.stat_table import stat_tables
from dashboard import __version__
from dashboard.domain.ids import readable_slug
from dashboard.links import (
    PointView,
    TimelineView,
    module_url,
    panels_api_url,
    scatter_api_url,
    timeline_url,
    window_api_url,
)
from dashboard.pages.point_statistics import point_statistics
from dashboard.pages.wording import Wording
from dashboard.services import services

_AGGREGATES_ONLY = (
    "Panels over time need the single requests or the server metrics of the run. The artifact of this point "
    "holds aggregates only: ingest its AIPerf folder (profile_export.jsonl, server_metrics_export.json) to "
    "see them."
)


def instrument_part(row: Mapping[str, Any], view: PointView, words: Wording) -> list[Component]:
    """Window bar and overview, then statistics and panels at the left and the rail at the right.

    `assets/modules/panels.js` fills what has a data-part.
    """
    statistics = stat_tables(point_statistics(services().store, row))
    if not row["has_requests"] and not row["has_series"]:
        return [*statistics, html.P(_AGGREGATES_ONLY, className="quiet instrument-absent")]
    main = html.Div(
        [
            *statistics,
            _part("statistics", html.Div),
            html.P(className="quiet", hidden=True, **attributes(data_part="clock")),
            html.H2("Panels", className="visually-hidden"),
            _part("panels", html.Div, "panel-grid"),
            _part("scatter", html.Div),
        ],
        className="instrument-main",
    )
    rail = _part("rail", html.Aside, "run-rail", aria_label="Requests in the window")
    return [
        html.Section(
            [
                _part("bar", html.Div, "window-bar"),
                _part("overview", html.Div),
                html.Div([main, rail], className="instrument-columns"),
            ],
            id="instrument",
            className="instrument",
            **attributes(
                aria_label="The run over time", data_module=module_url("panels"), **_told(row, view, words)
            ),
        )
    ]


def _part(name: str, tag: Any, classes: str = "", **more: str) -> Component:
    made: Component = tag(className=classes, **attributes(data_part=name, **more))
    return made


def _told(row: Mapping[str, Any], view: PointView, words: Wording) -> dict[str, str | None]:
    """What the module must know: addresses without the reader's choices, and the words in its pictures."""
    who = headline(row, words.label)
    point_id = str(row["point_id"])
    slug = readable_slug(row, point_id)
    run = f"run {row['run_date'] or 'of unknown date'} · source {row['source']}"
    caption = (
        f"{who.stack}, concurrency {row['concurrency']}",
        run,
        f"agentx {__version__}",
        f"/point/{slug}",
    )
    return {
        "data_point": point_id,
        "data_panels": panels_api_url(point_id),
        "data_window": window_api_url(point_id),
        "data_scatter": scatter_api_url(point_id) if row["has_requests"] else None,
        "data_timeline": timeline_url(slug, TimelineView(theme=view.theme)) if row["has_requests"] else None,
        "data_caption": " · ".join(caption),
        "data_label": ", ".join(who.badges) or None,
    }
