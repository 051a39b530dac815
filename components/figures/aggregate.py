"""The figure of one metric over the points of a run: a line per percentile, against concurrency."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np

from components.figures.axes import Annotation, chart_titles, layout_axes
from components.figures.boxes import spread
from components.figures.frame import BOTTOM, LEFT, TOP, Panel, axis_over
from components.figures.typed_array import packed
from components.theme import PALETTES, Palette, Theme, template
from dashboard.domain.across import Across, AcrossLine
from dashboard.domain.columns import Numbers, Rows
from dashboard.domain.metrics import REGISTRY, AxisTitle, quantity_name, title_parts
from dashboard.domain.units import format_metric

Trace = dict[str, Any]

#: Least size of the plot area in pixels: what it has on a phone.
_WIDTH, _HEIGHT = 250.0, 232.0
_LABEL_GAP, _RIGHT = 13.0, 40
_RING_DASH = "2.6px,2px"
_LOG_BEYOND = 10.0


@dataclass(frozen=True, slots=True)
class RunPoints:
    """The points of the run, one per row: words of the tip, address, offload; and which row is the present
    point, if any.
    """

    names: Sequence[str]
    hrefs: Sequence[str]
    offloaded: Sequence[bool]
    present: int | None
    hardware: str | None


def aggregate_figure(found: Across, points: RunPoints, theme: Theme) -> dict[str, Any]:
    """The figure; each mark carries the address of its point as `customdata`."""
    palette = PALETTES[theme]
    chart = _chart(found)
    data = [_line(found, line, points, palette) for line in _main_last(found)]
    several = len(found.lines) > 1
    layout = {
        "template": template(theme),
        "margin": {"l": LEFT, "r": _RIGHT if several else 12, "t": TOP, "b": BOTTOM, "pad": 0},
        "autosize": True,
        "hovermode": "closest",
        "dragmode": False,
        "hoverlabel": tip_look(palette),
        **layout_axes((chart,)),
        "annotations": [
            *chart_titles(*_titles(found, chart), chart, palette),
            *_names(found, chart, palette),
        ],
        "shapes": _present(found, points, palette),
    }
    return {"data": [*data, *_rings(found, points, palette)], "layout": layout}


def aggregate_alt(found: Across) -> str:
    """The figure in words; the files beside it hold the numbers."""
    stats = ", ".join(line.stat for line in found.lines) if len(found.lines) > 1 else "one figure"
    return f"{found.metric.label} against concurrency over the points of this run: {stats} a point."


def tip_look(palette: Palette) -> dict[str, Any]:
    """The box of plotly's own tips, in the theme's colours."""
    token = palette.token
    return {
        "bgcolor": token["raised"],
        "bordercolor": token["border-strong"],
        "font": {"color": token["text"], "size": 12},
        "align": "left",
    }


def _main_last(found: Across) -> list[AcrossLine]:
    """The lines with the main one on top."""
    return sorted(found.lines, key=lambda line: line is found.main)


def _rows(found: Across) -> Rows:
    """All drawable rows, configuration by configuration."""
    return np.concatenate(found.configurations) if found.configurations else np.zeros(0, dtype=np.intp)


def _shown(found: Across, values: Numbers) -> Numbers:
    """The values in the unit of the axis: shares are stored as 0..1."""
    return values * 100 if found.metric.unit == "%" else values


def _chart(found: Across) -> Panel:
    rows = _rows(found)
    load = found.concurrency[rows]
    wide = len(load) > 0 and load.min() > 0 and load.max() > _LOG_BEYOND * load.min()
    values = np.concatenate([_shown(found, line.values[rows]) for line in found.lines])
    return Panel(
        index=0,
        x_name="x",
        y_name="y",
        x=axis_over(load, "log" if wide else "linear", None),
        y=axis_over(values, found.scale, None),
        x_domain=(0.0, 1.0),
        y_domain=(0.0, 1.0),
        width=_WIDTH,
        height=_HEIGHT,
    )


def _titles(found: Across, chart: Panel) -> tuple[AxisTitle, AxisTitle]:
    y = title_parts(found.metric, found.main.stat, found.scale, "y")
    several = len(found.lines) > 1
    x = title_parts(REGISTRY["concurrency"], "", chart.x.scale, "x")
    return x, replace(y, quantity=found.metric.label) if several else y


def _line(found: Across, line: AcrossLine, points: RunPoints, palette: Palette) -> Trace:
    """One statistic: marks at the points, lines inside each configuration; hollow where few requests carry
    it.
    """
    main = line is found.main
    colour = palette.hardware(points.hardware) if main else palette.token["mute"]
    order = [row for one in found.configurations for row in (*one.tolist(), -1)][:-1]
    hollow = [row >= 0 and bool(line.few[row]) for row in order]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": packed(_with_pauses(found.concurrency, order)),
        "y": packed(_with_pauses(_shown(found, line.values), order)),
        "line": {"color": colour, "width": 2 if main else 1, "dash": "solid" if main else "1.5px,3px"},
        "marker": {
            "symbol": "circle",
            "size": 8 if main else 5,
            "opacity": 1,
            "color": [palette.token["bg"] if few else colour for few in hollow],
            "line": {"color": colour, "width": 1.25},
        },
        "text": [_tip(found, line, points, row) if row >= 0 else "" for row in order],
        "hovertemplate": "%{text}<extra></extra>",
        "customdata": [points.hrefs[row] if row >= 0 else "" for row in order],
        "cliponaxis": False,
        "uid": f"across__{line.stat}",
        "meta": {"role": "mark", "stat": line.stat},
    }


def _with_pauses(values: Numbers, order: Sequence[int]) -> Numbers:
    return np.array([values[row] if row >= 0 else np.nan for row in order])


def _tip(found: Across, line: AcrossLine, points: RunPoints, row: int) -> str:
    name = quantity_name(found.metric, line.stat)
    figure = format_metric(found.metric, float(line.values[row]))
    few = "<br>few requests beyond the percentile" if line.few[row] else ""
    return f"<b>{escape(points.names[row])}</b><br>{escape(name)} {figure}{few}"


def _rings(found: Across, points: RunPoints, palette: Palette) -> Iterator[Trace]:
    """The dashed ring round the main marks of points with KV offload, as on the Curves page."""
    rows = np.array([row for row in _rows(found).tolist() if points.offloaded[row]], dtype=np.intp)
    if not len(rows):
        return
    ring = {"color": palette.hardware(points.hardware), "width": 1.2, "dash": _RING_DASH}
    yield {
        "type": "scatter",
        "mode": "markers",
        "x": packed(found.concurrency[rows]),
        "y": packed(_shown(found, found.main.values[rows])),
        "marker": {"symbol": "circle", "size": 14, "color": "rgba(0,0,0,0)", "opacity": 1, "line": ring},
        "hoverinfo": "skip",
        "cliponaxis": False,
        "uid": "across__ring",
        "meta": {"role": "ring"},
    }


def _names(found: Across, chart: Panel, palette: Palette) -> Iterator[Annotation]:
    """Which line is which percentile, at the right of the plot beside the last point that has all."""
    if len(found.lines) < 2:
        return
    ends = [(line, _last(found, line)) for line in found.lines]
    placed = [(line, row) for line, row in ends if row is not None]
    heights = [_shown(found, line.values[[row]])[0] for line, row in placed]
    tops = ((1.0 - chart.y.fraction(np.array(heights))) * chart.height).tolist()
    for (line, _), top in zip(placed, spread(tops, _LABEL_GAP, 0.0, chart.height), strict=True):
        main = line is found.main
        yield {
            "text": f"<b>{line.stat}</b>" if main else line.stat,
            "xref": "paper",
            "yref": "paper",
            "x": 1.0,
            "y": 1.0 - top / chart.height,
            "xanchor": "left",
            "yanchor": "middle",
            "xshift": 6,
            "font": {"size": 11, "color": palette.token["text" if main else "text-2"]},
        }


def _last(found: Across, line: AcrossLine) -> int | None:
    """The row with a value at the highest concurrency."""
    rows = [row for row in _rows(found).tolist() if np.isfinite(line.values[row])]
    return max(rows, key=lambda row: found.concurrency[row], default=None)


def _present(found: Across, points: RunPoints, palette: Palette) -> list[dict[str, Any]]:
    """A line through the concurrency of the present point."""
    if points.present is None or not np.isfinite(found.concurrency[points.present]):
        return []
    place = float(found.concurrency[points.present])
    line = {"color": palette.token["accent"], "width": 1, "dash": "2px,3px"}
    return [
        {
            "type": "line",
            "layer": "below",
            "xref": "x",
            "yref": "paper",
            "x0": place,
            "x1": place,
            "y0": 0,
            "y1": 1,
            "line": line,
        }
    ]
