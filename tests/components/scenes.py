"""Scenes of the invented points, for tests of what one sees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from components.figures.pareto import FIGURE_COLUMNS, Caption, Dressing, curves_figure
from components.table_rows import TABLE_COLUMNS
from dashboard.domain.columns import Columns
from dashboard.domain.curves import AxisChoice, CurveRules, arrange, scene_columns
from dashboard.domain.metrics import Economics
from dashboard.domain.records import Point
from dashboard.domain.scene import Scene
from dashboard.store.schema import point_row
from tests import invented
from tests.invented import SWEEP, Stack

PAIR = CurveRules(panels=(AxisChoice("interactivity"), AxisChoice("ttft")), y=AxisChoice("tput_total"))
PRICES = Economics({"b300": 2.26, "b200": 1.73, "mi355x": 1.5}, {"b300": 2.26}, "own, Aug 2026")
CAPTION = Caption(
    "DeepSeek-V4-Pro · agentic", "total throughput per GPU", "tiny store", "newest run 2026-08-12"
)

#: Twelve stacks of one model: more than the eight that get a colour.
STACKS = (
    Stack("dsv4", "b300", "vllm", "fp4", offload="dram", offload_backend="lmcache"),
    Stack("dsv4", "b300", "sglang", "fp8", run="7101", speed=0.9),
    Stack("dsv4", "b200", "vllm", "fp4", run="7102", speed=0.8),
    Stack("dsv4", "b200", "dynamo-trt", "fp4", run="7103", speed=0.85),
    Stack("dsv4", "gb300", "dynamo-trt", "fp4", run="7104", speed=2.2),
    Stack("dsv4", "gb200", "dynamo-vllm", "fp4", run="7105", speed=1.8),
    Stack("dsv4", "h200", "sglang", "fp8", run="7106", speed=0.5),
    Stack("dsv4", "mi355x", "atom", "fp4", run="7107", speed=1.1),
    Stack("dsv4", "mi355x", "sglang", "fp4", run="7108", speed=0.95),
    Stack("dsv4", "mi325x", "vllm", "fp8", run="7109", speed=0.4),
    Stack("dsv4", "mi300x", "vllm", "fp8", run="7110", speed=0.35),
    Stack("dsv4", "h100", "vllm", "bf16", run="7111", speed=0.3),
)


FAMILIES = {"dynamo-trt": "trt", "dynamo-vllm": "vllm"}


def points(stacks: Iterable[Stack] = STACKS, sweep: Sequence[int] = SWEEP) -> list[Point]:
    made = [invented.point(stack, concurrency) for stack in stacks for concurrency in sweep]
    return [replace(point, engine_family=FAMILIES.get(str(point.engine), point.engine)) for point in made]


def columns_of(rows: Sequence[Point], rules: CurveRules = PAIR) -> Columns:
    """The columns that a page asks the store for, made of points."""
    names = dict.fromkeys((*scene_columns(rules), *FIGURE_COLUMNS, *TABLE_COLUMNS))
    written = [point_row(point) for point in rows]
    for row in written:
        row["measured_at"] = row["measured_at"].replace(tzinfo=None)
    return {name: _column([row[name] for row in written]) for name in names}


def _column(values: list[Any]) -> np.ndarray:
    plain = all(
        value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)) for value in values
    )
    if plain and any(value is not None for value in values):
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    return np.array(values, dtype=object)


def scene_of(rows: Sequence[Point] | None = None, rules: CurveRules = PAIR) -> Scene:
    return arrange(columns_of(points() if rows is None else rows, rules), rules, PRICES, naming)


def naming(kind: str, name: str) -> str:
    """Labels as a catalog gives them, near enough."""
    words = {
        "vllm": "vLLM",
        "sglang": "SGLang",
        "trt": "TRT-LLM",
        "atom": "ATOM",
        "dynamo-trt": "Dynamo TRT-LLM",
    }
    words |= {"dynamo-vllm": "Dynamo vLLM", "dram": "DRAM", "lmcache": "LMCache", "dsv4": "DeepSeek-V4-Pro"}
    if kind in ("hardware", "precision", "spec_method"):
        return name.upper()
    return words.get(name, name)


def figure_of(scene: Scene, **dressing: Any) -> dict[str, Any]:
    return curves_figure(scene, CAPTION, Dressing(**dressing), naming)


def traces(figure: dict[str, Any], role: str, panel: int = 0) -> list[dict[str, Any]]:
    return [t for t in figure["data"] if t["meta"]["role"] == role and t["meta"]["panel"] == panel]


def unpacked(spec: dict[str, Any]) -> np.ndarray:
    """The numbers of a typed-array spec, read as plotly.js does."""
    import base64

    return np.frombuffer(base64.b64decode(spec["bdata"]), dtype=f"<{spec['dtype']}")


def with_counts(point: Point, ok: int, failed: int) -> Point:
    return replace(point, requests_ok=ok, requests_failed=failed, requests_total=ok + failed)
