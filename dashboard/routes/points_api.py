"""`/api/v1/points`: the rows of a Curves view as JSON, CSV or Parquet; `/api/v1/points/<id>`: one point."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import orjson
from flask import Flask, Response, request

from dashboard import __version__
from dashboard.links import FORMATS, POINTS_API, CurvesView, curves_query, id_in, parse_curves
from dashboard.pages.curves_view import answer
from dashboard.parameters import Notice
from dashboard.routes.compression import accepted_encoding, packed
from dashboard.routes.errors import problem
from dashboard.routes.exported_rows import MIME, encoded, exported_rows
from dashboard.services import Services, services
from dashboard.store import points

Answered = Response | tuple[dict[str, Any], int]


class _RefusedError(ValueError):
    """A request that cannot be answered as it was asked."""


def register(server: Flask) -> None:
    """Add the routes."""
    server.add_url_rule(POINTS_API, "api_points", many)
    server.add_url_rule(f"{POINTS_API}/<point_id>", "api_point", one)


def many() -> Answered:
    """The rows of the view in the query; 400 names every parameter and value that it could not use."""
    query = request.args.to_dict(flat=False)
    formats = query.pop("format", ["json"])
    if len(formats) != 1 or formats[0] not in FORMATS:
        return problem(f"format={formats[0][:60]}: choose one of {', '.join(FORMATS)}.", 400)
    view, notices = parse_curves(query)
    if notices:
        return problem(_sentence(notices), 400)
    encoding = "identity" if formats[0] == "parquet" else accepted_encoding()
    try:
        with services().store.reading() as fingerprint:
            body = _body(services(), view.computed(), formats[0], encoding, fingerprint)
    except _RefusedError as error:
        return problem(str(error), 400)
    return _file(body, formats[0], encoding, f"{fingerprint}/{formats[0]}/{curves_query(view.computed())}")


def one(point_id: str) -> Answered:
    """Everything the store knows about one point; a readable prefix before the id is allowed."""
    name = id_in(point_id)
    found = points.one(services().store, name) if name else None
    if found is None:
        return problem(f"There is no point {point_id[:60]} in this store.", 404)
    body = orjson.dumps({"point": found, "product_version": __version__}, option=orjson.OPT_NON_STR_KEYS)
    return _file(body, "json", "identity", hashlib.sha256(body).hexdigest())


def _body(found: Services, view: CurvesView, file_format: str, encoding: str, fingerprint: str) -> bytes:
    """The file as it travels, kept with its compression: many ask for the same one."""

    def compute() -> bytes:
        answered = answer(found, view)
        if answered.notices:
            raise _RefusedError(_sentence(answered.notices))
        table = exported_rows(found, answered)
        return packed(encoded(table, file_format, curves_query(answered.asked)), encoding)

    return found.cache.remember(("rows", fingerprint, curves_query(view), file_format, encoding), compute)


def _sentence(notices: Sequence[Notice]) -> str:
    return " ".join(f"{notice.parameter}={notice.value}: {notice.detail}." for notice in notices)


def _file(body: bytes, file_format: str, encoding: str, version: str) -> Response:
    """The bytes with an ETag, weak because one file has several encodings: who has them is told so."""
    response = Response(body, content_type=MIME[file_format])
    if encoding != "identity":
        response.headers["Content-Encoding"] = encoding
    response.set_etag(hashlib.sha256(f"{__version__}/{version}".encode()).hexdigest()[:32], weak=True)
    response.headers["Cache-Control"] = "no-cache"
    if file_format != "json":
        response.headers["Content-Disposition"] = f"attachment; filename=agentx-points.{file_format}"
    response.make_conditional(request)
    return response
