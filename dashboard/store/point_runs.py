"""One run as its panels read it: requests and server series of a point on the run's axis."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dashboard.domain.columns import Array
from dashboard.domain.point_run import PointRun, requests_of
from dashboard.domain.run_axis import PROFILING, RunAxis
from dashboard.domain.source_grid import Source
from dashboard.store import requests, series
from dashboard.store.connection import Store

_MOMENTS = ("credit_ns", "start_ns", "end_ns")
_NUMBERS = ("ttft_s", "itl_s", "e2el_s", "isl", "osl", "cached_tokens", "theoretical_cached_tokens")
_TEXTS = ("phase", "kind", "error_category")
_COLUMNS = (*_MOMENTS, *_NUMBERS, *_TEXTS, "failed", "cancelled", "lane_id", "conversation_id")
#: Of several statistics of one metric the first of these is drawn.
_PREFERRED = ("mean", "avg", "rate", "max", "last")


def point_run(store: Store, row: Mapping[str, Any], only: Collection[str] | None = None) -> PointRun:
    """The run of a point; `row` is its row in the store, `only` the metrics of servers that are wanted.

    StoreError for a damaged file.
    """
    point_id = str(row["point_id"])
    table = requests.read(store, point_id, _COLUMNS)
    table = table if table is not None and table.num_rows else None
    axis = axis_of(table) if table is not None else None
    wanted = only if only is not None else {key.metric for key in series.metrics(store, point_id)}
    samples = series.columns(store, point_id, sorted(wanted)) if wanted else None
    samples = samples if samples is not None and samples.num_rows else None
    if axis is None and samples is not None:
        axis = RunAxis(int(pc.min(samples["t_ns"]).as_py()), phase="")
    found, roles, statistics = _sources(samples, axis) if samples is not None and axis else (None, {}, {})
    return PointRun(
        axis=axis,
        requests=requests_of(_columns(table), axis) if table is not None and axis else None,
        series=found,
        roles=roles,
        statistics=statistics,
        concurrency=row.get("concurrency"),
        pool_tokens=row.get("kv_pool_tokens"),
        power_valid=row.get("power_valid"),
        engine=str(row.get("engine") or ""),
    )


def axis_of(table: Any) -> RunAxis | None:
    """The run's axis from columns phase, credit_ns and start_ns: as `domain.run_axis`, by columns."""
    begin = pc.coalesce(table["credit_ns"], table["start_ns"])
    profiled = pc.fill_null(pc.equal(table["phase"], pa.scalar(PROFILING)), False)
    profiling = pc.min(begin.filter(profiled)).as_py()
    if profiling is not None:
        return RunAxis(int(profiling))
    if pc.min(begin).as_py() is None:
        return None
    place = pc.index(begin, pc.min(begin)).as_py()
    return RunAxis(int(begin[place].as_py()), str(table["phase"][place].as_py() or ""))


def _columns(table: Any) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for name in _MOMENTS:
        found[name] = pc.fill_null(table[name], 0).to_numpy()
        found[f"{name}_known"] = pc.is_valid(table[name]).to_numpy()
    for name in _NUMBERS:
        found[name] = pc.cast(table[name], pa.float64(), safe=False).to_numpy()
    for name in _TEXTS:
        found[name] = _texts(table[name])
    for name in ("failed", "cancelled"):
        found[name] = pc.fill_null(table[name], False).to_numpy()
    found["lane"] = _lanes(table)
    return found


def _texts(column: Any) -> Array:
    """Names as an object array; few distinct ones, so each is decoded once."""
    coded = column.combine_chunks().dictionary_encode()
    names = np.array([*coded.dictionary.to_pylist(), None], dtype=object)
    codes = pc.fill_null(coded.indices, len(names) - 1).to_numpy(zero_copy_only=False)
    return np.asarray(names[codes])


def _lanes(table: Any) -> Array:
    """One integer per lane and conversation, -1 where neither is said."""
    joined = pc.binary_join_element_wise(
        pc.fill_null(table["lane_id"], ""), pc.fill_null(table["conversation_id"], ""), "\x1f"
    )
    coded = joined.combine_chunks().dictionary_encode()
    nobody = pc.equal(joined, pa.scalar("\x1f")).to_numpy()
    return np.where(nobody, -1, coded.indices.to_numpy(zero_copy_only=False))


_Found = tuple[dict[str, tuple[Source, ...]], dict[str, str | None], dict[str, str]]


def _sources(samples: Any, axis: RunAxis) -> _Found:
    """Sources by metric, each with the preferred statistic; the role of each source; statistics by metric."""
    keys = ("metric", "role", "worker", "rank", "statistic")
    coded = [samples[name].combine_chunks().dictionary_encode() for name in keys]
    codes = [pc.fill_null(one.indices, -1).to_numpy(zero_copy_only=False) for one in coded]
    change = np.any([np.diff(code, prepend=-2) != 0 for code in codes], axis=0)
    begins = np.flatnonzero(change)
    ends = np.append(begins[1:], samples.num_rows)
    t = axis.seconds(samples["t_ns"].to_numpy())
    v, width = samples["value"].to_numpy(), samples["width_s"].to_numpy()
    best: dict[tuple[str, str], tuple[int, Source, str | None, str]] = {}
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        said: list[Any] = [
            one.dictionary[int(code[begin])].as_py() if code[begin] >= 0 else None
            for one, code in zip(coded, codes, strict=True)
        ]
        metric, role, worker, rank, statistic = said
        name = source_name(role, worker, rank)
        place = _PREFERRED.index(statistic) if statistic in _PREFERRED else len(_PREFERRED)
        if (metric, name) not in best or place < best[metric, name][0]:
            known = slice(begin, end)
            best[metric, name] = (
                place,
                Source(name, t[known], v[known], width[known]),
                role,
                statistic or "",
            )
    grouped: dict[str, list[Source]] = {}
    for (metric, _), (_, source, _, _) in best.items():
        grouped.setdefault(metric, []).append(source)
    roles = {source.name: role for _, source, role, _ in best.values()}
    statistics = {metric: statistic for (metric, _), (_, _, _, statistic) in best.items()}
    ordered = {metric: tuple(sorted(found, key=_by_name)) for metric, found in grouped.items()}
    return ordered, roles, statistics


def _by_name(source: Source) -> tuple[tuple[int, str], ...]:
    """Ranks in the order of their numbers: rank 2 before rank 10."""
    return tuple((int(word), "") if word.isdigit() else (-1, word) for word in source.name.split())


def source_name(role: str | None, worker: str | None, rank: str | None) -> str:
    """A source in words: "decode worker 1 rank 3"; "engine" where nothing tells it apart."""
    parts = [role or "", f"worker {worker}" if worker else "", f"rank {rank}" if rank else ""]
    return " ".join(part for part in parts if part) or "engine"
