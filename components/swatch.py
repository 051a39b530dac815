"""A small picture of how a series is drawn: its mark and its line, in HTML, from the same rules as the
chart.
"""

from __future__ import annotations

from dash import html

from components.option import attributes
from components.theme import dash_of, symbol_of

_ENGINE_CLASS = {"solid": "solid", "10px,4px": "long", "4px,3px": "short", "9px,3px,2px,3px": "dashdot"}


def hardware_class(hardware: str | None) -> str:
    """The class that sets the accelerator's colours; an unknown accelerator takes those of `other`."""
    return "hw-" + (hardware or "other")


def swatch(
    hardware: str | None, engine_family: str | None, precision: str | None, *, coloured: bool
) -> html.Span:
    """Mark and line of a series, 40 px wide; grey and hollow when the series is not in colour."""
    line = _ENGINE_CLASS.get(dash_of(engine_family), "dots")
    tone = hardware_class(hardware) if coloured else "muted"
    shape = f"swatch-{symbol_of(precision)}"
    return html.Span(className=f"swatch line-{line} {shape} {tone}", **attributes(aria_hidden="true"))


def mark(symbol: str) -> html.Span:
    """A mark alone, in the colour around it."""
    return html.Span(className=f"glyph glyph-{symbol}")
