"""Stores of any size for the benchmarks, made of the invented points of the tests."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pyarrow as pa

from dashboard import __version__
from dashboard.domain.records import Point
from dashboard.store import index, parts
from dashboard.store.layout import Layout
from dashboard.store.manifest import write_manifest
from dashboard.store.schema import POINTS, point_row
from dashboard.store.writer import StoreWriter
from tests import invented

#: Up to here a store is ingested; beyond it only the index is written, which is all that serving reads.
INGESTED = 1_000
_CHUNK = 1_000


def make_store(folder: Path, count: int, *, models: int = 10) -> Path:
    """A store of `count` invented points of `models` models; returns its folder."""
    points = invented.many(count, models=models)
    if count > INGESTED:
        return index_only(folder, list(points))
    with StoreWriter(folder, __version__) as writer:
        for point in points:
            writer.put(point)
    return folder


def index_only(folder: Path, points: list[Point]) -> Path:
    """A store whose points have no files of their own."""
    layout = Layout(folder)
    layout.root.mkdir(parents=True, exist_ok=True)
    write_manifest(layout, __version__)
    remaining, tables = iter(points), []
    while chunk := list(islice(remaining, _CHUNK)):
        tables.append(pa.Table.from_pylist([point_row(point) for point in chunk], schema=POINTS))
    checksums = {point.point_id: parts.checksum(point.point_id.encode()) for point in points}
    index.write(index.Index(pa.concat_tables(tables), checksums), layout.index)
    return folder
