"""The one way into a store: an ingest prepares its files aside and publishes all of them, or none.

A writer stages everything in a folder of its own, then, under the store's lock, builds the next index and
renames: requests, series, points, issues, index. Readers look at the index only and never wait.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import pyarrow as pa

from dashboard.domain.records import Finding, Point
from dashboard.store import dataset_staging, durable, index, parts
from dashboard.store.layout import TABLES, Layout, StoreError, is_id
from dashboard.store.manifest import read_manifest, write_manifest
from dashboard.store.publish import publish, recover
from dashboard.store.schema import point_of_row
from dashboard.store.series_encoding import encode_series

Outcome = Literal["added", "replaced", "unchanged"]


class StoreWriter:
    """Adds points to a store, made if need be. A context manager: leaving publishes, an exception discards.

    Points that the store already has stay, unless `put` again. StoreError when the folder is no store or
    cannot be written.
    """

    def __init__(self, path: Path, product_version: str) -> None:
        self._layout = Layout(path)
        self._version = product_version
        self._fresh = index.Collector()
        self._findings: list[Finding] = []
        self._staging = Layout(path)
        self._handle = -1

    def __enter__(self) -> Self:
        with _failures_named(self._layout):
            self._layout.root.mkdir(parents=True, exist_ok=True)
            with durable.exclusive(self._layout.root):
                if read_manifest(self._layout) is None:
                    write_manifest(self._layout, self._version)
                recover(self._layout)
                self._staging = self._layout.new_staging()
                self._handle = durable.hold(self._staging.root)
        return self

    def put(self, point: Point, requests: pa.Table | None = None, series: pa.Table | None = None) -> Outcome:
        """Stage one point with its requests and telemetry (columns of `REQUESTS`, `SERIES`).

        Says what becomes of the stored row. What was stored for the point earlier stays when none is given;
        `has_requests` and `has_series` follow what is stored.
        """
        with _failures_named(self._layout):
            changes = {
                self._put_rows("requests", point.point_id, requests, parts.encode_requests),
                self._put_rows("series", point.point_id, series, encode_series),
            }
            has_requests = self._current("requests", point.point_id).exists()
            has_series = self._current("series", point.point_id).exists()
            table = parts.point_table(replace(point, has_requests=has_requests, has_series=has_series))
            row_change = self._put_part("points", point.point_id, parts.encode_point(table))
            if row_change != "unchanged":
                content = self._staging.part("points", point.point_id).read_bytes()
                self._fresh.add(point.point_id, table, parts.checksum(content))
        return "replaced" if row_change == "unchanged" and changes != {"unchanged"} else row_change

    def dataset(self, slug: str) -> Path:
        """An empty folder for the files of a dataset; `settle_dataset` ends its writing."""
        with _failures_named(self._layout):
            folder = dataset_staging.folder(self._staging, slug)
            folder.mkdir(parents=True)
        return folder

    def settle_dataset(self, slug: str) -> Outcome:
        """Stage a dataset whose files are written; says what becomes of the stored one."""
        with _failures_named(self._layout):
            return dataset_staging.settle(self._staging, self._layout, slug)

    def findings(self, findings: list[Finding]) -> None:
        """What the ingest has to say, kept in the store's issues."""
        self._findings += findings

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                with _failures_named(self._layout):
                    self._commit()
        finally:
            os.close(self._handle)
            if not self._staging.commit.exists():  # else the next writer finishes what broke off halfway
                shutil.rmtree(self._staging.root, ignore_errors=True)

    def _commit(self) -> None:
        if self._findings:
            ingest_id, content = parts.encode_findings(self._findings)
            self._put_part("issues", ingest_id, content)
        with durable.exclusive(self._layout.root):
            if self._nothing_new():
                return
            publish(self._staging, self._layout, self._fresh.index())

    def _nothing_new(self) -> bool:
        staged = any(self._staging.part_ids(table) for table in TABLES)
        staged = staged or bool(dataset_staging.slugs(self._staging))
        return not staged and index.is_complete(self._layout)

    def _put_rows(
        self, table: str, point_id: str, rows: pa.Table | None, encode: Callable[[pa.Table], bytes]
    ) -> Outcome:
        if rows is None or rows.num_rows == 0:
            return "unchanged"
        return self._put_part(table, point_id, encode(rows))

    def _put_part(self, table: str, part_id: str, content: bytes) -> Outcome:
        current = self._current(table, part_id)
        known = current.exists()
        if known and current.read_bytes() == content:
            return "unchanged"
        self._staging.part(table, part_id).write_bytes(content)
        return "replaced" if known else "added"

    def _current(self, table: str, part_id: str) -> Path:
        staged = self._staging.part(table, part_id)
        return staged if staged.exists() else self._layout.part(table, part_id)


def read_point(store: Path, point_id: str) -> dict[str, Any] | None:
    """The stored row of a point, keyed by the columns of `POINTS`; None for an unknown id."""
    return parts.read_row(Layout(store).part("points", point_id)) if is_id(point_id) else None


def load_point(store: Path, point_id: str) -> Point | None:
    """The stored point as the record an ingest made; None for an unknown id."""
    row = read_point(store, point_id)
    return point_of_row(row) if row else None


@contextmanager
def _failures_named(layout: Layout) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        place = error.filename or layout.root
        raise StoreError(
            f"The store {layout.root} cannot be written: {error.strerror} ({place}). "
            "Nothing of this ingest was kept."
        ) from error
