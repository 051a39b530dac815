"""A choice that is a link: every control of a page leads to the URL of the view with that choice made.

A page has hundreds of options, and each Dash component costs the browser time: an option is one component,
its count an attribute that the stylesheet shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dash import html

from dashboard.domain.units import count


@dataclass(frozen=True, slots=True)
class Option:
    """One value of a control: its words, the view it leads to, and what it would leave.

    `count` is how many points the value leaves; `disabled` values are shown without a link, `title` is the
    explanation on hover.
    """

    label: str
    href: str
    chosen: bool = False
    count: int | None = None
    disabled: bool = False
    title: str = ""


def attributes(**given: Any) -> dict[str, Any]:
    """Attributes in HTML's spelling: `data_view` and `aria_label` become `data-view`, `aria-label`; None is
    dropped.
    """
    return {
        key.replace("_", "-") if key.startswith(("data_", "aria_")) else key: value
        for key, value in given.items()
        if value is not None
    }


def option_link(option: Option, class_name: str = "option") -> html.A | html.Span:
    """The link of one option with its count; a disabled option is quiet text without a link."""
    shared = attributes(title=option.title or None, data_count=count(option.count) or None)
    if option.disabled:
        return html.Span(option.label, className=f"{class_name} disabled", **shared)
    current = attributes(data_view="1", aria_current="true" if option.chosen else None)
    return html.A(option.label, href=option.href, className=class_name, **shared, **current)


def text_link(option: Option, class_name: str = "text-link") -> html.A:
    """An option as a word in running text: "Show", "only"."""
    title = attributes(data_view="1", title=option.title or None)
    return html.A(option.label, href=option.href, className=class_name, **title)
