"""The points of one configuration over its runs, newest run first; each leads to its own page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dash import html
from dash.development.base_component import Component

from components.point_description import safe_url


@dataclass(frozen=True, slots=True)
class RunLine:
    """One point: `newest` tells whether it belongs to the run that the curve shows."""

    point_id: str
    day: str
    run: str
    run_url: str | None
    newest: bool
    scenario: str
    concurrency: str
    figures: tuple[str, ...]
    requests: str


def runs_table(lines: Sequence[RunLine], figures: Sequence[str], href: Callable[[str], str]) -> html.Section:
    """The table; `figures` heads the figures of a line, `href` is the page of a point by its id."""
    names = ("Run", "Day", "Scenario", "Conc.", *figures, "Requests ok / failed")
    runs = {line.run for line in lines}
    note = "One run." if len(runs) == 1 else f"{len(runs)} runs; the curve shows the newest."
    heads = html.Thead(html.Tr([html.Th(name, scope="col") for name in names]))
    body = html.Tbody([_row(line, href(line.point_id)) for line in lines])
    table = html.Div(html.Table([heads, body], className="stat-table"), className="table-scroll")
    return html.Section(
        [html.H3("Points over runs"), html.P(note, className="quiet"), table], className="point-group"
    )


def _row(line: RunLine, href: str) -> html.Tr:
    users = html.A(line.concurrency or "unknown", href=href)
    cells = (_run(line), line.day, line.scenario, users, *line.figures, line.requests)
    return html.Tr([html.Td(cell) for cell in cells], className="newest" if line.newest else "older")


def _run(line: RunLine) -> Component | str:
    address = safe_url(line.run_url)
    return html.A(line.run, href=address, rel="noopener", target="_blank") if address else line.run
