"""The points of one stack and run as a strip of cards: the present one lit, a step away its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dash import html
from dash.development.base_component import Component

from components.described import described
from components.icon import icon
from components.option import attributes
from dashboard.domain.metrics import DEFAULT_Y, REGISTRY
from dashboard.domain.neighbours import Neighbour
from dashboard.domain.units import count, exact, format_number


@dataclass(frozen=True, slots=True)
class Card:
    """One neighbour with the address of its page."""

    point: Neighbour
    href: str
    present: bool


def neighbour_strip(cards: Sequence[Card]) -> list[Component]:
    """The strip with a step to either side; a sentence where the point is alone in its run.

    `assets/neighbours.js` brings the present card into view and gives the steps their keys.
    """
    if len(cards) < 2:
        return [html.P("No other point of this stack in this run.", className="neighbours-alone quiet")]
    place = next((index for index, card in enumerate(cards) if card.present), 0)
    strip = html.Div([_card(card) for card in cards], className="neighbours-cards")
    parts = [
        _step(cards, place - 1, "previous", "left", "["),
        strip,
        _step(cards, place + 1, "next", "right", "]"),
        html.P(_note(cards), className="neighbours-note quiet"),
    ]
    return [html.Nav(described(parts), className="neighbours", **attributes(aria_label="Points of this run"))]


def _card(card: Card) -> html.A:
    point = card.point
    state = "".join((" present" if card.present else "", "" if point.stored else " bare"))
    diamond = [html.Span("◆", className="on-frontier", title="On the frontier")] if point.on_frontier else []
    load = html.B([f"c {count(point.concurrency) or '?'}", *([" "] if diamond else []), *diamond])
    lines = [html.Span(line) for line in (*_apart(point), _rate(point)) if line]
    bare = [] if point.stored else [html.Span("no trace stored", className="neighbour-bare")]
    return html.A(
        [load, *lines, *bare],
        href=card.href,
        className=f"neighbour{state}",
        title=_title(point),
        **attributes(aria_current="page" if card.present else None),
    )


def _apart(point: Neighbour) -> list[str]:
    return [" · ".join(point.apart)] if point.apart else []


def _rate(point: Neighbour) -> str:
    figure = format_number(REGISTRY[DEFAULT_Y], point.throughput)
    return f"{figure} tok/s/GPU" if figure else "no throughput"


def _load(point: Neighbour) -> str:
    return f"concurrency {count(point.concurrency) or 'unknown'}"


def _title(point: Neighbour) -> str:
    """Everything on the card in full, with the exact figure."""
    parts = (
        _load(point),
        *point.apart,
        f"{exact(point.throughput)} tok/s per GPU" if point.throughput is not None else "no throughput",
        "on the frontier" if point.on_frontier else "",
        "" if point.stored else "its requests are not in this store",
    )
    return ", ".join(part for part in parts if part)


def _step(cards: Sequence[Card], place: int, word: str, side: str, key: str) -> html.A | html.Span:
    """The link to the point before or after; at an end it is there without leading anywhere."""
    shared = {"className": f"neighbour-step step-{word}"}
    if not 0 <= place < len(cards):
        return html.Span(icon(f"arrow-{side}"), **shared, **attributes(aria_hidden="true"))
    name = f"{word.capitalize()} point: {_load(cards[place].point)}"
    return html.A(
        icon(f"arrow-{side}"),
        href=cards[place].href,
        title=f"{name} ({key})",
        **shared,
        **attributes(aria_label=name, data_step=key),
    )


def _note(cards: Sequence[Card]) -> list[Component | str]:
    """What is shown, what the mark means, and the order."""
    marked = any(card.point.on_frontier for card in cards)
    frontier = ["◆ on the frontier of throughput against p90 interactivity · "] if marked else []
    return [
        f"{len(cards)} points of this stack in this run, by concurrency",
        html.Br(),
        *frontier,
        html.Kbd("["),
        " ",
        html.Kbd("]"),
        " step",
    ]
