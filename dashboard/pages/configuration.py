"""`/config/<config_id>`: what the configuration is, its newest run over concurrency, its points over runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dash
import numpy as np
from dash import html
from dash.development.base_component import Component

from components.facts import fact_group
from components.figures.config_curve import config_curve
from components.figures.pareto import FIGURE_COLUMNS, Caption, Dressing, figure_alt
from components.graph_card import graph_card
from components.navbar import badge
from components.point_card import title_line
from components.point_description import configuration, headline
from components.runs_table import runs_table
from dashboard import __version__
from dashboard.domain.choice import Choice
from dashboard.domain.columns import Columns, length, texts
from dashboard.domain.curves import AxisChoice, CurveRules, Scene, arrange, scene_columns
from dashboard.domain.metrics import REGISTRY, Economics
from dashboard.links import CurvesView, PageView, curves_url, id_in, parse_page, point_url
from dashboard.pages.configuration_runs import METRICS, RUNS_TABLE_COLUMNS, heads, run_lines
from dashboard.pages.frame import guarded, notice_lines, page, theme_of, title
from dashboard.pages.not_found_404 import not_found
from dashboard.pages.wording import Wording
from dashboard.services import services
from dashboard.store import points


def register(app: dash.Dash) -> None:
    """Add the page."""
    path = "/config/<slug>"
    dash.register_page(__name__, path_template=path, title=title, layout=guarded(layout, path))


def layout(slug: object = "", **query: Any) -> Component:
    """The page of a configuration; a friendly one for an unknown id."""
    view, notices = parse_page(query)
    name = id_in(str(slug))
    found = points.of_config(services().store, name, _columns(view)) if name else {}
    if not length(found):
        why = "This store holds no point of a configuration with this id. Its address may have been cut."
        return not_found("No such configuration", why, **query)
    words = Wording(services().catalog)
    economics = services().catalog.economics(CurvesView().tier, None, {})
    scene = _scene(found, view, economics, words)
    row = points.one(services().store, _representative(scene)) or {}
    who = headline(row, words.label)
    content = [
        *notice_lines(notices),
        *_head(row, view, words),
        html.H2("Description", className="visually-hidden"),
        *_curve(scene, view, words),
        *fact_group("Configuration", configuration(row, words.label)),
        runs_table(
            run_lines(found, view.stat, economics, _shown_ids(scene)),
            heads(view.stat),
            lambda point_id: point_url(point_id, view),
        ),
    ]
    body = html.Main(content, id="main", className="page")
    tab = f"{who.stack}, configuration {name}"
    return page("", tab, [body], view.theme, services().store.info(), who.badges)


def _rules(view: PageView) -> CurveRules:
    """Everything that the newest run measured, over concurrency."""
    return CurveRules((AxisChoice("concurrency", view.stat),), AxisChoice(view.y, view.stat), dominated=True)


def _columns(view: PageView) -> tuple[str, ...]:
    metrics = [column for key in METRICS for column in REGISTRY[key].columns(view.stat)]
    return tuple(
        dict.fromkeys((*scene_columns(_rules(view)), *FIGURE_COLUMNS, *RUNS_TABLE_COLUMNS, *metrics))
    )


def _scene(found: Columns, view: PageView, economics: Economics, words: Wording) -> Scene:
    """The newest run in the scenario that has most points, agentic first: scenarios share no curve."""
    scenarios = texts(found, "scenario")
    best = max(set(scenarios), key=lambda name: (name == "agentic", scenarios.count(name), str(name)))
    members = np.array([name == best for name in scenarios])
    return arrange(
        {name: column[members] for name, column in found.items()}, _rules(view), economics, words.label
    )


def _shown_ids(scene: Scene) -> frozenset[str]:
    ids = texts(scene.columns, "point_id")
    return frozenset(str(ids[row]) for row in scene.rows.tolist())


def _representative(scene: Scene) -> str:
    """The point whose description stands for the configuration: one that is shown, else any."""
    row = int(scene.rows[-1]) if len(scene.rows) else 0
    return str(texts(scene.columns, "point_id")[row])


def _head(row: Mapping[str, Any], view: PageView, words: Wording) -> list[Component]:
    who = headline(row, words.label)
    scope = f"{words.optional('model', row['model'])} · {words.optional('scenario', row['scenario'])}"
    choice = Choice(model=row["model"], scenario=row["scenario"])
    back = view.back or CurvesView(choice=choice, theme=view.theme)
    return [
        html.P(html.A("Back to the curves", href=curves_url(back))),
        html.H1(
            [*title_line(who).children, " ", *[badge(word) for word in who.badges]], className="point-title"
        ),
        html.P(f"{scope} · configuration {row['config_id']}", className="point-scope"),
    ]


def _curve(scene: Scene, view: PageView, words: Wording) -> list[Component]:
    """The newest run over concurrency; nothing when none of its points can be drawn."""
    if not scene.series:
        reasons = "; ".join(scene.unplotted) or "no values"
        return [html.P(f"No point of the newest run can be drawn: {reasons}.", className="quiet")]
    caption = Caption(
        scene.series[0].label, scene.y.title.quantity, services().store.info().name, __version__
    )
    figure = config_curve(scene, caption, Dressing(theme_of(view.theme)), words.label)
    return [
        html.H3("Newest run over concurrency"),
        graph_card(figure, figure_alt(scene), "config-graph", "small"),
    ]
