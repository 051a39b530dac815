"""What pages ask about the requests of one point: what became of them, and statistics part by part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

from dashboard.domain.records import Distribution
from dashboard.store import parts
from dashboard.store.connection import Store
from dashboard.store.layout import StoreError, is_id, plainly

Split = Literal["phase", "kind"]

#: Quantities with statistics per part, in the order of a table, as SQL over the columns of `REQUESTS`.
_MEASURES = {
    "isl": "isl",
    "osl": "osl",
    "uncached_isl": "isl - cached_tokens",
    "ttft_s": "ttft_s",
    "itl_s": "itl_s",
    "e2el_s": "e2el_s",
    "e2e_per_token_s": "e2el_s / nullif(osl, 0)",
}
_COLUMNS = (
    "phase",
    "kind",
    "failed",
    "cancelled",
    "isl",
    "osl",
    "cached_tokens",
    "ttft_s",
    "itl_s",
    "e2el_s",
)
_PERCENTILES = {"p50": 0.5, "p75": 0.75, "p90": 0.9, "p95": 0.95, "p99": 0.99}
#: Parts in the order in which people read them; others follow by name.
_ORDER = {part: place for place, part in enumerate(("profiling", "warmup", "main", "subagent", "auxiliary"))}
_SPLITS: Mapping[Split, str] = {"phase": "coalesce(phase, 'unknown')", "kind": "coalesce(kind, 'unknown')"}
_SUCCEEDED = "failed IS NOT TRUE AND cancelled IS NOT TRUE"

_COUNTS = f"""
    SELECT {_SPLITS["phase"]} AS phase, {_SPLITS["kind"]} AS kind, count(*) AS total,
           count(*) FILTER ({_SUCCEEDED}) AS ok,
           count(*) FILTER (failed IS TRUE AND cancelled IS NOT TRUE) AS failed,
           count(*) FILTER (cancelled IS TRUE) AS cancelled
    FROM requests GROUP BY ALL"""


@dataclass(frozen=True, slots=True)
class RequestCounts:
    """Requests of one phase and kind, each counted once: what is cancelled and failed counts as cancelled."""

    phase: str
    kind: str
    total: int
    ok: int
    failed: int
    cancelled: int


@dataclass(frozen=True, slots=True)
class PartStatistics:
    """Statistics of the successful requests of one part of a run, by quantity: seconds and tokens.

    Percentiles are linear-interpolated, std is that of the population; a quantity that no request carries has
    n = 0 and None for all the rest.
    """

    part: str
    statistics: Mapping[str, Distribution]


def counts(store: Store, point_id: str) -> tuple[RequestCounts, ...]:
    """Counts by phase and kind, profiling and main first; empty where the point has no stored requests."""
    table = read(store, point_id, ("phase", "kind", "failed", "cancelled"))
    if table is None:
        return ()
    found = [RequestCounts(**row) for row in store.ask(_COUNTS, requests=table).to_pylist()]
    return tuple(sorted(found, key=lambda row: (_place(row.phase), _place(row.kind))))


def statistics_by(store: Store, point_id: str, split: Split) -> tuple[PartStatistics, ...]:
    """Statistics by phase, or by kind in the profiling phase; empty where the point has no requests."""
    table = read(store, point_id, _COLUMNS)
    if table is None:
        return ()
    found: dict[str, dict[str, Distribution]] = {}
    for row in store.ask(_statistics_question(split), requests=table).to_pylist():
        found.setdefault(row["part"], {})[row["quantity"]] = distribution(row)
    return tuple(PartStatistics(part, found[part]) for part in sorted(found, key=_place))


def _place(part: str) -> tuple[int, str]:
    return _ORDER.get(part, len(_ORDER)), part


def _statistics_question(split: Split) -> str:
    scope = "" if split == "phase" else "AND phase = 'profiling'"
    return statistics_question(_SPLITS[split], scope)


def statistics_question(part: str, scope: str) -> str:
    """One statement for all quantities of the table `requests`; what is not finite is no measurement.

    `part` is the SQL of the name of a row's part, `scope` further conditions that begin with AND.
    """
    questions = (
        f"""
        SELECT {part} AS part, '{quantity}' AS quantity, count(v) AS n, avg(v) AS mean,
               max(v) AS max, stddev_pop(v) AS std,
               quantile_cont(v, {list(_PERCENTILES.values())}) AS quantiles
        FROM (SELECT *, CASE WHEN isfinite({measure}) THEN {measure} END::DOUBLE AS v FROM requests)
        WHERE {_SUCCEEDED} {scope} GROUP BY part"""
        for quantity, measure in ((name, f"({sql})::DOUBLE") for name, sql in _MEASURES.items())
    )
    return " UNION ALL ".join(questions)


def distribution(row: Mapping[str, Any]) -> Distribution:
    """The statistics of a row of `statistics_question`."""
    quantiles = dict(zip(_PERCENTILES, row["quantiles"] or (None,) * len(_PERCENTILES), strict=True))
    return Distribution(mean=row["mean"], max=row["max"], std=row["std"], n=row["n"], **quantiles)


def read(store: Store, point_id: str, columns: tuple[str, ...]) -> pa.Table | None:
    """Some columns of a point's requests; None where there are none. StoreError for a damaged file."""
    if not is_id(point_id):
        return None
    path = store.layout.part("requests", point_id)
    try:
        return parts.opened(path).read(columns=list(columns)).select(list(columns))
    except FileNotFoundError:
        return None
    except (OSError, KeyError, pa.ArrowException) as error:
        raise StoreError(
            f"{path} cannot be read ({plainly(error)}). Delete it and ingest its artifacts again."
        ) from error
