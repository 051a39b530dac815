"""Errors over HTTP: one JSON sentence for programs, and the right status under the pages that people see."""

from __future__ import annotations

import logging
from typing import Any

from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from dashboard import pages
from dashboard.store.connection import StoreError

_log = logging.getLogger(__name__)
_DASH_PAGES = ("/", "/<path:path>")


def register(server: Flask) -> None:
    """Answer unknown routes under /api and failures everywhere; give pages of unknown paths their status."""
    server.add_url_rule("/api/", "unknown_api", unknown_route, defaults={"rest": ""})
    server.add_url_rule("/api/<path:rest>", "unknown_api", unknown_route)
    server.register_error_handler(HTTPException, refused)
    server.register_error_handler(StoreError, unreadable)
    server.register_error_handler(Exception, failed)
    server.after_request(page_status)


def problem(sentence: str, status: int) -> tuple[dict[str, Any], int]:
    """The answer to a program: one sentence that says what and, where it helps, what to do."""
    return {"error": sentence}, status


def unknown_route(rest: str) -> tuple[dict[str, Any], int]:
    """A path under /api that is no route."""
    return problem(f"There is no /api/{rest[:100]}. Routes: /api/v1/points, /api/v1/points/<point_id>.", 404)


def refused(error: HTTPException) -> tuple[dict[str, Any], int]:
    """An error that HTTP has a number for."""
    return problem(error.description or error.name, error.code or 500)


def unreadable(error: StoreError) -> tuple[dict[str, Any], int]:
    """A store that is damaged or too slow."""
    return problem(str(error), 503)


def failed(error: Exception) -> tuple[dict[str, Any], int]:
    """Anything unforeseen: the details go to the log, not to the reader."""
    _log.error("%s %s failed", request.method, request.path, exc_info=error)
    return problem("Something went wrong here. The server's log has the details.", 500)


def page_status(response: Response) -> Response:
    """404 under the page that Dash shows for an unknown path or id; 503 when the store cannot tell."""
    rule = request.url_rule.rule if request.url_rule else ""
    if request.method in ("GET", "HEAD") and rule in _DASH_PAGES and response.status_code == 200:
        response.status_code = pages.status_of(request.path)
    return response
