"""What the exporters of a run say, as the store's series: one row an interval, quantity and source.

Increases become rates, shares go by 0..1, mirrored endpoints count once, roles and ranks stay apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from dashboard.domain.columns import Numbers
from dashboard.domain.telemetry import PHASES, UNSAID, Samples, added, over
from dashboard.ingest.engine_metrics import BY_SOURCE, QUANTITIES, Quantity, Reported, by_source, source_of
from dashboard.ingest.series_sources import Exported, Owner, mirrors, owners
from dashboard.store.schema import SERIES

#: A share whose peak is above this is on a scale to 100.
_PERCENT_ABOVE = 1.5

Exports = Mapping[Exported, Samples]


@dataclass(frozen=True, slots=True)
class ServerSeries:
    """The rows of `SERIES`, without ids, texts as codes; the endpoints left out as mirrors of another."""

    table: pa.Table
    mirrored: Mapping[str, str]


def server_series(exports: Exports) -> ServerSeries:
    """The canonical series of all exported ones; no rows where none of a known name is there."""
    mirrored = mirrors(exports)
    apart = {
        key: samples for key, samples in exports.items() if key.endpoint not in mirrored and len(samples)
    }
    owner_of = owners(apart)
    parts = [
        _rows(quantity, owner, samples)
        for quantity in (*QUANTITIES, *_sources(apart))
        for owner, samples in _of_quantity(quantity, apart, owner_of)
    ]
    table = pa.concat_tables(parts).unify_dictionaries() if parts else SERIES.empty_table()
    return ServerSeries(table, mirrored)


def _sources(exports: Exports) -> Iterator[Quantity]:
    """Prompt tokens by source, for the sources that an engine names."""
    found = {source_of(dict(key.labels)) for key in exports if key.name == BY_SOURCE}
    yield from (by_source(source) for source in sorted(name for name in found if name))


def _of_quantity(
    quantity: Quantity, exports: Exports, owner_of: Mapping[Exported, Owner]
) -> list[tuple[Owner, Samples]]:
    """The sources of a quantity, by the first of its names that has samples."""
    for way in quantity.ways:
        grouped = _by_owner(quantity, way, exports, owner_of)
        if grouped:
            merged = {owner: _merged(quantity, members) for owner, members in sorted(grouped.items())}
            found = _derived(quantity, way, merged, exports, owner_of)
            return _as_shares(found) if quantity.share else found
    return []


def _by_owner(
    quantity: Quantity, way: Reported, exports: Exports, owner_of: Mapping[Exported, Owner]
) -> dict[Owner, dict[Exported, Samples]]:
    wanted = quantity.metric.partition(".")[2] if way.name == BY_SOURCE else None
    grouped: dict[Owner, dict[Exported, Samples]] = {}
    for key, samples in exports.items():
        labels = dict(key.labels)
        if key.name != way.name or not way.labels.items() <= labels.items():
            continue
        if wanted is None or source_of(labels) == wanted:
            grouped.setdefault(owner_of[key], {})[key] = samples
    return grouped


def _merged(quantity: Quantity, members: Mapping[Exported, Samples]) -> Samples:
    """One series of a source: of the ranks inside its engine the best sampled, over other labels the sum."""
    best: dict[object, Samples] = {}
    for key in sorted(members, key=lambda key: (key.endpoint, key.labels)):
        known = best.get(key.meaning)
        if known is None or len(members[key]) > len(known):
            best[key.meaning] = members[key]
    parts = list(best.values())
    if quantity.share:
        return max(parts, key=len)
    return added(parts, quantity.kind == "counter")


def _derived(
    quantity: Quantity,
    way: Reported,
    found: Mapping[Owner, Samples],
    exports: Exports,
    owner_of: Mapping[Exported, Owner],
) -> list[tuple[Owner, Samples]]:
    """The series themselves, or what is left of them without `less`, or their share of `per`."""
    name = way.less or way.per
    if name is None:
        return list(found.items())
    others = _by_owner(quantity, Reported(name), exports, owner_of)
    derived = []
    for owner, samples in found.items():
        if owner in others:
            other = over(samples, _merged(quantity, others[owner]), quantity.kind == "counter")
            value = np.maximum(samples.value - other, 0.0) if way.less else _share(samples.value, other)
            derived.append((owner, samples.valued(value)))
    return derived


def _share(part: Numbers, whole: Numbers) -> Numbers:
    share: Numbers = np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
    return share


def _as_shares(found: Sequence[tuple[Owner, Samples]]) -> list[tuple[Owner, Samples]]:
    """On one scale for all sources of a metric: a rank that is nearly empty does not tell the scale."""
    peak = max((float(np.nanmax(samples.value)) for _, samples in found if len(samples)), default=0.0)
    factor = 0.01 if peak > _PERCENT_ABOVE else 1.0
    return [(owner, samples.valued(samples.value * factor)) for owner, samples in found]


def _rows(quantity: Quantity, owner: Owner, samples: Samples) -> pa.Table:
    counter = quantity.kind == "counter"
    known = np.isfinite(samples.value) & ((samples.width_s > 0) if counter else True)
    samples = samples if known.all() else samples.chosen(known)
    value = samples.value / samples.width_s if counter else samples.value
    return rows_of(quantity.metric, owner, samples.valued(value), "rate" if counter else "mean")


def rows_of(metric: str, owner: Owner, samples: Samples, statistic: str) -> pa.Table:
    """The rows of one series, without the id of its point; texts as codes, a tenth of their size."""
    n = len(samples)
    told = samples.phase != UNSAID
    phases: Any = pa.array(np.where(told, samples.phase, 0).astype(np.int16), mask=~told)
    columns = {
        "point_id": _text("", n),
        "phase": pa.DictionaryArray.from_arrays(phases, pa.array(PHASES, pa.string())),
        "metric": _text(metric, n),
        "role": _text(owner.role, n),
        "worker": _text(owner.worker, n),
        "rank": _text(owner.rank, n),
        "t_ns": pa.array(samples.t_ns),
        "width_s": pa.array(samples.width_s),
        "value": pa.array(samples.value),
        "statistic": _text(statistic, n),
    }
    return pa.table(columns).select(SERIES.names)


def _text(value: str, n: int) -> Any:
    codes: Any = pa.array(np.zeros(n, np.int16), mask=np.full(n, not value))
    return pa.DictionaryArray.from_arrays(codes, pa.array([value], pa.string()))
