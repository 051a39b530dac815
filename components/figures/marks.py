"""The traces of one curve: its line, the stretches nobody measured, its marks, the dashed ring of offloaded
points.

A trace's `uid` names series, role and chart; plotly makes a class of it, so that the page can fade a curve
without redrawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from components.figures.frame import Panel
from components.figures.typed_array import packed
from components.theme import Palette, dash_of, symbol_of
from dashboard.domain.columns import Columns, Rows, texts
from dashboard.domain.scene import Scene, Series

Role = Literal["gap", "dominated", "line", "mark", "ring"]
Trace = dict[str, Any]

#: Radii and strokes of palette.md in pixels: a mark's diameter with half its halo, a ring's diameter.
_COLOURED, _HOLLOW, _MUTED = 8.75, 7.0, 5.0
_RING, _RING_MUTED = 14.0, 11.0
_RING_DASH = "2.6px,2px"
_TRANSPARENT = "rgba(0,0,0,0)"


@dataclass(frozen=True, slots=True)
class Style:
    """How one series is drawn: its colour, dash and symbol, and how much it stands back while another point
    is pinned.
    """

    colour: str
    ground: str
    dash: str
    symbol: str
    coloured: bool
    opacity: float = 1.0
    strong: bool = False


def style_of(series: Series, columns: Columns, palette: Palette, opacity: float, strong: bool) -> Style:
    """The style by hardware, engine family and precision; series that are not in colour are mute."""
    families = texts(columns, "engine_family")
    family = families[int(series.rows[0])] if len(series.rows) else series.engine
    return Style(
        colour=palette.hardware(series.hardware) if series.coloured else palette.token["mute"],
        ground=palette.token["bg"],
        dash=dash_of(family or series.engine),
        symbol=symbol_of(series.precision),
        coloured=series.coloured,
        opacity=opacity,
        strong=strong,
    )


def curve_traces(scene: Scene, series: Series, chart: Panel, style: Style) -> list[Trace]:
    """All traces of one series in one chart, from back to front; what is empty is left out."""
    curve = series.panels[chart.index]
    offloaded = _offloaded(scene.columns, curve.frontier)
    made = (
        _line("gap", curve.gap_x, curve.gap_y, style),
        _marks("dominated", scene, chart, curve.dominated, style),
        _line("line", curve.line_x, curve.line_y, style),
        _marks("mark", scene, chart, curve.frontier, style),
        _ring(scene, chart, offloaded, style),
    )
    return [_named(trace, role, series.key, chart) for role, trace in made if trace is not None]


def _named(trace: Trace, role: Role, key: str, chart: Panel) -> Trace:
    return trace | {
        "uid": f"{key}__{role}{chart.index}",
        "meta": {"series": key, "role": role, "panel": chart.index},
        "legendgroup": key,
        "xaxis": chart.x_name,
        "yaxis": chart.y_name,
    }


def _line(
    role: Literal["gap", "line"], x: np.ndarray, y: np.ndarray, style: Style
) -> tuple[Role, Trace | None]:
    if not np.isfinite(x).any():
        return role, None
    width = (2.0 if style.strong else 1.5) if style.coloured else 1.0
    look = {"color": style.colour, "width": width, "dash": style.dash, "simplify": True}
    if role == "gap":
        look |= {"width": 1.0, "dash": "1px,5px"}
    return role, {
        "type": "scatter",
        "mode": "lines",
        "x": packed(x, "f4"),
        "y": packed(y, "f4"),
        "line": look,
        "opacity": style.opacity,
    }


def _marks(
    role: Literal["mark", "dominated"], scene: Scene, chart: Panel, rows: Rows, style: Style
) -> tuple[Role, Trace | None]:
    if not len(rows):
        return role, None
    x, y = scene.panels[chart.index].values[rows], scene.y.values[rows]
    marker = _dim(style) if role == "dominated" else _solid(style, scene.few_requests[rows])
    return role, {
        "type": "scatter",
        "mode": "markers",
        "x": packed(x),
        "y": packed(y),
        "customdata": _ids(scene.columns, rows),
        "marker": marker,
        "opacity": style.opacity,
        "cliponaxis": False,
    }


def _solid(style: Style, few: np.ndarray) -> Trace:
    """A solid mark with a halo in the ground's colour; hollow where few requests carry the percentile, or
    the series is mute.
    """
    if not style.coloured:
        line = {"color": style.colour, "width": 1.0}
        return {"symbol": style.symbol, "size": _MUTED, "color": style.ground, "line": line, "opacity": 1}
    if not few.any():
        line = {"color": style.ground, "width": 1.25}
        return {"symbol": style.symbol, "size": _COLOURED, "color": style.colour, "line": line, "opacity": 1}
    hollow = few.tolist()
    return {
        "symbol": style.symbol,
        "size": [_HOLLOW if is_few else _COLOURED for is_few in hollow],
        "color": [style.ground if is_few else style.colour for is_few in hollow],
        "line": {"color": [style.colour if is_few else style.ground for is_few in hollow], "width": 1.25},
        "opacity": 1,
    }


def _dim(style: Style) -> Trace:
    return {"symbol": style.symbol, "size": 5.0, "color": style.colour, "opacity": 0.4, "line": {"width": 0}}


def _ring(scene: Scene, chart: Panel, rows: Rows, style: Style) -> tuple[Role, Trace | None]:
    """The dashed ring round points with offload; the same values as their marks, so that it sits exactly on
    them.
    """
    if not len(rows):
        return "ring", None
    return "ring", {
        "type": "scatter",
        "mode": "markers",
        "x": packed(scene.panels[chart.index].values[rows]),
        "y": packed(scene.y.values[rows]),
        "customdata": _ids(scene.columns, rows),
        "marker": {
            "symbol": "circle",
            "size": _RING if style.coloured else _RING_MUTED,
            "color": _TRANSPARENT,
            "opacity": 1,
            "line": {"color": style.colour, "width": 1.2 if style.coloured else 1.0, "dash": _RING_DASH},
        },
        "hoverinfo": "skip",
        "opacity": style.opacity,
        "cliponaxis": False,
    }


def _offloaded(columns: Columns, rows: Rows) -> Rows:
    offload = texts(columns, "offload")
    return np.array([row for row in rows.tolist() if offload[row] not in (None, "none")], dtype=np.intp)


def _ids(columns: Columns, rows: Rows) -> Sequence[str]:
    ids = texts(columns, "point_id")
    return [ids[row] or "" for row in rows.tolist()]
