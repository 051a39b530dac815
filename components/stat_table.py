"""The statistics of a point: one table per part of the run, one line per metric, n beside every figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dash import html
from dash.development.base_component import Component

from components.option import attributes

#: Statistics of the table, in the order of its columns.
STATISTICS = ("mean", "p50", "p75", "p90", "p95", "p99", "max")


@dataclass(frozen=True, slots=True)
class Figure:
    """One cell, in the unit of its line; `few` marks a percentile with too few requests beyond it."""

    words: str
    few: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One metric of one part: name, unit, definition, number of requests, one figure per `STATISTICS`."""

    metric: str
    label: str
    unit: str
    explanation: str
    n: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """The lines of one part of a run, such as its warm-up phase."""

    title: str
    lines: tuple[Line, ...]


def stat_tables(parts: Sequence[Part]) -> list[Component]:
    """The tables under one heading; nothing when the source carries no statistics."""
    if not parts:
        return []
    few = any(figure.few for part in parts for line in part.lines for figure in line.figures)
    note = [html.P("* fewer than ten requests lie beyond this percentile", className="quiet")] if few else []
    first, *others = parts
    more = html.Details(
        [
            html.Summary(f"By phase and kind of request: {', '.join(part.title.lower() for part in others)}"),
            *[_table(part) for part in others],
        ],
        className="more-statistics",
    )
    shown = [html.H3("Statistics"), _table(first), *([more] if others else []), *note]
    return [html.Section(shown, className="point-group")]


def _table(part: Part) -> html.Div:
    heads = [html.Td(""), *[html.Th(name, scope="col") for name in ("n", *STATISTICS)]]
    body = html.Tbody([_row(line) for line in part.lines])
    table = html.Table([html.Caption(part.title), html.Thead(html.Tr(heads)), body], className="stat-table")
    reachable = attributes(aria_label=part.title)
    return html.Div(table, className="table-scroll", role="region", tabIndex="0", **reachable)


def _row(line: Line) -> html.Tr:
    name = html.Th(f"{line.label}, {line.unit}", scope="row", title=line.explanation)
    return html.Tr([name, html.Td(line.n), *[html.Td(_cell(figure)) for figure in line.figures]])


def _cell(figure: Figure) -> str:
    return f"{figure.words}*" if figure.few else figure.words or "–"
