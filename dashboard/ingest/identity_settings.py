"""What a person may say about a run that its artifacts do not: the keys of `--set` and of `point.toml`.

AIPerf writes the URL it sent requests to, and nothing of what stood behind it (aiperf.md 15).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, get_args

from dashboard.domain.records import Deployment, Finding
from dashboard.ingest.naming import printable

SETTINGS_FILE = "point.toml"

_TEXT = (
    "model", "hardware", "engine", "precision", "spec_method", "offload", "offload_backend",
    "offload_backend_version", "kv_transfer", "router", "router_version", "image", "recipe_fingerprint",
    "dataset", "scenario", "run_url",
)  # fmt: skip
_DEGREES = ("workers", "tp", "pp", "dcp", "pcp", "ep", "gpus")
_ROLES = ("prefill", "decode")
_COUNTS = (
    "concurrency",
    "isl",
    "osl",
    *_DEGREES,
    *(f"{role}_{name}" for role in _ROLES for name in _DEGREES),
)
_FLAGS = ("dp_attention", *(f"{role}_dp_attention" for role in _ROLES))
_DEPLOYMENTS: Final[tuple[str, ...]] = get_args(Deployment)

#: Every key, with what it holds in words for help texts.
IDENTITY_KEYS: Final[Mapping[str, str]] = MappingProxyType(
    dict.fromkeys(_TEXT, "text")
    | dict.fromkeys(_COUNTS, "a whole number above 0")
    | dict.fromkeys(_FLAGS, "true or false")
    | {"deployment": ", ".join(_DEPLOYMENTS)}
)

_LARGEST_COUNT = 10**7
_LARGEST_FILE = 1 << 20


def setting_error(key: str, value: str) -> str | None:
    """Why `key=value` cannot be used, as a sentence; None when it can."""
    if key not in IDENTITY_KEYS:
        return f"{printable(key, 60)} is not a known setting; known are {', '.join(sorted(IDENTITY_KEYS))}"
    fits = {
        "text": bool(value.strip()),
        "a whole number above 0": value.isascii()
        and value.isdigit()
        and 0 < int(value[:9]) <= _LARGEST_COUNT,
        "true or false": value in ("true", "false"),
    }.get(IDENTITY_KEYS[key], value in _DEPLOYMENTS)
    return None if fits else f"{key} is {printable(value, 60)!r}, but must be {IDENTITY_KEYS[key]}"


def read_settings(path: Path, artifact: str) -> tuple[dict[str, str], list[Finding]]:
    """The settings of a `point.toml`; a file or key that cannot be used is named and left out."""
    try:
        raw = path.read_bytes()[:_LARGEST_FILE].decode("utf-8")
        document = tomllib.loads(raw)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        detail = f"{SETTINGS_FILE} is not used: {printable(str(error), 200)}"
        return {}, [Finding(artifact, "unreadable_settings", "warning", detail, SETTINGS_FILE)]
    settings: dict[str, str] = {}
    findings: list[Finding] = []
    for key, value in _flattened(document):
        problem = setting_error(key, value)
        if problem:
            detail = f"{SETTINGS_FILE}: {problem}; it is not used"
            findings.append(Finding(artifact, "wrong_setting", "warning", detail, key))
        else:
            settings[key] = value
    return settings, findings


def settings_beside(folder: Path) -> Path | None:
    """The `point.toml` in a run folder or beside it; for a cell of a sweep, also above the whole sweep."""
    places = [folder, folder.parent]
    if (sweep := sweep_folder(folder)) is not None:
        places += [sweep, sweep.parent]
    return next((place / SETTINGS_FILE for place in places if (place / SETTINGS_FILE).is_file()), None)


def sweep_folder(folder: Path) -> Path | None:
    """The folder of a sweep that `folder` is a cell of: what stands above `profile_runs`."""
    above = (folder, *folder.parents)
    return next((place.parent for place in above[:4] if place.name == "profile_runs"), None)


def _flattened(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Keys and values as text; tables of roles become prefixes: `[prefill] tp = 8` is `prefill_tp`."""
    for key, value in document.items():
        if key in _ROLES and isinstance(value, Mapping):
            for name, inner in value.items():
                yield f"{key}_{name}", _spelled(inner)
        else:
            yield key, _spelled(value)


def _spelled(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
