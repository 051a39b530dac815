"""All panels as one binary answer: a JSON header and little-endian arrays behind it.

Layout: 4 bytes with the length of the header (uint32), the header (UTF-8 JSON, padded to a multiple of 8),
then the arrays one after the other. In the header an array stands as `[offset, count]` (offset in bytes
behind the header); all are float32, times as seconds on the run's axis.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from dashboard.domain.columns import Numbers
from dashboard.domain.log_histogram import GUIDES, LogHistogram
from dashboard.domain.panel import Line, Panel

Place = list[int]


class _Arrays:
    """Arrays laid one behind the other; one that was laid already is not laid again."""

    def __init__(self) -> None:
        self._known: dict[bytes, Place] = {}
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, values: Numbers) -> Place:
        data = np.asarray(values, "<f4").tobytes()
        if data not in self._known:
            self._known[data] = [self._size, len(values)]
            self._parts.append(data)
            self._size += len(data)
        return self._known[data]

    def bytes(self) -> bytes:
        return b"".join(self._parts)


def payload(panels: Iterable[Panel], about: Mapping[str, Any]) -> bytes:
    """The answer; `about` is what the header says beside the panels (axis, phases, labels)."""
    arrays = _Arrays()
    return _joined({**about, "panels": [_panel(panel, arrays) for panel in panels]}, arrays)


def arrays_payload(about: Mapping[str, Any], named: Mapping[str, Numbers]) -> bytes:
    """Some named arrays in the same layout; the header says their places as `arrays`."""
    arrays = _Arrays()
    return _joined({**about, "arrays": {name: arrays.add(values) for name, values in named.items()}}, arrays)


def _joined(header: Mapping[str, Any], arrays: _Arrays) -> bytes:
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-(len(text) + 4) % 8)
    return struct.pack("<I", len(text)) + text + arrays.bytes()


def _panel(panel: Panel, arrays: _Arrays) -> dict[str, Any]:
    told: dict[str, Any] = {
        "key": panel.key,
        "lines": [_line(line, arrays) for line in panel.lines],
        "references": [[one.label, one.value] for one in panel.references],
        "gaps": [list(gap) for gap in panel.gaps],
        "notes": list(panel.notes),
        "missing": panel.missing,
        "stacked": panel.stacked,
    }
    if panel.dots is not None:
        dots = panel.dots
        told["dots"] = {"t": arrays.add(dots.t), "v": arrays.add(dots.v), "n": dots.n}
    if panel.failed is not None and len(panel.failed):
        told["failed"] = arrays.add(panel.failed)
    if panel.histograms:
        told["histograms"] = {phase: _bars(one, arrays) for phase, one in panel.histograms.items()}
    return told


def _line(line: Line, arrays: _Arrays) -> dict[str, Any]:
    told: dict[str, Any] = {"label": line.label, "t": arrays.add(line.t), "v": arrays.add(line.v)}
    told |= {"tone": line.tone, "weight": line.weight}
    told |= {name: True for name in ("dash", "step") if getattr(line, name)}
    return told | ({"group": line.group} if line.group else {})


def _bars(one: LogHistogram, arrays: _Arrays) -> dict[str, Any]:
    return {
        "edges": arrays.add(one.edges),
        "counts": arrays.add(one.counts),
        "cumulative": arrays.add(one.cumulative),
        "guides": [[f"p{percent}", value] for percent, value in zip(GUIDES, one.guides, strict=True)],
        "n": one.n,
        "zeros": one.zeros,
    }
