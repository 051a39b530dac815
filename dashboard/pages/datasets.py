"""`/datasets`: the recorded sessions that runs replay; `?compare=a,b` sets distributions on the same axes."""

from __future__ import annotations

from typing import Any

import dash
from dash import html
from dash.development.base_component import Component

from components.distribution_card import distribution_cards
from components.notice import empty_state
from components.option import attributes
from dashboard.domain.units import count, percent, tokens
from dashboard.links import DATASETS, DatasetsView, DatasetView, dataset_url, datasets_url, parse_datasets
from dashboard.pages.dataset_figures import distributions, source_line
from dashboard.pages.frame import guarded, notice_lines, page, title
from dashboard.parameters import Notice
from dashboard.services import services
from dashboard.store import dataset_questions as questions
from dashboard.store.dataset_questions import DatasetInfo

_COMMAND = "agentx-dashboard ingest --dataset my-sessions traces.jsonl"


def register(app: dash.Dash) -> None:
    """Add the page."""
    dash.register_page(__name__, path=DATASETS, title=title, layout=guarded(layout))


def layout(**query: Any) -> Component:
    """The list of datasets, or some of them compared."""
    view, notices = parse_datasets(query)
    store = services().store
    names = questions.slugs(store)
    asked = tuple(slug for slug in view.compare if slug in names)
    unknown = [
        Notice("compare", slug, "there is no such dataset in this store")
        for slug in view.compare
        if slug not in names
    ]
    found = [one for slug in names if (one := questions.info(store, slug)) is not None]
    chosen = [one for one in found if one.slug in asked]
    content = _comparison(chosen, view) if chosen else _list(found, view)
    heading = "Datasets compared" if chosen else "Datasets"
    body = html.Main(
        [html.H1(heading), *notice_lines((*notices, *unknown)), *content], id="main", className="page"
    )
    return page("datasets", heading, [body], view.theme, store.info())


def _list(found: list[DatasetInfo], view: DatasetsView) -> list[Component]:
    if not found:
        why = (
            "Datasets are the recorded sessions (WEKA traces) that benchmark runs replay. Ingest a folder of "
            "trace files or one traces.jsonl, plain or compressed:"
        )
        return [empty_state("This store holds no dataset", why, command=_COMMAND)]
    every = tuple(one.slug for one in found)[:4]
    compare = datasets_url(DatasetsView(compare=every, theme=view.theme))
    both = [html.P(html.A("Compare their distributions", href=compare))] if len(found) > 1 else []
    return [
        html.P("Recorded sessions that benchmark runs replay.", className="quiet"),
        *both,
        html.Div([_card(one, view) for one in found], className="dataset-cards"),
    ]


def _card(one: DatasetInfo, view: DatasetsView) -> html.Article:
    totals = one.totals
    share = totals["cached_tokens"] / totals["input_tokens"] if totals["input_tokens"] else None
    facts = (
        ("Conversations", count(totals["conversations"])),
        ("Requests", count(totals["turns"])),
        ("Median turns", tokens(totals["median_turns"])),
        ("Subagents", count(totals["subagents"])),
        ("Input", tokens(totals["input_tokens"])),
        ("Cached prefix, theoretical", percent(share)),
        ("Output", tokens(totals["output_tokens"])),
    )
    address = dataset_url(one.slug, DatasetView(theme=view.theme))
    pairs = [html.Div([html.Dt(label), html.Dd(words)]) for label, words in facts]
    return html.Article(
        [
            html.H2(html.A(one.name, href=address)),
            html.P(one.slug, className="mono quiet"),
            source_line(one),
            html.Dl(pairs, className="dataset-facts"),
        ],
        className="dataset-card",
    )


def _comparison(chosen: list[DatasetInfo], view: DatasetsView) -> list[Component]:
    """Distributions of the chosen datasets, each row one of them, all rows on one axis."""
    names = [
        html.Li(
            [html.A(one.name, href=dataset_url(one.slug, DatasetView(theme=view.theme))), source_line(one)]
        )
        for one in chosen
    ]
    back = html.P(html.A("All datasets", href=datasets_url(DatasetsView(theme=view.theme))))
    cards = distribution_cards(distributions(tuple(one.slug for one in chosen)), compared=True)
    return [
        back,
        html.Ul(names, className="compared", **attributes(aria_label="Compared datasets")),
        html.H2("Distributions"),
        *cards,
    ]
