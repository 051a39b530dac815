"""The pinned point at the right of the charts: who it is, its two big numbers, how it stands, then all
there is to know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dash import html
from dash.development.base_component import Component

from components.described import described
from components.facts import cache_section, fact_group
from components.icon import icon
from components.navbar import badge
from components.option import attributes
from components.point_description import (
    Fact,
    Headline,
    configuration,
    headline,
    origin,
    requests,
)
from components.point_row import Row
from components.swatch import hardware_class
from components.verdicts import verdicts
from dashboard.domain.comparison import Comparison
from dashboard.domain.scene import ResolvedAxis, Scene
from dashboard.domain.stacks import Naming
from dashboard.domain.units import exact, format_metric, format_number


@dataclass(frozen=True, slots=True)
class PointLinks:
    """Where a pinned point leads: its own page, its configuration's permalink, and the view without the
    pin.
    """

    point: str
    config: str
    unpinned: str


def point_card(
    scene: Scene, pin: Comparison | None, row: Row, naming: Naming, links: PointLinks
) -> list[Component]:
    """The panel's contents; `row` is the point's row in the store, `pin` how it stands in the scene.

    `pin` is None for a point that the present selection does not hold: its own values are still shown.
    """
    who = headline(row, naming)
    figures = _big_numbers(scene, pin) if pin is not None else [_not_in_view()]
    return [
        described(
            [
                *_head(who, links.unpinned),
                *figures,
                *(verdicts(scene, pin) if pin is not None else []),
                *fact_group("Configuration", (*_other_axes(scene, pin), *configuration(row, naming))),
                *cache_section(row),
                *fact_group("Requests, profiling phase", requests(row)),
                *fact_group("Provenance", origin(row), long=True),
                _actions(links),
            ]
        )
    ]


def _head(who: Headline, close: str) -> list[Component]:
    return [
        html.Div(
            [title_line(who), *[badge(word) for word in who.badges], close_link(close)],
            className="point-head",
        ),
        html.P(who.scope, className="point-scope"),
    ]


def title_line(who: Headline, heading: type[Component] = html.H2) -> Component:
    """The stack as a title: the accelerator in its colour, the precision quieter; a page's own is its H1."""
    return heading(
        [
            html.Span(who.hardware_label, className=f"hardware {hardware_class(who.hardware)}"),
            f" {who.engine_label} ",
            html.Span(who.precision_label, className="precision"),
        ],
        className="point-title",
    )


def close_link(href: str) -> html.A:
    """The cross that releases the pin; Escape does the same."""
    return html.A(
        icon("close"),
        href=href,
        className="icon-button panel-close",
        title="Close (Escape)",
        **attributes(data_view="1", aria_label="Release the pinned point"),
    )


def _big_numbers(scene: Scene, pin: Comparison) -> list[Component]:
    """y and the first x, in large type, exact on hover."""
    place = pin.panels[0]
    return [
        html.Div([_big(scene.y, place.y), _big(scene.panels[0], place.x)], className="point-big"),
    ]


def _big(axis: ResolvedAxis, value: float | None) -> html.Div:
    figure = format_number(axis.metric, value) or "–"
    name = axis.title.quantity
    within = name[0].lower() + name[1:] if name[1:2].islower() else name
    return html.Div([html.B(figure, title=exact(value)), html.Span(f"{axis.title.unit} {within}")])


def _not_in_view() -> html.P:
    words = "This point is not among those of the present selection, so it has no place in the charts."
    return html.P(words, className="quiet")


def _other_axes(scene: Scene, pin: Comparison | None) -> Sequence[Fact]:
    """The x of the further charts, as facts."""
    if pin is None:
        return ()
    later = zip(scene.panels[1:], pin.panels[1:], strict=True)
    facts = [Fact(axis.title.quantity, format_metric(axis.metric, place.x)) for axis, place in later]
    return [fact for fact in facts if fact.value]


def _actions(links: PointLinks) -> html.Div:
    return html.Div(
        [
            html.A("Open datapoint", href=links.point, className="button button-main"),
            html.Button(
                "Copy link",
                type="button",
                className="button",
                title="Copy a link to this configuration",
                **attributes(data_copy=links.config),
            ),
            html.Button(
                "Add to compare",
                type="button",
                className="button",
                title="Then click another point: the panel shows their difference",
                **attributes(data_compare="1"),
            ),
        ],
        className="point-actions",
    )
