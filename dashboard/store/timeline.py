"""What the timeline asks: all requests of one point, with texts as codes so that ordering is quick."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dashboard.domain.timeline import Coded, Requests
from dashboard.store import requests
from dashboard.store.connection import Store

_TEXTS = ("phase", "kind", "lane_id", "conversation_id", "source_trace", "worker_id", "error_category")
_TIMES = ("credit_ns", "start_ns", "first_token_ns", "end_ns")
_COUNTS = ("isl", "osl", "cached_tokens", "turn_index", "source_outer", "source_inner", "depth")
_COLUMNS = ("request_id", "error_message", "failed", "cancelled", "itl_s", *_TEXTS, *_TIMES, *_COUNTS)


@dataclass(frozen=True, slots=True)
class Stored:
    """The requests of a point as the domain orders them, and the table that they came from, row by row."""

    requests: Requests
    table: pa.Table


def stored(store: Store, point_id: str) -> Stored | None:
    """All requests of a point; None where it has none. StoreError for a damaged file."""
    table = requests.read(store, point_id, _COLUMNS)
    return None if table is None else Stored(of_table(table), table)


def of_table(table: pa.Table) -> Requests:
    """The columns of a table of the schema `REQUESTS`."""
    texts = {name: _coded(table[name]) for name in _TEXTS}
    integers = {name: _integers(table[name]) for name in (*_TIMES, *_COUNTS)}
    return Requests(
        ids=table["request_id"].combine_chunks(),
        texts=texts,
        values={name: value for name, (value, _) in integers.items()},
        known={name: known for name, (_, known) in integers.items()},
        failed=_flags(table["failed"]),
        cancelled=_flags(table["cancelled"]),
        itl_s=np.asarray(table["itl_s"].to_numpy(), dtype=np.float64),
        messages=table["error_message"].combine_chunks(),
    )


def _coded(column: Any) -> Coded:
    """A text column as codes into its distinct values, -1 for what is missing."""
    encoded = column.combine_chunks().dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    return Coded(codes, tuple(encoded.dictionary.to_pylist()))


def _integers(column: Any) -> tuple[Any, Any]:
    """Values, 0 where missing, and which ones are known."""
    return column.fill_null(0).to_numpy().astype(np.int64), ~column.is_null().to_numpy()


def _flags(column: Any) -> Any:
    return column.fill_null(False).to_numpy()


def select(found: Stored, rows: Any) -> pa.Table:
    """Some rows of the stored table in the given order, all columns that the timeline reads."""
    return found.table.take(pa.array(rows))


def texts_at(column: pa.Array[Any], rows: Any) -> list[str | None]:
    """Some values of a text column."""
    taken: list[str | None] = pc.take(column, pa.array(rows)).to_pylist()
    return taken


Columns = Mapping[str, Any]
