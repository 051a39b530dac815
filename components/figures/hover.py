"""What the page says about a mark under the pointer: one short description per drawn point, shared by all
charts.

The texts are dictionary-encoded (`words`, and one code per point), because most of them repeat. The browser
adds the two figures of the chart itself, from the trace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


def _lines(columns: Columns, names: Sequence[str], write: Callable[..., str]) -> list[str]:
    return [write(*values) for values in zip(*(texts(columns, name) for name in names), strict=True)]


def _shape(columns: Columns) -> list[str]:
    """Concurrency, GPUs, parallelism: what a configuration is at a glance."""
    users, gpus = numbers(columns, "concurrency").tolist(), numbers(columns, "gpus").tolist()
    written = []
    for user, gpu, topology in zip(users, gpus, texts(columns, "topology_label"), strict=True):
        parts = [f"concurrency {count(user)}" if count(user) else "", _gpus(gpu), topology or ""]
        written.append(" · ".join(part for part in parts if part))
    return written


def _gpus(number: float) -> str:
    figure = count(number)
    return f"{figure} GPU{'' if figure == '1' else 's'}" if figure else ""


def _offload(columns: Columns, naming: Naming) -> list[str]:
    def write(kind: str | None, backend: str | None) -> str:
        if kind in (None, "none"):
            return ""
        where = naming("offload", str(kind))
        return f"KV offload {where}" + (f", {naming('offload_backend', backend)}" if backend else "")

    return _lines(columns, ("offload", "offload_backend"), write)


def _requests(columns: Columns, scene: Scene) -> list[str]:
    """Requests ok and failed beside the figures, and whether the percentile rests on few of them."""
    succeeded, failed = numbers(columns, "requests_ok").tolist(), numbers(columns, "requests_failed").tolist()
    marks = zip(scene.failing[scene.rows].tolist(), scene.few_requests[scene.rows].tolist(), strict=True)
    written = []
    for good, bad, (failing, few) in zip(succeeded, failed, marks, strict=True):
        parts = [
            f"{count(good)} requests ok" if count(good) else "",
            f"{count(bad)} failed" if count(bad) else "",
        ]
        text = ", ".join(part for part in parts if part)
        notes = ["off the frontier: too many failed"] if failing else []
        notes += ["few requests beyond the percentile"] if few else []
        written.append(" · ".join(part for part in (text, *notes) if part))
    return written


def _run(columns: Columns) -> list[str]:
    days = moments(columns, "run_date", "D").tolist()
    return [f"run of {day.day} {day:%b %Y}" if day is not None else "" for day in days]
