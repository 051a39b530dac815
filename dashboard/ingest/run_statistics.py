"""Figures of a run from its requests: counts, percentiles, throughput (data-contracts 9).

Headline figures take the successful requests of the profiling phase: not failed, not cancelled, no warm-up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dashboard.domain.records import Distribution
from dashboard.ingest.record_columns import Floats

_PHASE = pc.field("phase")
_PERCENTILES = (50, 75, 90, 95, 99)


@dataclass(frozen=True, slots=True)
class Counts:
    """Requests of a run by what became of them; ok, failed and cancelled are of the profiling phase.

    A cancelled request counts as cancelled even where the client also records an error for it. `suspected`
    are successes that look like broken streams; they stay in `ok`, as the client counts them. `other` are
    requests of phases that are neither warm-up nor profiling; they are in no other count.
    """

    ok: int
    failed: int
    cancelled: int
    warmup: int
    other: int
    suspected: int
    error_categories: Mapping[str, int]

    @property
    def total(self) -> int:
        """Every request of the profiling phase."""
        return self.ok + self.failed + self.cancelled


def successful(table: pa.Table) -> pa.Table:
    """The requests that headline figures are made of."""
    return table.filter((_PHASE == "profiling") & ~pc.field("failed") & ~pc.field("cancelled"))


def counts(table: pa.Table) -> Counts:
    """Count the requests of a table of the schema `REQUESTS`."""
    phases = Counter(table["phase"].to_pylist())
    profiling = table.filter(_PHASE == "profiling")
    cancelled = profiling.filter(pc.field("cancelled")).num_rows
    failed = profiling.filter(pc.field("failed") & ~pc.field("cancelled")).num_rows
    ok = profiling.num_rows - cancelled - failed
    categories = Counter(name for name in profiling["error_category"].to_pylist() if name is not None)
    lost = profiling.num_rows - ok
    return Counts(
        ok=ok,
        failed=failed,
        cancelled=cancelled,
        warmup=phases["warmup"],
        other=table.num_rows - profiling.num_rows - phases["warmup"],
        suspected=sum(categories.values()) - lost,
        error_categories=dict(sorted(categories.items())),
    )


def statistics(table: pa.Table) -> Mapping[str, Distribution]:
    """Distributions of the per-request quantities of `Point.statistics`, by name; seconds and tokens."""
    requests = successful(table)
    columns = {name: _floats(requests[name]) for name in ("ttft_s", "itl_s", "e2el_s", "isl", "osl")}
    cached = _floats(requests["cached_tokens"])
    uncached = columns["isl"] - cached
    quantities = columns | {
        "e2e_per_token_s": columns["e2el_s"] / np.where(columns["osl"] > 0, columns["osl"], np.nan),
        "uncached_isl": np.where(uncached >= 0, uncached, np.nan),
        "qps": completions_per_second(requests),
    }
    return {name: distribution(figures) for name, figures in quantities.items()}


def distribution(figures: Floats) -> Distribution:
    """Statistics of what is not NaN: percentiles by linear interpolation, deviation of the population."""
    present = figures[~np.isnan(figures)]
    if not len(present):
        return Distribution(n=0)
    p50, p75, p90, p95, p99 = (float(value) for value in np.percentile(present, _PERCENTILES))
    return Distribution(
        mean=float(present.mean()),
        p50=p50,
        p75=p75,
        p90=p90,
        p95=p95,
        p99=p99,
        max=float(present.max()),
        std=float(present.std()),
        n=len(present),
    )


def completions_per_second(requests: pa.Table) -> Floats:
    """Completions in each whole second from the first completion on; the last, partial second is left out."""
    ends = requests["end_ns"].drop_null().to_numpy()
    if len(ends) < 2:
        return np.empty(0)
    seconds = (ends - ends.min()) // 1_000_000_000
    windows = int(seconds.max())
    return np.bincount(seconds[seconds < windows], minlength=windows).astype(np.float64)


def scalars(table: pa.Table) -> dict[str, float | None]:
    """Totals and rates over the span from the first start to the last end of successful requests.

    `duration_s` s; `tput_*` tok/s; `*_tokens_client` tokens; None where nothing succeeded.
    """
    requests = successful(table)
    duration = duration_s(requests)
    sums = {name: _total(requests[name]) for name in ("isl", "osl")}
    prompt, generated = sums["isl"], sums["osl"]
    both = None if prompt is None or generated is None else prompt + generated
    return {
        "duration_s": duration,
        "tput_total": rate(both, duration),
        "tput_input": rate(prompt, duration),
        "tput_output": rate(generated, duration),
        "prompt_tokens_client": prompt,
        "generated_tokens_client": generated,
    }


def duration_s(requests: pa.Table) -> float | None:
    """First start to last end in seconds; the difference is formed in exact nanoseconds."""
    first, last = pc.min(requests["start_ns"]).as_py(), pc.max(requests["end_ns"]).as_py()
    return (last - first) / 1e9 if first is not None and last is not None and last > first else None


def rate(amount: float | None, seconds: float | None) -> float | None:
    """Amount per second; None where either is missing or no time passed."""
    return amount / seconds if amount is not None and seconds else None


def _total(column: pa.ChunkedArray[Any]) -> float | None:
    total = pc.sum(column).as_py()
    return None if total is None else float(total)


def _floats(column: Any) -> Floats:
    return np.asarray(column.cast(pa.float64()).to_numpy(), dtype=np.float64)
