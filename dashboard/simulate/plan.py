"""The sample's plan: which stacks are simulated at which loads, and which points are there for a reason."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from dashboard.domain.catalog import Catalog
from dashboard.simulate.deployment import ENGINES, MODELS, Deployment
from dashboard.simulate.labels import Labels
from dashboard.simulate.lanes import Load

DATASET = "simulated-agentic-393"
FIRST_DAY, SECOND_DAY = date(2026, 8, 14), date(2026, 8, 21)

_BACKENDS = {
    "vllm": ("mooncake", "0.3.12.post1"),
    "sglang": ("hicache", "0.5.9"),
    "atom": ("lmcache", "0.5.3"),
}
_LOW_FAILURE_RATE = 0.0008


@dataclass(frozen=True, slots=True)
class Arm:
    """One way to deploy a stack and the concurrencies it is swept over.

    `ranks` above 1 is data-parallel attention over all GPUs; `acceptance` above 1 is MTP.
    """

    ranks: int
    concurrencies: tuple[int, ...]
    offload: bool = False
    acceptance: float = 1.0
    gpus: int = 8
    prefill_gpus: int = 0
    prefill_ranks: int = 0


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack measured on one day: one run."""

    model: str
    hardware: str
    engine: str
    precision: str
    day: date
    arms: tuple[Arm, ...]

    @property
    def run(self) -> str:
        """The folder of the run, which names it."""
        return f"{self.model}-{self.hardware}-{self.engine}-{self.day.isoformat()}"


@dataclass(frozen=True, slots=True)
class PlannedPoint:
    """One point to simulate. `shows` says what it exists for, None where it is just one of a sweep.

    A second measurement of a configuration within a run has no row: a row of it would replace the first one.
    """

    run: str
    labels: Labels
    with_server: bool = True
    with_row: bool = True
    shows: str | None = None


@dataclass(frozen=True, slots=True)
class Special:
    """What makes one planned point special: where it is, and how it differs."""

    run: str
    concurrency: int
    offload: bool
    shows: str
    failure_rate: float | None = None
    duration_s: float | None = None
    with_server: bool = True
    again: bool = False


_MTP = 2.4
_VLLM_B300_FIRST = (Arm(1, (4, 16)), Arm(8, (64, 192, 384), offload=True))
_VLLM_B300_SECOND = (
    Arm(1, (4, 8, 16), acceptance=_MTP),
    Arm(8, (64,), acceptance=_MTP),
    Arm(8, (96, 192, 384), offload=True, acceptance=_MTP),
)
_TWO_SHAPES = (Arm(1, (4, 8, 16, 32)), Arm(8, (64, 128, 196), offload=True))
_BOTH_TIERS = (Arm(1, (4, 16)), Arm(8, (32, 96)), Arm(8, (96, 160, 224), offload=True))
_SPLIT_ROLES = (Arm(8, (64, 192, 384), gpus=16, prefill_gpus=8, prefill_ranks=2),)
_GLM_B200 = (Arm(1, (4, 8, 16)), Arm(8, (32, 64)), Arm(8, (64, 96), offload=True))
_GLM_H200 = (Arm(1, (2, 4, 8, 16)), Arm(1, (16, 32), offload=True))
_GLM_MI355X = (Arm(1, (4, 16)), Arm(8, (48, 96)), Arm(8, (96,), offload=True))
_MINIMAX_H200 = (Arm(1, (4, 16, 48)), Arm(1, (64, 96), offload=True))

STACKS = (
    Stack("dsv4", "b300", "vllm", "fp4", FIRST_DAY, _VLLM_B300_FIRST),
    Stack("dsv4", "b300", "vllm", "fp4", SECOND_DAY, _VLLM_B300_SECOND),
    Stack("dsv4", "b200", "vllm", "fp4", SECOND_DAY, _TWO_SHAPES),
    Stack("dsv4", "mi355x", "sglang", "fp4", SECOND_DAY, _BOTH_TIERS),
    Stack("dsv4", "gb300", "dynamo-vllm", "fp4", SECOND_DAY, _SPLIT_ROLES),
    Stack("glm5.2", "b200", "sglang", "fp8", SECOND_DAY, _GLM_B200),
    Stack("glm5.2", "h200", "vllm", "fp8", SECOND_DAY, _GLM_H200),
    Stack("glm5.2", "mi355x", "atom", "fp4", SECOND_DAY, _GLM_MI355X),
    Stack("minimaxm3", "b200", "trt", "fp4", SECOND_DAY, (Arm(1, (4, 16, 32, 64), gpus=4),)),
    Stack("minimaxm3", "h200", "vllm", "fp8", SECOND_DAY, _MINIMAX_H200),
    Stack("minimaxm3", "mi355x", "sglang", "fp8", SECOND_DAY, (Arm(1, (4, 16, 64), gpus=4),)),
    Stack("minimaxm3", "mi300x", "vllm", "fp8", SECOND_DAY, (Arm(1, (16,)),)),
)

