"""The figure of the Curves page: best-per-stack curves in one or two charts on one y axis, as a plain dict
for plotly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from components.figures.axes import layout_axes, ranges, titles
from components.figures.boxes import traced
from components.figures.end_names import end_names
from components.figures.frame import BOTTOM, LEFT, TOP, Arrangement, Axis, Panel, Range, axis_over, panels
from components.figures.hover import HOVER_COLUMNS, hover
from components.figures.line_labels import End, ends, in_margin, inside, margin_width
from components.figures.marks import Bundle, Style, Trace, bundle_traces, style_of
from components.figures.pinned import opacity_of, pin_traces, pin_words
from components.figures.point_labels import Labels, point_labels
from components.key import key_items
from components.theme import PALETTES, Palette, Theme, template
from dashboard.domain.columns import Numbers
from dashboard.domain.comparison import Comparison
from dashboard.domain.scene import ResolvedAxis, Scene, Series
from dashboard.domain.stacks import Naming, plain_label

#: Columns of the store that the figure reads beside those of the scene.
FIGURE_COLUMNS = (*HOVER_COLUMNS, "engine_family")

#: Curves that the chart's description names.
_NAMED = 12


@dataclass(frozen=True, slots=True)
class Caption:
    """What an exported picture says about itself: title, what is shown, where the data is from, of which
    date.
    """

    title: str
    subtitle: str
    source: str
    date: str


@dataclass(frozen=True, slots=True)
class Dressing:
    """Everything about the picture that does not change which curves it holds.

    `zoom` has axes by name (x, x2, y) in data units; `notice` stands quietly inside each chart ("Simulated
    sample, not measured").
    """

    theme: Theme = "light"
    arrangement: Arrangement = "wide"
    labels: Labels = "none"
    zoom: Mapping[str, Range] | None = None
    notice: str | None = None


def curves_figure(
    scene: Scene,
    caption: Caption,
    dressing: Dressing,
    naming: Naming = plain_label,
    pins: Sequence[Comparison] = (),
) -> dict[str, Any]:
    """The figure: traces with typed arrays, explicit ranges, names at the curves' ends, `layout.meta` for
    the page's script.

    `pins` are the pinned points, at most two, as `domain.comparison` holds them against this scene.
    """
    palette = PALETTES[dressing.theme]
    charts, whole = _charts(scene, dressing), _charts(scene, Dressing(arrangement=dressing.arrangement))
    names = end_names(scene, naming, dressing.arrangement)
    bundles = _bundles(scene, pins, palette)
    data: list[Trace] = []
    words = titles(scene, charts, palette)
    for chart in charts:
        x, y = _drawn_pixels(scene, chart)
        data += [trace for bundle in bundles for trace in bundle_traces(scene, bundle, chart)]
        data += point_labels(scene, chart, dressing.labels, x, y, palette)
        words += _names(ends(scene.series, chart, names), chart, chart is charts[-1], (x, y), palette)
        data += pin_traces(scene, chart, pins, palette)
        words += _notice(scene, chart, dressing.notice, palette)
        words += pin_words(scene, chart, pins, palette)
    right = margin_width(scene.series, names) if dressing.arrangement == "wide" else 12
    layout = _layout(dressing, right) | layout_axes(charts) | {"annotations": words}
    meta = _meta(scene, caption, dressing, naming) | {"home": ranges(whole)}
    return {"data": data, "layout": layout | {"meta": meta}}


def _charts(scene: Scene, dressing: Dressing) -> tuple[Panel, ...]:
    zoom = dressing.zoom or {}
    names = ["x" if index == 0 else f"x{index + 1}" for index in range(len(scene.panels))]
    x_axes = [_axis(scene, axis, zoom.get(name)) for name, axis in zip(names, scene.panels, strict=True)]
    return panels(x_axes, _axis(scene, scene.y, zoom.get("y")), dressing.arrangement)


def _axis(scene: Scene, axis: ResolvedAxis, zoom: Range | None) -> Axis:
    return axis_over(axis.values[scene.rows], axis.scale, zoom)


def _bundles(scene: Scene, pins: Sequence[Comparison], palette: Palette) -> list[Bundle]:
    """Curves from back to front: mute ones first, alike ones together; then one by one, the best last."""
    pinned = {pin.series for pin in pins}
    alone: list[Bundle] = []
    alike: dict[Style, list[Series]] = {}
    for one in scene.series[::-1]:
        opacity = opacity_of(one, pins)
        style = style_of(one, scene.columns, palette, opacity, strong=one.key in pinned)
        if one.coloured or one.key in pinned:
            alone.append(Bundle(one.key, (one,), style))
        else:
            alike.setdefault(style, []).append(one)
    mute = [
        Bundle(members[0].key if len(members) == 1 else f"mute-{place}", tuple(members), style)
        for place, (style, members) in enumerate(alike.items())
    ]
    return [*mute, *alone]


def _drawn_pixels(scene: Scene, chart: Panel) -> tuple[Numbers, Numbers]:
    """Every mark and every stretch of a line in one chart, in pixels: what a label must not cover."""
    curves = [one.panels[chart.index] for one in scene.series]
    marks = chart.pixels(scene.panels[chart.index].values[scene.rows], scene.y.values[scene.rows])
    lines = [(curve.line_x, curve.line_y) for curve in curves] + [
        (curve.gap_x, curve.gap_y) for curve in curves
    ]
    drawn = [marks, *(traced(*chart.pixels(x, y)) for x, y in lines)]
    return np.concatenate([x for x, _ in drawn]), np.concatenate([y for _, y in drawn])


def _names(
    found: list[End], chart: Panel, last: bool, drawn: tuple[Numbers, Numbers], palette: Palette
) -> list[dict[str, Any]]:
    """Names in the margin of the last chart; in the others inside, where there is room."""
    return in_margin(found, chart, palette) if last else inside(found, chart, *drawn, palette)


def _notice(scene: Scene, chart: Panel, notice: str | None, palette: Palette) -> list[dict[str, Any]]:
    """Quiet text in the upper corner that the curves leave free: right where they fall, left where they
    rise.
    """
    if not notice:
        return []
    rises = scene.panels[chart.index].metric.better == "lower" and scene.y.metric.better == "higher"
    left, right = chart.x_domain
    side = (
        {"x": left, "xanchor": "left", "xshift": 8}
        if rises
        else {"x": right, "xanchor": "right", "xshift": -8}
    )
    place = {"xref": "paper", "yref": "paper", "y": chart.y_domain[1], "yanchor": "top", "yshift": -6}
    return [place | side | {"text": notice, "font": {"size": 11, "color": palette.token["text-3"]}}]


def _layout(dressing: Dressing, right: float) -> dict[str, Any]:
    return {
        "template": template(dressing.theme),
        "margin": {"l": LEFT, "r": right, "t": TOP, "b": BOTTOM, "pad": 0},
        "autosize": True,
    }


def _meta(scene: Scene, caption: Caption, dressing: Dressing, naming: Naming) -> dict[str, Any]:
    """What the page's script needs: words for hovers and for exported pictures."""
    return {
        "caption": asdict(caption),
        "notice": dressing.notice,
        "key": [asdict(item) for item in key_items(scene)],
        "axes": _axis_words(scene),
        "series": [_series_words(one) for one in scene.series],
        "hover": hover(scene, naming),
    }


def _axis_words(scene: Scene) -> list[dict[str, str]]:
    """Name and unit of x of each chart, then of y."""
    return [{"quantity": axis.title.quantity, "unit": axis.title.unit} for axis in (*scene.panels, scene.y)]


def _series_words(series: Series) -> dict[str, str]:
    return {
        "hardware": series.hardware_label,
        "engine": series.engine_label,
        "precision": series.precision_label,
        "qualifiers": series.qualifiers,
    }


def figure_alt(scene: Scene) -> str:
    """The chart in words, for those who cannot see it; the table below it holds the numbers."""
    x = " and against ".join(axis.title.quantity for axis in scene.panels)
    named = [" ".join(part for part in (one.label, one.qualifiers) if part) for one in scene.series[:_NAMED]]
    more = f" and {len(scene.series) - _NAMED} more" if len(scene.series) > _NAMED else ""
    curves = f"{len(scene.series)} curves, best first: {', '.join(named)}{more}" if named else "no curve"
    return f"{scene.y.title.quantity} against {x}: {curves}."
