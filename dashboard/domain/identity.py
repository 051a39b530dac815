"""Identity of a point: canonical names beside raw ones, ids that never change, readable addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime
from types import MappingProxyType
from typing import cast, get_args

from dashboard.domain.catalog import Canonical, Catalog, Kind
from dashboard.domain.ids import (
    CONFIG_FIELDS,
    config_fields,
    config_id,
    identifier_of,
    point_id,
    readable_slug,
)
from dashboard.domain.records import Deployment, Distribution, Offload, Point, Role, RunBasis, Source
from dashboard.domain.topology import (
    GpuCount,
    aggregated,
    count_gpus,
    degrees_fall_short,
    states_one_total,
    topology_label,
)

__all__ = [
    "CONFIG_FIELDS", "GpuCount", "Measurement", "RawIdentity", "RunIdentity", "assemble_point",
    "config_fields", "config_id", "count_gpus", "identifier_of", "is_official", "point_id",
    "readable_slug", "scenario_of", "topology_label",
    "topology_notes", "unknown_names",
]  # fmt: skip

_OFFICIAL_RUN = re.compile(
    r"https://github\.com/SemiAnalysisAI/InferenceX[\w.-]*/actions/runs/\d+(/.*)?", re.I
)
_UNSAID = Role()


@dataclass(frozen=True, slots=True)
class RawIdentity:
    """What an artifact says about a deployment, in its own spelling; None where it is silent.

    `model` is a checkpoint's id or path; `model_key`, the harness's short name for it, is tried first.
    `Role.gpus` and `gpus` are counts the artifact states itself; `assemble_point` judges them.
    """

    model: str | None = None
    model_key: str | None = None
    hardware: str | None = None
    engine: str | None = None
    precision: str | None = None
    spec_method: str | None = None
    offload: str | None = None
    offload_backend: str | None = None
    offload_backend_version: str | None = None
    disaggregated: bool | None = None
    multi_node: bool | None = None
    prefill: Role = _UNSAID
    decode: Role = _UNSAID
    gpus: int | None = None
    kv_transfer: str | None = None
    router: str | None = None
    router_version: str | None = None
    image: str | None = None
    recipe_fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class RunIdentity:
    """The run a point belongs to (what was measured together) and how that was found out."""

    run_id: str
    basis: RunBasis
    attempt: int | None = None
    url: str | None = None
    date: date | None = None
    measured_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was measured and counted; same names and units as in `Point`."""

    requests_total: int | None = None
    requests_ok: int | None = None
    requests_failed: int | None = None
    requests_cancelled: int | None = None
    requests_warmup: int | None = None
    error_categories: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    has_requests: bool = False
    has_series: bool = False
    publishable: bool = True
    dataset_slug: str | None = None
    command_line: str | None = None
    statistics: Mapping[str, Distribution] = field(default_factory=lambda: MappingProxyType({}))
    scalars: Mapping[str, float | None] = field(default_factory=lambda: MappingProxyType({}))
    hit_rate_basis: str | None = None
    power_valid: bool | None = None
    notes: tuple[str, ...] = ()
    named_by_file: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()


def assemble_point(
    catalog: Catalog,
    raw: RawIdentity,
    run: RunIdentity,
    measured: Measurement,
    *,
    source: Source,
    concurrency: int | None,
    scenario: str,
    isl: int | None = None,
    osl: int | None = None,
) -> Point:
    """A point with canonical names, counted GPUs, label and ids. `isl`, `osl` are nominal tokens."""
    point = Point(
        point_id="",
        config_id="",
        source=source,
        official=is_official(run.url),
        model=_model(catalog, raw).name or "unknown",
        concurrency=concurrency,
        scenario=scenario,
        run_id=run.run_id,
        run_basis=run.basis,
        run_attempt=run.attempt,
        run_url=run.url,
        run_date=run.date,
        measured_at=run.measured_at,
        isl_nominal=isl,
        osl_nominal=osl,
        **{f.name: getattr(measured, f.name) for f in fields(Measurement)},
    )
    return _with_ids(_with_topology(_with_names(point, catalog, raw), catalog, raw))


def _with_names(point: Point, catalog: Catalog, raw: RawIdentity) -> Point:
    hardware = catalog.canonical("hardware", raw.hardware).name
    engine = catalog.canonical("engine", raw.engine).name
    return replace(
        point,
        hardware=hardware,
        vendor=catalog.vendor(hardware),
        engine=engine,
        engine_family=catalog.engine_family(engine),
        precision=catalog.canonical("precision", raw.precision).name,
        spec_method=catalog.canonical("spec_method", raw.spec_method).name,
        offload=_offload(catalog, raw),
        offload_backend=_offload_backend(catalog, raw),
        offload_backend_version=raw.offload_backend_version,
        kv_transfer=raw.kv_transfer and raw.kv_transfer.lower(),
        router=raw.router and raw.router.lower(),
        router_version=raw.router_version,
        image=raw.image,
        recipe_fingerprint=raw.recipe_fingerprint,
        model_raw=raw.model or raw.model_key,
        hardware_raw=raw.hardware,
        engine_raw=raw.engine,
        precision_raw=raw.precision,
        spec_raw=raw.spec_method,
        offload_raw=raw.offload or raw.offload_backend,
    )


