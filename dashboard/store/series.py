"""What pages ask about the server telemetry of one point: which series there are, and some of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dashboard.store import parts
from dashboard.store.connection import Store
from dashboard.store.layout import StoreError, is_id, plainly
from dashboard.store.schema import SERIES, SERIES_KEY

_ASCENDING: Final[Literal["ascending"]] = "ascending"


@dataclass(frozen=True, slots=True)
class SeriesKey:
    """One series: what is measured, whose it is (None: not said), which statistic, and its intervals `n`."""

    metric: str
    role: str | None
    worker: str | None
    rank: str | None
    statistic: str
    n: int


def metrics(store: Store, point_id: str) -> tuple[SeriesKey, ...]:
    """The series of a point, in the order in which `columns` gives them; empty where it has none.

    StoreError for a damaged file.
    """
    if not is_id(point_id):
        return ()
    with _opened(store, point_id) as file:
        if file is None:
            return ()
        counted = (
            file.read(columns=list(SERIES_KEY)).group_by(list(SERIES_KEY)).aggregate([([], "count_all")])
        )
    ordered = counted.sort_by([(name, _ASCENDING) for name in SERIES_KEY])
    rows = ordered.rename_columns({"count_all": "n"}).to_pylist()
    return tuple(SeriesKey(**row) for row in rows)


def columns(store: Store, point_id: str, metrics: Sequence[str]) -> pa.Table | None:
    """The rows of some metrics, without `point_id`, sorted by metric, source, statistic and time.

    None where the point has no series, no rows where it has none of these. StoreError for a damaged file.
    """
    if not is_id(point_id):
        return None
    wanted = frozenset(metrics)
    names = [name for name in SERIES.names if name != "point_id"]
    with _opened(store, point_id) as file:
        if file is None:
            return None
        groups = [group for group in range(file.num_row_groups) if _may_hold(file, group, wanted)]
        table = file.read_row_groups(groups, columns=names).select(names)
    return table.filter(pc.is_in(table["metric"], pa.array(sorted(wanted), pa.string())))


def _may_hold(file: pq.ParquetFile, group: int, metrics: Collection[str]) -> bool:
    """Whether a row group can have rows of one of the metrics, by its smallest and largest name."""
    held: Any = file.metadata.row_group(group).column(SERIES.names.index("metric")).statistics
    return held is None or not held.has_min_max or any(held.min <= name <= held.max for name in metrics)


@contextmanager
def _opened(store: Store, point_id: str) -> Iterator[pq.ParquetFile | None]:
    """The file of a point's series; None where there is none; what is wrong with it as a sentence."""
    path = store.layout.part("series", point_id)
    try:
        with parts.opened(path) as file:
            yield file
    except FileNotFoundError:
        yield None
    except (OSError, KeyError, pa.ArrowException) as error:
        raise StoreError(
            f"{path} cannot be read ({plainly(error)}). Delete it and ingest its artifacts again."
        ) from error
