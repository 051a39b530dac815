"""Two pinned points: their figures side by side with the ratio, then every line in which they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dash import html
from dash.development.base_component import Component

from components.described import described
from components.navbar import badge
from components.point_card import close_link
from components.point_description import Fact, cache_shares, configuration, headline, origin, requests
from components.point_row import Row
from components.swatch import hardware_class
from dashboard.domain.comparison import Comparison
from dashboard.domain.scene import ResolvedAxis, Scene
from dashboard.domain.stacks import Naming
from dashboard.domain.units import format_metric, percent, significant


@dataclass(frozen=True, slots=True)
class Pinned:
    """One of two pinned points: its row, its place in the scene (None outside it), its page."""

    row: Row
    place: Comparison | None
    href: str


Line = tuple[str, str, str, str]


def difference_card(
    scene: Scene, first: Pinned, second: Pinned, naming: Naming, unpinned: str
) -> list[Component]:
    """The panel's contents for two pins; `unpinned` is the view without either."""
    heads = [_column(one, naming) for one in (first, second)]
    figures = [_ratio_line(axis, a, b) for axis, a, b in _axis_values(scene, first, second)]
    differing = zip_facts(_facts(first.row, naming), _facts(second.row, naming))
    table = html.Table(
        [
            html.Thead(html.Tr([html.Td(""), *heads, html.Th("ratio", scope="col", className="ratio")])),
            html.Tbody([_table_row(line) for line in (*figures, *differing)]),
        ],
        className="difference",
    )
    head = html.Div(
        [html.H2("Two points", className="point-title"), close_link(unpinned)], className="point-head"
    )
    note = html.P("Only what differs. The ratio is the second over the first.", className="point-scope")
    return [described([head, note, table])]


def _column(one: Pinned, naming: Naming) -> html.Th:
    who = headline(one.row, naming)
    return html.Th(
        [
            html.A(
                [
                    html.Span(who.hardware_label, className=hardware_class(who.hardware)),
                    f" {who.engine_label}",
                ],
                href=one.href,
            ),
            html.Div(f"{who.precision_label} · {who.scope.rpartition(' · ')[2]}", className="quiet"),
            *[badge(word) for word in who.badges],
        ],
        scope="col",
    )


def _axis_values(
    scene: Scene, first: Pinned, second: Pinned
) -> list[tuple[ResolvedAxis, float | None, float | None]]:
    def value(one: Pinned, axis: ResolvedAxis) -> float | None:
        return None if one.place is None else float(axis.values[one.place.row])

    return [(axis, value(first, axis), value(second, axis)) for axis in (scene.y, *scene.panels)]


def _ratio_line(axis: ResolvedAxis, first: float | None, second: float | None) -> Line:
    ratio = significant(second / first) if first and second else ""
    words = (format_metric(axis.metric, first), format_metric(axis.metric, second))
    return axis.title.quantity, *words, f"{ratio}×" if ratio else ""


def _facts(row: Row, naming: Naming) -> Mapping[str, str]:
    """Every described value by its label, with the note where it tells two lines of one label apart."""
    facts: Sequence[Fact] = (*configuration(row, naming), *requests(row), *origin(row))
    shown = {_label(fact, facts): fact.value for fact in facts}
    return shown | {share.label: percent(share.share) for share in cache_shares(row)}


def _label(fact: Fact, among: Sequence[Fact]) -> str:
    repeated = sum(other.label == fact.label for other in among) > 1
    return f"{fact.label}, {fact.note}" if repeated and fact.note else fact.label


def zip_facts(first: Mapping[str, str], second: Mapping[str, str]) -> list[Line]:
    """The labels under which two descriptions say different things, in the order of the first."""
    labels = list(dict.fromkeys((*first, *second)))
    pairs = [(label, first.get(label, ""), second.get(label, "")) for label in labels]
    return [(label, a, b, "") for label, a, b in pairs if a != b]


def _table_row(line: Line) -> html.Tr:
    label, first, second, ratio = line
    return html.Tr(
        [
            html.Th(label, scope="row"),
            *[html.Td(value or "–") for value in (first, second)],
            html.Td(ratio, className="ratio"),
        ]
    )
