"""The traces of curves: lines, stretches nobody measured, marks, the dashed rings of offloaded points.

Curves that are drawn alike (the mute ones) share their traces, since plotly pays for each trace. A trace's
`uid` names series, role and chart; plotly makes a class of it, so that the page can fade a curve without
redrawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from components.cells import text_cell, text_cells
from components.figures.frame import Panel
from components.figures.typed_array import packed
from components.theme import Palette, dash_of, symbol_of
from dashboard.domain.columns import Columns, Numbers, Rows
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
    family = text_cell(columns, "engine_family", int(series.rows[0]))
    return Style(
        colour=palette.hardware(series.hardware) if series.coloured else palette.token["mute"],
        ground=palette.token["bg"],
        dash=dash_of(family or series.engine),
        symbol=symbol_of(series.precision),
        coloured=series.coloured,
        opacity=opacity,
        strong=strong,
    )


@dataclass(frozen=True, slots=True)
class Bundle:
    """Curves that share their traces because they have one style; `name` is the key of a curve that is
    alone.
    """

    name: str
    members: tuple[Series, ...]
    style: Style


def bundle_traces(scene: Scene, bundle: Bundle, chart: Panel) -> list[Trace]:
    """All traces of a bundle in one chart, from back to front; what is empty is left out."""
    curves = [one.panels[chart.index] for one in bundle.members]
    frontiers = [curve.frontier for curve in curves]
    rings = [_offloaded(scene.columns, rows) for rows in frontiers]
    lines = [(curve.line_x, curve.line_y) for curve in curves]
    gaps = [(curve.gap_x, curve.gap_y) for curve in curves]
    style = bundle.style
    made: list[tuple[Role, Trace, list[int]]] = [
        ("gap", *_line("gap", gaps, style)),
        ("dominated", *_marks("dominated", scene, chart, [curve.dominated for curve in curves], style)),
        ("line", *_line("line", lines, style)),
        ("mark", *_marks("mark", scene, chart, frontiers, style)),
        ("ring", *_ring(scene, chart, rings, style)),
    ]
    return [_named(trace, role, sizes, bundle, chart) for role, trace, sizes in made if sum(sizes)]


def _named(trace: Trace, role: Role, sizes: list[int], bundle: Bundle, chart: Panel) -> Trace:
    """The trace with its place; a shared one tells which part of it belongs to which series."""
    meta: dict[str, Any] = {"series": bundle.name, "role": role, "panel": chart.index}
    if len(bundle.members) > 1:
        ends = np.cumsum(sizes).tolist()
        keys = (one.key for one in bundle.members)
        meta |= {
            "series": None,
            "parts": [[key, end - size, end] for key, size, end in zip(keys, sizes, ends, strict=True)],
        }
    return trace | {
        "type": "scatter",
        "uid": f"{bundle.name}__{role}{chart.index}",
        "meta": meta,
        "legendgroup": bundle.name,
        "opacity": bundle.style.opacity,
        "xaxis": chart.x_name,
        "yaxis": chart.y_name,
    }


def _line(
    role: Literal["gap", "line"], pieces: Sequence[tuple[Numbers, Numbers]], style: Style
) -> tuple[Trace, list[int]]:
    """Polylines one after the other, a gap between two of them."""
    pause = np.array([np.nan])
    x = [part for piece in pieces if len(piece[0]) for part in (piece[0], pause)]
    y = [part for piece in pieces if len(piece[1]) for part in (piece[1], pause)]
    width = (2.0 if style.strong else 1.5) if style.coloured else 1.0
    look: Trace = {"color": style.colour, "width": width, "dash": style.dash}
    if role == "gap":
        look |= {"width": 1.0, "dash": "1px,5px"}
    sizes = [len(piece[0]) + 1 if len(piece[0]) else 0 for piece in pieces]
    return {
        "mode": "lines",
        "x": packed(_joined(x), "f4"),
        "y": packed(_joined(y), "f4"),
        "line": look,
    }, sizes


def _joined(parts: Sequence[Numbers]) -> Numbers:
    return np.concatenate(parts)[:-1] if parts else np.zeros(0)


def _marks(
    role: Literal["mark", "dominated"], scene: Scene, chart: Panel, members: Sequence[Rows], style: Style
) -> tuple[Trace, list[int]]:
    rows = np.concatenate(members)
    marker = _dim(style) if role == "dominated" else _solid(style, scene.few_requests[rows])
    return _points(scene, chart, rows) | {"marker": marker}, [len(one) for one in members]


def _points(scene: Scene, chart: Panel, rows: Rows) -> Trace:
    """Rows as points of a trace: exact values, and the id of each point for the page's script."""
    return {
        "mode": "markers",
        "x": packed(scene.panels[chart.index].values[rows]),
        "y": packed(scene.y.values[rows]),
        "customdata": _ids(scene.columns, rows),
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


def _ring(scene: Scene, chart: Panel, members: Sequence[Rows], style: Style) -> tuple[Trace, list[int]]:
    """The dashed ring round points with offload; the same values as their marks, so that it sits exactly on
    them.
    """
    marker = {
        "symbol": "circle",
        "size": _RING if style.coloured else _RING_MUTED,
        "color": _TRANSPARENT,
        "opacity": 1,
        "line": {"color": style.colour, "width": 1.2 if style.coloured else 1.0, "dash": _RING_DASH},
    }
    points = _points(scene, chart, np.concatenate(members))
    return points | {"marker": marker, "hoverinfo": "skip"}, [len(one) for one in members]


def _offloaded(columns: Columns, rows: Rows) -> Rows:
    kinds = text_cells(columns, "offload", rows)
    return rows[np.array([kind not in (None, "none") for kind in kinds], dtype=np.bool_)]


def _ids(columns: Columns, rows: Rows) -> Sequence[str]:
    return [point_id or "" for point_id in text_cells(columns, "point_id", rows)]
