"""Datasets of a store: the conversations that runs replay, their turns, and the edges between turns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from dashboard import __version__
from dashboard.store.layout import StoreError
from dashboard.store.writer import StoreWriter

#: Slugs become folder names: nothing else ever does.
_SLUG = re.compile(r"[a-z0-9][a-z0-9.-]{0,99}")
_ROW_GROUP = 16_384


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
    source_bytes=pa.int64(),
    block_size=pa.int32(),
)
#: One row a request. `stream` is empty for the main one; times in seconds from the conversation's start.
#: `blocks`: whole blocks of the prompt, `repeated_blocks`: those shared with the stream's previous request.
#: `api_s`, `think_s` and `ttft_s` are as recorded, null where they were not.
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
    blocks=pa.int32(),
    repeated_blocks=pa.int32(),
    api_s=pa.float64(),
    think_s=pa.float64(),
    ttft_s=pa.float64(),
)
#: `spawn` leads from a main turn to another stream's first, `join` from its last to the turn that waits.
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
#: Columns that stores of earlier versions lack: read as null.
LATER = frozenset(
    ("source_bytes", "block_size", "blocks", "repeated_blocks", "api_s", "think_s", "ttft_s")
)  # fmt: skip


def is_slug(text: str) -> bool:
    """Whether a text can name a dataset: lower-case letters, digits, dots and hyphens."""
    return _SLUG.fullmatch(text) is not None


def write_dataset(store: Path, slug: str, tables: Mapping[str, pa.Table], about: Mapping[str, Any]) -> None:
    """Put a dataset into a store, over what stood under its slug; `about` becomes `dataset.json`.

    Raises StoreError where the folder cannot be written, ValueError for a slug that is none.
    """
    if not is_slug(slug):
        raise ValueError(f"{slug!r} is no slug: lower-case letters, digits, dots and hyphens are expected.")
    with StoreWriter(store, __version__) as writer:
        with DatasetFiles(writer.dataset(slug)) as files:
            for name, table in tables.items():
                files.add(name, table)
            files.describe(slug, about)
        writer.settle_dataset(slug)


class DatasetFiles:
    """The files of one dataset in a folder, written piece by piece: memory holds one row group a table."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._waiting: dict[str, list[Mapping[str, Any]]] = {name: [] for name in TABLES}

    def __enter__(self) -> Self:
        try:
            for name, schema in TABLES.items():
                path = self._folder / f"{name}.parquet"
                self._writers[name] = pq.ParquetWriter(
                    path, schema, compression="zstd", write_page_checksum=True
                )
        except OSError as error:
            raise StoreError(f"The dataset {self._folder} cannot be written: {error.strerror}.") from error
        return self

    def add(self, name: str, table: pa.Table) -> None:
        """A piece of a table; columns of `LATER` that it lacks are null."""
        self._writers[name].write_table(completed(table, TABLES[name]), row_group_size=_ROW_GROUP)

    def add_rows(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Rows of a table, written as soon as they fill a row group."""
        waiting = self._waiting[name]
        waiting += rows
        while len(waiting) >= _ROW_GROUP:
            self._write(name, waiting[:_ROW_GROUP])
            del waiting[:_ROW_GROUP]

    def describe(self, slug: str, about: Mapping[str, Any]) -> None:
        """What `dataset.json` says."""
        text = json.dumps({"slug": slug, **about}, indent=1, ensure_ascii=False, sort_keys=True)
        (self._folder / "dataset.json").write_text(text + "\n", encoding="utf-8")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name, writer in self._writers.items():
            if kind is None:
                self._write(name, self._waiting[name])
            writer.close()

    def _write(self, name: str, rows: list[Mapping[str, Any]]) -> None:
        if rows:
            self._writers[name].write_table(pa.Table.from_pylist(rows, TABLES[name]))


def completed(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """A table with the columns of a schema, those of `LATER` null where it lacks them.

    KeyError for any other column that is missing.
    """
    columns = [
        pa.nulls(table.num_rows, field.type)
        if field.name in LATER and field.name not in table.column_names
        else table[field.name].cast(field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)
