"""`/modules/<fingerprint>/<name>.js`: the ES modules of single pages, packed once."""

from __future__ import annotations

from functools import cache

from flask import Flask, Response

from dashboard.links.modules import MODULES, module_fingerprint, module_sources
from dashboard.routes.compression import YEAR_S, accepted_encoding, packed
from dashboard.routes.errors import problem


def register(server: Flask) -> None:
    """Add the route."""
    server.add_url_rule(f"{MODULES}/<fingerprint>/<name>.js", "modules", module)


def module(fingerprint: str, name: str) -> Response | tuple[dict[str, str], int]:
    """One module; the address of another release gives the present text, which nobody is to keep."""
    if name not in module_sources():
        return problem(f"There is no module {name[:60]}.", 404)
    encoding = accepted_encoding()
    response = Response(_form(name, encoding), content_type="text/javascript; charset=utf-8")
    response.vary.add("Accept-Encoding")
    if encoding != "identity":
        response.headers["Content-Encoding"] = encoding
    current = fingerprint == module_fingerprint()
    response.headers["Cache-Control"] = f"public, max-age={YEAR_S}, immutable" if current else "no-store"
    return response


@cache
def _form(name: str, encoding: str) -> bytes:
    return packed(module_sources()[name], encoding)
