"""Are the datasets of a store what they claim to be? Files, columns, and rows that name each other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from dashboard.domain.records import Finding
from dashboard.store import dataset_staging, parts
from dashboard.store.datasets import LATER, TABLES, is_slug
from dashboard.store.layout import Layout, plainly


def check_datasets(layout: Layout) -> Iterator[Finding]:
    """What is wrong with the datasets of a store."""
    for slug in dataset_staging.slugs(layout):
        if is_slug(slug):
            yield from _dataset(layout, slug)
        else:
            yield Finding(
                f"datasets/{slug}", "stranger", "warning", "This is no dataset; readers pass it over."
            )


def _dataset(layout: Layout, slug: str) -> Iterator[Finding]:
    tables: dict[str, pa.Table] = {}
    for name, schema in TABLES.items():
        artifact = f"datasets/{slug}/{name}.parquet"
        try:
            table = parts.read_table(dataset_staging.folder(layout, slug) / f"{name}.parquet")
        except (OSError, pa.ArrowException) as error:
            yield Finding(artifact, "unreadable", "error", f"The file cannot be read: {plainly(error)}.")
            continue
        differing = _differing(table.schema, schema)
        if differing:
            detail = "The columns are not those of the store's format."
            yield Finding(artifact, "columns", "error", detail, differing)
            continue
        tables[name] = table
    yield from _description(layout, slug, tables)
    if len(tables) == len(TABLES):
        yield from _rows(slug, tables)


def _differing(found: pa.Schema, schema: pa.Schema) -> str | None:
    expected, there = {f.name: f.type for f in schema}, {f.name: f.type for f in found}
    wrong = (name for name in (*expected, *there) if expected.get(name) != there.get(name))
    return next((name for name in wrong if not (name in LATER and name not in there)), None)


def _description(layout: Layout, slug: str, tables: dict[str, pa.Table]) -> Iterator[Finding]:
    artifact = f"datasets/{slug}/dataset.json"
    try:
        about: Any = json.loads((dataset_staging.folder(layout, slug) / "dataset.json").read_bytes())
        counts = {"conversations": about.get("conversations"), "turns": about.get("requests")}
    except (OSError, ValueError, AttributeError) as error:
        yield Finding(artifact, "unreadable", "error", f"The file cannot be read: {plainly(error)}.")
        return
    for name, table in tables.items():
        if name in counts and counts[name] != table.num_rows:
            detail = f"It names {counts[name]} {name}, the table has {table.num_rows}."
            yield Finding(artifact, "rows", "error", detail, name)


def _rows(slug: str, tables: dict[str, pa.Table]) -> Iterator[Finding]:
    known = pc.unique(tables["conversations"]["conversation_id"])
    if len(known) != tables["conversations"].num_rows:
        artifact = f"datasets/{slug}/conversations.parquet"
        yield Finding(artifact, "repeated", "error", "An id stands there twice.", "conversation_id")
    for name in ("turns", "edges"):
        belongs = pc.is_in(tables[name]["conversation_id"], value_set=known)
        if not pc.all(belongs, min_count=0).as_py():
            detail = "Some rows belong to no conversation of the dataset."
            yield Finding(f"datasets/{slug}/{name}.parquet", "orphan", "error", detail, "conversation_id")