SPECIALS = (
    Special("dsv4-b200-vllm-2026-08-21", 128, True, "one configuration measured twice in a run", again=True),
    Special("glm5.2-h200-vllm-2026-08-21", 16, False, "a point with errors", failure_rate=0.06),
    Special(
        "minimaxm3-mi355x-sglang-2026-08-21", 16, False, "a point without server metrics", with_server=False
    ),
    Special("dsv4-mi355x-sglang-2026-08-21", 4, False, "a run too short for its percentiles", duration_s=60),
    Special("minimaxm3-mi300x-vllm-2026-08-21", 16, False, "a curve of a single point"),
    Special("dsv4-b300-vllm-2026-08-14", 192, True, "the older of two dates of one stack"),
    Special("dsv4-b300-vllm-2026-08-21", 192, True, "the newer of two dates of one stack"),
    Special("dsv4-gb300-dynamo-vllm-2026-08-21", 192, False, "disaggregated prefill and decode"),
)


def plan(catalog: Catalog, seed: int) -> tuple[PlannedPoint, ...]:
    """Every point of the sample, each with a seed of its own."""
    points: list[PlannedPoint] = []
    for stack in STACKS:
        for planned in _points(stack, catalog):
            points += _marked(planned)
    return tuple(_seeded(planned, seed * 1000 + number) for number, planned in enumerate(points))


def _points(stack: Stack, catalog: Catalog) -> Iterator[PlannedPoint]:
    for arm in stack.arms:
        for concurrency in arm.concurrencies:
            yield PlannedPoint(stack.run, _labels(stack, arm, concurrency, catalog))


def _labels(stack: Stack, arm: Arm, concurrency: int, catalog: Catalog) -> Labels:
    deployment = Deployment(
        model=MODELS[stack.model],
        accelerator=catalog.accelerators[stack.hardware],
        engine=ENGINES[stack.engine],
        precision=stack.precision,
        gpus=arm.gpus,
        ranks=arm.ranks,
        offload="dram" if arm.offload else "none",
        acceptance=arm.acceptance,
        prefill_gpus=arm.prefill_gpus,
        prefill_ranks=arm.prefill_ranks,
        failure_rate=_LOW_FAILURE_RATE,
    )
    return Labels(
        deployment=deployment,
        load=Load(concurrency, profiling_s(concurrency)),
        day=stack.day,
        dataset=DATASET,
        spec_method="mtp" if arm.acceptance > 1 else "none",
        offload_backend=_BACKENDS[stack.engine] if arm.offload else None,
        router=("dynamo-router", "1.3.0") if arm.prefill_gpus else None,
        kv_transfer="nixl" if arm.prefill_gpus else None,
    )


def profiling_s(concurrency: int) -> float:
    """Seconds of profiling: less than the hour of a real run, longer where few lanes send few requests."""
    steps = ((8, 1500.0), (32, 900.0), (128, 600.0))
    return next((duration for below, duration in steps if concurrency < below), 400.0)


def _marked(planned: PlannedPoint) -> list[PlannedPoint]:
    """The point as its special entry wants it, twice where it is to be repeated."""
    labels = planned.labels
    offloads = labels.deployment.offload != "none"
    key = planned.run, labels.load.concurrency, offloads
    special = next((one for one in SPECIALS if (one.run, one.concurrency, one.offload) == key), None)
    if special is None:
        return [planned]
    if special.failure_rate is not None:
        labels = replace(labels, deployment=replace(labels.deployment, failure_rate=special.failure_rate))
    if special.duration_s is not None:
        labels = replace(labels, load=replace(labels.load, duration_s=special.duration_s))
    marked = replace(planned, labels=labels, with_server=special.with_server, shows=special.shows)
    return (
        [marked, replace(marked, labels=replace(labels, repeat=1), with_row=False)]
        if special.again
        else [marked]
    )


def _seeded(planned: PlannedPoint, seed: int) -> PlannedPoint:
    labels = planned.labels
    return replace(planned, labels=replace(labels, load=replace(labels.load, seed=seed)))
