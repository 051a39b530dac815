"""Datasets on their way into a store: staged in an ingest's folder, moved into place file by file."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Literal

from dashboard.store import durable
from dashboard.store.layout import Layout

_FOLDER = "datasets"
#: Files of a dataset in the order in which they appear: what describes it comes last.
FILES = ("turns.parquet", "edges.parquet", "conversations.parquet", "dataset.json")


def folder(layout: Layout, slug: str) -> Path:
    """Where a dataset lies in a store or in a staging folder."""
    return layout.root / _FOLDER / slug


def slugs(layout: Layout) -> tuple[str, ...]:
    """Names of the datasets in a store or in a staging folder, sorted."""
    try:
        return tuple(sorted(path.name for path in (layout.root / _FOLDER).iterdir() if path.is_dir()))
    except (FileNotFoundError, NotADirectoryError):
        return ()


def settle(staging: Layout, layout: Layout, slug: str) -> Literal["added", "replaced", "unchanged"]:
    """What publishing a staged dataset will change; one that changes nothing is taken out of the staging."""
    fresh, current = folder(staging, slug), folder(layout, slug)
    if not (current / FILES[-1]).exists():
        return "added"
    if any(not _same(fresh / name, current / name) for name in FILES):
        return "replaced"
    shutil.rmtree(fresh)
    return "unchanged"


def sync(staging: Layout) -> None:
    """Wait until the disk has all staged datasets."""
    durable.sync_files(path for slug in slugs(staging) for path in folder(staging, slug).iterdir())


def move(staging: Layout, layout: Layout) -> None:
    """Put the staged datasets in place; can be repeated after a kill."""
    for slug in slugs(staging):
        target = folder(layout, slug)
        target.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            if (path := folder(staging, slug) / name).exists():
                path.replace(target / name)
        durable.sync_folder(target)


def _same(first: Path, second: Path) -> bool:
    if not second.exists() or first.stat().st_size != second.stat().st_size:
        return False
    return first.read_bytes() == second.read_bytes()
