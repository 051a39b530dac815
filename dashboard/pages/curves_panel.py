"""The panel of the Curves page: the pinned point, or the difference of two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dash.development.base_component import Component

from components.difference_card import Pinned, difference_card
from components.point_card import PointLinks, point_card
from components.point_row import Row
from dashboard.domain.comparison import Comparison, comparison
from dashboard.domain.ids import readable_slug
from dashboard.links import CurvesView, PageView, config_url, curves_url, linked, point_url
from dashboard.pages.curves_view import Answer
from dashboard.pages.wording import Wording
from dashboard.parameters import Notice
from dashboard.services import services
from dashboard.store import points


def pinned_rows(view: CurvesView) -> tuple[list[Row], list[Notice]]:
    """The rows of the pinned points, and a notice for each id that the store does not have."""
    found = [(point_id, points.one(services().store, point_id)) for point_id in view.pin]
    missing = [
        Notice("pin", point_id, "this store has no such point") for point_id, row in found if row is None
    ]
    return [row for _, row in found if row is not None], missing


def comparisons(answer: Answer, rows: Sequence[Row]) -> list[Comparison | None]:
    """Each pinned point against the frontiers of the view; None for one that the view's rows do not hold."""
    return [comparison(answer.scene, str(row["point_id"])) for row in rows]


def panel(
    answer: Answer, rows: Sequence[Row], places: Sequence[Comparison | None], words: Wording
) -> list[Component]:
    """The panel's contents; empty when nothing is pinned."""
    view, scene = linked(answer.asked), answer.scene
    unpinned = curves_url(replace(view, pin=()))
    if not rows:
        return []
    if len(rows) == 1:
        links = PointLinks(*_pages(view, rows[0]), unpinned)
        return point_card(scene, places[0], rows[0], words.label, links)
    first, second = (
        Pinned(row, place, _pages(view, row)[0]) for row, place in zip(rows, places, strict=True)
    )
    return difference_card(scene, first, second, words.label, unpinned)


def _pages(view: CurvesView, row: Row) -> tuple[str, str]:
    """The point's own page, which leads back to this view, and the permalink of its configuration."""
    slug = readable_slug(row, str(row["point_id"]))
    config = readable_slug({**row, "concurrency": None}, str(row["config_id"]))
    return point_url(slug, PageView(back=view, theme=view.theme)), config_url(config)
