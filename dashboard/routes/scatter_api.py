"""Requests of a point against each other: dots for the canvas, all requests as CSV or Parquet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from flask import Flask, Response

from dashboard import __version__
from dashboard.domain.columns import Columns, texts
from dashboard.domain.panel_payload import arrays_payload
from dashboard.domain.request_quantities import QUANTITIES, USUAL_PAIRS
from dashboard.domain.request_scatter import KINDS, RequestScatter, request_scatter
from dashboard.links import POINTS_API, PointView
from dashboard.routes.compression import accepted_encoding, packed
from dashboard.routes.errors import problem
from dashboard.routes.exported_rows import MIME, encoded
from dashboard.routes.point_api import Refused, asked, data_answer
from dashboard.services import services
from dashboard.store.request_columns import request_columns


def register(server: Flask) -> None:
    """Add the routes."""
    server.add_url_rule(f"{POINTS_API}/<point_id>/scatter", "api_scatter", dots)
    server.add_url_rule(f"{POINTS_API}/<point_id>/scatter.<file_format>", "api_scatter_file", file)


def dots(point_id: str) -> Response | Refused:
    """The dots to draw with what the axes mean; without a pair only what there is to choose."""
    found = asked(point_id)
    if isinstance(found[1], int):
        return found
    row, view = found
    encoding = accepted_encoding()
    with services().store.reading() as fingerprint:

        def compute() -> bytes:
            columns = request_columns(services().store, row["point_id"])
            return packed(_dots(columns, view), encoding)

        chosen = (view.scatter, view.phase, view.kind)
        body = services().cache.remember(
            ("scatter", fingerprint, row["point_id"], *chosen, encoding), compute
        )
    return data_answer(body, "application/octet-stream", encoding)


def _dots(columns: Columns | None, view: PointView) -> bytes:
    about: dict[str, Any] = {
        "quantities": [[one.key, one.label, one.unit, one.explanation] for one in QUANTITIES.values()],
        "pairs": [list(pair) for pair in USUAL_PAIRS],
        "kinds": KINDS,
    }
    if columns is None or view.scatter is None:
        return arrays_payload(about, {})
    found = request_scatter(columns, view.scatter, view.phase, view.kind)
    about |= {"n": found.n, "without": found.without, "zeros": found.zeros}
    about |= {"scales": [found.x_scale, found.y_scale]}
    shown = found.drawn
    named = {"x": found.x, "y": found.y, "start": found.start_s, "end": found.end_s}
    arrays = {name: values[shown] for name, values in named.items()}
    return arrays_payload(about, {**arrays, "kind": found.kind[shown].astype(np.float64)})


def file(point_id: str, file_format: str) -> Response | Refused:
    """Every request of the scatter, a row each."""
    found = asked(point_id)
    if isinstance(found[1], int):
        return found
    row, view = found
    if view.scatter is None or file_format not in ("csv", "parquet"):
        known = ", ".join(QUANTITIES)
        return problem(f"Write scatter=y,x with two of {known}, as .csv or .parquet.", 404)
    columns = request_columns(services().store, row["point_id"])
    if columns is None:
        return problem("This store holds no single requests of this point.", 404)
    scatter = request_scatter(columns, view.scatter, view.phase, view.kind)
    response = data_answer(
        encoded(_table(columns, scatter, view.scatter, row), file_format, ""), MIME[file_format]
    )
    name = f"agentx-{row['point_id']}-{'-'.join(view.scatter)}.{file_format}"
    response.headers["Content-Disposition"] = f"attachment; filename={name}"
    return response


def _table(columns: Columns, found: RequestScatter, pair: tuple[str, str], row: Any) -> pa.Table:
    y, x = (QUANTITIES[key] for key in pair)
    told = {
        name: np.array(texts(columns, name), object)[found.rows] for name in ("request_id", "phase", "kind")
    }
    fixed = {
        "y_quantity": f"{y.label}, {y.unit}".rstrip(", "),
        "x_quantity": f"{x.label}, {x.unit}".rstrip(", "),
        "point_id": str(row["point_id"]),
        "source": str(row["source"]),
        "product_version": __version__,
    }
    said = {name: pa.array(values.tolist(), pa.string()) for name, values in told.items()}
    measured: dict[str, Any] = {"start_s": found.start_s, y.key: found.y, x.key: found.x}
    constant = {name: pa.array([text] * found.n, pa.string()) for name, text in fixed.items()}
    return pa.table({**said, **measured, **constant})
