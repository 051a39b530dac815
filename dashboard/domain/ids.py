"""Ids of configurations and points: hashes over what identifies them, so that a link keeps its meaning."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import fields

from dashboard.domain.records import Point, Role

_ROLE_FIELDS = tuple(f.name for f in fields(Role))

#: What identifies a configuration. Images and versions are left out: they change from run to run.
CONFIG_FIELDS = (
    "model", "hardware", "engine", "precision", "spec_method", "deployment", "offload", "offload_backend",
    "kv_transfer", "router", "recipe_fingerprint",
    *(f"{role}_{name}" for role in ("prefill", "decode") for name in _ROLE_FIELDS),
)  # fmt: skip

#: Degrees that older artifacts leave out when they are 1; left out of ids as well, so that both agree.
_ONE_BY_DEFAULT = ("workers", "pp", "dcp", "pcp")

_IDENTIFIER = re.compile(r"(?:^|-)([0-9a-f]{10})$")


def config_fields(point: Point) -> dict[str, object]:
    """The fields of `CONFIG_FIELDS` of a point, by name."""
    values: dict[str, object] = {
        f"{role}_{name}": getattr(getattr(point, role), name)
        for role in ("prefill", "decode")
        for name in _ROLE_FIELDS
    }
    return {name: values[name] if name in values else getattr(point, name) for name in CONFIG_FIELDS}


def config_id(point_fields: Mapping[str, object]) -> str:
    """Ten hex digits over the canonical JSON of the configuration fields that are known."""
    said = {name: point_fields.get(name) for name in CONFIG_FIELDS}
    return _digest({name: value for name, value in said.items() if not _implied(name, value)})


def _implied(name: str, value: object) -> bool:
    return value is None or (value == 1 and name.partition("_")[2] in _ONE_BY_DEFAULT)


def point_id(
    config: str,
    concurrency: int | None,
    scenario: str,
    run_id: str,
    run_attempt: int | None,
    isl: int | None = None,
    osl: int | None = None,
) -> str:
    """Ten hex digits over configuration, concurrency, scenario with nominal lengths, run and attempt."""
    said = {
        "config_id": config,
        "concurrency": concurrency,
        "scenario": scenario,
        "run_id": run_id,
        "run_attempt": run_attempt,
        "isl": isl,
        "osl": osl,
    }
    return _digest({name: value for name, value in said.items() if value is not None})


def _digest(said: Mapping[str, object]) -> str:
    canonical = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:10]


def readable_slug(fields_of: Mapping[str, object], identifier: str) -> str:
    """An address people can read, `dsv4-b300-vllm-fp4-c384-3f9a1c07b2`; only the last ten hex digits count.

    `fields_of` is a row of the store: model, hardware, engine, precision and, for a point, concurrency.
    """
    words = [fields_of.get(name) for name in ("model", "hardware", "engine", "precision")]
    concurrency = fields_of.get("concurrency")
    words.append(None if concurrency is None else f"c{concurrency}")
    clean = (re.sub(r"[^a-z0-9.]+", "-", str(word).lower()).strip("-.") for word in words if word is not None)
    return "-".join((*filter(None, clean), identifier))


def identifier_of(slug: str) -> str | None:
    """The id at the end of a slug, whatever stands before it; None when there is none."""
    found = _IDENTIFIER.search(slug)
    return found.group(1) if found else None
