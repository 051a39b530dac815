"""The key of the marks: the same list under the charts and in every exported picture."""

from __future__ import annotations

from dataclasses import dataclass

from components.theme import symbol_of
from dashboard.domain.columns import texts
from dashboard.domain.scene import Scene


@dataclass(frozen=True, slots=True)
class KeyItem:
    """One mark with its meaning: a plotly symbol, or `ring`, `hollow`, `line`."""

    words: str
    symbol: str


def key_items(scene: Scene) -> tuple[KeyItem, ...]:
    """Precisions that are shown, the ring where a point has offload, hollow marks where some rest on few
    requests.
    """
    precisions = {one.precision: one.precision_label for one in scene.series}
    items = [KeyItem(words, symbol_of(precision)) for precision, words in precisions.items()]
    if has_offload(scene):
        items.append(KeyItem("KV offload", "ring"))
    if scene.few_requests[scene.rows].any():
        items.append(KeyItem("few requests", "hollow"))
    return (*items, KeyItem("interpolated between measured marks", "line"))


def has_offload(scene: Scene) -> bool:
    """Whether any drawn point keeps KV cache outside HBM."""
    offload = texts(scene.columns, "offload")
    return any(offload[row] not in (None, "none") for row in scene.rows.tolist())
