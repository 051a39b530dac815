"""Datasets of a store: the conversations that runs replay, their turns, and the edges between turns."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dashboard.store import durable
from dashboard.store.layout import StoreError

#: Slugs become folder names: nothing else ever does.
_SLUG = re.compile(r"[a-z0-9][a-z0-9.-]{0,99}")


def _schema(**columns: pa.DataType) -> pa.Schema:
    return pa.schema([pa.field(name, kind) for name, kind in columns.items()])


#: One row a conversation. `cached_tokens`: of an endless cache, turns in the order of their starts.
CONVERSATIONS: pa.Schema = _schema(
    conversation_id=pa.string(),
    models=pa.list_(pa.string()),
    turns=pa.int32(),
    subagents=pa.int32(),
    subagent_turns=pa.int32(),
    auxiliary=pa.int32(),
    isl_max=pa.int64(),
    input_tokens=pa.int64(),
    cached_tokens=pa.int64(),
    output_tokens=pa.int64(),
    span_s=pa.float64(),
    duplicate_of=pa.string(),
)
#: One row a request. `stream` is empty for the main one; times in seconds from the conversation's start.
TURNS: pa.Schema = _schema(
    conversation_id=pa.string(),
    outer=pa.int32(),
    inner=pa.int32(),
    stream=pa.string(),
    kind=pa.string(),
    t_s=pa.float64(),
    end_s=pa.float64(),
    model=pa.string(),
    isl=pa.int64(),
    osl=pa.int64(),
    cached_prefix_tokens=pa.int64(),
    cached_prefix_causal_tokens=pa.int64(),
    uncached_tokens=pa.int64(),
    delay_s=pa.float64(),
    stop=pa.string(),
    compaction=pa.bool_(),
)
#: `spawn` leads from a main turn to a subagent's first, `join` from its last to the turn that waits for it.
EDGES: pa.Schema = _schema(
    conversation_id=pa.string(),
    kind=pa.string(),
    from_outer=pa.int32(),
    from_inner=pa.int32(),
    to_outer=pa.int32(),
    to_inner=pa.int32(),
    delay_s=pa.float64(),
)

TABLES: Mapping[str, pa.Schema] = {"conversations": CONVERSATIONS, "turns": TURNS, "edges": EDGES}


def write_dataset(store: Path, slug: str, tables: Mapping[str, pa.Table], about: Mapping[str, Any]) -> None:
    """Put a dataset into a store, over what stood under its slug; `about` becomes `dataset.json`.

    Raises StoreError where the folder cannot be written, ValueError for a slug that is none.
    """
    if not _SLUG.fullmatch(slug):
        raise ValueError(f"{slug!r} is no slug: lower-case letters, digits, dots and hyphens are expected.")
    folder = store / "datasets" / slug
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, schema in TABLES.items():
            durable.replace(folder / f"{name}.parquet", _encode(tables[name].cast(schema)))
        text = json.dumps({"slug": slug, **about}, indent=1, ensure_ascii=False, sort_keys=True)
        durable.replace(folder / "dataset.json", (text + "\n").encode())
    except OSError as error:
        raise StoreError(f"The dataset {folder} cannot be written: {error.strerror}.") from error


def _encode(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    return sink.getvalue()
