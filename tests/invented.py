"""Invented points and requests for tests, browser tests and benchmarks: deterministic, none of it measured.

The shapes are plausible (interactivity falls and throughput rises with concurrency, offload helps at high
concurrency); the numbers follow from closed formulas, so that a test can say what it expects.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from dashboard.domain import ids
from dashboard.domain.records import Deployment, Distribution, Finding, Offload, Point, Role
from tests.invented_requests import SCRIPT, with_requests
from tests.invented_requests import requests as requests

#: z of the normal distribution for the stored percentiles; the spread below is log-normal.
Z = {"p50": 0.0, "p75": 0.6745, "p90": 1.2816, "p95": 1.6449, "p99": 2.3263}
SWEEP = (8, 16, 32, 64, 128)
VENDORS = {"b300": "NVIDIA", "b200": "NVIDIA", "mi355x": "AMD", "mi325x": "AMD"}
#: Relative speed of an accelerator: what makes the curves of the fixture differ.
SPEED = {"b300": 1.0, "b200": 0.8, "mi355x": 0.7, "mi325x": 0.45}


@dataclass(frozen=True, slots=True)
class Stack:
    """What one sweep of the fixture has in common."""

    model: str
    hardware: str
    engine: str
    precision: str
    scenario: str = "agentic"
    offload: Offload | None = "none"
    offload_backend: str | None = None
    deployment: Deployment = "single_node"
    spec_method: str = "mtp"
    run: str = "7001"
    run_date: date = date(2026, 8, 12)
    official: bool = True
    gpus: int = 8
    speed: float = 1.0


def identified(point: Point) -> Point:
    """The point with the ids its own fields give it."""
    config = ids.config_id(ids.config_fields(point))
    lengths = (point.isl_nominal, point.osl_nominal)
    whole = ids.point_id(config, point.concurrency, point.scenario, point.run_id, point.run_attempt, *lengths)
    return replace(point, config_id=config, point_id=whole)


def spread(centre: float, sigma: float, n: int) -> Distribution:
    """A log-normal distribution with the given median."""
    quantiles = {name: centre * math.exp(z * sigma) for name, z in Z.items()}
    mean = centre * math.exp(sigma**2 / 2)
    std = mean * math.sqrt(math.exp(sigma**2) - 1)
    return Distribution(mean=mean, max=centre * math.exp(3 * sigma), std=std, n=n, **quantiles)


def figures(stack: Stack, concurrency: int) -> tuple[dict[str, Distribution], dict[str, float | None]]:
    """Statistics and single figures of a point: slower per user, more in total as concurrency grows."""
    speed = stack.speed * SPEED.get(stack.hardware, 0.6) * (1.3 if stack.precision == "fp4" else 1.0)
    roof = 96 if stack.offload == "none" else 220
    itl = (0.006 + 0.00035 * concurrency * (1 + concurrency / roof)) / speed
    ttft = (0.25 + 0.012 * concurrency * (1 + concurrency / roof)) / speed
    osl = 800.0
    n = 40 * concurrency
    e2el = ttft + itl * osl
    statistics = {
        "ttft_s": spread(ttft, 0.8, n),
        "itl_s": spread(itl, 0.35, n),
        "e2el_s": spread(e2el, 0.5, n),
        "e2e_per_token_s": spread(e2el / osl, 0.5, n),
        "isl": spread(90_000.0, 0.9, n),
        "osl": spread(osl, 0.7, n),
        "uncached_isl": spread(4_000.0, 0.9, n),
        "qps": spread(concurrency / e2el, 0.2, 3600),
    }
    output = concurrency * osl / e2el
    scalars = throughput(output, output * 100, stack.gpus)
    hit = 0.93 if concurrency < roof else 0.93 * roof / concurrency
    scalars |= {
        "hbm_hit_rate": hit,
        "theoretical_hit_rate": 0.965,
        "kv_usage_max": min(1.0, concurrency / roof),
    }
    if stack.offload == "dram":
        scalars |= {"offload_hit_rate": 0.02, "overall_hit_rate": hit + 0.02}
    return statistics, scalars


def throughput(output: float, read: float, gpus: int) -> dict[str, float | None]:
    """Rates in tok/s, the same per GPU, and an hour of running."""
    rates = {"tput_output": output, "tput_input": read, "tput_total": output + read}
    return {**rates, **{f"{name}_per_gpu": rate / gpus for name, rate in rates.items()}, "duration_s": 3600.0}


def point(stack: Stack, concurrency: int) -> Point:
    """The invented point of a stack at one concurrency."""
    statistics, scalars = figures(stack, concurrency)
    isl, osl = (8192, 1024) if stack.scenario == "8k1k" else (None, None)
    split = stack.deployment == "disaggregated"
    role = Role(workers=1, tp=stack.gpus, pp=1, ep=1, dp_attention=False, gpus=stack.gpus)
    prefill = Role(workers=1, tp=4, pp=1, ep=4, dp_attention=True, gpus=4) if split else Role()
    decode = Role(workers=1, tp=4, pp=1, ep=1, dp_attention=False, gpus=4) if split else role
    n = 40 * concurrency
    unidentified = Point(
        point_id="",
        config_id="",
        source="inferencex" if stack.official else "aiperf",
        official=stack.official,
        model=stack.model,
        model_raw=f"example/{stack.model}",
        concurrency=concurrency,
        scenario=stack.scenario,
        run_id=stack.run,
        run_basis="ci" if stack.official else "sweep",
        run_attempt=1 if stack.official else None,
        run_url=f"https://github.com/SemiAnalysisAI/InferenceX/actions/runs/{stack.run}"
        if stack.official
        else None,
        run_date=stack.run_date,
        measured_at=datetime(stack.run_date.year, stack.run_date.month, stack.run_date.day, 12, tzinfo=UTC),
        hardware=stack.hardware,
        hardware_raw=f"cluster:{stack.hardware}-nv",
        vendor=VENDORS.get(stack.hardware),
        engine=stack.engine,
        engine_raw=stack.engine,
        engine_family=stack.engine,
        precision=stack.precision,
        precision_raw=stack.precision,
        spec_method=stack.spec_method,
        spec_raw=stack.spec_method,
        deployment=stack.deployment,
        isl_nominal=isl,
        osl_nominal=osl,
        offload=stack.offload,
        offload_raw=stack.offload,
        offload_backend=stack.offload_backend,
        offload_backend_version="0.5.3" if stack.offload_backend else None,
        kv_transfer="nixl" if split else None,
        router="vllm-router",
        router_version="0.1.14",
        image=f"example/{stack.engine}:v9",
        dataset_slug="cc-traces-example" if stack.scenario == "agentic" else None,
        prefill=prefill,
        decode=decode,
        gpus=stack.gpus,
        gpus_rule="tp × pp × pcp",
        topology_label="1×TEP4 + 1×TP4" if split else f"TP{stack.gpus}",
        requests_total=n + concurrency,
        requests_ok=n,
        requests_failed=0,
        requests_cancelled=0,
        requests_warmup=concurrency,
        artifacts=(f"bmk_agentic_{stack.model}_{stack.hardware}_conc{concurrency}.json",),
        statistics=statistics,
        scalars=scalars,
        hit_rate_basis="server counters" if stack.offload else None,
    )
    return identified(unidentified)


STACKS: tuple[tuple[Stack, tuple[int, ...]], ...] = (
    (Stack("dsv4", "b300", "vllm", "fp4"), SWEEP),
    (Stack("dsv4", "b300", "vllm", "fp4", "agentic", "dram", "lmcache"), (64, 128, 256)),
    (Stack("dsv4", "b300", "vllm", "fp4", run="6001", run_date=date(2026, 7, 3), speed=0.8), SWEEP),
    (Stack("dsv4", "b200", "sglang", "fp4", run="7002"), SWEEP),
    (Stack("dsv4", "b200", "sglang", "fp4", "agentic", "dram", "hicache", run="7002"), (64, 128)),
    (Stack("dsv4", "mi355x", "sglang", "fp4", run="7003", spec_method="none"), SWEEP),
    (Stack("dsv4", "mi355x", "sglang", "fp4", "agentic", "dram", "mooncake", run="7003"), (64, 128)),
    (Stack("dsv4", "b300", "trt", "fp8", run="7004"), SWEEP),
    (Stack("dsv4", "mi325x", "vllm", "fp8", run="7005", offload=None), SWEEP),
    (Stack("dsv4", "b300", "vllm", "fp4", scenario="8k1k", run="7006", spec_method="none"), SWEEP),
    (Stack("dsv4", "b200", "trt", "fp4", scenario="8k1k", run="7007", deployment="disaggregated"), SWEEP),
    (Stack("kimik3", "b200", "vllm", "fp4", run="7008"), SWEEP),
    (Stack("kimik3", "mi355x", "vllm", "fp4", run="lab-sweep", official=False), (8, 16, 32, 64)),
    (Stack("kimik3", "mi355x", SCRIPT, "fp4", run="lab-script", official=False, speed=1.2), (8, 16, 32)),
)  # fmt: skip
FAILED = Stack("dsv4", "b200", "sglang", "fp4", run="7002", speed=0.9)


def all_failed(stack: Stack = FAILED, concurrency: int = 512) -> Point:
    """A run in which no request succeeded: listed, never drawn."""
    counts = {"requests_total": 64, "requests_ok": 0, "requests_failed": 64, "requests_warmup": 0}
    return replace(
        point(stack, concurrency),
        **counts,
        publishable=False,
        notes=("all_requests_failed",),
        error_categories={"ServerError": 64},
        statistics={},
        scalars={},
    )


def points() -> tuple[Point, ...]:
    """The 60 points of the tiny store: 2 models, 4 accelerators, 3 engines, a hostile name, a failed run."""
    drawn = [point(stack, concurrency) for stack, sweep in STACKS for concurrency in sweep]
    return (*(with_requests(p) if p.run_id == "lab-sweep" else p for p in drawn), all_failed())


def many(count: int, *, models: int = 10) -> Iterator[Point]:
    """`count` distinct invented points spread over `models` models, for stores of any size.

    They hold what an InferenceX row of the nested form holds: no p99 and no maximum, five decimals.
    """
    hardware, engines = tuple(VENDORS), ("vllm", "sglang", "trt")
    for number in range(count):
        rest, place = divmod(number, models)
        rest, level = divmod(rest, len(SWEEP))
        rest, chip = divmod(rest, len(hardware))
        rest, engine = divmod(rest, len(engines))
        run, offload = divmod(rest, 2)
        backend = "lmcache" if offload else None
        stack = Stack(
            model=f"model-{place:02d}",
            hardware=hardware[chip],
            engine=engines[engine],
            precision=("fp4", "fp8")[run % 2],
            offload="dram" if offload else "none",
            offload_backend=backend,
            run=str(8000 + run),
            run_date=date.fromordinal(date(2025, 1, 1).toordinal() + run % 700),
            speed=0.8 + 0.4 * math.modf(number * 0.6180339887498949)[0],
        )
        yield rounded(point(stack, SWEEP[level]))


def rounded(base: Point) -> Point:
    """The point as the InferenceX producer writes it."""
    kept = ("mean", "p50", "p75", "p90", "p95", "std")
    statistics = {
        quantity: Distribution(**{stat: round(getattr(found, stat), 5) for stat in kept})
        for quantity, found in base.statistics.items()
    }
    scalars = {name: None if figure is None else round(figure, 5) for name, figure in base.scalars.items()}
    return replace(base, statistics=statistics, scalars=scalars)


def findings() -> list[Finding]:
    """What an ingest of the invented artifacts would have said."""
    return [
        Finding(
            "lab-sweep",
            "hardware_from_name",
            "warning",
            f"The hardware is taken from the file name {SCRIPT}.",
        ),
        Finding("notes.txt", "not_a_result", "error", "The file holds no benchmark result.", field="line 1"),
    ]
