"""The records that cross rooms: what a point is, what an ingest finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from types import MappingProxyType
from typing import Literal

#: Statistics stored for each per-request quantity, in column order.
STATISTICS = ("mean", "p50", "p75", "p90", "p95", "p99", "max", "std", "n")

#: Per-request quantities with stored statistics: seconds, tokens, seconds per token, requests per second.
QUANTITIES = ("ttft_s", "itl_s", "e2el_s", "e2e_per_token_s", "isl", "osl", "uncached_isl", "qps")

Source = Literal["inferencex", "aiperf", "api", "simulated"]
Deployment = Literal["single_node", "multi_node", "disaggregated"]
Offload = Literal["none", "dram", "nvme"]
RunBasis = Literal["ci", "sweep", "folder", "name", "batch"]
Severity = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Distribution:
    """Statistics of one per-request quantity; None, never 0, where the source does not carry one."""

    mean: float | None = None
    p50: float | None = None
    p75: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None
    max: float | None = None
    std: float | None = None
    n: int | None = None


@dataclass(frozen=True, slots=True)
class Role:
    """One role of a deployment (prefill, decode); an aggregated deployment fills `decode` only.

    `workers` counts engine instances; `tp`, `pp`, `dcp`, `pcp`, `ep` are degrees per worker; `gpus` is the
    role's total.
    """

    workers: int | None = None
    tp: int | None = None
    pp: int | None = None
    dcp: int | None = None
    pcp: int | None = None
    ep: int | None = None
    dp_attention: bool | None = None
    gpus: int | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """One benchmark run of one configuration at one concurrency, flattened by `store.schema.point_row`.

    Canonical names stand beside the raw spelling (`*_raw`). Unknown is None. Ids come from `domain.identity`.
    """

    point_id: str
    config_id: str
    source: Source
    official: bool
    model: str
    concurrency: int | None
    scenario: str
    run_id: str
    run_basis: RunBasis
    run_attempt: int | None = None
    run_url: str | None = None
    run_date: date | None = None
    measured_at: datetime | None = None
    hardware: str | None = None
    vendor: str | None = None
    engine: str | None = None
    engine_family: str | None = None
    precision: str | None = None
    spec_method: str | None = None
    deployment: Deployment | None = None
    isl_nominal: int | None = None
    osl_nominal: int | None = None
    offload: Offload | None = None
    offload_backend: str | None = None
    offload_backend_version: str | None = None
    kv_transfer: str | None = None
    router: str | None = None
    router_version: str | None = None
    image: str | None = None
    recipe_fingerprint: str | None = None
    dataset_slug: str | None = None
    command_line: str | None = None
    model_raw: str | None = None
    hardware_raw: str | None = None
    engine_raw: str | None = None
    precision_raw: str | None = None
    spec_raw: str | None = None
    offload_raw: str | None = None
    prefill: Role = Role()
    decode: Role = Role()
    gpus: int | None = None
    gpus_rule: str | None = None
    gpus_conflict: str | None = None
    topology_label: str | None = None
    requests_total: int | None = None
    requests_ok: int | None = None
    requests_failed: int | None = None
    requests_cancelled: int | None = None
    requests_warmup: int | None = None
    error_categories: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    has_requests: bool = False
    has_series: bool = False
    publishable: bool = True
    notes: tuple[str, ...] = ()
    named_by_file: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    statistics: Mapping[str, Distribution] = field(default_factory=lambda: MappingProxyType({}))
    scalars: Mapping[str, float | None] = field(default_factory=lambda: MappingProxyType({}))
    hit_rate_basis: str | None = None
    power_valid: bool | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing an ingest has to say about an artifact.

    Severity `error` means refused, `warning` used with a doubt.
    `field` names the key, column or line (`records[17].metrics.ttft`); `detail` is one sentence for a person.
    """

    artifact: str
    code: str
    severity: Severity
    detail: str
    field: str | None = None
    point_id: str | None = None
