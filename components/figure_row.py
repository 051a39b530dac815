"""The figures of a point that are read first, in large type: what was measured, over how many requests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dash import html
from dash.development.base_component import Component

from components.described import described
from components.option import attributes

Tone = Literal["", "failed", "conflict"]


@dataclass(frozen=True, slots=True)
class BigFigure:
    """One figure: `value` is empty where there is none, and `note` then says why.

    `better` is an arrow to the better side, `explanation` the definition and `exact` the value in full, both
    on hover. `few` marks a percentile with too few requests beyond it.
    """

    label: str
    value: str
    unit: str
    note: str
    better: str = ""
    explanation: str = ""
    exact: str = ""
    few: bool = False
    tone: Tone = ""
    href: str = ""


def figure_row(figures: Sequence[BigFigure]) -> list[Component]:
    """The figures beside each other; they wrap where there is not room for all."""
    return [html.Div(described([_figure(figure) for figure in figures]), className="big-figures")]


def _figure(figure: BigFigure) -> html.Dl:
    arrow = [" ", html.Span(figure.better, **attributes(aria_hidden="true"))] if figure.better else []
    name = html.A(figure.label, href=figure.href) if figure.href else figure.label
    return html.Dl(
        [
            html.Dt([name, *arrow], title=figure.explanation or None),
            html.Dd(_value(figure), className="big-value", title=figure.exact or None),
            html.Dd(figure.note, className=f"big-note {figure.tone}".rstrip()),
        ],
        className="big-figure",
    )


def _value(figure: BigFigure) -> list[Component | str]:
    """The figure with its unit; a dash where there is none."""
    if not figure.value:
        return [html.Span("–", className="missing")]
    star = [html.Sup("*", title="fewer than ten requests lie beyond this percentile")] if figure.few else []
    unit = [" ", html.Span(figure.unit, className="big-unit")] if figure.unit else []
    return [html.B(figure.value), *star, *unit]
