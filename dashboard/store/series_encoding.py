"""The telemetry of one point as the bytes of one Parquet file, laid out for questions about a few metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

import numpy as np
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
_ASCENDING: Final[Literal["ascending"]] = "ascending"


def encode_series(table: pa.Table) -> bytes:
    """Rows of `SERIES`, series by series in time. ValueError where a column is missing or does not fit."""
    try:
        typed = table.select(SERIES.names).cast(SERIES)
    except (KeyError, pa.ArrowInvalid) as error:
        raise ValueError(f"The series do not fit the store's columns: {error}") from error
    ordered = typed.sort_by([(name, _ASCENDING) for name in (*SERIES_KEY, "t_ns")]).combine_chunks()
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, SERIES, store_schema=False, **_ENCODING) as writer:
        for first, end in _row_groups(ordered["metric"]):
            writer.write_table(ordered.slice(first, end - first), row_group_size=end - first)
    return sink.getvalue().to_pybytes()


def _row_groups(metrics: Any) -> Iterator[tuple[int, int]]:
    """Ranges of rows that hold whole metrics."""
    codes = metrics.combine_chunks().dictionary_encode().indices.to_numpy()
    first = 0
    for end in (np.flatnonzero(np.diff(codes)) + 1).tolist():
        if end - first >= _ROW_GROUP:
            yield first, end
            first = end
    if first < len(metrics):
        yield first, len(metrics)
