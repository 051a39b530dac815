"""`/point/<point_id>`: one benchmark run at one concurrency: description, statistics, provenance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dash
from dash import html
from dash.development.base_component import Component

from components.facts import cache_section, fact_group
from components.navbar import badge
from components.point_card import title_line
from components.point_description import (
    Fact,
    configuration,
    errors,
    headline,
    origin,
    requests,
    spellings,
)
from components.stat_table import stat_tables
from dashboard.domain.choice import Choice
from dashboard.domain.ids import readable_slug
from dashboard.links import CurvesView, PageView, config_url, curves_url, id_in, parse_page, point_api_url
from dashboard.pages.frame import guarded, notice_lines, page, title
from dashboard.pages.not_found_404 import not_found
from dashboard.pages.point_statistics import point_statistics
from dashboard.pages.wording import Wording
from dashboard.services import services
from dashboard.store import points


def register(app: dash.Dash) -> None:
    """Add the page."""
    dash.register_page(__name__, path_template="/point/<slug>", title=title, layout=guarded(layout))


def layout(slug: object = "", **query: Any) -> Component:
    """The page of a point; a friendly one for an unknown id."""
    view, notices = parse_page(query)
    name = id_in(str(slug))
    row = points.one(services().store, name) if name else None
    if row is None:
        why = "This store holds no point with this id. It may be in another store, or its address was cut."
        return not_found("No such point", why, **query)
    words = Wording(services().catalog)
    body = html.Main([*notice_lines(notices), *_contents(row, view, words)], id="main", className="page")
    who = headline(row, words.label)
    tab = f"{who.stack}, {who.scope}"
    return page("", tab, [body], view.theme, services().store.info(), who.badges)


def _contents(row: Mapping[str, Any], view: PageView, words: Wording) -> list[Component]:
    return [
        *_head(row, view, words),
        html.H2("Description", className="visually-hidden"),
        *fact_group("Configuration", configuration(row, words.label)),
        *cache_section(row),
        *fact_group("Requests, profiling phase", requests(row)),
        *fact_group("Failed requests by category", [Fact(name, str(n)) for name, n in errors(row).items()]),
        *stat_tables(point_statistics(services().store, row)),
        *fact_group("Provenance", origin(row), long=True),
        *fact_group("In the artifact's own words", spellings(row), long=True),
        *_notes(row),
    ]


def _head(row: Mapping[str, Any], view: PageView, words: Wording) -> list[Component]:
    who = headline(row, words.label)
    config = config_url(readable_slug({**row, "concurrency": None}, row["config_id"]), view)
    return [
        html.P(html.A("Back to the curves", href=curves_url(back_to(row, view)))),
        html.H1(
            [*title_line(who).children, " ", *[badge(word) for word in who.badges]], className="point-title"
        ),
        html.P(who.scope, className="point-scope"),
        html.P(
            [
                html.A("This configuration over concurrency and runs", href=config),
                " · ",
                html.A("JSON", href=point_api_url(row["point_id"])),
            ]
        ),
    ]


def back_to(row: Mapping[str, Any], view: PageView) -> CurvesView:
    """The view the reader came from; else the point's own model and scenario with the point pinned."""
    if view.back is not None:
        return view.back
    choice = Choice(model=row["model"], scenario=row["scenario"])
    return CurvesView(choice=choice, pin=(row["point_id"],), theme=view.theme)


def _notes(row: Mapping[str, Any]) -> list[Component]:
    """What the ingest had to say about the point."""
    notes = [html.Li(str(note)) for note in row["notes"] or ()]
    return [html.Section([html.H3("Notes"), html.Ul(notes)], className="point-group")] if notes else []
