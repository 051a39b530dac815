"""From a staging folder into the store: all of an ingest or nothing, and what to do with what a kill left.

Both functions are for the holder of the store's lock (`durable.exclusive`).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection

from dashboard.store import dataset_staging, durable, index
from dashboard.store.layout import TABLES, Layout


def publish(staging: Layout, layout: Layout, fresh: index.Index) -> None:
    """Make everything staged visible; `fresh` holds the rows of the staged points.

    The note `commit.json` divides before from after: without it the ingest never was, with it `recover`
    finishes the job.
    """
    durable.sync_files(staging.part(table, name) for table in TABLES for name in staging.part_ids(table))
    dataset_staging.sync(staging)
    _stage_index(staging, layout, fresh)
    durable.replace(staging.commit, json.dumps({"points": sorted(fresh.checksums)}).encode())
    _move(staging, layout)
    shutil.rmtree(staging.root)


def recover(layout: Layout) -> None:
    """Finish the ingests that were killed while publishing, and discard those that were killed before."""
    for leftover in layout.root.glob(".*.tmp"):
        leftover.unlink(missing_ok=True)
    for staging in layout.staging_folders():
        if durable.is_held(staging.root):
            continue
        if staging.commit.exists():
            _finish(staging, layout)
        shutil.rmtree(staging.root)


def _finish(staging: Layout, layout: Layout) -> None:
    if not staging.index.exists():
        return  # killed after its last rename
    point_ids: Collection[str] = json.loads(staging.commit.read_bytes())["points"]
    _move_parts(staging, layout)
    # Another ingest may have published since: the index staged then would undo it.
    _stage_index(staging, layout, index.from_parts(layout, point_ids))
    _move(staging, layout)


def _stage_index(staging: Layout, layout: Layout, fresh: index.Index) -> None:
    merged = index.merge(index.read_or_empty(layout.index), fresh, layout, pending=staging)
    index.write(merged, staging.index)
    durable.sync_file(staging.index)


def _move(staging: Layout, layout: Layout) -> None:
    _move_parts(staging, layout)
    staging.index.replace(layout.index)
    durable.sync_folder(layout.root)


def _move_parts(staging: Layout, layout: Layout) -> None:
    dataset_staging.move(staging, layout)
    for table in TABLES:
        names = staging.part_ids(table)
        if not names:
            continue
        layout.table(table).mkdir(exist_ok=True)
        for name in names:
            staging.part(table, name).replace(layout.part(table, name))
        durable.sync_folder(layout.table(table))
