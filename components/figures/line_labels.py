"""The names of curves at their ends: in the margin with thin leaders, or inside a chart where there is
room.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from components.figures.boxes import Box, first_free, spread, text_width
from components.figures.frame import Panel
from components.theme import Palette
from dashboard.domain.columns import Numbers
from dashboard.domain.scene import Series

Annotation = dict[str, Any]

#: Height of a line of label text in the margin; distance of a label from its mark.
_LINE, _NEAR = 15.0, 9.0
_HARDWARE_SIZE, _ENGINE_SIZE = 12.0, 11.0


@dataclass(frozen=True, slots=True)
class End:
    """The last mark of a curve that a chart shows: its series, the words behind the accelerator, its place in
    data units and in pixels.
    """

    series: Series
    words: str
    x: float
    y: float
    left: float
    top: float


def margin_width(series: Sequence[Series], names: Mapping[str, str]) -> float:
    """Pixels that the names of the coloured series need at the right of a chart."""
    return max((_wide(one, names[one.key]) for one in series if one.coloured), default=0.0) + 12


def _wide(series: Series, words: str) -> float:
    hardware = text_width(series.hardware_label, _HARDWARE_SIZE, bold=True)
    return hardware + 5 + text_width(words, _ENGINE_SIZE)


def ends(series: Sequence[Series], chart: Panel, names: Mapping[str, str]) -> list[End]:
    """The right-most visible mark of each coloured curve."""
    found = []
    for one in series:
        if one.coloured and (end := _end(one, names[one.key], chart)) is not None:
            found.append(end)
    return found


def _end(series: Series, words: str, chart: Panel) -> End | None:
    curve = series.panels[chart.index]
    rows = np.isin(series.rows, curve.frontier)
    x, y = curve.x[rows], curve.y[rows]
    left, top = chart.pixels(x, y)
    seen = (left >= 0) & (left <= chart.width) & (top >= 0) & (top <= chart.height)
    if not seen.any():
        return None
    last = int(np.flatnonzero(seen)[np.argmax(left[seen])])
    return End(series, words, float(x[last]), float(y[last]), float(left[last]), float(top[last]))


def in_margin(found: Sequence[End], chart: Panel, palette: Palette) -> list[Annotation]:
    """One name per end at the right of the chart, at least a line apart, each with a leader to its mark."""
    tops = spread([end.top for end in found], _LINE, 6.0, chart.height - 6.0)
    return [_leader(end, top, chart, palette) for end, top in zip(found, tops, strict=True)]


def _leader(end: End, top: float, chart: Panel, palette: Palette) -> Annotation:
    """Plotly draws the leader as an arrow without a head, from the text at the axis' end to the mark."""
    colour = palette.hardware_text(end.series.hardware)
    return {
        "name": f"label:{end.series.key}",
        "text": f"{_bold(end.series, palette)} {_quiet(end.words, palette)}",
        "xref": chart.x_name,
        "yref": chart.y_name,
        "x": chart.x.inner(end.x),
        "y": chart.y.inner(end.y),
        "axref": chart.x_name,
        "ayref": chart.y_name,
        "ax": chart.x.at(1.0),
        "ay": chart.y.at(1.0 - top / chart.height),
        "xanchor": "left",
        "yanchor": "middle",
        "align": "left",
        "showarrow": True,
        "arrowhead": 0,
        "arrowwidth": 0.6,
        "arrowcolor": colour,
        "standoff": _NEAR,
        "borderpad": 0,
    }


def inside(found: Sequence[End], chart: Panel, x: Numbers, y: Numbers, palette: Palette) -> list[Annotation]:
    """Names in two lines beside the ends, best curve first, only where they cover nothing; `x`, `y`:
    everything drawn, in pixels.
    """
    area = Box(0, 0, chart.width, chart.height)
    taken: list[Box] = []
    words = []
    for end in found:
        box = first_free(_beside(end), area, taken, x, y)
        if box is not None:
            taken.append(box)
            words.append(_two_lines(end, box, chart, palette))
    return words


def _beside(end: End) -> list[Box]:
    """Above right, right, below right, above left of a mark."""
    hardware = text_width(end.series.hardware_label, _HARDWARE_SIZE, bold=True)
    wide = max(hardware, text_width(end.words, _ENGINE_SIZE))
    high = 2 * _LINE
    corners = (
        (end.left + 4, end.top - high - 5),
        (end.left + _NEAR, end.top - high / 2),
        (end.left + 4, end.top + 5),
        (end.left - wide - 4, end.top - high - 5),
    )
    return [Box(left, top, left + wide, top + high) for left, top in corners]


def _two_lines(end: End, box: Box, chart: Panel, palette: Palette) -> Annotation:
    return {
        "name": f"label:{end.series.key}",
        "text": f"{_bold(end.series, palette)}<br>{_quiet(end.words, palette)}",
        "xref": chart.x_name,
        "yref": chart.y_name,
        "x": chart.x.inner(end.x),
        "y": chart.y.inner(end.y),
        "xanchor": "left",
        "yanchor": "top",
        "xshift": box.left - end.left,
        "yshift": end.top - box.top,
        "align": "left",
        "borderpad": 0,
    }


def _bold(series: Series, palette: Palette) -> str:
    colour = palette.hardware_text(series.hardware)
    return f'<span style="color:{colour}"><b>{escape(series.hardware_label)}</b></span>'


def _quiet(words: str, palette: Palette) -> str:
    colour = palette.token["text-2"]
    return f'<span style="color:{colour};font-size:{_ENGINE_SIZE:g}px">{escape(words)}</span>'
