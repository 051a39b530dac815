"""Data of the timeline: columns for the canvas, ids in the same order, and the chosen requests as files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
from flask import Flask, Response, request

from dashboard import __version__
from dashboard.domain.panel_payload import payload as panel_payload
from dashboard.domain.panels import panel
from dashboard.domain.request_panels import Detail
from dashboard.domain.timeline import Timeline, timeline
from dashboard.domain.timeline_filter import Chosen, chosen_rows, stream_kinds
from dashboard.domain.timeline_payload import payload
from dashboard.domain.timeline_streams import KINDS
from dashboard.domain.trace_events import trace_document
from dashboard.links import (
    POINTS_API,
    TIMELINE_FORMATS,
    TimelineView,
    id_in,
    parse_timeline,
)
from dashboard.routes.compression import accepted_encoding, packed
from dashboard.routes.errors import problem
from dashboard.routes.exported_rows import MIME, encoded
from dashboard.services import services
from dashboard.store import points
from dashboard.store.point_runs import point_run
from dashboard.store.timeline import Stored, select, stored

Refused = tuple[dict[str, Any], int]
#: What the strip above the lanes draws of servers, and how finely.
_STRIP_PANELS = ("queue_depth", "kv_usage")
_STRIP_METRICS = ("running", "waiting", "kv_usage")
STRIP_CELLS = 2_000
_MIME = {**MIME, "trace": "application/json"}


def register(server: Flask) -> None:
    """Add the routes."""
    path = f"{POINTS_API}/<point_id>/timeline"
    server.add_url_rule(path, "api_timeline", columns)
    server.add_url_rule(f"{path}/ids", "api_timeline_ids", ids)
    server.add_url_rule(f"{path}/series", "api_timeline_series", series)
    server.add_url_rule(f"{path}/requests", "api_timeline_requests", chosen_requests)


def columns(point_id: str) -> Response | Refused:
    """Every request of a run as `domain.timeline_payload` lays them out."""

    def laid(row: Mapping[str, Any]) -> bytes:
        found = stored(services().store, str(row["point_id"]))
        return b"" if found is None else payload(found.requests, timeline(found.requests), {})

    return _kept(point_id, "timeline", laid)


def ids(point_id: str) -> Response | Refused:
    """The ids of the requests in the order of the columns, one a line; a missing one is an empty line."""

    def text(row: Mapping[str, Any]) -> bytes:
        found = stored(services().store, str(row["point_id"]))
        if found is None:
            return b""
        names = found.requests.ids.take(pa.array(timeline(found.requests).rows)).to_pylist()
        return "\n".join((name or "").replace("\n", " ") for name in names).encode()

    return _kept(point_id, "timeline-ids", text)


def series(point_id: str) -> Response | Refused:
    """What the servers told of their queue and KV pool, as `domain.panel_payload` lays panels out."""

    def told(row: Mapping[str, Any]) -> bytes:
        run = point_run(services().store, row, only=_STRIP_METRICS)
        detail = Detail(STRIP_CELLS, run.span)
        return panel_payload([panel(name, run, None, detail) for name in _STRIP_PANELS], {})

    return _kept(point_id, "timeline-series", told)


def _kept(point_id: str, name: str, make: Callable[[Mapping[str, Any]], bytes]) -> Response | Refused:
    """An answer that follows from the requests alone, kept with its compression."""
    identifier, store = id_in(point_id), services().store
    encoding = accepted_encoding()
    with store.reading() as fingerprint:
        row = points.one(store, identifier) if identifier else None
        if row is None:
            return problem(f"There is no point {point_id[:60]} in this store.", 404)

        def compute() -> bytes:
            made = make(row)
            return packed(made, encoding) if made else b""

        body = services().cache.remember((name, fingerprint, identifier, encoding), compute)
    if not body:
        return problem("This point has no single requests in this store.", 404)
    response = Response(
        body, content_type="text/plain" if name == "timeline-ids" else "application/octet-stream"
    )
    if encoding != "identity":
        response.headers["Content-Encoding"] = encoding
    response.vary.add("Accept-Encoding")
    response.set_etag(
        hashlib.sha256(f"{__version__}{fingerprint}{name}".encode()).hexdigest()[:32], weak=True
    )
    response.headers["Cache-Control"] = "no-cache"
    response.make_conditional(request)
    return response


def chosen_requests(point_id: str) -> Response | Refused:
    """The requests that a view of the timeline shows: CSV, Parquet, or a Chrome / Perfetto trace."""
    query = request.args.to_dict(flat=False)
    asked = query.pop("format", ["csv"])
    if len(asked) != 1 or asked[0] not in TIMELINE_FORMATS:
        return problem(f"format={asked[0][:60]}: choose one of {', '.join(TIMELINE_FORMATS)}.", 400)
    view, notices = parse_timeline(query)
    if notices:
        return problem(" ".join(f"{one.parameter}={one.value}: {one.detail}." for one in notices), 400)
    identifier = id_in(point_id)
    row = points.one(services().store, identifier) if identifier else None
    found = stored(services().store, identifier) if identifier and row is not None else None
    if row is None or found is None:
        return problem(f"There are no requests of a point {point_id[:60]} in this store.", 404)
    ordered = timeline(found.requests)
    places = np.flatnonzero(chosen_rows(found.requests, ordered, _chosen(view)))
    body = _file(found, ordered, places, row, asked[0])
    response = Response(body, content_type=_MIME[asked[0]])
    ending = "trace.json" if asked[0] == "trace" else asked[0]
    name = f"agentx-{row['point_id']}-requests.{ending}"
    response.headers["Content-Disposition"] = f"attachment; filename={name}"
    response.headers["Cache-Control"] = "no-cache"
    return response


def _chosen(view: TimelineView) -> Chosen:
    return Chosen(
        view.search,
        view.phase,
        view.kind,
        view.status,
        view.duration,
        view.ttft,
        view.isl,
        view.cached,
        view.window,
    )


def _file(found: Stored, ordered: Timeline, places: Any, row: Mapping[str, Any], file_format: str) -> bytes:
    about = {
        "point_id": str(row["point_id"]),
        "source": str(row["source"]),
        "product_version": __version__,
    }
    if file_format == "trace":
        document = trace_document(found.requests, ordered, places.tolist(), about)
        return orjson.dumps(document, option=orjson.OPT_SERIALIZE_NUMPY)
    return encoded(_table(found, ordered, places, about), file_format, "")


def _table(found: Stored, ordered: Timeline, places: Any, about: Mapping[str, str]) -> pa.Table:
    """Lane, stream and moments on the run's axis (exact ns), then all stored columns."""
    stream = np.searchsorted(ordered.streams.bounds, places, "right") - 1
    kinds = [KINDS[kind] for kind in stream_kinds(ordered)[places].tolist()]
    told: dict[str, Any] = {
        "lane": pa.array(ordered.streams.lane[stream]),
        "stream": pa.array([ordered.streams.names[at] for at in stream.tolist()], pa.string()),
        "stream_kind": pa.array(kinds, pa.string()),
    }
    for name in ("begin", "start", "first", "end"):
        moments = getattr(ordered, name)[places]
        known = np.isfinite(moments)
        whole = np.where(known, moments, 0).astype(np.int64)
        told[f"axis_{name}_ns"] = pa.array(whole, mask=~known)
    table = select(found, ordered.rows[places])
    kept: dict[str, Any] = {name: table[name] for name in table.column_names}
    fixed = {name: pa.array([value] * len(places), pa.string()) for name, value in about.items()}
    return pa.table({**told, **kept, **fixed})
