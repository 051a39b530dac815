"""Words at the marks of a chart: concurrency, parallelism or GPUs, only where they cover neither marks nor
each other.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from components.figures.boxes import Box, first_free, text_width
from components.figures.frame import Panel
from components.figures.typed_array import packed
from components.theme import Palette
from dashboard.domain.columns import Columns, Numbers, numbers, texts
from dashboard.domain.scene import Scene
from dashboard.domain.units import count

Labels = Literal["none", "concurrency", "topology", "gpus"]

_SIZE, _HIGH, _CLEAR = 10.0, 12.0, 9.0
_MOST = 400


def point_labels(
    scene: Scene, chart: Panel, labels: Labels, x: Numbers, y: Numbers, palette: Palette
) -> list[dict[str, Any]]:
    """One text trace with the labels of coloured frontiers that find room; `x`, `y`: every mark of the
    chart, in pixels.
    """
    if labels == "none":
        return []
    words = _words(scene.columns, labels)
    rows = [row for one in scene.series if one.coloured for row in one.panels[chart.index].frontier.tolist()]
    placed = [(row, box) for row, box in _placed(scene, chart, rows[:_MOST], words, x, y)]
    if not placed:
        return []
    keep = np.array([row for row, _ in placed], dtype=np.intp)
    return [
        {
            "type": "scatter",
            "mode": "text",
            "x": packed(scene.panels[chart.index].values[keep]),
            "y": packed(scene.y.values[keep]),
            "text": [words[row] for row in keep.tolist()],
            "textposition": [position for _, position in placed],
            "textfont": {"size": _SIZE, "color": palette.token["text-2"]},
            "hoverinfo": "skip",
            "xaxis": chart.x_name,
            "yaxis": chart.y_name,
            "uid": f"labels__text{chart.index}",
            "meta": {"series": None, "role": "text", "panel": chart.index},
        }
    ]


def _words(columns: Columns, labels: Labels) -> list[str]:
    if labels == "topology":
        return [text or "" for text in texts(columns, "topology_label")]
    name = "concurrency" if labels == "concurrency" else "gpus"
    prefix, suffix = ("c", "") if labels == "concurrency" else ("", " GPUs")
    figures = [count(value) for value in numbers(columns, name).tolist()]
    return [f"{prefix}{figure}{suffix}" if figure else "" for figure in figures]


def _placed(
    scene: Scene, chart: Panel, rows: list[int], words: list[str], x: Numbers, y: Numbers
) -> list[tuple[int, str]]:
    left, top = chart.pixels(scene.panels[chart.index].values, scene.y.values)
    area = Box(0, 0, chart.width, chart.height)
    taken: list[Box] = []
    placed = []
    for row in rows:
        if not words[row] or not np.isfinite(left[row] + top[row]):
            continue
        wide = text_width(words[row], _SIZE)
        candidates = _around(float(left[row]), float(top[row]), wide)
        box = first_free(candidates, area, taken, x, y)
        if box is not None:
            taken.append(box)
            placed.append((row, candidates[box]))
    return placed


def _around(left: float, top: float, wide: float) -> dict[Box, str]:
    """Right, left, above and below a mark, with plotly's word for each place."""
    half, high = wide / 2, _HIGH / 2
    return {
        Box(left + _CLEAR, top - high, left + _CLEAR + wide, top + high): "middle right",
        Box(left - _CLEAR - wide, top - high, left - _CLEAR, top + high): "middle left",
        Box(left - half, top - _CLEAR - _HIGH, left + half, top - _CLEAR): "top center",
        Box(left - half, top + _CLEAR, left + half, top + _CLEAR + _HIGH): "bottom center",
    }
