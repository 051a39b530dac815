"""`/datasets/<slug>/conversations/<id>`: one recorded conversation, turn by turn.

`assets/modules/conversation.js` draws flame graph, graph of spawns and joins, and context growth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import dash
import pyarrow.compute as pc
from dash import html
from dash.development.base_component import Component

from components.figure_row import BigFigure, figure_row
from components.option import attributes
from dashboard.domain.units import count, percent, seconds, tokens
from dashboard.links import (
    DATASETS,
    ConversationView,
    DatasetsView,
    DatasetView,
    conversation_api_url,
    conversation_url,
    dataset_url,
    datasets_url,
    module_url,
    parse_conversation,
)
from dashboard.pages.frame import guarded, notice_lines, page, title
from dashboard.pages.not_found_404 import not_found
from dashboard.services import services
from dashboard.store import dataset_questions as questions
from dashboard.store.dataset_questions import ConversationTables, DatasetInfo

_KEYS = (
    "click or arrows choose a turn · Enter opens its slowest replay · chevrons fold subagents · Ctrl + wheel "
    "zooms, double-click shows all"
)


def register(app: dash.Dash) -> None:
    """Add the page; its path lies below that of the dataset and is matched first."""
    path = f"{DATASETS}/<slug>/conversations/<conversation_id>"
    dash.register_page(__name__, path_template=path, title=title, layout=guarded(layout, path), order=10)


def layout(slug: object = "", conversation_id: object = "", **query: Any) -> Component:
    """The page of a conversation; a friendly one for an unknown name."""
    view, notices = parse_conversation(query)
    store = services().store
    name, wanted = unquote(str(slug)), unquote(str(conversation_id))
    dataset = questions.info(store, name)
    found = questions.conversation(store, name, wanted) if dataset else None
    if dataset is None or found is None:
        why = "This store holds no such conversation. Its dataset may have been ingested anew."
        return not_found("No such conversation", why, **query)
    body = html.Main(
        [
            *_head(dataset, found, wanted, view),
            *notice_lines(notices),
            *figure_row(_figures(found)),
            _instrument(dataset, wanted, view),
        ],
        id="main",
        className="page page-conversation",
    )
    labels = ("SIMULATED",) if dataset.simulated else ()
    return page("datasets", f"{wanted}, {dataset.name}", [body], view.theme, store.info(), labels)


def _head(
    dataset: DatasetInfo, found: ConversationTables, wanted: str, view: ConversationView
) -> list[Component]:
    crumbs = [
        html.A("Datasets", href=datasets_url(DatasetsView(theme=view.theme))),
        " / ",
        html.A(dataset.name, href=dataset_url(dataset.slug, DatasetView(theme=view.theme))),
    ]
    elsewhere = replace(view, turn=None, unfold=())
    steps = [
        html.A(
            words, href=conversation_url(dataset.slug, other, view=elsewhere), className="button", title=other
        )
        for words, other in (("← previous", found.before), ("next →", found.after))
        if other is not None
    ]
    repeated = found.row["duplicate_of"]
    models = ", ".join(found.row["models"] or ())
    note = f"{models} · repeats {repeated}" if repeated else models
    return [
        html.Nav(crumbs, className="crumbs", **attributes(aria_label="Above this page")),
        html.Header(
            [html.H1([wanted, html.Span(note, className="quiet")]), html.Div(steps, className="point-ways")],
            className="conversation-head",
        ),
    ]


def _figures(found: ConversationTables) -> tuple[BigFigure, ...]:
    row, turns = found.row, found.turns
    share = row["cached_tokens"] / row["input_tokens"] if row["input_tokens"] else None
    compactions = pc.sum(turns["compaction"]).as_py() or 0
    main = row["turns"] - row["subagent_turns"] - row["auxiliary"]
    return (
        BigFigure("Main turns", count(main), "", _auxiliary(row["auxiliary"])),
        BigFigure("Subagents", count(row["subagents"]), "", f"{count(row['subagent_turns'])} turns in them"),
        BigFigure("Input", tokens(row["input_tokens"]), "tokens", "cached prefix included"),
        BigFigure("Output", tokens(row["output_tokens"]), "tokens", ""),
        BigFigure("Cached prefix", percent(share), "", "theoretical: an endless cache"),
        BigFigure("Largest context", tokens(row["isl_max"]), "tokens", "input of one turn"),
        BigFigure("Compactions", count(compactions), "", "the context shrank in the main conversation"),
        BigFigure("Span", seconds(row["span_s"]), "", "recorded, idle time included"),
    )


def _auxiliary(number: int) -> str:
    return f"{count(number)} auxiliary request{'' if number == 1 else 's'}"


def _instrument(dataset: DatasetInfo, wanted: str, view: ConversationView) -> Component:
    parts: Mapping[str, Any] = {
        name: html.Div(**attributes(data_part=name)) for name in ("dag", "growth", "turn")
    }
    lanes = html.Div(className="conversation-lanes", **attributes(data_part="lanes"))
    main = [lanes, html.P(_KEYS, className="quiet timeline-keys")]
    return html.Section(
        [
            html.Div(className="window-bar", **attributes(data_part="bar")),
            html.Div(
                [
                    html.Div(main, className="conversation-main"),
                    html.Aside(
                        [
                            html.H2("Spawn and join"),
                            parts["dag"],
                            html.H2("Context growth"),
                            parts["growth"],
                            parts["turn"],
                        ],
                        className="conversation-side",
                    ),
                ],
                className="conversation-columns",
            ),
        ],
        id="conversation",
        className="conversation",
        **attributes(
            aria_label="Turns of the conversation",
            data_module=module_url("conversation"),
            data_turns=conversation_api_url(dataset.slug, wanted),
            data_runs=conversation_api_url(dataset.slug, wanted, "runs"),
            data_speedscope=conversation_api_url(dataset.slug, wanted, "speedscope"),
            data_name=wanted,
            data_caption=f"{dataset.name} · {dataset.slug}",
            data_label="SIMULATED" if dataset.simulated else None,
        ),
    )
