"""`/point/<point_id>`: one benchmark run at one concurrency: figures, statistics, panels, provenance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dash
from dash import html
from dash.development.base_component import Component

from components.facts import cache_section, fact_group
from components.point_description import Fact, configuration, errors, headline, origin, requests, spellings
from dashboard.links import PointView, id_in, parse_point
from dashboard.pages import point_explore
from dashboard.pages.frame import guarded, notice_lines, page, title
from dashboard.pages.not_found_404 import not_found
from dashboard.pages.point_head import aggregate_part, figures_part, neighbours_part, title_part
from dashboard.pages.point_panels import instrument_part
from dashboard.pages.wording import Wording
from dashboard.services import services
from dashboard.store import points


def register(app: dash.Dash) -> None:
    """Add the page."""
    path = "/point/<slug>"
    dash.register_page(__name__, path_template=path, title=title, layout=guarded(layout, path))
    point_explore.register(app)


def layout(slug: object = "", **query: Any) -> Component:
    """The page of a point; a friendly one for an unknown id."""
    view, notices = parse_point(query)
    name = id_in(str(slug))
    row = points.one(services().store, name) if name else None
    if row is None:
        why = "This store holds no point with this id. It may be in another store, or its address was cut."
        return not_found("No such point", why, **query)
    words = Wording(services().catalog)
    main = html.Main(
        [*notice_lines(notices), *_contents(row, view, words)], id="main", className="page page-point"
    )
    who = headline(row, words.label)
    tab = f"{who.stack}, {who.scope}"
    return page("", tab, [main], view.theme, services().store.info(), who.badges)


def _contents(row: Mapping[str, Any], view: PointView, words: Wording) -> list[Component]:
    """Top to bottom as the mock has it."""
    return [
        *title_part(row, view, words),
        *neighbours_part(row, view, words),
        *figures_part(row, view),
        *instrument_part(row, view, words),
        *aggregate_part(row, view, words),
        *_description(row, words),
    ]


def _description(row: Mapping[str, Any], words: Wording) -> list[Component]:
    return [
        html.H2("Description", className="visually-hidden"),
        *fact_group("Configuration", configuration(row, words.label)),
        *cache_section(row),
        *fact_group("Requests, profiling phase", requests(row)),
        *fact_group("Failed requests by category", [Fact(name, str(n)) for name, n in errors(row).items()]),
        html.Div(fact_group("Provenance", origin(row), long=True), id="provenance"),
        *fact_group("In the artifact's own words", spellings(row), long=True),
        *_notes(row),
    ]


def _notes(row: Mapping[str, Any]) -> list[Component]:
    """What the ingest had to say about the point."""
    notes = [html.Li(str(note)) for note in row["notes"] or ()]
    return [html.Section([html.H3("Notes"), html.Ul(notes)], className="point-group")] if notes else []
