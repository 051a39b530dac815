"""`/healthz`: whether this process can answer from its store, for a load balancer or a container."""

from __future__ import annotations

from typing import Any

from flask import Flask

from dashboard import __version__
from dashboard.links import HEALTH
from dashboard.services import services
from dashboard.store.connection import StoreError


def register(server: Flask) -> None:
    """Add the route."""
    server.add_url_rule(HEALTH, "health", health)


def health() -> tuple[dict[str, Any], int, dict[str, str]]:
    """200 with the number of points, or 503 with the reason."""
    fresh = {"Cache-Control": "no-store"}
    try:
        info = services().store.info()
    except StoreError as error:
        return {"status": "error", "version": __version__, "error": str(error)}, 503, fresh
    return {"status": "ok", "version": __version__, "store": info.name, "points": info.points}, 200, fresh
