"""One module per URL: what the page shows, and the callbacks that keep it up."""

from __future__ import annotations

from dashboard.links import CURVES, METHOD, id_in
from dashboard.services import services
from dashboard.store import points
from dashboard.store.connection import StoreError


def status_of(path: str) -> int:
    """The status of a page's path: 200, 404 for an unknown path or id, 503 when the store cannot tell."""
    parts = path.strip("/").split("/")
    if path in (CURVES, METHOD):
        return 200
    if len(parts) != 2 or parts[0] not in ("point", "config"):
        return 404
    try:
        return 200 if _exists(parts[0], parts[1]) else 404
    except StoreError:
        return 503


def _exists(page: str, slug: str) -> bool:
    name, store = id_in(slug), services().store
    if name is None:
        return False
    if page == "point":
        return points.one(store, name) is not None
    return len(points.of_config(store, name, ("point_id",))["point_id"]) > 0
