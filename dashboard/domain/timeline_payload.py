"""A run's requests as the canvas reads them: a JSON header and little-endian columns behind it.

Layout: 4 bytes with the length of the header (uint32), the header (UTF-8 JSON, padded so that the arrays
begin at a multiple of 8), then the columns one after the other. In the header a column stands as
`[offset, count, type]` (offset in bytes behind the header). Moments are whole ns from the zero of the run's
axis as float64, exact to the ns; -1 stands for a missing count, NaN for a missing moment.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from dashboard.domain.timeline import PROBLEMS, Requests, Timeline

_TYPES = {"f8": "<f8", "i4": "<i4", "u1": "<u1", "u2": "<u2", "u4": "<u4"}
_COUNTS = ("isl", "osl", "cached_tokens", "turn_index", "source_outer", "source_inner")
_CODED = ("phase", "worker_id", "error_category")
FAILED, CANCELLED = 1, 2
#: Codes of a column of texts start at 1; 0 is a missing text.
_MISSING = 0


def payload(requests: Requests, ordered: Timeline, about: Mapping[str, Any]) -> bytes:
    """The answer in the order of `Timeline`; `about` is what the header says beside it."""
    columns = _Columns()
    rows = ordered.rows
    for name in ("begin", "start", "first", "end"):
        columns.add(name, getattr(ordered, name), "f8")
    for name in _COUNTS:
        values = np.where(requests.known[name][rows], requests.values[name][rows], -1)
        columns.add(name, np.clip(values, -1, 2**31 - 1), "i4")
    for name in _CODED:
        columns.add(name, requests.texts[name].codes[rows] + 1, "u2")
    state = requests.failed[rows] * FAILED + requests.cancelled[rows] * CANCELLED
    columns.add("state", state, "u1")
    columns.add("problems", ordered.problems, "u1")
    columns.add("bounds", ordered.streams.bounds, "u4")
    columns.add("lane", ordered.streams.lane, "u4")
    columns.add("stream_kind", ordered.streams.kind, "u1")
    columns.add("parent", ordered.streams.parent, "u4")
    header = {
        **about,
        "count": len(rows),
        "zero_ns": str(ordered.axis.zero_ns) if ordered.axis else "0",
        "texts": {name: ["", *requests.texts[name].values] for name in _CODED},
        "names": list(ordered.streams.names),
        "traces": list(ordered.streams.traces),
        "clamped": ordered.problem_counts(),
        "set_aside": dict(ordered.set_aside),
        "problem_bits": dict(PROBLEMS),
        "columns": columns.places,
    }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 4) % 8)
    return struct.pack("<I", len(text)) + text + b"".join(columns.parts)


class _Columns:
    """Columns laid one behind the other, each at a multiple of 8 bytes."""

    def __init__(self) -> None:
        self.places: dict[str, tuple[int, int, str]] = {}
        self.parts: list[bytes] = []
        self._size = 0

    def add(self, name: str, values: Any, kind: str) -> None:
        data = np.ascontiguousarray(values).astype(_TYPES[kind]).tobytes()
        self.places[name] = (self._size, len(values), kind)
        data += b"\0" * (-len(data) % 8)
        self.parts.append(data)
        self._size += len(data)
