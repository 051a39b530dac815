"""The Curves page: where each part stands. Every part keeps its place and size, so that nothing jumps when
one changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dash import dcc, html
from dash.development.base_component import Component

from components.graph_card import graph_card
from components.grid_bundle import grid_script
from components.option import attributes

Parts = Sequence[Component]


@dataclass(frozen=True, slots=True)
class CurvesParts:
    """The first contents of the page's parts, each replaced by the callback under the id `curves-<name>`.

    `query` is the query string that the parts answer; `alt` the figure in words.
    """

    query: str
    notices: Parts
    controls: Parts
    filters: Parts
    figure: dict[str, Any]
    alt: str
    counts: Parts
    legend: Parts
    panel: Parts
    export: Parts


def curves_layout(parts: CurvesParts) -> html.Main:
    """Controls above, filters left, charts with their counts, legend or pinned point at the right, table
    below.
    """
    charts = html.Section(
        [
            html.Div(parts.notices, id="curves-notices", **attributes(aria_live="polite")),
            graph_card(parts.figure, parts.alt, "curves-graph"),
            html.Div(parts.counts, id="curves-counts", className="counts-line"),
        ],
        className="charts",
        **attributes(aria_label="Curves"),
    )
    panel = html.Aside(
        parts.panel, id="curves-panel", className="panel", **attributes(aria_label="Pinned point")
    )
    legend = html.Aside(
        parts.legend, id="curves-legend", className="legend", **attributes(aria_label="Legend")
    )
    return html.Main(
        [
            html.H1("Curves", className="visually-hidden"),
            html.Div(parts.controls, id="curves-controls", className="control-line"),
            html.Nav(
                parts.filters, id="curves-filters", className="rail", **attributes(aria_label="Filters")
            ),
            charts,
            panel,
            legend,
            _points(parts.export),
            dcc.Store(id="curves-query", data=parts.query),
            dcc.Store(id="curves-painted", data=False),
        ],
        id="main",
        className="curves-page",
    )


def _points(export: Parts) -> html.Section:
    """The table's place; its rows come after the charts are painted, because its library is large."""
    head = html.Div(export, id="curves-export", className="points-head")
    table = html.Div(
        id="curves-table", className="points-table skeleton", **attributes(data_grid_script=grid_script())
    )
    return html.Section([head, table], className="points", **attributes(aria_label="Points"))
