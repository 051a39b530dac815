"""The one line of choices above the charts: each choice is a menu of links that shows its value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dash import html
from dash.development.base_component import Component

from components.described import described
from components.option import Option, attributes, option_link


@dataclass(frozen=True, slots=True)
class MenuGroup:
    """Options under a common heading; an empty title is no heading."""

    title: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Menu:
    """One choice: a quiet prefix ("y", "Labels"), the value shown, and what else can be chosen.

    `body` stands under the options, for what is not a list (a form with the reader's own prices). `name`
    names the menu for tests and for people who cannot see its place; it defaults to prefix and value.
    """

    prefix: str
    value: str
    groups: tuple[MenuGroup, ...]
    name: str = ""
    title: str = ""
    body: Component | None = None


def control_line(left: Sequence[Menu], right: Sequence[Menu]) -> list[Component]:
    """The menus of a page: what is looked at on the left, how it is drawn on the right."""
    return [
        described(
            [
                html.Div([_menu(menu, "start") for menu in left], className="menus"),
                html.Div([_menu(menu, "end") for menu in right], className="menus menus-end"),
            ]
        )
    ]


def _menu(menu: Menu, side: str) -> html.Details:
    prefix = [html.Span(menu.prefix, className="menu-prefix")] if menu.prefix else []
    summary = html.Summary(
        [*prefix, menu.value], className="menu-value", **attributes(title=menu.title or None)
    )
    groups = [part for group in menu.groups for part in _group(group)]
    body = [menu.body] if menu.body is not None else []
    return html.Details(
        [summary, html.Div([*groups, *body], className=f"menu-list menu-{side}")],
        className="menu",
        **attributes(data_menu=menu.name or menu.prefix or menu.value),
    )


def _group(group: MenuGroup) -> list[Component]:
    heading = [html.Div(group.title, className="menu-heading")] if group.title else []
    return [*heading, *[option_link(option) for option in group.options]]
