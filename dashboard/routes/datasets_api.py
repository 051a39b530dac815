"""`/api/v1/datasets/<slug>/conversations`: the list of a dataset's page; one conversation of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson
from flask import Flask, Response, request

from components.point_description import headline
from dashboard import __version__
from dashboard.domain.ids import readable_slug
from dashboard.domain.speedscope import speedscope_document
from dashboard.links import DATASETS_API, parse_dataset, timeline_url
from dashboard.pages.dataset import narrowing
from dashboard.pages.wording import Wording
from dashboard.routes.errors import problem
from dashboard.services import services
from dashboard.store import dataset_questions as questions
from dashboard.store import points
from dashboard.store.dataset_questions import PAGE_ROWS, ConversationTables
from dashboard.store.turn_runs import turn_runs

Refused = tuple[dict[str, Any], int]
_TURN_COLUMNS = (
    "outer", "inner", "stream", "kind", "t_s", "end_s", "model", "isl", "osl", "cached_prefix_tokens",
    "cached_prefix_causal_tokens", "delay_s", "stop", "compaction",
)  # fmt: skip
_EDGE_COLUMNS = ("kind", "from_outer", "from_inner", "to_outer", "to_inner", "delay_s")
_RUN_COLUMNS = (
    "point_id", "outer", "inner", "n", "failed", "cached_share", "cached_tokens", "ttft_s", "itl_s", "e2el_s",
    "request_id",
)  # fmt: skip


def register(server: Flask) -> None:
    """Add the routes."""
    path = f"{DATASETS_API}/<slug>/conversations"
    server.add_url_rule(path, "api_conversations", conversations)
    server.add_url_rule(f"{path}/<conversation_id>", "api_conversation", conversation)
    server.add_url_rule(f"{path}/<conversation_id>/runs", "api_turn_runs", runs)
    server.add_url_rule(f"{path}/<conversation_id>/speedscope", "api_speedscope", speedscope)


def conversations(slug: str) -> Response | Refused:
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
    return _json(body)


def conversation(slug: str, conversation_id: str) -> Response | Refused:
    """All turns of a conversation in order of their start, by column, and its edges."""
    found = _conversation(slug, conversation_id)
    if found is None:
        return _unknown(conversation_id)
    turns = {name: found.turns[name].to_pylist() for name in _TURN_COLUMNS}
    edges = {name: found.edges[name].to_pylist() for name in _EDGE_COLUMNS}
    return _json({"conversation_id": conversation_id, "turns": turns, "edges": edges})


def runs(slug: str, conversation_id: str) -> Response | Refused:
    """What every point made of every turn, by column, and the points with their names and pages."""
    store = services().store
    if _conversation(slug, conversation_id) is None:
        return _unknown(conversation_id)
    with store.reading() as fingerprint:

        def compute() -> bytes:
            rows, left_out = turn_runs(store, slug, conversation_id)
            words = Wording(services().catalog)
            names = sorted({row["point_id"] for row in rows})
            told = {name: _named(row, words) for name in names if (row := points.one(store, name))}
            columns = {name: [row[name] for row in rows] for name in _RUN_COLUMNS}
            return orjson.dumps({"points": told, "runs": columns, "left_out": left_out})

        key = ("turn-runs", fingerprint, slug, conversation_id)
        body = services().cache.remember(key, compute)
    return Response(body, content_type="application/json")


def _named(row: Mapping[str, Any], words: Wording) -> dict[str, Any]:
    who = headline(row, words.label)
    slug = readable_slug(row, str(row["point_id"]))
    return {"name": f"{who.stack}, c {row['concurrency']}", "timeline": timeline_url(slug)}


def speedscope(slug: str, conversation_id: str) -> Response | Refused:
    """The conversation as a file for speedscope."""
    found = _conversation(slug, conversation_id)
    if found is None:
        return _unknown(conversation_id)
    name = f"{slug}/{conversation_id}"
    document = speedscope_document(name, found.turns.to_pylist(), f"agentx-dashboard {__version__}")
    response = _json(document)
    file = re.sub(r"[^A-Za-z0-9._-]+", "-", conversation_id)[:80]
    response.headers["Content-Disposition"] = f"attachment; filename={file}.speedscope.json"
    return response


def _conversation(slug: str, conversation_id: str) -> ConversationTables | None:
    return questions.conversation(services().store, slug, conversation_id)


def _unknown(conversation_id: str) -> Refused:
    return problem(f"There is no conversation {conversation_id[:60]} in this store.", 404)


def _json(body: object) -> Response:
    packed = orjson.dumps(body, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY)
    return Response(packed, content_type="application/json")
