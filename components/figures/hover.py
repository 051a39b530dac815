"""What the page says about a mark under the pointer: one short description per drawn point, shared by all
charts.

The texts are dictionary-encoded (`words`, and one code per point), because most of them repeat. The browser
adds the two figures of the chart itself, from the trace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from dashboard.domain.columns import Columns, moments, numbers, texts
from dashboard.domain.scene import Scene
from dashboard.domain.stacks import Naming
from dashboard.domain.units import count

#: Columns of the store that hovers and labels read beside those of the scene.
HOVER_COLUMNS = (
    "point_id", "concurrency", "gpus", "topology_label", "offload", "offload_backend", "requests_ok",
    "requests_failed", "run_date",
)  # fmt: skip


def hover(scene: Scene, naming: Naming) -> dict[str, Any]:
    """Ids, series and lines of text of all drawn points, in the order of `scene.rows`."""
    rows = scene.rows.tolist()
    columns = {name: column[scene.rows] for name, column in scene.columns.items() if name in HOVER_COLUMNS}
    series_of = {row: place for place, one in enumerate(scene.series) for row in one.rows.tolist()}
    lines = (_shape(columns), _offload(columns, naming), _requests(columns, scene), _run(columns))
    return {
        "ids": texts(columns, "point_id"),
        "series": [series_of[row] for row in rows],
        "lines": [_encoded(line) for line in lines],
    }


def _encoded(line: Sequence[str]) -> dict[str, Any]:
    words = list(dict.fromkeys(line))
    place = {word: code for code, word in enumerate(words)}
    return {"words": words, "codes": [place[word] for word in line]}


def _counts(columns: Columns, name: str) -> list[str]:
    """A column of whole numbers as text; each number is written once."""
    values = numbers(columns, name).tolist()
    written = {value: count(value) for value in set(values)}
    return [written[value] for value in values]


def _lines(write: Callable[..., str], *columns: Sequence[Any]) -> list[str]:
    """One text per point; equal points are written once."""
    points = list(zip(*columns, strict=True))
    written = {point: write(*point) for point in set(points)}
    return [written[point] for point in points]


def _shape(columns: Columns) -> list[str]:
    """Concurrency, GPUs, parallelism: what a configuration is at a glance."""

    def write(users: str, gpus: str, topology: str | None) -> str:
        several = "" if gpus == "1" else "s"
        parts = (f"concurrency {users}" if users else "", f"{gpus} GPU{several}" if gpus else "", topology)
        return " · ".join(part for part in parts if part)

    return _lines(
        write, _counts(columns, "concurrency"), _counts(columns, "gpus"), texts(columns, "topology_label")
    )


def _offload(columns: Columns, naming: Naming) -> list[str]:
    def write(kind: str | None, backend: str | None) -> str:
        if kind in (None, "none"):
            return ""
        where = naming("offload", str(kind))
        return f"KV offload {where}" + (f", {naming('offload_backend', backend)}" if backend else "")

    return _lines(write, texts(columns, "offload"), texts(columns, "offload_backend"))


def _requests(columns: Columns, scene: Scene) -> list[str]:
    """Requests ok and failed beside the figures, and whether the percentile rests on few of them."""

    def write(good: str, bad: str, failing: bool, few: bool) -> str:
        counted = (f"{good} requests ok" if good else "", f"{bad} failed" if bad else "")
        notes = (
            ", ".join(part for part in counted if part),
            "off the frontier: too many failed" if failing else "",
            "few requests beyond the percentile" if few else "",
        )
        return " · ".join(part for part in notes if part)

    marks = (scene.failing[scene.rows].tolist(), scene.few_requests[scene.rows].tolist())
    return _lines(write, _counts(columns, "requests_ok"), _counts(columns, "requests_failed"), *marks)


def _run(columns: Columns) -> list[str]:
    def write(day: date | None) -> str:
        return f"run of {day.day} {day:%b %Y}" if day is not None else ""

    return _lines(write, moments(columns, "run_date", "D").tolist())
