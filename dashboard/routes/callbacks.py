"""Answers to callbacks, kept whole and packed: a view that somebody has seen costs the next reader a look-up.

A kept answer follows from the request's body, the reader's two cookies, the day (ages are in words) and the
state of the store, and from nothing else.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Flask, Response, make_response, request

from dashboard.pages.curves import DRAWN
from dashboard.pages.frame import arrangement, theme_of
from dashboard.routes.compression import accepted_encoding, packed
from dashboard.services import services

_ROUTE = "/_dash-update-component"
#: Part of the body of the only request that is kept: the one that draws a Curves view.
_KEPT = DRAWN.encode()


class _FleetingError(Exception):
    """Carries a response that must not be kept, past the cache."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status)
        self.response = response


@dataclass(frozen=True, slots=True)
class _Packed:
    """The body of an answer in one encoding, and what it is."""

    body: bytes
    mimetype: str


def keep(server: Flask) -> None:
    """Let `server` answer the callback of the Curves page from the cache where it can."""
    compute = server.view_functions[_ROUTE]

    turn = threading.Lock()

    def one_at_a_time() -> Response:
        with turn:  # threads that make views side by side take a quarter longer for each
            return make_response(compute())

    def answer() -> Response:
        body = request.get_data()
        if _KEPT not in body:
            return make_response(compute())
        encoding = accepted_encoding()
        try:
            found = _remembered(body, encoding, one_at_a_time)
        except _FleetingError as fleeting:
            return fleeting.response
        response = Response(found.body, mimetype=found.mimetype)
        response.vary.add("Accept-Encoding")
        if encoding != "identity":
            response.headers["Content-Encoding"] = encoding
        return response

    server.view_functions[_ROUTE] = answer


def _remembered(body: bytes, encoding: str, compute: Callable[[], Response]) -> _Packed:
    said = hashlib.sha256(body).hexdigest()
    with services().store.reading() as fingerprint:
        reader = (theme_of(None), arrangement(), encoding)
        key = ("callback", fingerprint, said, datetime.now(UTC).date(), *reader)
        return services().cache.remember(key, lambda: _packed(compute(), encoding))


def _packed(response: Response, encoding: str) -> _Packed:
    if response.status_code != 200:
        raise _FleetingError(response)
    return _Packed(packed(response.get_data(), encoding), response.mimetype or "")
