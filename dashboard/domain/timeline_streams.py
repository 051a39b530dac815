"""Lanes and their streams: which conversations belong to one replay, in which order, and who spawned whom."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

KINDS = ("main", "auxiliary", "subagent")
#: A chain's suffix: what follows the last of these in an id is the chain, what stands before it its parent.
_LAST_CHAIN = re.compile(r"(?:::|:)(?:sa|fa|wg|aux):(?:red:)?[^:]*$")


class _Recorded(Protocol):
    """The columns of `timeline.Requests` that are read here."""

    @property
    def texts(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class Streams:
    """Streams in order of lane, then main, auxiliary, subagents, each by its first moment.

    `bounds[i]:bounds[i + 1]` are the requests of stream i. `lane` counts from 1; `kind` indexes `KINDS`;
    `parent` is the stream that spawned it (itself at a root). `names` are conversation ids, `traces` the
    dataset's own.
    """

    bounds: Ints
    lane: Ints
    kind: NDArray[np.uint8]
    parent: Ints
    names: tuple[str, ...]
    traces: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.lane)

    @property
    def lanes(self) -> int:
        """How many lanes there are."""
        return int(self.lane.max()) if len(self.lane) else 0


def streams_of(
    requests: _Recorded, kept: Ints, begin: NDArray[np.float64], tie_break: Callable[[int], Any]
) -> tuple[Streams, Ints]:
    """The streams of the kept requests, and the order of the requests in them."""
    lane, conversation = requests.texts["lane_id"], requests.texts["conversation_id"]
    pairs = (lane.codes[kept].astype(np.int64) + 1) * (len(conversation.values) + 1)
    keys, stream = np.unique(pairs + conversation.codes[kept] + 1, return_inverse=True)
    found = _Found(requests, kept, begin, keys, stream)
    ordered, parents, lane_numbers = _ordered(found)
    place = np.empty(len(ordered), np.int64)
    place[ordered] = np.arange(len(ordered))
    order = _by_moment(place[stream], begin, tie_break)
    counts = np.bincount(place[stream], minlength=len(ordered))
    streams = Streams(
        bounds=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        lane=lane_numbers,
        kind=found.kinds[ordered],
        parent=place[parents[ordered]] if len(ordered) else parents,
        names=tuple(found.names[at] for at in ordered.tolist()),
        traces=tuple(found.traces[at] for at in ordered.tolist()),
    )
    return streams, order


class _Found:
    """Streams as found, in no order: their names, kinds, first moments and lanes."""

    def __init__(
        self, requests: _Recorded, kept: Ints, begin: NDArray[np.float64], keys: Ints, stream: Ints
    ) -> None:
        lane, conversation = requests.texts["lane_id"], requests.texts["conversation_id"]
        lane_codes, name_codes = np.divmod(keys, len(conversation.values) + 1)
        self.firsts = np.full(len(keys), np.inf)
        np.minimum.at(self.firsts, stream, begin)
        names = ("", *conversation.values)
        self.names = [names[code] for code in name_codes.tolist()]
        lanes = ("", *lane.values)
        # without a lane each conversation is one of its own
        self.lanes = [
            lanes[code] or f"\N{NULL}{name}"
            for code, name in zip(lane_codes.tolist(), self.names, strict=True)
        ]
        sample = np.zeros(len(keys), np.int64)
        sample[stream] = kept
        self.kinds = _kinds(requests.texts["kind"], sample)
        self.traces = _traces(requests.texts["source_trace"], sample, self.names)


def _kinds(coded: Any, sample: Ints) -> NDArray[np.uint8]:
    known = {name: KINDS.index(name) for name in KINDS}
    table = np.array([*(known.get(value, 2) for value in coded.values), 0], np.uint8)
    kinds: NDArray[np.uint8] = table[coded.codes[sample]]
    return kinds


def _traces(coded: Any, sample: Ints, names: list[str]) -> list[str]:
    values = (*coded.values, None)
    return [
        values[code] or name.partition("::")[0]
        for code, name in zip(coded.codes[sample].tolist(), names, strict=True)
    ]


def _ordered(found: _Found) -> tuple[Ints, Ints, Ints]:
    """Streams in order, the parent of each as found, and the lane number of each in order."""
    _, lane = (
        np.unique(np.array(found.lanes, dtype=object), return_inverse=True)
        if found.lanes
        else (None, np.zeros(0, int))
    )
    count = int(lane.max()) + 1 if len(lane) else 0
    lane_first = np.full(count, np.inf)
    np.minimum.at(lane_first, lane, found.firsts)
    rank = np.empty(count, np.int64)
    rank[np.lexsort((np.arange(count), lane_first))] = np.arange(count)  # np.unique sorts by lane id
    number = rank[lane]
    ordered = np.lexsort((found.firsts, found.kinds, number)).astype(np.int64)
    parents = np.arange(len(ordered), dtype=np.int64)
    bounds = (
        np.flatnonzero(np.diff(number[ordered], prepend=-1, append=-1))
        if len(ordered)
        else np.zeros(0, np.int64)
    )
    for low, high in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        if high - low > 1:
            _arrange(found, ordered, parents, low, high)
    return ordered, parents, number[ordered] + 1


def _arrange(found: _Found, ordered: Ints, parents: Ints, low: int, high: int) -> None:
    """Order the streams of one lane, each with its own descendants after it, and name the parent of each."""
    members = ordered[low:high].tolist()
    by_name = {found.names[at]: at for at in members}
    key = {at: (int(found.kinds[at]), float(found.firsts[at]), found.names[at]) for at in members}
    members.sort(key=key.__getitem__)
    root = members[0]
    for at in members:
        parents[at] = at if at == root else _parent(found.names[at], by_name, root)
    paths = {at: _path(at, parents, key) for at in members}
    ordered[low:high] = sorted(members, key=paths.__getitem__)


def _parent(name: str, by_name: dict[str, int], root: int) -> int:
    """The stream whose id this one's continues, the nearest that is there; else the root of the lane."""
    while (shorter := _LAST_CHAIN.sub("", name)) != name:
        name = shorter
        if name in by_name:
            return by_name[name]
    return root


def _path(
    at: int, parents: Ints, key: dict[int, tuple[int, float, str]]
) -> tuple[tuple[int, float, str], ...]:
    """A stream's place in the tree: below the root, by kind and moment; descendants follow their parent."""
    path = [key[at]]
    while parents[at] != at and len(path) < 64:
        at = int(parents[at])
        path.append(key[at])
    path.reverse()
    kind = path[1][0] if len(path) > 1 else 0
    return ((kind, 0.0, ""), *path)


def _by_moment(stream: Ints, begin: NDArray[np.float64], tie_break: Callable[[int], Any]) -> Ints:
    """Requests by stream and first moment; equal ones by `tie_break`."""
    order = np.lexsort((begin, stream)).astype(np.int64)
    if len(order) < 2:
        return order
    tied = (np.diff(stream[order]) == 0) & (np.diff(begin[order]) == 0)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], tied, [False])).astype(np.int8)))
    for low, high in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        order[low : high + 1] = sorted(order[low : high + 1].tolist(), key=tie_break)
    return order
