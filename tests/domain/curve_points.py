"""Points by their place on the default axes, and the questions that tests ask of a scene."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dashboard.domain.columns import Columns
from dashboard.domain.curves import AxisChoice, CurveRules, Scene, arrange
from dashboard.domain.metrics import Economics

MakePoints = Callable[..., Columns]

PAIR = CurveRules(panels=(AxisChoice("interactivity"), AxisChoice("ttft")), y=AxisChoice("tput_total"))
ONE = replace(PAIR, panels=(AxisChoice("interactivity"),))
NO_PRICES = Economics({}, {}, "none")


def point(interactivity: float, throughput: float, **more: object) -> dict[str, object]:
    """A point by its place on the default axes; TTFT rises with throughput."""
    place = {
        "interactivity": interactivity,
        "tput_total_per_gpu": throughput,
        "ttft_s_p90": throughput / 1000,
    }
    return {**place, **more}


def keys(scene: Scene) -> set[str]:
    return {series.key for series in scene.series}


def ids(scene: Scene, rows: np.ndarray) -> list[str]:
    return scene.columns["point_id"][rows].tolist()


def chosen(columns: Columns) -> list[str]:
    """The points of the runs that the one curve of these rows shows."""
    scene = arrange(columns, ONE, NO_PRICES)
    [series] = scene.series
    return ids(scene, series.rows)


def random_columns(size: int, seed: int = 3) -> Columns:
    """Points without ties on every axis, of two accelerators and two engines."""
    generator = np.random.default_rng(seed)
    positive = ("itl_s_p90", "e2e_per_token_s_p90", "ttft_s_p90", "e2el_s_p90", "concurrency")
    rates = ("tput_total_per_gpu", "tput_input_per_gpu", "tput_output_per_gpu")
    texts = {"hardware": ["b300", "mi355x"], "engine": ["vllm", "sglang"], "precision": ["fp4"]}
    columns: dict[str, np.ndarray] = {name: generator.lognormal(0, 1, size) for name in (*positive, *rates)}
    for name, choices in texts.items():
        columns[name] = np.array(choices, dtype=object)[generator.integers(0, len(choices), size)]
    columns["point_id"] = np.array([f"p{i}" for i in range(size)], dtype=object)
    return columns
