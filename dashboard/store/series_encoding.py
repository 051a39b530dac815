"""The telemetry of one point as the bytes of one Parquet file, laid out for questions about a few metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from dashboard.store.schema import SERIES, SERIES_KEY

#: Row groups end between metrics, so that a question about some reads only theirs; small metrics share one.
_ROW_GROUP: Final = 32_768
_ENCODING: Final[dict[str, Any]] = {
    "compression": "zstd",
    "compression_level": 9,
    "use_dictionary": [field.name for field in SERIES if pa.types.is_string(field.type)] + ["width_s"],
    "column_encoding": {"t_ns": "DELTA_BINARY_PACKED", "value": "BYTE_STREAM_SPLIT"},
    "write_page_checksum": True,
}

Codes = npt.NDArray[np.int32]


def encode_series(table: pa.Table) -> bytes:
    """Rows of `SERIES`, series by series in time. ValueError where a column is missing or does not fit.

    Texts may come dictionary-encoded. They stay so, and rows are put in order a row group at a time: an hour
    of many ranks has millions, and two copies of them as text would be most of an ingest's memory.
    """
    try:
        columns = {field.name: _coded(table[field.name], field.type) for field in SERIES}
    except (KeyError, pa.ArrowInvalid) as error:
        raise ValueError(f"The series do not fit the store's columns: {error}") from error
    metrics = _ranks(columns["metric"])
    order = np.lexsort((columns["t_ns"].to_numpy(), _places(columns)))
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, SERIES, store_schema=False, **_ENCODING) as writer:
        for first, end in _row_groups(metrics[order]):
            rows = {name: column.take(order[first:end]) for name, column in columns.items()}
            writer.write_table(pa.table(rows).cast(SERIES), row_group_size=end - first)
    return sink.getvalue().to_pybytes()


def _coded(column: Any, kind: pa.DataType) -> Any:
    """A column as one array, text as codes of a dictionary. ArrowInvalid where it does not fit."""
    if pa.types.is_dictionary(column.type):
        return column.unify_dictionaries().combine_chunks()
    whole = column.cast(kind).combine_chunks()
    return whole.dictionary_encode() if pa.types.is_string(kind) else whole


def _places(columns: Mapping[str, Any]) -> npt.NDArray[np.int64]:
    """For each row the place of its series among all, as one number."""
    place = np.zeros(len(columns["metric"]), np.int64)
    for name in SERIES_KEY:
        place *= len(columns[name].dictionary) + 1
        place += _ranks(columns[name])
    return place


def _ranks(coded: Any) -> Codes:
    """For each text of a column its place among the sorted ones; missing comes last."""
    names = np.array(coded.dictionary.to_pylist(), dtype=object)
    places = np.empty(len(names) + 1, np.int32)
    places[np.argsort(names)] = np.arange(len(names))
    places[-1] = len(names)
    ranks: Codes = places[coded.indices.cast(pa.int32()).fill_null(len(names)).to_numpy(zero_copy_only=False)]
    return ranks


def _row_groups(metrics: Codes) -> Iterator[tuple[int, int]]:
    """Ranges of rows that hold whole metrics."""
    first = 0
    for end in (np.flatnonzero(np.diff(metrics)) + 1).tolist():
        if end - first >= _ROW_GROUP:
            yield first, end
            first = end
    if first < len(metrics):
        yield first, len(metrics)
