"""The table under the charts: the same rows, sortable; on a phone the same rows as cards."""

from __future__ import annotations

from typing import Any

import dash_ag_grid as dag
from dash import html
from dash.development.base_component import Component

from components.described import described
from components.table_rows import PointHref, axes_of, table_rows
from dashboard.domain.scene import ResolvedAxis, Scene
from dashboard.domain.stacks import Naming
from dashboard.domain.units import count, format_number

Column = dict[str, Any]

_ROW, _HEADER, _MOST_HEIGHT = 28, 40, 640

#: Cards on a phone; the rest is in the downloads.
_CARDS = 60
_PHONE = "(max-width: 767px)"

#: Units of whole numbers, which are shown in full.
_COUNTED = ("requests", "GPUs")

GRID_ID, CARDS_ID = "points-grid", "points-cards"

_EVERY_COLUMN: Column = {
    "sortable": True,
    "resizable": True,
    "suppressMovable": True,
    "wrapHeaderText": True,
    "suppressHeaderMenuButton": True,
}
_OPTIONS: dict[str, Any] = {
    "rowHeight": _ROW,
    "headerHeight": _HEADER,
    "animateRows": False,
    "enableCellTextSelection": True,
    "theme": {"function": "agentxGridTheme(themeQuartz)"},
}


def points_table(scene: Scene, naming: Naming, href: PointHref, *, narrow: bool) -> list[Component]:
    """The grid of a scene's drawn points and, for a narrow window, their cards; `href` is a point's page."""
    rows = table_rows(scene, naming, href)
    grid = dag.AgGrid(
        id=GRID_ID,
        defaultColDef=_EVERY_COLUMN,
        dashGridOptions=_OPTIONS,
        getRowId="params.data.id",
        className="points-ag",
        **_grid_props(scene, rows),
    )
    return [
        html.Div(grid, className="points-grid"),
        html.Div(_cards(scene, rows) if narrow else [], id=CARDS_ID),
    ]


def table_update(scene: Scene, naming: Naming, href: PointHref, *, narrow: bool) -> dict[str, dict[str, Any]]:
    """What changes in a table that is there, as properties by component id: far cheaper than another grid."""
    rows = table_rows(scene, naming, href)
    return {GRID_ID: _grid_props(scene, rows), CARDS_ID: {"children": _cards(scene, rows) if narrow else []}}


def _grid_props(scene: Scene, rows: list[dict[str, Any]]) -> dict[str, Any]:
    height = min(_MOST_HEIGHT, _HEADER + _ROW * max(len(rows), 1) + 2)
    return {"rowData": rows, "columnDefs": columns(scene), "style": {"height": f"{height}px"}}


def columns(scene: Scene) -> list[Column]:
    """The columns: stack, shape, the figures of the axes with unit and direction, cache, requests, run.

    Where anything shown is not official, a column says so of each row.
    """
    axes = [_axis(name, axis) for name, axis in axes_of(scene)]
    official = all(one.provenance == "official" for one in scene.series)
    return [
        _words("Stack", "hardware", 190, 4) | {"cellRenderer": "StackCell"},
        *([] if official else [_words("Origin", "origin", 92, 1)]),
        _words("Precision", "precision", 78, 1),
        _words("Topology", "topology", 96, 3),
        _figure("GPUs", "gpus", "count", 58),
        _figure("Conc.", "concurrency", "count", 62, "Concurrency as configured"),
        *axes,
        _words("KV offload", "offload", 92, 2),
        _figure("HBM hit, %", "hbm", "percent", 76, "Share of prompt tokens found in HBM"),
        _figure("Requests ok / failed", "ok", "fate", 104),
        _words("Run", "run", 98, 1),
    ]


def _words(title: str, field: str, width: int, flex: int) -> Column:
    return {"headerName": title, "field": field, "minWidth": width, "flex": flex, "tooltipField": field}


def _figure(title: str, field: str, form: str, width: int, tip: str = "") -> Column:
    column = {
        "headerName": title,
        "field": field,
        "type": "rightAligned",
        "minWidth": width,
        "flex": 1,
        "comparator": {"function": "agentxMissingLast(valueA, valueB, nodeA, nodeB, isDescending)"},
        "valueFormatter": {"function": f"agentxFigure(params, '{form}')"},
    }
    return column | ({"headerTooltip": tip} if tip else {})


def _axis(name: str, axis: ResolvedAxis) -> Column:
    """A figure of the chart; wide enough for its title in two lines."""
    title = f"{axis.title.quantity}, {axis.title.unit}"
    form = "count" if axis.metric.unit in _COUNTED else "statistic" if axis.metric.takes_statistic else "rate"
    column = _figure(title, name, form, max(90, 34 + 37 * len(title) // 10), axis.metric.explanation)
    best = "desc" if axis.metric.better == "higher" else "asc"
    return column | {"flex": 2} | ({"sort": best} if name == "y" else {})


def _cards(scene: Scene, rows: list[dict[str, Any]]) -> html.Div:
    """The first rows in words, drawn on a phone only."""
    more = len(rows) - _CARDS
    rest = [html.P(f"{count(more)} more are in the downloads.", className="quiet")] if more > 0 else []
    cards = [_card(scene, row) for row in rows[:_CARDS]]
    return html.Div(described([*cards, *rest], media=_PHONE), className="points-cards")


def _origin(provenance: str) -> str:
    return "" if provenance == "official" else provenance.upper()


def _card(scene: Scene, row: dict[str, Any]) -> html.A:
    users = f"conc {count(row['concurrency'])}" if row["concurrency"] is not None else ""
    shape = " · ".join(part for part in (row["precision"], users, _origin(row["origin"])) if part)
    dot = html.I(className=f"dot hw-{row['tone']}" if row["tone"] else "dot muted")
    name = html.Span([dot, html.B(row["hardware"]), f" {row['stack']}"])
    figures = [_card_figure(axis, row[column]) for column, axis in axes_of(scene)]
    return html.A(
        [
            html.Span([name, html.Span(shape, className="quiet")], className="point-card-head"),
            html.Span(figures, className="point-card-figures"),
        ],
        href=row["href"],
        className="point-card",
    )


def _card_figure(axis: ResolvedAxis, value: float | None) -> html.Span:
    unit = html.Small(f"{axis.title.quantity}, {axis.title.unit}")
    return html.Span([html.B(format_number(axis.metric, value) or "–"), unit])
