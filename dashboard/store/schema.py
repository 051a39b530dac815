"""Tables and columns of a store, typed: the contract of store.md, checked by `agentx-dashboard check`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from dashboard.domain.records import QUANTITIES, STATISTICS, Distribution, Point, Role

FORMAT_NAME = "agentx-store"
FORMAT_VERSION = 1

#: Single figures of a point (`Point.scalars`): tok/s, tok/s/GPU, s, fractions 0..1, tokens, W, J.
SCALARS = (
    "tput_total", "tput_input", "tput_output",
    "tput_total_per_gpu", "tput_input_per_gpu", "tput_output_per_gpu",
    "duration_s",
    "hbm_hit_rate", "offload_hit_rate", "overall_hit_rate", "theoretical_hit_rate",
    "kv_usage_max", "kv_pool_tokens",
    "prompt_tokens_client", "prompt_tokens_server", "generated_tokens_client", "generated_tokens_server",
    "power_w_per_gpu", "joules_per_request",
    "joules_per_input_token", "joules_per_output_token", "joules_per_total_token",
)  # fmt: skip

_TEXT = (
    "point_id", "config_id", "run_id", "run_basis", "run_url", "source",
    "model", "model_raw", "hardware", "hardware_raw", "vendor", "engine", "engine_raw", "engine_family",
    "precision", "precision_raw", "spec_method", "spec_raw", "deployment", "scenario",
    "offload", "offload_raw", "offload_backend", "offload_backend_version", "kv_transfer",
    "router", "router_version", "image", "recipe_fingerprint", "dataset_slug", "command_line",
    "gpus_rule", "gpus_conflict", "topology_label", "hit_rate_basis",
)  # fmt: skip
_INTEGER = (
    "run_attempt", "isl_nominal", "osl_nominal", "concurrency", "gpus", "requests_total", "requests_ok",
    "requests_failed", "requests_cancelled", "requests_warmup",
)  # fmt: skip
_BOOLEAN = ("official", "has_requests", "has_series", "publishable", "power_valid")
_LISTS = ("notes", "named_by_file", "artifacts")
_ROLE_FIELDS = tuple(f.name for f in fields(Role))


def _points_fields() -> list[pa.Field[Any]]:
    named: list[pa.Field[Any]] = [pa.field(name, pa.string()) for name in _TEXT]
    named += [pa.field(name, pa.int64()) for name in _INTEGER]
    named += [pa.field(name, pa.bool_()) for name in _BOOLEAN]
    named += [pa.field("run_date", pa.date32()), pa.field("measured_at", pa.timestamp("us", tz="UTC"))]
    named += [pa.field(name, pa.list_(pa.string())) for name in _LISTS]
    named += [pa.field("error_categories", pa.string())]  # JSON object {category: count}
    for role in ("prefill", "decode"):
        for name in _ROLE_FIELDS:
            named.append(pa.field(f"{role}_{name}", pa.bool_() if name == "dp_attention" else pa.int64()))
    for quantity in QUANTITIES:
        for stat in STATISTICS:
            named.append(pa.field(f"{quantity}_{stat}", pa.int64() if stat == "n" else pa.float64()))
    return named + [pa.field(name, pa.float64()) for name in SCALARS]


POINTS: pa.Schema = pa.schema(_points_fields())

_REQUEST_FIELDS: list[tuple[str, pa.DataType]] = [
    ("point_id", pa.string()),
    ("request_id", pa.string()),
    ("phase", pa.string()),
    ("lane_id", pa.string()),
    ("conversation_id", pa.string()),
    ("kind", pa.string()),
    ("depth", pa.int32()),
    ("parent_lane_id", pa.string()),
    ("turn_index", pa.int32()),
    ("source_trace", pa.string()),
    ("source_outer", pa.int32()),
    ("source_inner", pa.int32()),
    ("worker_id", pa.string()),
    ("credit_ns", pa.int64()),
    ("start_ns", pa.int64()),
    ("first_token_ns", pa.int64()),
    ("end_ns", pa.int64()),
    ("ttft_s", pa.float64()),
    ("itl_s", pa.float64()),
    ("e2el_s", pa.float64()),
    ("isl", pa.int64()),
    ("osl", pa.int64()),
    ("cached_tokens", pa.int64()),
    ("theoretical_cached_tokens", pa.int64()),
    ("failed", pa.bool_()),
    ("cancelled", pa.bool_()),
    ("error_category", pa.string()),
    ("error_message", pa.string()),
]

REQUESTS: pa.Schema = pa.schema(_REQUEST_FIELDS)

#: Server telemetry in long form. `metric` is a canonical name (domain.telemetry); role, worker and rank say
#: whose it is, null where the source does not. A row holds for `width_s` seconds from `t_ns` (epoch ns) on;
#: `statistic` says what `value` is in that interval: mean or max of a gauge, rate (per second) of a counter.
#: An interval without a measurement has no row.
_SERIES_FIELDS: list[tuple[str, pa.DataType]] = [
    ("point_id", pa.string()),
    ("phase", pa.string()),
    ("metric", pa.string()),
    ("role", pa.string()),
    ("worker", pa.string()),
    ("rank", pa.string()),
    ("t_ns", pa.int64()),
    ("width_s", pa.float64()),
    ("value", pa.float64()),
    ("statistic", pa.string()),
]

SERIES: pa.Schema = pa.schema(_SERIES_FIELDS)

#: What tells one series of a point from another.
SERIES_KEY = ("metric", "role", "worker", "rank", "statistic")

ISSUES: pa.Schema = pa.schema(
    [
        ("ingest_id", pa.string()),
        ("artifact", pa.string()),
        ("code", pa.string()),
        ("severity", pa.string()),
        ("field", pa.string()),
        ("detail", pa.string()),
        ("point_id", pa.string()),
    ]
)


def point_row(point: Point) -> dict[str, Any]:
    """The one row of `points/<point_id>.parquet`, keyed by the columns of `POINTS`."""
    row: dict[str, Any] = {name: getattr(point, name) for name in (*_TEXT, *_INTEGER, *_BOOLEAN)}
    row |= {"run_date": point.run_date, "measured_at": point.measured_at}
    row |= {name: list(getattr(point, name)) for name in _LISTS}
    row["error_categories"] = json.dumps(dict(sorted(point.error_categories.items())), ensure_ascii=False)
    for role_name, role in (("prefill", point.prefill), ("decode", point.decode)):
        row |= {f"{role_name}_{name}": getattr(role, name) for name in _ROLE_FIELDS}
    for quantity in QUANTITIES:
        distribution = point.statistics.get(quantity)
        for stat in STATISTICS:
            row[f"{quantity}_{stat}"] = _finite(getattr(distribution, stat)) if distribution else None
    return row | {name: _finite(point.scalars.get(name)) for name in SCALARS}


def _finite(figure: float | None) -> float | None:
    """A figure that measures something: NaN and infinity are missing values under another name."""
    return figure if figure is not None and math.isfinite(figure) else None


def point_of_row(row: Mapping[str, Any]) -> Point:
    """The point of a stored row: the inverse of `point_row`; what is wholly missing is left out."""
    named = {name: row[name] for name in (*_TEXT, *_INTEGER, *_BOOLEAN, "run_date", "measured_at")}
    named |= {name: tuple(row[name] or ()) for name in _LISTS}
    statistics = {quantity: _distribution(row, quantity) for quantity in QUANTITIES}
    scalars = {name: row[name] for name in SCALARS if row[name] is not None}
    return Point(
        **named,
        error_categories=MappingProxyType(json.loads(row["error_categories"] or "{}")),
        prefill=_role(row, "prefill"),
        decode=_role(row, "decode"),
        statistics=MappingProxyType(
            {name: found for name, found in statistics.items() if found != Distribution()}
        ),
        scalars=MappingProxyType(scalars),
    )


def _distribution(row: Mapping[str, Any], quantity: str) -> Distribution:
    return Distribution(**{stat: row[f"{quantity}_{stat}"] for stat in STATISTICS})


def _role(row: Mapping[str, Any], name: str) -> Role:
    return Role(**{field: row[f"{name}_{field}"] for field in _ROLE_FIELDS})
