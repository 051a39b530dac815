"""The bar at the top of every page: where one is, which store is read, how to share the view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dash import html

from components.icon import icon
from components.option import Option, attributes


@dataclass(frozen=True, slots=True)
class StoreLine:
    """What the reader must know about the store: its name and age in words, and badges such as UNOFFICIAL."""

    text: str
    badges: tuple[str, ...] = ()


def navbar(pages: Sequence[Option], store: StoreLine, home: str = "/") -> html.Header:
    """The bar: name, pages, store with its badges, theme switch and copy-link button."""
    return html.Header(
        [
            html.A("Skip to content", href="#main", className="skip-link"),
            html.A("agentx", href=home, className="brand"),
            html.Nav(
                [_page_link(page) for page in pages], className="pages", **attributes(aria_label="Pages")
            ),
            html.Div(
                [html.Span(store.text, className="store-text"), *[badge(word) for word in store.badges]],
                className="store-line",
            ),
            html.Button(
                icon("contrast"),
                id="theme-toggle",
                className="icon-button",
                type="button",
                title="Light or dark",
                **attributes(aria_label="Switch between light and dark"),
            ),
            html.Button(
                "Copy link",
                id="copy-link",
                className="button copy-link",
                type="button",
                title="Copy a link to exactly this view",
            ),
        ],
        className="navbar-top",
    )


def badge(word: str) -> html.Span:
    """An outlined word such as UNOFFICIAL; it never depends on colour alone."""
    return html.Span(word, className="badge-word")


def _page_link(page: Option) -> html.A:
    return html.A(
        page.label,
        href=page.href,
        className="page-link-top",
        **attributes(aria_current="page" if page.chosen else None),
    )
