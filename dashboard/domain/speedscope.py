"""A conversation in speedscope's file format: one evented profile a stream, a frame a turn.

Events of a profile must open and close like brackets, in order of time; turns of a stream that overlap go to
further profiles of that stream. Format: https://www.speedscope.app/file-format-schema.json
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
Turn = Mapping[str, Any]


def speedscope_document(name: str, turns: Sequence[Turn], exporter: str) -> dict[str, Any]:
    """The document of a conversation; `turns` are rows of the store's turns in order of their start."""
    frames: list[dict[str, str]] = []
    profiles: list[dict[str, Any]] = []
    streams: dict[str, list[tuple[int, Turn]]] = {}
    for turn in turns:
        frames.append({"name": _words(turn)})
        streams.setdefault(turn["stream"] or "main", []).append((len(frames) - 1, turn))
    for stream, members in streams.items():
        for number, part in enumerate(_sequences(members)):
            profiles.append(_profile(stream if not number else f"{stream} ({number + 1})", part))
    return {
        "$schema": SCHEMA,
        "name": name,
        "exporter": exporter,
        "activeProfileIndex": 0,
        "shared": {"frames": frames},
        "profiles": profiles,
    }


def _end(turn: Turn) -> float:
    """The end of a turn, its start where the recording does not tell it."""
    end = turn["end_s"]
    return float(turn["t_s"]) if end is None else max(float(end), float(turn["t_s"]))


def _sequences(members: list[tuple[int, Turn]]) -> list[list[tuple[int, Turn]]]:
    """Turns shared out so that none overlaps another of its sequence, each to the first that is free."""
    found: list[list[tuple[int, Turn]]] = []
    for member in members:
        free = next((part for part in found if _end(part[-1][1]) <= member[1]["t_s"]), None)
        if free is None:
            found.append([member])
        else:
            free.append(member)
    return found


def _profile(name: str, part: list[tuple[int, Turn]]) -> dict[str, Any]:
    events = [
        event
        for frame, turn in part
        for event in (
            {"type": "O", "frame": frame, "at": float(turn["t_s"])},
            {"type": "C", "frame": frame, "at": _end(turn)},
        )
    ]
    return {
        "type": "evented",
        "name": name,
        "unit": "seconds",
        "startValue": events[0]["at"],
        "endValue": events[-1]["at"],
        "events": events,
    }


def _words(turn: Turn) -> str:
    place = f"{turn['outer']}" if turn["inner"] is None else f"{turn['outer']}.{turn['inner']}"
    return (
        f"turn {place}: {turn['isl']} in ({turn['cached_prefix_tokens']} cached), {turn['osl']} out, "
        f"{turn['model']}"
    )
