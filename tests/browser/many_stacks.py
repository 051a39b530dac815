"""The store of the browser tests: the invented points of every room, and more stacks to fill a chart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from dashboard.domain.records import Point
from dashboard.store.writer import StoreWriter
from tests import invented
from tests.invented import SCRIPT, SWEEP, Stack

VENDOR = {"gb300": "NVIDIA", "gb200": "NVIDIA", "h200": "NVIDIA", **invented.VENDORS}
#: With the fixture's own five, eleven curves of the first model: more than the eight that get a colour.
MORE = (
    Stack("dsv4", "gb300", "dynamo-trt", "fp4", run="7011", deployment="disaggregated", speed=2.2),
    Stack("dsv4", "gb200", "dynamo-vllm", "fp4", run="7012", deployment="disaggregated", speed=1.8),
    Stack("dsv4", "b200", "vllm", "fp4", run="7013", speed=0.92),
    Stack("dsv4", "h200", "sglang", "fp8", run="7014", speed=0.7),
    Stack("dsv4", "mi355x", "atom", "fp4", run="7015", speed=1.25),
    Stack("dsv4", "mi325x", "sglang", "fp8", run="7016", official=False, speed=0.9),
)
#: A model whose every name is hostile, so that one page shows them all.
HOSTILE = Stack(SCRIPT, SCRIPT, SCRIPT, SCRIPT, run="hostile", official=False)


def points() -> Iterator[Point]:
    """All points of the store; see `dominated` and `often_failing` for the two that stand apart."""
    for point in (*invented.points(), *(invented.point(s, c) for s in MORE for c in SWEEP), dominated()):
        yield replace(point, vendor=VENDOR.get(point.hardware or ""))
    yield often_failing()
    yield from hostile()


def dominated() -> Point:
    """A point of GB300 at concurrency 48 that is slower than its neighbours: never on the frontier."""
    return invented.point(replace(MORE[0], speed=1.2), 48)


def often_failing() -> Point:
    """A point with 60 of 300 requests failed: drawn, but not fit for the frontier."""
    base = invented.point(replace(MORE[2], speed=3.0), 200)
    counts = {"requests_ok": 240, "requests_failed": 60, "requests_total": 300, "requests_warmup": 0}
    return replace(base, error_categories={f"Timeout {SCRIPT}": 60}, vendor="NVIDIA", **counts)


def hostile() -> Iterator[Point]:
    for concurrency in SWEEP:
        base = invented.point(HOSTILE, concurrency)
        yield replace(
            base, image=SCRIPT, topology_label=SCRIPT, command_line=f"serve {SCRIPT}", run_url=SCRIPT
        )


def write(folder: Path) -> None:
    """Write the store as an ingest would."""
    with StoreWriter(folder, product_version="0.0.0-test") as writer:
        for point in points():
            writer.put(point, invented.requests(point) if point.has_requests else None)
        writer.findings(invented.findings())