def _model(catalog: Catalog, raw: RawIdentity) -> Canonical:
    spellings = [catalog.canonical("model", spelling) for spelling in (raw.model_key, raw.model)]
    said = [name for name in spellings if name.name]
    return next((name for name in said if name.known), said[0] if said else Canonical(None, False))


def _offload(catalog: Catalog, raw: RawIdentity) -> Offload | None:
    """Where the KV cache goes: what is said, else what the backend implies."""
    for spelling in (raw.offload, raw.offload_backend):
        name = catalog.canonical("offload", spelling).name
        if name in get_args(Offload):
            return cast(Offload, name)
    return None


def _offload_backend(catalog: Catalog, raw: RawIdentity) -> str | None:
    if raw.offload_backend and catalog.canonical("offload", raw.offload_backend).name != "none":
        return catalog.canonical("offload_backend", raw.offload_backend).name
    named_instead = catalog.canonical("offload_backend", raw.offload)
    return named_instead.name if named_instead.known else None


def _deployment(catalog: Catalog, raw: RawIdentity, engine: str | None) -> Deployment | None:
    """What the artifact says; else what two pools of workers or the engine's name imply."""
    known = catalog.engines.get(engine) if engine else None
    disaggregated = raw.disaggregated
    if disaggregated is None and raw.prefill.workers and raw.decode.workers:
        disaggregated = True
    if disaggregated is None and known:
        disaggregated = known.disaggregated
    if disaggregated:
        return "disaggregated"
    if raw.multi_node is None:
        return None
    return "multi_node" if raw.multi_node else "single_node"


def _with_topology(point: Point, catalog: Catalog, raw: RawIdentity) -> Point:
    deployment = _deployment(catalog, raw, point.engine)
    count = count_gpus(raw.prefill, raw.decode, deployment, raw.gpus)
    prefill, decode = raw.prefill, raw.decode
    if deployment != "disaggregated":
        prefill, decode = Role(), aggregated(raw.prefill, raw.decode)
    return replace(
        point,
        deployment=deployment,
        prefill=replace(prefill, gpus=count.prefill),
        decode=replace(decode, gpus=count.decode),
        gpus=count.total,
        gpus_rule=count.rule,
        gpus_conflict=count.conflict,
        topology_label=topology_label(raw.prefill, raw.decode, deployment),
        notes=(*point.notes, *topology_notes(raw, deployment)),
    )


def topology_notes(raw: RawIdentity, deployment: Deployment | None) -> Iterator[str]:
    """Sentences on stated GPU counts of a disaggregated deployment that its degrees do not explain."""
    if deployment != "disaggregated":
        return
    if states_one_total(raw.prefill, raw.decode):
        yield f"the artifact states {raw.decode.gpus} GPUs for both roles: one total, its split is not known"
        return
    for name, role in (("prefill", raw.prefill), ("decode", raw.decode)):
        if degrees_fall_short(role):
            yield f"{name} states {role.gpus} GPUs, more or fewer than its recorded degrees (TP{role.tp}) use"


def _with_ids(point: Point) -> Point:
    config = config_id(config_fields(point))
    run = (point.run_id, point.run_attempt)
    lengths = (point.isl_nominal, point.osl_nominal)
    identifier = point_id(config, point.concurrency, point.scenario, *run, *lengths)
    return replace(point, config_id=config, point_id=identifier)


def is_official(run_url: str | None) -> bool:
    """Whether a run belongs to the benchmark's own repository; everything else is shown as UNOFFICIAL."""
    return run_url is not None and _OFFICIAL_RUN.fullmatch(run_url.strip()) is not None


def scenario_of(isl: int, osl: int) -> str:
    """The fixed-sequence scenario of nominal lengths in tokens: `8k1k`, or `512x2k` to be clear."""
    short = [f"{length // 1024}k" if length % 1024 == 0 else str(length) for length in (isl, osl)]
    return ("" if all(word.endswith("k") for word in short) else "x").join(short)


def unknown_names(catalog: Catalog, raw: RawIdentity) -> Iterator[tuple[Kind, str]]:
    """Spellings the catalog does not know, with their kind: kept in the store, named by the ingest."""
    named: tuple[tuple[Kind, str | None], ...] = (
        ("hardware", raw.hardware),
        ("engine", raw.engine),
        ("precision", raw.precision),
        ("spec_method", raw.spec_method),
        ("offload", raw.offload),
    )
    if (model := _model(catalog, raw)).name and not model.known:
        yield "model", raw.model_key or raw.model or ""
    for kind, spelling in named:
        if spelling and spelling.strip() and not catalog.canonical(kind, spelling).known:
            yield kind, spelling
    if backend := raw.offload_backend:
        known = (
            catalog.canonical("offload_backend", backend).known or catalog.canonical("offload", backend).known
        )
        if not known:
            yield "offload_backend", backend
