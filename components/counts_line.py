"""Under the charts: what the marks mean, how many series are shown, and why the others are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dash import html
from dash.development.base_component import Component

from components.described import described
from components.key import KeyItem, key_items
from components.option import Option, text_link
from components.swatch import mark
from dashboard.domain.scene import HiddenSeries, Scene
from dashboard.domain.units import count


@dataclass(frozen=True, slots=True)
class CountLinks:
    """The views that undo what the counts tell: show or hide dominated points, show the points of older
    runs.
    """

    dominated: Option
    older_runs: Option | None = None
    everything: Option | None = None


def counts_line(scene: Scene, links: CountLinks) -> list[Component]:
    """The key of the marks at the left, the counts at the right."""
    key = html.Div([_key_item(item) for item in key_items(scene)], className="key")
    return [described([key, html.Div(_counts(scene, links), className="counts")])]


def _key_item(item: KeyItem) -> html.Span:
    if item.symbol == "ring":
        return html.Span([html.Span(mark("circle"), className="key-ring"), item.words], className="key-item")
    shape = html.Span(className="key-line") if item.symbol == "line" else mark(item.symbol)
    return html.Span([shape, item.words], className="key-item")


def _counts(scene: Scene, links: CountLinks) -> list[Component]:
    total = len(scene.series) + len(scene.hidden)
    coloured = sum(one.coloured for one in scene.series)
    shown = html.Strong(f"{len(scene.series)} of {total} series shown")
    parts: list[Component | str] = [
        shown,
        f", {coloured} in colour " if coloured < len(scene.series) else " ",
    ]
    why = _why(scene, links)
    return [html.Span([*parts, *why]), *_dominated(scene, links.dominated)]


def _dominated(scene: Scene, link: Option) -> list[Component]:
    if scene.rules.dominated:
        return [html.Span(["Dominated points shown ", text_link(link)])]
    if not scene.dominated_hidden:
        return []
    words = "dominated point hidden " if scene.dominated_hidden == 1 else "dominated points hidden "
    return [html.Span([f"{count(scene.dominated_hidden)} {words}", text_link(link)])]


def _why(scene: Scene, links: CountLinks) -> list[Component]:
    """The account of everything that is not drawn, behind one word."""
    sections = [
        *_colour_rule(scene),
        *_hidden_list(scene.hidden, links.everything),
        *_points_left_out(scene, links),
    ]
    if not sections:
        return []
    body = html.Div(sections, className="menu-list menu-end why")
    return [html.Details([html.Summary("Why?"), body], className="menu menu-why", **{"data-menu": "why"})]


def _colour_rule(scene: Scene) -> list[Component]:
    grey = sum(not one.coloured for one in scene.series)
    if not grey:
        return []
    words = "The best series of each accelerator are in colour, at most eight in all; "
    return [html.P(f"{words}{count(grey)} more in grey. Click one in the legend to see it alone.")]


def _hidden_list(hidden: Sequence[HiddenSeries], everything: Option | None) -> list[Component]:
    if not hidden:
        return []
    rows = [
        html.Li(
            [html.Strong(" ".join(part for part in (one.label, one.qualifiers) if part)), f": {one.reason}"]
        )
        for one in hidden
    ]
    undo = [text_link(everything)] if everything is not None and any(one.by_choice for one in hidden) else []
    return [html.Div("Series not shown", className="menu-heading"), html.Ul(rows), *undo]


def _points_left_out(scene: Scene, links: CountLinks) -> list[Component]:
    rows: list[Component] = [
        html.Li(f"{count(number)}: {reason}") for reason, number in scene.unplotted.items()
    ]
    if scene.older_points:
        link = [" ", text_link(links.older_runs)] if links.older_runs is not None else []
        rows.append(
            html.Li(
                [f"{count(scene.older_points)}: from older runs; each curve shows its newest run.", *link]
            )
        )
    if not rows:
        return []
    return [html.Div("Points not shown", className="menu-heading"), html.Ul(rows)]
