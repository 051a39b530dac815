"""points.parquet: every row of points/ in one file with the checksum of each part; can be rebuilt at will."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dashboard.store import parts
from dashboard.store.layout import Layout, plainly
from dashboard.store.schema import FORMAT_VERSION, POINTS

_VERSION_KEY = b"agentx.format_version"
_CHECKSUMS_KEY = b"agentx.part_checksums"
_ORDER = (
    "model",
    "scenario",
    "hardware",
    "engine",
    "precision",
    "config_id",
    "run_date",
    "concurrency",
    "point_id",
)
_ROW_GROUP = 32_768
_ROWS_PER_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Index:
    """Rows of the index (columns of `POINTS`) and, row by row, the checksum of the part each comes from."""

    rows: pa.Table
    checksums: dict[str, bytes]


EMPTY = Index(POINTS.empty_table(), {})


def read(path: Path) -> Index:
    """The index as it stands. FileNotFoundError, or ValueError when it is damaged or of another version."""
    try:
        file = parts.opened(path)
        metadata = file.metadata.metadata or {}
        if metadata.get(_VERSION_KEY) != str(FORMAT_VERSION).encode():
            raise ValueError("it was written by another version of this program")
        rows = file.read()
        return Index(
            rows.replace_schema_metadata(None),
            _unpack(metadata[_CHECKSUMS_KEY], rows["point_id"].to_pylist()),
        )
    except (pa.ArrowException, OSError, KeyError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise ValueError(f"it cannot be read ({plainly(error)})") from error


def read_or_empty(path: Path) -> Index:
    """The index as it stands, or an empty one that `merge` then fills from points/."""
    try:
        return read(path)
    except (FileNotFoundError, ValueError):
        return EMPTY


def merge(old: Index, fresh: Index, layout: Layout, pending: Layout) -> Index:
    """The old rows, fresh ones in their place where ids meet, corrected by what points/ has more or less.

    `pending` is the staging folder whose points are about to move to points/.
    """
    on_disk = layout.part_ids("points") | pending.part_ids("points")
    stale = [point_id for point_id in old.checksums if point_id in fresh.checksums or point_id not in on_disk]
    kept = old.rows.filter(pc.invert(pc.is_in(old.rows["point_id"], pa.array(stale, pa.string()))))
    strays = from_parts(layout, on_disk - old.checksums.keys() - fresh.checksums.keys())
    return Index(
        pa.concat_tables([kept, fresh.rows, strays.rows]),
        {**old.checksums, **fresh.checksums, **strays.checksums},
    )


def is_complete(layout: Layout) -> bool:
    """Whether the index stands and holds a row for each file of points/, and no other."""
    try:
        return read(layout.index).checksums.keys() == layout.part_ids("points")
    except (FileNotFoundError, ValueError):
        return False


class Collector:
    """Gathers one-row tables of an ingest compactly; of rows with the same id the last one counts."""

    def __init__(self) -> None:
        self._chunks: list[pa.Table] = []
        self._loose: list[pa.Table] = []
        self._last: dict[str, int] = {}
        self._checksums: dict[str, bytes] = {}
        self._count = 0

    def add(self, point_id: str, row: pa.Table, checksum: bytes) -> None:
        """Keep one row and the checksum of its part."""
        self._last[point_id] = self._count
        self._checksums[point_id] = checksum
        self._count += 1
        self._loose.append(row)
        if len(self._loose) == _ROWS_PER_CHUNK:
            self._pack()

    def index(self) -> Index:
        """Everything added so far."""
        self._pack()
        rows = pa.concat_tables([POINTS.empty_table(), *self._chunks])
        return Index(rows.take(pa.array(sorted(self._last.values()), pa.int64())), dict(self._checksums))

    def _pack(self) -> None:
        if self._loose:
            self._chunks.append(pa.concat_tables(self._loose).combine_chunks())
            self._loose = []


def from_parts(layout: Layout, point_ids: Iterable[str]) -> Index:
    """The index of some points, read from their own files."""
    tables, checksums = [POINTS.empty_table()], {}
    for point_id in point_ids:
        content = layout.part("points", point_id).read_bytes()
        tables.append(parts.opened(pa.BufferReader(content)).read())
        checksums[point_id] = parts.checksum(content)
    return Index(pa.concat_tables(tables), checksums)


def write(index: Index, path: Path) -> None:
    """Write the index, not atomically: the caller renames. Equal rows give equal bytes, in whatever order."""
    rows = index.rows.sort_by([(name, "ascending") for name in _ORDER]).combine_chunks()
    point_ids: list[Any] = rows["point_id"].to_pylist()
    packed = b"".join(index.checksums[point_id] for point_id in point_ids)
    metadata = {
        _VERSION_KEY.decode(): str(FORMAT_VERSION),
        _CHECKSUMS_KEY.decode(): base64.b64encode(packed).decode(),
    }
    with pq.ParquetWriter(path, POINTS, store_schema=False, **_encoding(rows)) as writer:
        writer.write_table(rows, row_group_size=_ROW_GROUP)
        writer.add_key_value_metadata(metadata)


def _encoding(rows: pa.Table) -> dict[str, Any]:
    """Dictionaries for what repeats (names, counts, rounded figures), split bytes for the rest."""
    floats = [field.name for field in POINTS if pa.types.is_floating(field.type)]
    varied = [name for name in floats if 2 * pc.count_distinct(rows[name]).as_py() > rows.num_rows]
    repeated = [name for name in POINTS.names if name not in varied]
    dense = {"compression": "zstd", "compression_level": 9, "write_page_checksum": True}
    return {**dense, "use_dictionary": repeated, "use_byte_stream_split": varied}


def _unpack(packed: bytes, point_ids: list[Any]) -> dict[str, bytes]:
    content = base64.b64decode(packed)
    if len(content) != 8 * len(point_ids):
        raise ValueError("its checksums do not fit its rows")
    return {point_id: content[8 * row : 8 * row + 8] for row, point_id in enumerate(point_ids)}
