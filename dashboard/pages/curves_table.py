"""The table of the Curves page: the points that the charts show."""

from __future__ import annotations

from dash import set_props
from dash.development.base_component import Component

from components.data_table import points_table, table_update
from dashboard.links import point_url
from dashboard.pages.curves_view import Answer
from dashboard.pages.frame import arrangement
from dashboard.pages.wording import Wording


def table(answer: Answer, words: Wording) -> list[Component]:
    """Grid and cards. The browser adds the way back to a link that is used: it alone knows the zoom."""
    return points_table(answer.scene, words.label, point_url, narrow=arrangement() == "stacked")


def refill(answer: Answer, words: Wording) -> None:
    """New rows and columns for the grid and cards that are there; another grid would take half a second."""
    update = table_update(answer.scene, words.label, point_url, narrow=arrangement() == "stacked")
    for component, properties in update.items():
        set_props(component, properties)
