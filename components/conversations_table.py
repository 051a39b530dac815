"""The conversations of a dataset as a table whose order, filters and pages are links and one form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dash import html
from dash.development.base_component import Component

from components.described import Element, described
from components.option import Option, attributes
from dashboard.domain.units import count, percent, seconds, tokens


@dataclass(frozen=True, slots=True)
class Head:
    """A column's head: its words, where a click on it leads, and how the list is ordered by it now."""

    label: str
    href: str
    order: str | None = None


@dataclass(frozen=True, slots=True)
class Filters:
    """What the form says: where it leads and the values that stand in it; `kept` goes along unseen."""

    action: str
    search: str
    models: Sequence[tuple[str, bool]]
    subagents: str
    turns: str
    isl: str
    kept: Mapping[str, str]
    clear: str | None


def conversation_filters(filters: Filters) -> Component:
    """The form above the list: search by id, model, subagents, ranges of turns and input tokens."""
    options = [("", "any model", not any(chosen for _, chosen in filters.models))]
    options += [(model, model, chosen) for model, chosen in filters.models]
    subagents = [("", "with or without subagents", not filters.subagents)]
    subagents += [(one, f"{one} subagents", filters.subagents == one) for one in ("with", "without")]
    hidden = [
        Element("input", {"type": "hidden", "name": name, "value": value})
        for name, value in filters.kept.items()
    ]
    clear = [html.A("Clear", href=filters.clear, className="button")] if filters.clear else []
    return html.Form(
        described(
            [
                _input("Search by id", "q", "search", filters.search, "part of an id"),
                _select("Model", "model", options),
                _select("Subagents", "subagents", subagents),
                _input("Turns", "turns", "text", filters.turns, "such as 20..200"),
                _input("Largest input, tokens", "isl", "text", filters.isl, "such as 50000..400000"),
                *hidden,
                html.Button("Apply", className="button", type="submit"),
                *clear,
            ]
        ),
        action=filters.action,
        method="get",
        className="conversation-filters",
        **attributes(aria_label="Filter conversations"),
    )


def _input(label: str, name: str, kind: str, value: str, hint: str) -> html.Label:
    told = {"type": kind, "name": name, "value": value, "placeholder": hint, "class": "field"}
    return html.Label([html.Span(label, className="quiet"), Element("input", told)])


def _select(label: str, name: str, options: Sequence[tuple[str, str, bool]]) -> html.Label:
    entries = [
        Element("option", {"value": value} | ({"selected": ""} if chosen else {}), (text,))
        for value, text, chosen in options
    ]
    box = Element("select", {"name": name, "class": "field"}, entries)
    return html.Label([html.Span(label, className="quiet"), box])


def conversations_table(
    heads: Sequence[Head],
    rows: Sequence[Mapping[str, Any]],
    links: Mapping[str, str],
    pages: Sequence[Option],
) -> list[Component]:
    """One page of the list (columns of the store's conversations); `links` leads to each by its id."""
    head = html.Thead(html.Tr([_head(one) for one in heads]))
    body = html.Tbody([_row(row, links[row["conversation_id"]]) for row in rows])
    table = html.Table([head, body], className="stat-table conversations")
    reachable = attributes(aria_label="Conversations")
    return [
        html.Div(described([table]), className="table-scroll", role="region", tabIndex="0", **reachable),
        *([_pages(pages)] if len(pages) > 1 else []),
    ]


def _head(head: Head) -> html.Th:
    arrow = {"ascending": " ↑", "descending": " ↓"}.get(head.order or "", "")
    return html.Th(
        html.A(head.label + arrow, href=head.href), scope="col", **attributes(aria_sort=head.order)
    )


def _row(row: Mapping[str, Any], href: str) -> html.Tr:
    share = row["cached_tokens"] / row["input_tokens"] if row["input_tokens"] else None
    repeated = row["duplicate_of"]
    note = html.Span(f"repeats {repeated}", className="quiet") if repeated else None
    cells = (
        ", ".join(row["models"]),
        count(row["turns"]),
        count(row["subagents"]),
        tokens(row["isl_max"]),
        tokens(row["input_tokens"]),
        tokens(row["output_tokens"]),
        percent(share),
        seconds(row["span_s"]),
    )
    name = html.Th([html.A(row["conversation_id"], href=href), " ", note], scope="row")
    return html.Tr([name, *[html.Td(cell) for cell in cells]])


def _pages(pages: Sequence[Option]) -> html.Nav:
    links = [
        html.A(
            page.label,
            href=page.href,
            className="button",
            **attributes(aria_current="page" if page.chosen else None),
        )
        for page in pages
    ]
    return html.Nav(links, className="page-links", **attributes(aria_label="Pages of the list"))
