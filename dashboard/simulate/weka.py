"""WEKA traces: a conversation as a trace document, and such a document as a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dashboard.simulate.conversations import BLOCK_TOKENS, Conversation, Stream, Timed, Turn, schedule

_NO_ANSWER_TOKENS = 1


def trace_of(conversation: Conversation) -> dict[str, Any]:
    """The trace document: calls of the main stream and auxiliary ones in the list, subagents as groups."""
    blocks = _BlockIds(conversation)
    calls: list[tuple[int, dict[str, Any]]] = []
    groups: dict[str, dict[str, Any]] = {}
    for entry in schedule(conversation):
        call = _call(entry, blocks.of(entry.turn))
        if entry.turn.inner is None:
            calls.append((entry.turn.outer, call))
            continue
        group = groups.get(entry.stream.name)
        if group is None:
            group = groups[entry.stream.name] = _group(entry)
            calls.append((entry.turn.outer, group))
        group["requests"].append(call | {"t": round(entry.start_s - group["t"], 3)})
        group["duration_ms"] = round((entry.end_s - group["t"]) * 1000)
    return {
        "id": conversation.trace_id,
        "models": sorted({turn.model for turn in conversation.turns()}),
        "block_size": BLOCK_TOKENS,
        "hash_id_scope": "local",
        "tool_tokens": 0,
        "system_tokens": 0,
        "requests": [call for _, call in sorted(calls, key=lambda pair: pair[0])],
    }


def _call(entry: Timed, hash_ids: list[int]) -> dict[str, Any]:
    turn = entry.turn
    return {
        "t": round(entry.start_s, 3),
        "type": "s",
        "model": turn.model,
        "in": turn.isl,
        "out": turn.osl,
        "hash_ids": hash_ids,
        "input_types": ["tool_result"],
        "output_types": ["text"],
        "stop": turn.stop,
        "api_time": turn.api_s,
        "think_time": turn.delay_s,
    }


def _group(entry: Timed) -> dict[str, Any]:
    return {
        "t": round(entry.start_s, 3),
        "type": "subagent",
        "agent_id": entry.stream.name.partition(":")[2],
        "subagent_type": "general",
        "status": "async_launched" if entry.stream.joined_by is None else "completed",
        "models": [entry.turn.model],
        "tool_tokens": 0,
        "system_tokens": 0,
        "requests": [],
    }


@dataclass(slots=True)
class _BlockIds:
    """Block ids of the segments, numbered by first appearance."""

    conversation: Conversation
    ids: dict[int, list[int]] = field(default_factory=dict)
    count: int = 0

    def of(self, turn: Turn) -> list[int]:
        hash_ids: list[int] = []
        for segment, length in zip(turn.path, self.conversation.lengths(turn), strict=True):
            known = self.ids.setdefault(segment, [])
            fresh = max(0, length - len(known))
            known += range(self.count, self.count + fresh)
            self.count += fresh
            hash_ids += known[:length]
        return hash_ids


@dataclass(frozen=True, slots=True)
class _Call:
    """One call of a trace: its place, its absolute start, and the document."""

    outer: int
    inner: int | None
    start_s: float
    document: Mapping[str, Any]

    @property
    def end_s(self) -> float:
        return self.start_s + float(self.document.get("api_time") or 0.0)

    @property
    def hash_ids(self) -> Sequence[int]:
        return self.document.get("hash_ids") or ()


def conversation_of(trace: Mapping[str, Any]) -> Conversation:
    """The conversation of a trace. Raises KeyError or TypeError for a document that is none."""
    entries = list(enumerate(trace["requests"]))
    main = [_Call(n, None, float(e["t"]), e) for n, e in entries if e.get("type") != "subagent"]
    main.sort(key=lambda call: (call.start_s, call.outer))
    groups = [(n, e) for n, e in entries if e.get("type") == "subagent" and e.get("requests")]
    children = {n: _inner_calls(n, group) for n, group in groups}
    tree = _PrefixTree.over([*main, *(call for calls in children.values() for call in calls)])
    streams = [Stream("", "main", tuple(_turns(main, 0.0, tree)))]
    for n, group in groups:
        spawned_by = max(
            (i for i, call in enumerate(main) if call.start_s <= float(group["t"])), default=None
        )
        if spawned_by is None:
            continue
        end = max(call.end_s for call in children[n])
        joined_by = next((i for i, call in enumerate(main) if call.start_s >= end and i > spawned_by), None)
        turns = tuple(_turns(children[n], main[spawned_by].end_s, tree))
        name = f"sa:{group.get('agent_id') or f'agent_{n:03d}'}"
        streams.append(Stream(name, "subagent", turns, spawned_by, joined_by))
    return Conversation(str(trace["id"]), tuple(streams), tuple(tree.starts))


def _inner_calls(outer: int, group: Mapping[str, Any]) -> list[_Call]:
    """A group's calls at absolute times: inner ones count from the group's start, unless they are later."""
    began = float(group["t"])
    found = []
    for inner, call in enumerate(group["requests"]):
        start = float(call["t"])
        found.append(_Call(outer, inner, start if start >= began > 0 else began + start, call))
    return sorted(found, key=lambda call: (call.start_s, call.inner))


def _turns(calls: Iterable[_Call], before_s: float, tree: _PrefixTree) -> Iterator[Turn]:
    """A stream's calls as turns; a call that seems to start before its predecessor ended has no pause."""
    for call in calls:
        path = tree.path(call.hash_ids)
        said = call.document
        isl = max(int(said["in"]), len(call.hash_ids) * BLOCK_TOKENS, 1)
        yield Turn(
            outer=call.outer,
            inner=call.inner,
            path=path,
            blocks=len(call.hash_ids),
            isl=isl,
            osl=max(int(said["out"]), _NO_ANSWER_TOKENS),
            delay_s=max(0.0, call.start_s - before_s),
            api_s=float(said.get("api_time") or 0.0),
            model=str(said.get("model") or ""),
            stop=str(said.get("stop") or ""),
        )
        before_s = max(before_s, call.end_s)


@dataclass(slots=True)
class _PrefixTree:
    """The tree of all prompts of a trace, compressed to segments: `starts` are their depths in blocks.

    Ids are chained hashes: an id stands for everything before it, so that each has one predecessor.
    """

    starts: list[int] = field(default_factory=list)
    segment: dict[int, int] = field(default_factory=dict)

    @classmethod
    def over(cls, calls: Iterable[_Call]) -> _PrefixTree:
        prompts = [call.hash_ids for call in calls]
        successors: dict[int, set[int]] = {}
        for ids in prompts:
            for before, after in zip((-1, *ids), ids, strict=False):
                successors.setdefault(before, set()).add(after)
        tree = cls()
        for ids in prompts:
            for depth, (before, after) in enumerate(zip((-1, *ids), ids, strict=False)):
                if after in tree.segment:
                    continue
                if before in tree.segment and len(successors[before]) == 1:
                    tree.segment[after] = tree.segment[before]
                else:
                    tree.segment[after] = len(tree.starts)
                    tree.starts.append(depth)
        return tree

    def path(self, ids: Sequence[int]) -> tuple[int, ...]:
        """The segments of a prompt from the root."""
        return tuple(dict.fromkeys(self.segment[one] for one in ids))
