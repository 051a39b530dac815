"""`/api/v1/datasets/<slug>/conversations`: the list of a dataset's page as JSON."""

from __future__ import annotations

import orjson
from flask import Flask, Response, request

from dashboard.links import DATASETS_API, parse_dataset
from dashboard.pages.dataset import narrowing
from dashboard.routes.errors import problem
from dashboard.services import services
from dashboard.store import dataset_questions as questions
from dashboard.store.dataset_questions import PAGE_ROWS


def register(server: Flask) -> None:
    """Add the routes."""
    server.add_url_rule(f"{DATASETS_API}/<slug>/conversations", "api_conversations", conversations)


def conversations(slug: str) -> Response | tuple[dict[str, object], int]:
    """One page of the list; 400 names what could not be used, 404 an unknown dataset."""
    view, notices = parse_dataset(request.args.to_dict(flat=False))
    if notices:
        said = " ".join(f"{one.parameter}={one.value}: {one.detail}." for one in notices)
        return problem(said, 400)
    store = services().store
    if slug not in questions.slugs(store):
        return problem(f"There is no dataset {slug[:60]} in this store.", 404)
    listed = questions.conversations(store, slug, narrowing(view))
    body = {
        "conversations": listed.rows,
        "fitting": listed.fitting,
        "total": listed.total,
        "page": view.page,
        "rows_a_page": PAGE_ROWS,
    }
    packed = orjson.dumps(body, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY)
    return Response(packed, content_type="application/json")
