"""The other points of a point's stack and run: its strip of cards, with links that keep the view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dash.development.base_component import Component

from components.neighbour_strip import Card, neighbour_strip
from dashboard.domain.ids import readable_slug
from dashboard.domain.metrics import Economics
from dashboard.domain.neighbours import NEIGHBOUR_COLUMNS, Neighbour, neighbours_of
from dashboard.links import CurvesView, PointView, point_view_url
from dashboard.pages.wording import Wording
from dashboard.services import services
from dashboard.store.neighbours import neighbours


def strip(row: Mapping[str, Any], view: PointView, words: Wording) -> list[Component]:
    """The strip of a point, the point itself lit."""
    found = neighbours(services().store, row, NEIGHBOUR_COLUMNS)
    points = neighbours_of(found, economics(view), words.label)
    return neighbour_strip([_card(point, row, view) for point in points])


def economics(view: PointView) -> Economics:
    """Prices and power as the view of the curves has them from which the reader came, else the first tier."""
    chosen = view.back or CurvesView()
    return services().catalog.economics(chosen.tier, None, chosen.own_prices)


def _card(point: Neighbour, row: Mapping[str, Any], view: PointView) -> Card:
    return Card(point, beside(row, point, view), point.point_id == row["point_id"])


def beside(row: Mapping[str, Any], point: Neighbour, view: PointView) -> str:
    """The page of a neighbour with the same choices; moments of this run's axis mean nothing on another's."""
    slug = readable_slug({**row, "concurrency": point.concurrency}, point.point_id)
    return point_view_url(slug, replace(view, window=None, zoom=None, trim=None))
