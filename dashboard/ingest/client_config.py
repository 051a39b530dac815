"""The load that a client was told to send, from its `input_config` or its command line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from dashboard.domain.identity import scenario_of
from dashboard.ingest.client_summary import mapping, number, sequence, text

_COMMAND_FILES_LIMIT = 1 << 16
_FLAGS = {
    "model": ("-m", "--model", "--model-names"),
    "concurrency": ("--concurrency",),
    "scenario": ("--scenario",),
    "isl": ("--isl", "--synthetic-input-tokens-mean"),
    "osl": ("--osl", "--output-tokens-mean"),
    "dataset": ("--public-dataset", "--input-file"),
    "turns": ("--conversation-turn-mean",),
}


def load_in(config: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, str]:
    """Settings (keys of `identity_settings`) from `input_config`, as versions 0.8 and 0.13 write it."""
    phase = next(
        (p for p in map(mapping, sequence(config.get("phases"))) if p.get("kind") == "profiling"), {}
    )
    loadgen = mapping(config.get("loadgen"))
    lengths = {name: _nominal(config, name) for name in ("isl", "osl")}
    agentic = is_agentic(text(config.get("scenario")) or text(metadata.get("scenario")), config)
    said: dict[str, str | None] = {
        "model": _model(config),
        "concurrency": _whole(phase.get("concurrency", loadgen.get("concurrency"))),
        "dataset": _dataset(config, metadata),
        **({} if agentic else lengths),
        "scenario": "agentic" if agentic else _scenario(_turns(config), lengths),
    }
    return {key: value for key, value in said.items() if value is not None}


def load_in_command(command: str) -> dict[str, str]:
    """The same from the command line, for runs that ended before they wrote their configuration."""
    try:
        words = shlex.split(command[:_COMMAND_FILES_LIMIT])
    except ValueError:
        return {}
    said = {key: value for key, flags in _FLAGS.items() if (value := _option(words, flags)) is not None}
    agentic = is_agentic(said.get("scenario"), {}) or words[:2] == ["agentx", "profile"]
    lengths = {key: _whole(_parsed(said.pop(key, None))) for key in ("isl", "osl")}
    turns = _parsed(said.pop("turns", None)) or 1.0
    said.pop("scenario", None)
    found: dict[str, str | None] = {
        "model": said.get("model"),
        "concurrency": _whole(_parsed(said.get("concurrency"))),
        "dataset": PurePosixPath(said["dataset"]).name if "dataset" in said else None,
        **({} if agentic else lengths),
        "scenario": "agentic" if agentic else _scenario(turns, lengths),
    }
    return {key: value for key, value in found.items() if value is not None}


def is_agentic(scenario: str | None, config: Mapping[str, Any]) -> bool:
    """Whether the load is a replay of agent conversations."""
    if scenario and "agent" in scenario.lower():
        return True
    phases, datasets = (map(mapping, sequence(config.get(key))) for key in ("phases", "datasets"))
    replays = any(phase.get("timing_mode") == "agentic_replay" for phase in phases)
    return replays or any("weka" in str(dataset.get("format")) for dataset in datasets)


def _model(config: Mapping[str, Any]) -> str | None:
    items = map(mapping, sequence(mapping(config.get("models")).get("items")))
    names = [name for item in items if (name := text(item.get("name")))]
    names += [
        name for raw in sequence(mapping(config.get("endpoint")).get("model_names")) if (name := text(raw))
    ]
    return names[0] if names else None


def _dataset(config: Mapping[str, Any], metadata: Mapping[str, Any]) -> str | None:
    """The name of the replayed data: a public data set or the last part of a path; None when synthetic."""
    stated = mapping(metadata.get("dataset"))
    for key in ("slug", "name", "id"):
        if name := text(stated.get(key)):
            return name
    if name := text(mapping(config.get("input")).get("public_dataset")):
        return name
    for dataset in map(mapping, sequence(config.get("datasets"))):
        name = text(dataset.get("path")) or text(dataset.get("dataset"))
        if name and dataset.get("type") != "synthetic":
            return PurePosixPath(name).name
    return None


def _nominal(config: Mapping[str, Any], name: str) -> str | None:
    """Mean length that a synthetic prompt was asked to have, tokens."""
    for dataset in map(mapping, sequence(config.get("datasets"))):
        length = mapping(mapping(dataset.get("prompts")).get(name)).get("mean")
        if length is not None:
            return _whole(length)
    older = mapping(mapping(config.get("input")).get("prompt"))
    return _whole(mapping(older.get({"isl": "input_tokens", "osl": "output_tokens"}[name])).get("mean"))


def _turns(config: Mapping[str, Any]) -> float:
    means = (mapping(d.get("turns")).get("mean") for d in map(mapping, sequence(config.get("datasets"))))
    return next((mean for raw in means if (mean := number(raw)) is not None), 1.0)


def _scenario(turns: float, lengths: Mapping[str, str | None]) -> str | None:
    isl, osl = lengths.get("isl"), lengths.get("osl")
    if turns > 1:
        return "multi-turn"
    return scenario_of(int(isl), int(osl)) if isl and osl else None


def _option(words: Sequence[str], flags: Sequence[str]) -> str | None:
    for position, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in flags:
            return value if equals else next(iter(words[position + 1 : position + 2]), None)
    return None


def _parsed(word: str | None) -> float | None:
    try:
        return None if word is None else float(word)
    except ValueError:
        return None


def _whole(value: Any) -> str | None:
    figure = number(value)
    return str(int(figure)) if figure is not None and 0 < figure < 1e9 and figure == int(figure) else None
