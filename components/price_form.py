"""The reader's own price of a GPU hour: what the catalog says, what the reader says instead, both visible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dash import html

from components.option import Option, option_link
from components.view_form import Field, view_form


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per GPU hour of one accelerator: the catalog's (None when it has none) and the reader's
    own.
    """

    hardware: str
    label: str
    catalog_usd: float | None
    own_usd: float | None = None


def price_form(prices: Sequence[Price], tiers: Sequence[Option], note: str, base: str) -> html.Div:
    """Price tiers as links, then one field per accelerator shown; `note` names date and source of what is
    used.

    The form writes one parameter, `price=b300:2.5,h200:1.9`, added to `base`.
    """
    fields = [
        Field(
            "price",
            price.label,
            "" if price.own_usd is None else f"{price.own_usd:g}",
            key=price.hardware,
            placeholder="none" if price.catalog_usd is None else f"{price.catalog_usd:.2f}",
            least="0",
            suffix="$/h",
        )
        for price in prices
    ]
    return html.Div(
        [
            html.Div("Price of a GPU hour", className="menu-heading"),
            *[option_link(tier) for tier in tiers],
            html.Div("Your own price", className="menu-heading"),
            view_form(fields, base, "Use these prices"),
            html.P(note, className="quiet note"),
        ],
        className="prices",
    )
