"""Who was measured in an AIPerf folder, from every source that may say so, the most trustworthy first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from dashboard.domain.identity import RawIdentity
from dashboard.domain.records import Finding, Role
from dashboard.ingest.archives import RefusedError
from dashboard.ingest.client_config import load_in, load_in_command
from dashboard.ingest.client_summary import ClientSummary, mapping, text
from dashboard.ingest.folder_context import FolderContext
from dashboard.ingest.folder_names import identity_in, names_of
from dashboard.ingest.identity_settings import read_settings, settings_beside
from dashboard.ingest.run_files import RunFiles, open_text, read_object

#: Scenario of a run that says nothing about its load.
UNKNOWN_SCENARIO = "unknown"

_DEGREES = ("workers", "tp", "pp", "dcp", "pcp", "ep", "gpus")
_COMMAND_LIMIT = 1 << 16


@dataclass(frozen=True, slots=True)
class FolderIdentity:
    """Identity of one run in raw spelling; `named_by_file` lists the fields known from a name only."""

    raw: RawIdentity
    scenario: str
    concurrency: int | None
    isl: int | None
    osl: int | None
    dataset: str | None
    run_url: str | None
    command_line: str | None
    named_by_file: tuple[str, ...]
    findings: tuple[Finding, ...]


def identify(
    folder: Path,
    files: RunFiles,
    summary: ClientSummary | None,
    requests: pa.Table | None,
    context: FolderContext,
) -> FolderIdentity:
    """What is said, the strongest first: `--set`, `point.toml`, client configuration, command line, name."""
    command = _command_line(files, summary)
    named = identity_in(names_of(folder), context.catalog)
    stated, findings = _settings_file(folder, context.artifact)
    said = {
        **load_in_command(command or ""),
        **_configured(files, summary),
        **stated,
        **context.identity,
    }
    settings = {**named, **said}
    return FolderIdentity(
        raw=raw_identity(settings),
        scenario=settings.get("scenario") or _scenario_of_requests(requests),
        concurrency=_count(settings, "concurrency"),
        isl=_count(settings, "isl"),
        osl=_count(settings, "osl"),
        dataset=settings.get("dataset"),
        run_url=settings.get("run_url"),
        command_line=command,
        named_by_file=tuple(sorted(_point_field(key) for key in named.keys() - said.keys())),
        findings=tuple(findings),
    )


def raw_identity(settings: Mapping[str, str]) -> RawIdentity:
    """The deployment that settings describe; degrees without a role are those of the one aggregated role."""
    deployment = settings.get("deployment")
    return RawIdentity(
        model=settings.get("model"),
        hardware=settings.get("hardware"),
        engine=settings.get("engine"),
        precision=settings.get("precision"),
        spec_method=settings.get("spec_method"),
        offload=settings.get("offload"),
        offload_backend=settings.get("offload_backend"),
        offload_backend_version=settings.get("offload_backend_version"),
        disaggregated=None if deployment is None else deployment == "disaggregated",
        multi_node=None if deployment is None else deployment == "multi_node",
        prefill=_role(settings, "prefill_"),
        decode=_role(settings, "decode_" if deployment == "disaggregated" else ""),
        gpus=_count(settings, "gpus"),
        kv_transfer=settings.get("kv_transfer"),
        router=settings.get("router"),
        router_version=settings.get("router_version"),
        image=settings.get("image"),
        recipe_fingerprint=settings.get("recipe_fingerprint"),
    )


def _role(settings: Mapping[str, str], prefix: str) -> Role:
    degrees = {name: _count(settings, prefix + name) for name in _DEGREES if prefix or name != "gpus"}
    attention = settings.get(f"{prefix}dp_attention")
    return Role(**degrees, dp_attention=None if attention is None else attention == "true")


def _count(settings: Mapping[str, str], key: str) -> int | None:
    word = settings.get(key, "")
    return int(word) if word.isascii() and word.isdigit() else None


def _point_field(key: str) -> str:
    """The column that a setting fills: degrees of an aggregated deployment stand under `decode_`."""
    renamed = {"dataset": "dataset_slug", "isl": "isl_nominal", "osl": "osl_nominal"}
    aggregated = {name: f"decode_{name}" for name in (*_DEGREES, "dp_attention") if name != "gpus"}
    return (renamed | aggregated).get(key, key)


def _settings_file(folder: Path, artifact: str) -> tuple[dict[str, str], list[Finding]]:
    path = settings_beside(folder)
    return read_settings(path, artifact) if path is not None else ({}, [])


def _configured(files: RunFiles, summary: ClientSummary | None) -> dict[str, str]:
    """The load by the summary's configuration, else by the `run_config.json` of a sweep's cell."""
    if summary is not None:
        return load_in(summary.config, summary.metadata)
    if files.run_config is None:
        return {}
    try:
        config: Mapping[str, Any] = mapping(read_object(files.run_config).get("cfg"))
    except (OSError, RefusedError):
        return {}
    return load_in(config, {})


def _command_line(files: RunFiles, summary: ClientSummary | None) -> str | None:
    if summary is not None:
        said = text(summary.run_info.get("cli_command")) or text(summary.config.get("cli_command"))
        if said:
            return said
    if files.command is None:
        return None
    with open_text(files.command) as command:
        return command.read(_COMMAND_LIMIT).strip() or None


def _scenario_of_requests(requests: pa.Table | None) -> str:
    """Requests that name their place in a trace are a replay of agent conversations."""
    replayed = requests is not None and requests["source_outer"].null_count < requests.num_rows
    return "agentic" if replayed else UNKNOWN_SCENARIO
