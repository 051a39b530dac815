"""Taking the view along: the table's rows as files, the charts as pictures."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from components.described import described
from components.option import attributes
from components.table_rows import MOST_ROWS
from dashboard.domain.scene import Scene
from dashboard.domain.units import count


def export_bar(csv: str, parquet: str, scene: Scene) -> list[Component]:
    """How many points are shown, two downloads of them, two pictures of the charts.

    `csv` and `parquet` are the URLs of the rows. The pictures are made in the browser from what is drawn.
    """
    return [
        described(
            [
                html.H2("Points"),
                html.Span(_shown(scene), className="quiet"),
                html.Span("Table", className="quiet export-word"),
                _download("CSV", csv),
                _download("Parquet", parquet),
                html.Span("Charts", className="quiet export-word"),
                _picture("png"),
                _picture("svg"),
            ]
        )
    ]


def _shown(scene: Scene) -> str:
    directed = any(axis.metric.better != "neither" for axis in scene.panels)
    number = count(len(scene.rows))
    words = f"{number} on the frontiers shown" if directed and not scene.rules.dominated else number
    return words if len(scene.rows) <= MOST_ROWS else f"{words}, the best {count(MOST_ROWS)} listed"


def _download(words: str, href: str) -> html.A:
    return html.A(words, href=href, className="button", download="", title=f"The rows shown, as {words}")


def _picture(kind: str) -> html.Button:
    return html.Button(
        kind.upper(),
        type="button",
        className="button",
        title=f"The charts as {kind.upper()}, with title, units, source and date in the picture",
        **attributes(data_picture=kind),
    )
