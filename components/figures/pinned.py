"""What a pinned point adds to a chart: its ring, cross-hair values on the axes, and the gap to the best
line at the same x.
"""

from __future__ import annotations

from collections.abc import Sequence

from components.figures.axes import Annotation
from components.figures.frame import Panel
from components.figures.marks import Trace
from components.figures.typed_array import packed
from components.theme import Palette, symbol_of
from dashboard.domain.columns import texts
from dashboard.domain.comparison import BestLine, Comparison, PanelComparison
from dashboard.domain.scene import Scene, Series
from dashboard.domain.units import format_number, significant

#: How far other series stand back while a point is pinned.
_FADED, _FADED_MUTED = 0.62, 0.55


def opacity_of(series: Series, pins: Sequence[Comparison]) -> float:
    """1 for the pinned point's series and for the best line at its x, less for all others."""
    if not pins:
        return 1.0
    bright = {pin.series for pin in pins}
    bright |= {panel.best.series for pin in pins for panel in pin.panels if panel.best is not None}
    return 1.0 if series.key in bright else _FADED if series.coloured else _FADED_MUTED


def pin_traces(scene: Scene, chart: Panel, pins: Sequence[Comparison], palette: Palette) -> list[Trace]:
    """Cross-hairs below rings, for each pinned point that this chart can show; the gap to the best line for
    a single pin.
    """
    made: list[Trace] = []
    for number, pin in enumerate(pins):
        place = pin.panels[chart.index]
        if place.x is None or place.y is None:
            continue
        made += [_cross_hair(place.x, place.y, chart, palette)]
        if place.best is not None and len(pins) == 1:
            made += _gap(place.x, place.y, place.best, scene, chart, palette)
        made += [_mark(place.x, place.y, scene, pin.row, palette), _ring(place.x, place.y, palette, number)]
    return [_placed(trace, chart, part) for part, trace in enumerate(made)]


def _placed(trace: Trace, chart: Panel, part: int) -> Trace:
    return trace | {
        "uid": f"pin__{part}at{chart.index}",
        "meta": {"series": None, "role": "pin", "panel": chart.index},
        "hoverinfo": "skip",
        "type": "scatter",
        "xaxis": chart.x_name,
        "yaxis": chart.y_name,
        "cliponaxis": True,
    }


def _cross_hair(x: float, y: float, chart: Panel, palette: Palette) -> Trace:
    line = {"color": palette.token["axis"], "width": 1, "dash": "2px,3px"}
    return {
        "mode": "lines",
        "x": packed([chart.x.low, x, x]),
        "y": packed([y, y, chart.y.low]),
        "line": line,
    }


def _gap(x: float, y: float, best: BestLine, scene: Scene, chart: Panel, palette: Palette) -> list[Trace]:
    """A thin line from the point to the best line, a hollow mark there; nothing when the point is on it."""
    if significant(best.factor) == "1.00":
        return []
    owner = next(one for one in scene.series if one.key == best.series)
    colour = palette.hardware(owner.hardware) if owner.coloured else palette.token["mute"]
    line = {"mode": "lines", "x": packed([x, x]), "y": packed([y, best.y])}
    mark = {"mode": "markers", "x": packed([x]), "y": packed([best.y])}
    stroke = {"color": colour, "width": 1.75}
    return [
        line | {"line": {"color": palette.token["text-2"], "width": 1.25}},
        mark
        | {
            "marker": {
                "symbol": "circle",
                "size": 9,
                "color": palette.token["bg"],
                "opacity": 1,
                "line": stroke,
            }
        },
    ]


def _mark(x: float, y: float, scene: Scene, row: int, palette: Palette) -> Trace:
    """The point's own mark, for the case that its curve does not draw it."""
    colour = palette.hardware(texts(scene.columns, "hardware")[row])
    marker = {
        "symbol": symbol_of(texts(scene.columns, "precision")[row]),
        "size": 7.5,
        "color": colour,
        "opacity": 1,
    }
    return {"mode": "markers", "x": packed([x]), "y": packed([y]), "marker": marker}


def _ring(x: float, y: float, palette: Palette, number: int) -> Trace:
    """The ring of a pinned point: solid, dashed for the second pin."""
    line = {"color": palette.token["text"], "width": 1.5, "dash": "solid" if number == 0 else "dash"}
    marker = {"symbol": "circle", "size": 22, "color": "rgba(0,0,0,0)", "opacity": 1, "line": line}
    return {"mode": "markers", "x": packed([x]), "y": packed([y]), "marker": marker}


def pin_words(scene: Scene, chart: Panel, pins: Sequence[Comparison], palette: Palette) -> list[Annotation]:
    """The pinned point's values as tags on the axes, and its factor at the gap."""
    words: list[Annotation] = []
    for pin in pins:
        place = pin.panels[chart.index]
        if place.x is None or place.y is None:
            continue
        words.append(
            _tag(chart, format_number(scene.panels[chart.index].metric, place.x), palette, x=place.x)
        )
        if chart.y_name != "y" or chart.index == 0:
            words.append(_tag(chart, format_number(scene.y.metric, place.y), palette, y=place.y))
        if len(pins) == 1:
            words += _factor(place, chart, palette)
    return words


def _tag(
    chart: Panel, text: str, palette: Palette, *, x: float | None = None, y: float | None = None
) -> Annotation:
    """A value in a filled box where the cross-hair meets an axis, over the tick labels."""
    look = {
        "text": f"<b>{text}</b>",
        "font": {"size": 12, "color": palette.token["bg"]},
        "bgcolor": palette.token["text"],
        "borderpad": 3,
    }
    if x is not None:
        place = {"xref": chart.x_name, "x": chart.x.inner(x), "yref": "paper", "y": chart.y_domain[0]}
        return look | place | {"xanchor": "center", "yanchor": "top", "yshift": -4}
    assert y is not None
    place = {"yref": chart.y_name, "y": chart.y.inner(y), "xref": "paper", "x": chart.x_domain[0]}
    return look | place | {"xanchor": "right", "yanchor": "middle", "xshift": -4}


def _factor(place: PanelComparison, chart: Panel, palette: Palette) -> list[Annotation]:
    if place.best is None or place.x is None or place.y is None or significant(place.best.factor) == "1.00":
        return []
    middle = (chart.y.inner(place.y) + chart.y.inner(place.best.y)) / 2
    at_left = float(chart.x.inner(place.x)) > chart.x.at(0.5)
    return [
        {
            "text": f"<b>{significant(place.best.factor)}×</b>",
            "font": {"size": 12, "color": palette.token["text"]},
            "bgcolor": palette.token["bg"],
            "xref": chart.x_name,
            "yref": chart.y_name,
            "x": chart.x.inner(place.x),
            "y": middle,
            "xanchor": "right" if at_left else "left",
            "xshift": -5 if at_left else 5,
            "yanchor": "middle",
        }
    ]
