"""`/datasets/<slug>`: one dataset: figures, distributions, models, and its conversations to search."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import dash
from dash import html
from dash.development.base_component import Component

from components.conversations_table import Filters, Head, conversation_filters, conversations_table
from components.distribution_card import distribution_cards
from components.figure_row import figure_row
from components.option import Option, attributes
from dashboard.domain.units import count, percent, tokens
from dashboard.links import (
    DATASETS,
    ConversationView,
    DatasetsView,
    DatasetView,
    conversation_url,
    dataset_conversations_api_url,
    dataset_url,
    datasets_url,
    parse_dataset,
)
from dashboard.pages.dataset_figures import distributions, figures, source_line
from dashboard.pages.frame import guarded, notice_lines, page, title
from dashboard.pages.not_found_404 import not_found
from dashboard.parameters import write_interval
from dashboard.services import services
from dashboard.store import dataset_questions as questions
from dashboard.store.dataset_questions import PAGE_ROWS, ConversationPage, DatasetInfo, Narrowing

_HEADS = (
    ("id", "Conversation"),
    ("", "Models"),
    ("turns", "Requests"),
    ("subagents", "Subagents"),
    ("isl", "Largest input"),
    ("input", "Input"),
    ("output", "Output"),
    ("cached", "Cached prefix"),
    ("span", "Span"),
)


def register(app: dash.Dash) -> None:
    """Add the page; the pages of its conversations lie deeper and come first."""
    path = f"{DATASETS}/<slug>"
    dash.register_page(__name__, path_template=path, title=title, layout=guarded(layout, path), order=20)


def layout(slug: object = "", **query: Any) -> Component:
    """The page of a dataset; a friendly one for an unknown name."""
    view, notices = parse_dataset(query)
    store = services().store
    found = questions.info(store, str(slug))
    if found is None:
        why = "This store holds no dataset of this name. Ingest its traces with --dataset to have it here."
        return not_found("No such dataset", why, **query)
    listed = questions.conversations(store, found.slug, narrowing(view))
    content = [
        *_head(found, view),
        *notice_lines(notices),
        *figure_row(figures(found)),
        *_models(found),
        html.H2("Distributions"),
        html.P("Requests of repeated sessions count once.", className="quiet")
        if found.totals["duplicates"]
        else None,
        *distribution_cards(distributions((found.slug,)), compared=False),
        *_conversations(found, view, listed),
    ]
    body = html.Main([part for part in content if part is not None], id="main", className="page dataset-page")
    labels = ("SIMULATED",) if found.simulated else ()
    return page("datasets", found.name, [body], view.theme, store.info(), labels)


def narrowing(view: DatasetView) -> Narrowing:
    """The list that a view asks for."""
    return Narrowing(view.search, view.model, view.subagents, view.turns, view.isl, view.sort, view.page)


def _head(found: DatasetInfo, view: DatasetView) -> list[Component]:
    back = datasets_url(DatasetsView(theme=view.theme))
    return [
        html.Nav(
            html.A("Datasets", href=back), className="crumbs", **attributes(aria_label="Above this page")
        ),
        html.H1(found.name),
        source_line(found),
    ]


def _models(found: DatasetInfo) -> list[Component]:
    """The share of requests of each model."""
    mix = questions.models(services().store, found.slug)
    total = sum(requests for _, requests, _ in mix)
    items = [
        html.Li(
            [
                html.Span(model, className="model-name"),
                html.Span(html.I(style={"width": f"{requests / total:.2%}"}), className="share-bar"),
                html.Span(
                    f"{percent(requests / total)}, {count(requests)} requests, {tokens(size)} tokens in"
                ),
            ]
        )
        for model, requests, size in mix
    ]
    return [html.H2("Models, share of requests"), html.Ul(items, className="model-mix")] if items else []


def _conversations(found: DatasetInfo, view: DatasetView, listed: ConversationPage) -> list[Component]:
    fitting = f"{count(listed.fitting)} of {count(listed.total)}"
    links = {
        row["conversation_id"]: conversation_url(
            found.slug, row["conversation_id"], view=ConversationView(theme=view.theme)
        )
        for row in listed.rows
    }
    data = dataset_conversations_api_url(found.slug, replace(view, theme=None))
    heading = html.H2("Conversations", id="conversations")
    line = html.P([fitting, " · ", html.A("JSON", href=data)], className="quiet")
    if not listed.rows:
        rows: list[Component] = [html.P("None fits. Relax or clear a filter.")]
    else:
        rows = conversations_table(_heads(found, view), listed.rows, links, _pages(found, view, listed))
    return [heading, conversation_filters(_filters(found, view)), line, *rows]


def _anchor(slug: str, view: DatasetView) -> str:
    return f"{dataset_url(slug, view)}#conversations"


def _heads(found: DatasetInfo, view: DatasetView) -> list[Head]:
    heads = []
    for key, label in _HEADS:
        if not key:
            heads.append(Head(label, ""))
            continue
        falling = view.sort == f"-{key}"
        sort = key if falling or (key == "id" and view.sort != "id") else f"-{key}"
        order = "descending" if falling else "ascending" if view.sort == key else None
        heads.append(Head(label, _anchor(found.slug, replace(view, sort=sort, page=1)), order))
    return heads


def _pages(found: DatasetInfo, view: DatasetView, listed: ConversationPage) -> list[Option]:
    last = -(-listed.fitting // PAGE_ROWS)
    near = sorted({1, *range(max(1, view.page - 2), min(last, view.page + 2) + 1), last})
    return [Option(str(n), _anchor(found.slug, replace(view, page=n)), chosen=n == view.page) for n in near]


def _filters(found: DatasetInfo, view: DatasetView) -> Filters:
    mix = questions.models(services().store, found.slug)
    kept = {"sort": view.sort} if view.sort != DatasetView().sort else {}
    if view.theme:
        kept["theme"] = view.theme
    plain = DatasetView(sort=view.sort, theme=view.theme)
    return Filters(
        action=dataset_url(found.slug),
        search=view.search or "",
        models=[(model, model in view.model) for model, _, _ in mix],
        subagents=view.subagents or "",
        turns=write_interval(view.turns) if view.turns else "",
        isl=write_interval(view.isl) if view.isl else "",
        kept=kept,
        clear=_anchor(found.slug, plain) if replace(view, page=1) != plain else None,
    )
