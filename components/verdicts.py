"""How a pinned point stands: on its frontier or dominated by what, and its factor against the best line at
the same x.
"""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from components.icon import icon
from components.swatch import hardware_class
from dashboard.domain.columns import numbers, texts
from dashboard.domain.comparison import BestLine, Comparison, PanelComparison
from dashboard.domain.fitness import caveats
from dashboard.domain.metrics import quantity_name
from dashboard.domain.scene import ResolvedAxis, Scene, Series
from dashboard.domain.units import count, format_metric, significant


def verdicts(scene: Scene, pin: Comparison) -> list[Component]:
    """One line per thing to know, the same one for both charts said once; then caveats."""
    standing = [_standing(scene, pin, panel) for panel in range(len(scene.panels))]
    lines = [_with_chart(scene, panel, words, standing) for panel, words in enumerate(standing)]
    shown = list(dict.fromkeys(lines))
    items = [
        html.Li([html.Span(icon(sign), className="verdict-sign"), html.Span(words)]) for sign, words in shown
    ]
    best = [item for panel in range(len(scene.panels)) for item in _against_best(scene, pin, panel)]
    return [html.Ul([*items, *best], className="verdicts"), *_caveats(scene, pin)]


Standing = tuple[str, str]


def _with_chart(scene: Scene, panel: int, words: Standing, all_words: Sequence[Standing]) -> Standing:
    """The verdict, with the chart it is about where the charts disagree."""
    if len(set(all_words)) == 1:
        return words
    axis = scene.panels[panel]
    return words[0], f"{words[1]}, against {quantity_name(axis.metric, axis.stat)}"


def _standing(scene: Scene, pin: Comparison, panel: int) -> Standing:
    place = pin.panels[panel]
    owner = next((one for one in scene.series if one.key == pin.series), None)
    name = f"{owner.hardware_label} {owner.engine_label}, {owner.precision_label}" if owner else ""
    if place.verdict == "frontier":
        return "check", f"On the frontier of {name}"
    if place.verdict == "dominated":
        return "below", f"Dominated by {_dominator(scene, place, panel)}"
    if place.verdict == "failing":
        return "below", "Kept off the frontier: too many of its requests failed"
    if place.verdict == "not_drawable":
        return "below", "Not drawn: a value of this chart is missing"
    return "below", "Not one of the curves shown" if owner is None else "Concurrency has no better direction"


def _dominator(scene: Scene, place: PanelComparison, panel: int) -> str:
    row = place.dominated_by
    if row is None:
        return "another point of its curve"
    users = count(float(numbers(scene.columns, "concurrency")[row]))
    shape = texts(scene.columns, "topology_label")[row]
    who = ", ".join(part for part in (f"concurrency {users}" if users else "", shape or "") if part)
    at = f"{_figure(scene.y, row)} at {_figure(scene.panels[panel], row)}"
    return f"{who or 'another point'}: {at}"


def _figure(axis: ResolvedAxis, row: int) -> str:
    return format_metric(axis.metric, float(axis.values[row]))


def _against_best(scene: Scene, pin: Comparison, panel: int) -> list[Component]:
    """The factor against the best line at the point's x, and whose line that is where it is not said
    already.
    """
    place = pin.panels[panel]
    if place.best is None or place.x is None:
        return []
    axis = scene.panels[panel]
    where = format_metric(axis.metric, place.x) + ("" if panel == 0 else f" {axis.title.quantity}")
    owner = next(one for one in scene.series if one.key == place.best.series)
    tone = hardware_class(owner.hardware) if owner.coloured else "muted"
    ring = html.Span(className=f"verdict-line {tone}")
    if significant(place.best.factor) == "1.00":
        return [html.Li([ring, html.Span(f"On the best line shown at {where}")])]
    factor = html.Strong(f"{significant(place.best.factor)}×")
    told = [factor, f" the best line at {where}", html.Br(), _whose(scene, owner, place.best)]
    return [html.Li([ring, html.Span(told)])]


def _whose(scene: Scene, owner: Series, best: BestLine) -> html.Span:
    value = format_metric(scene.y.metric, best.y)
    how = "measured" if best.measured else "interpolated"
    return html.Span(f"{owner.hardware_label} {owner.engine_label}, {value}, {how}", className="quiet")


def _caveats(scene: Scene, pin: Comparison) -> list[Component]:
    axes = (*scene.panels, scene.y)
    said = caveats(scene.columns, pin.row, tuple((axis.metric, axis.stat) for axis in axes))
    return [html.Ul([html.Li(one) for one in said], className="caveats")] if said else []
