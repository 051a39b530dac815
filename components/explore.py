"""A view that a page draws only when asked: its choices as links, the figure once one is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dash import dcc, html
from dash.development.base_component import Component

from components.control_line import Menu, control_line
from components.described import described
from components.graph_card import CONFIG
from components.option import Option, attributes, option_link


@dataclass(frozen=True, slots=True)
class Drawing:
    """The figure of a choice with what stands round it: `alt` for those who cannot see it, `note` on what is
    drawn and what is not, `files` with its data.
    """

    figure: dict[str, Any]
    alt: str
    note: Sequence[Any]
    files: Sequence[Option]
    close: Option


@dataclass(frozen=True, slots=True)
class Explorer:
    """One such view: what it answers, ready choices, menus with all of them."""

    key: str
    title: str
    question: str
    ready: Sequence[Option]
    menus: Sequence[Menu]
    drawing: Drawing | None = None
    trouble: str = ""


def explorer(view: Explorer) -> html.Section:
    """The section; without a drawing it is a heading with choices.

    `assets/explore.js` follows the links without leaving the page, and a mark to the page of its point.
    """
    name = f"{view.key}-title"
    return html.Section(
        [
            html.H2(view.title, id=name),
            html.P(view.question, className="quiet"),
            html.Div(
                [described([_ready(view.ready)]), *control_line(view.menus, ())], className="explore-choices"
            ),
            *_drawn(view),
        ],
        id=view.key,
        className="explore",
        **attributes(aria_labelledby=name),
    )


def _ready(options: Sequence[Option]) -> html.Div:
    return html.Div([option_link(option, "chip") for option in options], className="chips")


def _drawn(view: Explorer) -> list[Component]:
    if view.trouble:
        return [html.P(view.trouble, className="quiet explore-note")]
    if view.drawing is None:
        return []
    made = view.drawing
    graph = dcc.Graph(
        id=f"{view.key}-graph", figure=made.figure, config=CONFIG, responsive=True, className="graph"
    )
    files = [
        part
        for option in made.files
        for part in (html.A(option.label, href=option.href, title=option.title or None), " ")
    ]
    return [
        html.Div(graph, className="explore-graph", role="img", **attributes(aria_label=made.alt)),
        html.P(made.note, className="quiet explore-note"),
        html.P(
            [*files, html.A(made.close.label, href=made.close.href, **attributes(data_view="1"))],
            className="explore-files",
        ),
    ]
