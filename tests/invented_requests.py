"""Invented requests of invented points, and the statistics that an ingest would take from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dashboard.domain.records import Distribution, Point
from dashboard.store.schema import REQUESTS

#: A name as a hostile artifact would spell it: to be shown as text wherever it appears.
SCRIPT = "<script>alert(1)</script>"
PERCENTILES = (50, 75, 90, 95, 99)


def requests(base: Point, count: int = 240) -> pa.Table:
    """`count` invented requests of a point: a tenth warm-up, all kinds of stream, some failed."""
    number = np.arange(count)
    wave = 0.5 + (number * 37 % 101) / 101
    lanes = base.concurrency or 1
    itl = (0.010 + 0.0005 * lanes) * wave
    ttft = (0.3 + 0.015 * lanes) * (0.4 + (number * 53 % 97) / 60)
    isl = 20_000 + number * 911 % 180_000
    osl = 2 + number * 271 % 1_500
    e2el = ttft + itl * (osl - 1)
    start = 1_786_500_000_000_000_000 + number * 1_000_000_000
    kind = np.array(["main", "main", "subagent", "auxiliary"])[number % 4]
    failed = number % 40 == 39
    lane = [f"lane-{lane:02d}" for lane in number % lanes]
    columns = {
        "point_id": [base.point_id] * count,
        "request_id": [f"r{n:06d}" for n in number],
        "phase": np.where(number < count // 10, "warmup", "profiling"),
        "lane_id": lane,
        "conversation_id": lane,
        "kind": kind,
        "depth": (kind == "subagent").astype("int32"),
        "parent_lane_id": pa.nulls(count, pa.string()),
        "turn_index": (number // 8).astype("int32"),
        "source_trace": pa.nulls(count, pa.string()),
        "source_outer": pa.nulls(count, pa.int32()),
        "source_inner": pa.nulls(count, pa.int32()),
        "worker_id": [f"worker-{worker}" for worker in number % 4],
        "credit_ns": start - 1_000_000,
        "start_ns": start,
        "first_token_ns": start + (ttft * 1e9).astype("int64"),
        "end_ns": start + (e2el * 1e9).astype("int64"),
        "ttft_s": ttft,
        "itl_s": itl,
        "e2el_s": e2el,
        "isl": isl,
        "osl": osl,
        "cached_tokens": isl * 9 // 10,
        "theoretical_cached_tokens": isl * 95 // 100,
        "failed": failed,
        "cancelled": number % 60 == 58,
        "error_category": [f"ServerError {SCRIPT}" if bad else None for bad in failed],
        "error_message": [f"HTTP 500 {SCRIPT}" if bad else None for bad in failed],
    }
    return pa.table(columns, schema=REQUESTS)


def with_requests(base: Point) -> Point:
    """The point with statistics taken from its invented requests, as an AIPerf folder gives them."""
    table = requests(base)
    ok = table.filter(pc.equal(table["phase"], "profiling"))
    ok = ok.filter(pc.invert(pc.or_(ok["failed"], ok["cancelled"])))
    found = {name: measured(ok[name].to_numpy()) for name in ("ttft_s", "itl_s", "e2el_s", "isl", "osl")}
    found["e2e_per_token_s"] = measured(ok["e2el_s"].to_numpy() / ok["osl"].to_numpy())
    found["uncached_isl"] = measured(ok["isl"].to_numpy() - ok["cached_tokens"].to_numpy())
    return replace(base, statistics=found, has_requests=True, **request_counts(table))


def measured(values: Sequence[float] | np.ndarray) -> Distribution:
    """Statistics of a sample, percentiles linear-interpolated."""
    sample = np.asarray(values, dtype=float)
    quantiles = {f"p{rank}": float(np.percentile(sample, rank)) for rank in PERCENTILES}
    return Distribution(
        mean=float(sample.mean()),
        max=float(sample.max()),
        std=float(sample.std()),
        n=len(sample),
        **quantiles,
    )


def request_counts(table: pa.Table) -> Mapping[str, int]:
    """Counts of a request table, warm-up apart."""
    rows = table.select(["phase", "failed", "cancelled"]).to_pylist()
    measured_rows = [row for row in rows if row["phase"] == "profiling"]
    cancelled = sum(row["cancelled"] for row in measured_rows)
    failed = sum(row["failed"] and not row["cancelled"] for row in measured_rows)
    return {
        "requests_total": len(rows),
        "requests_warmup": len(rows) - len(measured_rows),
        "requests_failed": failed,
        "requests_cancelled": cancelled,
        "requests_ok": len(measured_rows) - failed - cancelled,
    }
