"""Axes and their titles: the quantity in strong words, unit and scale in quiet ones, "better" at the better
end.
"""

from __future__ import annotations

from html import escape
from typing import Any

from components.figures.frame import BOTTOM, Axis, Panel, Range
from components.theme import Palette
from dashboard.domain.metrics import AxisTitle
from dashboard.domain.scene import Scene

Annotation = dict[str, Any]


def layout_axes(charts: tuple[Panel, ...]) -> dict[str, Any]:
    """The `xaxis`, `yaxis` ... entries of a layout for all charts of a figure."""
    axes: dict[str, Any] = {}
    for chart in charts:
        below = {"ticks": "outside", "ticklen": 4, "showline": True}
        axes[_entry(chart.x_name)] = _axis(chart.x, chart.x_domain, chart.y_name, nticks=7) | below
        if chart.y_name == "y" and chart.index > 0:
            continue
        axes[_entry(chart.y_name)] = _axis(chart.y, chart.y_domain, chart.x_name, nticks=6)
    if "yaxis2" in axes:
        axes["yaxis2"]["matches"] = "y"
    return axes


def _entry(name: str) -> str:
    return f"{name[0]}axis{name[1:]}"


def _axis(axis: Axis, domain: Range, anchor: str, nticks: int) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "type": axis.scale,
        "range": axis.ends,
        "domain": list(domain),
        "anchor": anchor,
        "tickformat": "~s" if axis.high >= 1000 else ".4~g",
    }
    return spec | (
        {"dtick": _log_ticks(axis)}
        if axis.scale == "log" and axis.high > 8 * axis.low
        else {"nticks": nticks}
    )


def ranges(charts: tuple[Panel, ...]) -> dict[str, list[float]]:
    """The ranges of all axes as a relayout of plotly takes them."""
    names = {chart.x_name: chart.x for chart in charts} | {"y": charts[0].y}
    return {f"{_entry(name)}.range": axis.ends for name, axis in names.items()}


def _log_ticks(axis: Axis) -> str | int:
    """Ticks at 1, 2 and 5 of each decade; over many decades at each power of ten."""
    return "D2" if axis.high < 1e3 * axis.low else 1


def titles(scene: Scene, charts: tuple[Panel, ...], palette: Palette) -> list[Annotation]:
    """The titles of all axes; where charts share one y axis, the later ones say so."""
    words: list[Annotation] = []
    for chart, axis in zip(charts, scene.panels, strict=True):
        words += _x_title(axis.title, chart, palette)
        shared = chart.index > 0 and chart.y_name == "y"
        text = "Same y axis" if shared else _title_text(scene.y.title, palette, with_better=True)
        words.append(_y_title(text, chart, palette))
    return words


def chart_titles(x: AxisTitle, y: AxisTitle, chart: Panel, palette: Palette) -> list[Annotation]:
    """The titles of a figure of one chart."""
    return [*_x_title(x, chart, palette), _y_title(_title_text(y, palette, with_better=True), chart, palette)]


def _title_text(title: AxisTitle, palette: Palette, *, with_better: bool) -> str:
    strong = f'<span style="color:{palette.token["text"]}">{escape(title.quantity)}</span>'
    quiet = " · ".join(part for part in (escape(title.unit), title.scale) if part)
    better = f" · {title.better}" if with_better and title.better else ""
    return f"{strong}, {quiet}{better}" if quiet else f"{strong}{better}"


def _y_title(text: str, chart: Panel, palette: Palette) -> Annotation:
    """Above the axis, horizontally; it starts where the tick labels start."""
    left_of_ticks = -42 if chart.y_name != "y" or chart.index == 0 else 0
    return {
        "text": text,
        "xref": "paper",
        "yref": "paper",
        "x": chart.x_domain[0],
        "y": chart.y_domain[1],
        "xanchor": "left",
        "yanchor": "bottom",
        "xshift": left_of_ticks,
        "yshift": 8,
        "font": {"size": 12, "color": palette.token["text-2"]},
    }


def _x_title(title: AxisTitle, chart: Panel, palette: Palette) -> list[Annotation]:
    """Under the ticks: the quantity at the left end, "better" at the end it points to or the right end."""
    place = {
        "xref": "paper",
        "yref": "paper",
        "y": chart.y_domain[0],
        "yanchor": "bottom",
        "yshift": -BOTTOM + 4,
        "font": {"size": 12, "color": palette.token["text-2"]},
    }
    left, right = chart.x_domain
    words = [place | {"text": _title_text(title, palette, with_better=False), "x": left, "xanchor": "left"}]
    if title.better:
        words.append(place | {"text": title.better, "x": right, "xanchor": "right"})
    return words
