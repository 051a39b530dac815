"""Data of a point's page: all its panels in one binary answer, one panel as a file, a window of the run."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
from flask import Flask, Response, request

from dashboard import __version__
from dashboard.domain.panel import Panel
from dashboard.domain.panel_payload import payload
from dashboard.domain.panel_specs import PANELS
from dashboard.domain.panels import panel, panels
from dashboard.domain.point_run import PointRun
from dashboard.domain.request_panels import Detail
from dashboard.links import POINTS_API, PointView, id_in, parse_point, point_view_url
from dashboard.pages.point_window import window_answer
from dashboard.routes.compression import accepted_encoding, packed
from dashboard.routes.errors import problem
from dashboard.routes.exported_rows import MIME, encoded
from dashboard.services import services
from dashboard.store import points
from dashboard.store.point_runs import point_run

#: Cells of the time axis; each keeps its first, smallest, largest and last sample.
CELLS = 700
#: Cells of an exported panel: all of it in any practical sense.
EXPORT_CELLS = 1_000_000
Refused = tuple[dict[str, Any], int]


def register(server: Flask) -> None:
    """Add the routes."""
    server.add_url_rule(f"{POINTS_API}/<point_id>/panels", "api_panels", all_panels)
    server.add_url_rule(f"{POINTS_API}/<point_id>/panels/<name>.<file_format>", "api_panel", one_panel)
    server.add_url_rule(f"{POINTS_API}/<point_id>/window", "api_window", window)


def asked(point_id: str) -> tuple[Mapping[str, Any], PointView] | Refused:
    """The point's row and the view; a refusal that names what is wrong."""
    view, notices = parse_point(request.args.to_dict(flat=False))
    if notices:
        return problem(" ".join(f"{one.parameter}={one.value}: {one.detail}." for one in notices), 400)
    name = id_in(point_id)
    row = points.one(services().store, name) if name else None
    if row is None:
        return problem(f"There is no point {point_id[:60]} in this store.", 404)
    return row, view


def all_panels(point_id: str) -> Response | Refused:
    """Every panel as `domain.panel_payload` lays them out."""
    found = asked(point_id)
    if isinstance(found[1], int):
        return found
    row, view = found
    encoding = accepted_encoding()
    with services().store.reading() as fingerprint:

        def compute() -> bytes:
            run = point_run(services().store, row)
            made = panels(run, view.kind, _detail(run, view, CELLS))
            return packed(payload(made, _about(run)), encoding)

        asked_for = (view.kind, view.roll, view.line, view.zoom)
        key = ("panels", fingerprint, row["point_id"], *asked_for, encoding)
        body = services().cache.remember(key, compute)
    return data_answer(body, "application/octet-stream", encoding)


def _detail(run: PointRun, view: PointView, cells: int) -> Detail:
    """The whole run, or the part that is zoomed into as finely."""
    low, high = view.zoom or run.span
    span = (max(low, run.span[0]), min(high, run.span[1]))
    return Detail(cells, span if span[1] > span[0] else run.span, view.roll, view.line)


def _about(run: PointRun) -> dict[str, Any]:
    """The axis: its span, where the phases lie, and how far the servers' clocks cover the requests."""
    phases = {}
    if run.requests is not None:
        for phase in ("warmup", "profiling"):
            part = run.requests.in_phase(phase)
            if len(part):
                ends = np.where(np.isfinite(part.end), part.end, part.start)
                phases[phase] = [float(np.nanmin(part.start)), float(np.nanmax(ends))]
    return {
        "span": list(run.span),
        "phases": phases,
        "zero_ns": str(run.axis.zero_ns) if run.axis else None,
        "overlap": run.clock_overlap,
        "specs": [asdict(spec) for spec in PANELS.values()],
    }


def one_panel(point_id: str, name: str, file_format: str) -> Response | Refused:
    """One panel's drawn data in long form: part, x, y, with what it shows and the units."""
    found = asked(point_id)
    if isinstance(found[1], int):
        return found
    row, view = found
    if name not in PANELS or file_format not in ("csv", "parquet"):
        return problem(f"There is no file {name[:40]}.{file_format[:10]}; panels: {', '.join(PANELS)}.", 404)
    run = point_run(services().store, row)
    table = panel_table(panel(name, run, view.kind, _detail(run, view, EXPORT_CELLS)), row)
    if not table.num_rows:
        return problem(f"The panel {name} of this point holds no data.", 404)
    response = data_answer(encoded(table, file_format, ""), MIME[file_format], "identity")
    file = f"agentx-{row['point_id']}-{name}.{file_format}"
    response.headers["Content-Disposition"] = f"attachment; filename={file}"
    return response


def panel_table(found: Panel, row: Mapping[str, Any]) -> pa.Table:
    """What a panel draws, a row a value; `x` is seconds on the run's axis, or the lower edge of a bin."""
    spec = PANELS[found.key]
    parts: list[tuple[str, str, Any, Any]] = [(line.label, "s", line.t, line.v) for line in found.lines]
    if found.dots is not None:
        parts.append(("requests", "s", found.dots.t, found.dots.v))
    if found.failed is not None and len(found.failed):
        parts.append(("failed", "s", found.failed, np.full(len(found.failed), np.nan)))
    parts += [
        (f"{phase}, requests a bin", "tokens", one.edges[:-1], one.counts)
        for phase, one in found.histograms.items()
    ]
    sizes = [len(x) for _, _, x, _ in parts]
    empty = [np.empty(0)]
    names = [name for (name, *_), n in zip(parts, sizes, strict=True) for _ in range(n)]
    units = [unit for (_, unit, *_), n in zip(parts, sizes, strict=True) for _ in range(n)]
    columns = {
        "part": pa.array(names, pa.string()),
        "x": pa.array(np.concatenate([*empty, *(x for _, _, x, _ in parts)])),
        "x_unit": pa.array(units, pa.string()),
        "y": pa.array(np.concatenate([*empty, *(y for *_, y in parts)]), from_pandas=True),
    }
    fixed = {
        "panel": spec.title,
        "y_unit": spec.unit,
        "point_id": str(row["point_id"]),
        "source": str(row["source"]),
        "product_version": __version__,
    }
    told = {name: pa.array([value] * len(names), pa.string()) for name, value in fixed.items()}
    return pa.table(columns | told)


def window(point_id: str) -> Response | Refused:
    """The window in the query as JSON: statistics in words, and the requests in flight in it."""
    found = asked(point_id)
    if isinstance(found[1], int):
        return found
    row, view = found
    with services().store.reading() as fingerprint:

        def compute() -> bytes:
            return orjson.dumps(window_answer(services().store, row, view))

        key = ("window", fingerprint, point_view_url(row["point_id"], replace(view, back=None)))
        body = services().cache.remember(key, compute)
    return data_answer(body, "application/json", "identity")


def data_answer(body: bytes, content_type: str, encoding: str = "identity") -> Response:
    """Data that a reader's browser asks for again only when it has changed."""
    response = Response(body, content_type=content_type)
    if encoding != "identity":
        response.headers["Content-Encoding"] = encoding
    response.vary.add("Accept-Encoding")
    response.set_etag(hashlib.sha256(body).hexdigest()[:32], weak=True)
    response.headers["Cache-Control"] = "no-cache"
    response.make_conditional(request)
    return response
