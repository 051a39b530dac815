"""A chart in the page: plotly's graph with our settings, named for those who cannot see it."""

from __future__ import annotations

from typing import Any

from dash import dcc, html

from components.option import attributes

#: What plotly may offer: nothing that leaves the page, nothing that our own controls already do.
CONFIG: dict[str, Any] = {
    "displayModeBar": False,
    "displaylogo": False,
    "modeBarButtonsToRemove": ["sendChartToCloud"],
    "doubleClick": False,
    "scrollZoom": False,
    "showTips": False,
    "responsive": True,
}


def graph_card(figure: dict[str, Any], alt: str, graph_id: str, size: str = "curves") -> html.Div:
    """The graph in a box whose size (`curves`, `small`) is fixed by the stylesheet before anything is drawn.

    The class `single` tells it that there is one chart only; `assets/curves.js` keeps it right.
    """
    graph = dcc.Graph(id=graph_id, figure=figure, config=CONFIG, responsive=True, className="graph")
    charts = "" if "xaxis2" in figure["layout"] else " single"
    box = f"graph-box graph-{size}{charts}"
    return html.Div(graph, className=box, role="img", **attributes(aria_label=alt))
