"""One module per URL: what the page shows, and the callbacks that keep it up."""

from __future__ import annotations

from urllib.parse import unquote

from dashboard.links import CURVES, DATASETS, METHOD, id_in
from dashboard.services import services
from dashboard.store import dataset_questions, points
from dashboard.store.connection import StoreError


def status_of(path: str) -> int:
    """The status of a page's path: 200, 404 for an unknown path or id, 503 when the store cannot tell."""
    if path in (CURVES, METHOD, DATASETS):
        return 200
    try:
        return 200 if _exists(path.strip("/").split("/")) else 404
    except StoreError:
        return 503


def _exists(parts: list[str]) -> bool:
    store = services().store
    match parts:
        case ["point", slug] | ["point", slug, "timeline"]:
            name = id_in(slug)
            return name is not None and points.one(store, name) is not None
        case ["config", slug]:
            name = id_in(slug)
            return name is not None and len(points.of_config(store, name, ("point_id",))["point_id"]) > 0
        case ["datasets", slug]:
            return unquote(slug) in dataset_questions.slugs(store)
        case ["datasets", slug, "conversations", name]:
            return dataset_questions.conversation(store, unquote(slug), unquote(name)) is not None
    return False
