"""The filter rail: one icon with its word per facet, opening to the facet's values with counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dash import html
from dash.development.base_component import Component

from components.described import described
from components.icon import icon
from components.option import Option, attributes, option_link, text_link
from components.view_form import Field, view_form


@dataclass(frozen=True, slots=True)
class Facet:
    """One filter: `key` is the facet's name (it picks the icon), `active` whether it narrows the view now."""

    key: str
    label: str
    options: tuple[Option, ...]
    active: bool = False


@dataclass(frozen=True, slots=True)
class DateRange:
    """The filter by date of the run: what is chosen (ISO dates, empty for open), what there is, and the
    rest of the view.

    `base` is the URL of the view without dates; the form adds `since` and `until`.
    """

    since: str
    until: str
    first: str
    last: str
    base: str
    shortcuts: tuple[Option, ...] = ()


def filter_bar(facets: Sequence[Facet], dates: DateRange | None, clear: Option | None) -> list[Component]:
    """The rail's contents. `clear` opens every filter again and is given only when one is active."""
    head = html.Button(
        [icon("filters"), html.Span("Filters")],
        id="filters-toggle",
        className="rail-item rail-all",
        type="button",
        **attributes(aria_label="Show all filters", aria_expanded="false"),
    )
    items = [_facet(facet) for facet in facets]
    if dates is not None:
        items.append(_dates(dates))
    cleared = [text_link(clear, "rail-clear")] if clear is not None else []
    return [described([head, html.Div([*items, *cleared], className="rail-items")])]


def _facet(facet: Facet) -> html.Details:
    rows = [option_link(option, "option option-check") for option in facet.options]
    body = rows or [html.P("No values in this selection.", className="quiet")]
    return _item(facet.key, facet.label, facet.active, body)


def _dates(dates: DateRange) -> html.Details:
    since, until = (
        Field(name, label, value, kind="date", least=dates.first, most=dates.last)
        for name, label, value in (("since", "From", dates.since), ("until", "To", dates.until))
    )
    form = view_form((since, until), dates.base, "Apply")
    body = [*[option_link(option) for option in dates.shortcuts], form]
    return _item("date", "Date", bool(dates.since or dates.until), body)


def _item(key: str, label: str, active: bool, body: Sequence[Component]) -> html.Details:
    mark = [html.Span("filter is on", className="visually-hidden")] if active else []
    summary = html.Summary(
        [icon(key), html.Span(label), *mark], className="rail-item" + (" active" if active else "")
    )
    panel = html.Div([html.Div(label, className="menu-heading"), *body], className="rail-panel")
    return html.Details([summary, panel], className="facet", **attributes(data_facet=key))
