"""One distribution of recorded sessions: bars on a shared axis, percentile guides, and the figures in words.

Several datasets stand under each other on one axis and one scale of shares, so that their shapes compare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dash import html
from dash.development.base_component import Component

from components.described import described
from components.option import attributes
from dashboard.domain.fitness import OBSERVATIONS_BEYOND
from dashboard.domain.trace_distributions import PERCENTILES, Axis, Quantity, Spread
from dashboard.domain.units import count, percent, seconds, tokens

_WORDS: Mapping[str, Callable[[float | None], str]] = {
    "tokens": tokens,
    "share": percent,
    "seconds": seconds,
    "count": tokens,
}


@dataclass(frozen=True, slots=True)
class Distribution:
    """A quantity with its axis, and the values of each dataset by the name that people read."""

    quantity: Quantity
    axis: Axis
    spreads: Mapping[str, Spread]


def distribution_cards(found: Sequence[Distribution], *, compared: bool) -> list[Component]:
    """A card for each; `compared` writes whose values are whose."""
    cards = [_card(one, compared) for one in found]
    note = html.P("* fewer than ten values lie beyond this percentile", className="quiet")
    few = any(_few(n, spread.n) for one in found for spread in one.spreads.values() for n in PERCENTILES)
    return [html.Div(described(cards), className="distributions"), *([note] if few else [])]


def _card(one: Distribution, compared: bool) -> html.Section:
    highest = max(float(spread.counts.max()) / max(spread.n, 1) for spread in one.spreads.values())
    plots = [
        part
        for name, spread in one.spreads.items()
        for part in (
            *([html.P(name, className="distribution-name")] if compared else []),
            _plot(one, spread, highest),
        )
    ]
    scale = "log scale" if one.axis.log else "linear scale"
    return html.Section(
        [
            html.H3(one.quantity.label),
            html.P(f"by {one.quantity.of}, {scale}", className="quiet"),
            *plots,
            _ends(one),
            _figures(one, compared),
        ],
        className="distribution",
    )


def _plot(one: Distribution, spread: Spread, highest: float) -> html.Div:
    """Bars of equal width on the axis' own scale; heights are shares of all values."""
    n = max(spread.n, 1)
    bars = [html.I(style={"height": f"{100 * float(bar) / n / highest:.1f}%"}) for bar in spread.counts]
    guides = [
        html.B(
            style={"left": f"{100 * one.axis.at(value):.2f}%"},
            title=f"p{number}: {_WORDS[one.quantity.unit](value)}",
        )
        for number, value in zip(PERCENTILES, spread.percentiles, strict=True)
    ]
    label = f"{one.quantity.label}: {_sentence(one.quantity, spread)}"
    return html.Div(
        [html.Div(bars, className="bars"), *guides],
        className="distribution-plot",
        role="img",
        **attributes(aria_label=label),
    )


def _sentence(quantity: Quantity, spread: Spread) -> str:
    words = _WORDS[quantity.unit]
    told = ", ".join(
        f"p{number} {words(value)}" for number, value in zip(PERCENTILES, spread.percentiles, strict=True)
    )
    return f"n {count(spread.n)}, {told}, largest {words(spread.largest)}"


def _ends(one: Distribution) -> html.Div:
    """The ends of the axis in words."""
    words, edges = _WORDS[one.quantity.unit], one.axis.edges
    low = max(float(edges[0]), 0.0)
    high = max(spread.largest for spread in one.spreads.values()) if one.quantity.unit != "share" else 1.0
    return html.Div([html.Span(words(low)), html.Span(words(high))], className="distribution-ends")


def _figures(one: Distribution, compared: bool) -> html.Table:
    """n, percentiles and the largest value, a line a dataset."""
    names = ("n", *(f"p{number}" for number in PERCENTILES), "max")
    corner = [html.Td("")] if compared else []
    heads = html.Thead(html.Tr([*corner, *[html.Th(name, scope="col") for name in names]]))
    words = _WORDS[one.quantity.unit]
    lines = []
    for name, spread in one.spreads.items():
        cells = [count(spread.n)]
        for number, value in zip(PERCENTILES, spread.percentiles, strict=True):
            cells.append(words(value) + ("*" if _few(number, spread.n) else ""))
        cells.append(words(spread.largest))
        first = [html.Th(name, scope="row")] if compared else []
        lines.append(html.Tr([*first, *[html.Td(cell) for cell in cells]]))
    zeros = sum(spread.below for spread in one.spreads.values())
    caption = [html.Caption(f"{count(zeros)} at zero have no place on the axis")] if zeros else []
    return html.Table([*caption, heads, html.Tbody(lines)], className="distribution-figures")


def _few(number: int, n: int) -> bool:
    return n * (100 - number) / 100 < OBSERVATIONS_BEYOND
