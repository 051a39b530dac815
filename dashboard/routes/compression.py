"""Fewer bytes: answers are compressed as they are made, files that never change once for all.

Flask-Compress alone would compress each file anew for each browser and break its revalidation (304). So the
assets and Dash's own bundles are packed here first, and Flask-Compress leaves alone what is packed.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Mapping

import brotli
from flask import Flask, Response, request
from flask_compress import Compress

YEAR_S = 365 * 24 * 3600
_STATIC = ("/assets/", "/_dash-component-suites/")
_MIN_BYTES = 500
_PACKABLE = ("text/", "application/javascript", "application/json", "image/svg+xml")
_PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    "br": lambda data: bytes(brotli.compress(data, quality=5)),
    "gzip": lambda data: gzip.compress(data, 6, mtime=0),
    "identity": lambda data: data,
}


def compress(server: Flask) -> None:
    """Compress the answers of `server`; files behind fingerprinted addresses stay fresh for a year."""
    server.config.update(
        SEND_FILE_MAX_AGE_DEFAULT=YEAR_S,
        COMPRESS_ALGORITHM=["br", "gzip"],
        COMPRESS_BR_LEVEL=4,
        COMPRESS_STREAMS=False,
    )
    Compress(server)
    server.after_request(_Packed().pack)  # runs first


def accepted_encoding() -> str:
    """The encoding for the browser that asks: br, gzip or identity."""
    return request.accept_encodings.best_match(("br", "gzip")) or "identity"


def packed(data: bytes, encoding: str) -> bytes:
    """The bytes in one of the encodings of `accepted_encoding`."""
    return _PACKERS[encoding](data)


class _Packed:
    """The compressed forms made so far, by content: as many as there are files, whatever was asked."""

    def __init__(self) -> None:
        self._forms: dict[tuple[bytes, str], bytes] = {}

    def pack(self, response: Response) -> Response:
        """The response with its file compressed, where it is one and the browser accepts it."""
        if response.status_code != 200 or not request.path.startswith(_STATIC):
            return response
        response.vary.add("Accept-Encoding")
        encoding = accepted_encoding()
        if encoding == "identity" or not (response.mimetype or "").startswith(_PACKABLE):
            return response
        response.direct_passthrough = False
        data = response.get_data()
        if len(data) < _MIN_BYTES:
            return response
        response.set_data(self._form(data, encoding))
        response.headers["Content-Encoding"] = encoding
        etag, _ = response.get_etag()
        if etag:
            response.set_etag(etag, weak=True)  # one resource, two forms
        return response

    def _form(self, data: bytes, encoding: str) -> bytes:
        key = (hashlib.blake2b(data, digest_size=16).digest(), encoding)
        if key not in self._forms:
            self._forms[key] = packed(data, encoding)
        return self._forms[key]
