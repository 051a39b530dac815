"""WEKA traces: one recorded session of calls and subagents, read from its document (data-contracts 7.2).

Times are seconds from the session's start, on one clock for root and subagents. Token-block ids stand for the
whole prompt up to their block, so that an id has one predecessor; they mean something inside one trace only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Blocks = npt.NDArray[np.int64]
Document = Mapping[str, Any]

#: Recorded times have two or three decimals; what lies below is noise of adding them.
_DECIMALS = 6
#: An inner time this much below its group's start cannot be on the root's clock.
_CLOCK_NOISE_S = 0.0005

_TRACE_FIELDS = frozenset(
    ("id", "models", "block_size", "hash_id_scope", "tool_tokens", "system_tokens", "requests", "totals")
)
_CALL_FIELDS = frozenset(
    (
        "t", "type", "model", "in", "out", "output_length", "hash_ids", "input_types", "output_types", "stop",
        "api_time", "think_time", "ttft",
    )
)  # fmt: skip
_GROUP_FIELDS = frozenset(
    (
        "t", "type", "agent_id", "subagent_type", "duration_ms", "total_tokens", "tool_use_count", "status",
        "requests", "models", "tool_tokens", "system_tokens",
    )
)  # fmt: skip


class TraceError(ValueError):
    """A document that is no usable trace; the text names the field and says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `outer` and `inner` are its places in the document; `inner` is None at the top level.

    `api_s` is the recorded server time, None where it is missing; `blocks` are the ids of whole blocks.
    """

    outer: int
    inner: int | None
    start_s: float
    api_s: float | None
    think_s: float | None
    ttft_s: float | None
    model: str
    isl: int
    osl: int
    blocks: Blocks
    stop: str

    @property
    def end_s(self) -> float | None:
        """When the answer was complete, None where the recording does not say."""
        return None if self.api_s is None else round(self.start_s + self.api_s, _DECIMALS)

    @property
    def last_s(self) -> float:
        """The latest moment at which the call is known to have been running."""
        return self.start_s if self.end_s is None else self.end_s


@dataclass(frozen=True, slots=True)
class Group:
    """A subagent as recorded: `end_s` by its duration, else by its last call; `calls` by their start."""

    outer: int
    name: str
    start_s: float
    end_s: float
    status: str
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """One session: top-level calls by their start, subagents as recorded, names of fields nobody knows."""

    id: str
    block_size: int
    calls: tuple[Call, ...]
    groups: tuple[Group, ...]
    unknown: tuple[str, ...] = ()

    def streams(self) -> Iterator[tuple[Call, ...]]:
        """The calls of the root, then of each subagent, as recorded."""
        yield self.calls
        yield from (group.calls for group in self.groups)

    def in_order(self) -> list[Call]:
        """All calls by their start: root and subagents together."""
        calls = (call for stream in self.streams() for call in stream)
        return sorted(
            calls, key=lambda call: (call.start_s, call.outer, -1 if call.inner is None else call.inner)
        )


def is_trace(document: object) -> bool:
    """Whether a document has the shape of a WEKA trace."""
    return isinstance(document, Mapping) and {"requests", "block_size", "hash_id_scope"} <= document.keys()


def read_trace(document: Document) -> Trace:
    """The session in a document. Raises TraceError naming the field for one that cannot be used.

    Subagents count their time either from the session's start or from their own: a trace with an inner time
    before its group's start uses the second way throughout.
    """
    entries = _entries(document.get("requests"), "requests")
    unknown = sorted(set(document) - _TRACE_FIELDS)
    groups_at = [(n, entry) for n, entry in enumerate(entries) if entry.get("type") == "subagent"]
    calls = [
        _call(entry, f"requests[{n}]", n, None)
        for n, entry in enumerate(entries)
        if entry.get("type") != "subagent"
    ]
    inner = {n: _inner_calls(entry, n) for n, entry in groups_at}
    own_clock = any(
        call.start_s < _number(entry, "t", f"requests[{n}]") - _CLOCK_NOISE_S
        for n, entry in groups_at
        for call in inner[n]
    )
    names: set[str] = set()
    groups = [_group(entry, n, inner[n], own_clock, names) for n, entry in groups_at if inner[n]]
    if not calls and not groups:
        raise TraceError("requests: is empty, the trace holds no request")
    for entry in entries:
        known = _GROUP_FIELDS if entry.get("type") == "subagent" else _CALL_FIELDS
        unknown += sorted({f"requests[].{name}" for name in set(entry) - known} - set(unknown))
    return Trace(
        _text(document, "id"),
        _whole(document, "block_size", "", least=1),
        tuple(_by_start(calls)),
        tuple(groups),
        tuple(unknown),
    )


def _entries(found: object, where: str) -> list[Document]:
    if not isinstance(found, Sequence) or isinstance(found, str):
        raise TraceError(f"{where}: a list of requests is expected")
    for n, entry in enumerate(found):
        if not isinstance(entry, Mapping):
            raise TraceError(f"{where}[{n}]: an object is expected")
    return list(found)


def _inner_calls(group: Document, outer: int) -> list[Call]:
    where = f"requests[{outer}].requests"
    calls = _entries(group.get("requests", ()), where)
    return [_call(entry, f"{where}[{n}]", outer, n) for n, entry in enumerate(calls)]


def _group(entry: Document, outer: int, calls: list[Call], own_clock: bool, names: set[str]) -> Group:
    where = f"requests[{outer}]"
    start = _number(entry, "t", where)
    shift = start if own_clock else 0.0
    timed = _by_start([replace(call, start_s=round(call.start_s + shift, _DECIMALS)) for call in calls])
    duration_ms = _number(entry, "duration_ms", where, optional=True)
    end = max(call.last_s for call in timed) if duration_ms is None else start + duration_ms / 1000
    name = f"sa:{entry.get('agent_id') or f'agent_{outer:03d}'}"
    name = f"{name}:{outer}" if name in names else name
    names.add(name)
    return Group(outer, name, start, round(end, _DECIMALS), str(entry.get("status") or ""), tuple(timed))


def _by_start(calls: list[Call]) -> list[Call]:
    return sorted(calls, key=lambda call: (call.start_s, call.outer, call.inner or 0))


def _call(entry: Document, where: str, outer: int, inner: int | None) -> Call:
    osl = "out" if "out" in entry else "output_length"
    return Call(
        outer=outer,
        inner=inner,
        start_s=_number(entry, "t", where),
        api_s=_number(entry, "api_time", where, optional=True),
        think_s=_number(entry, "think_time", where, optional=True),
        ttft_s=_number(entry, "ttft", where, optional=True),
        model=_text(entry, "model", where),
        isl=_whole(entry, "in", where),
        osl=_whole(entry, osl, where),
        blocks=_blocks(entry.get("hash_ids"), where),
        stop=str(entry.get("stop") or ""),
    )


def _blocks(found: object, where: str) -> Blocks:
    try:
        ids = np.asarray(found if found is not None else (), dtype=object)
        if ids.ndim != 1 or any(type(one) is not int for one in ids.tolist()):
            raise ValueError
        return ids.astype(np.int64)
    except (ValueError, OverflowError, TypeError):
        raise TraceError(f"{where}.hash_ids: a list of whole numbers is expected") from None


def _text(entry: Document, name: str, where: str = "") -> str:
    found = entry.get(name)
    if not isinstance(found, str) or not found.strip():
        raise TraceError(f"{_named(where, name)}: a name is expected")
    return found


def _number(entry: Document, name: str, where: str, optional: bool = False) -> Any:
    """A finite number of at least 0; None for a missing one where it is optional."""
    found = entry.get(name)
    if found is None and optional:
        return None
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found) or found < 0:
        raise TraceError(f"{_named(where, name)}: a number of at least 0 is expected")
    return float(found)


def _whole(entry: Document, name: str, where: str, least: int = 0) -> int:
    found = entry.get(name)
    if isinstance(found, float) and found.is_integer():
        found = int(found)
    if isinstance(found, bool) or not isinstance(found, int) or not least <= found < 1 << 53:
        raise TraceError(f"{_named(where, name)}: a whole number of at least {least} is expected")
    return found


def _named(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
