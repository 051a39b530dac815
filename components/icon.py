"""Icons: drawn by `assets/40-icons.css` as masks in the colour of the text, so they follow the theme."""

from __future__ import annotations

from dash import html


def icon(name: str) -> html.Span:
    """A decorative 16 px icon; the words beside it carry the meaning."""
    return html.Span(className=f"icon icon-{name}", **{"aria-hidden": "true"})
