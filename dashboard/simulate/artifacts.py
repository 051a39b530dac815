"""A simulated run on disk, as CI leaves one: AIPerf's files in `agentic_X/`, the row in `bmk_agentic_X/`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from dashboard.simulate.client_export import record_lines, summary
from dashboard.simulate.labels import Labels
from dashboard.simulate.lanes import Trace
from dashboard.simulate.rows import identity, result_row
from dashboard.simulate.server_export import server_metrics


def write_run(
    folder: Path, trace: Trace, labels: Labels, *, with_server: bool = True, with_row: bool = True
) -> None:
    """Write one point's artifacts below `folder`, the folder of what was run together."""
    tree = folder / f"agentic_{labels.slug}"
    tree.mkdir(parents=True, exist_ok=True)
    _write_lines(tree / "profile_export.jsonl", record_lines(trace, labels))
    _write(tree / "profile_export_aiperf.json", summary(trace, labels))
    if with_server:
        _write(tree / "server_metrics_export.json", server_metrics(trace, labels))
    (tree / "point.toml").write_text(_settings(labels), "utf-8")
    if not with_row:
        return
    row = folder / f"bmk_agentic_{labels.slug}"
    row.mkdir(exist_ok=True)
    _write(row / f"{labels.slug}.json", result_row(trace, labels, with_server=with_server))


def _settings(labels: Labels) -> str:
    """What AIPerf's files do not say of the deployment, for the folder without its row."""
    row = identity(labels)
    backend, router = row["kv_offload_backend"] or {}, row.get("router") or {}
    settings = {
        "model": row["infmax_model_prefix"],
        "hardware": row["hw"],
        "engine": row["framework"],
        "precision": row["precision"],
        "spec_method": row["spec_decoding"],
        "image": row["image"],
        "dataset": labels.dataset,
        "offload": row["kv_offloading"],
        "offload_backend": backend.get("name"),
        "offload_backend_version": backend.get("version"),
        "router": router.get("name"),
        "router_version": router.get("version"),
        "kv_transfer": row.get("kv_p2p_transfer"),
        **(_roles(row) if row["disagg"] else _degrees(row)),
    }
    lines = (
        f"{name} = {orjson.dumps(value).decode()}" for name, value in settings.items() if value is not None
    )
    return "\n".join(lines) + "\n"


def _degrees(row: Mapping[str, Any]) -> dict[str, Any]:
    attention = row["dp_attention"] == "true"
    return {"deployment": "single_node", "tp": row["tp"], "ep": row["ep"], "pp": 1, "dp_attention": attention}


def _roles(row: Mapping[str, Any]) -> dict[str, Any]:
    settings: dict[str, Any] = {"deployment": "disaggregated"}
    for role in ("prefill", "decode"):
        settings |= {
            f"{role}_workers": row[f"{role}_num_workers"],
            f"{role}_tp": row[f"{role}_tp"],
            f"{role}_ep": row[f"{role}_ep"],
            f"{role}_dp_attention": row[f"{role}_dp_attention"] == "true",
            f"{role}_gpus": row[f"num_{role}_gpu"],
        }
    return settings


def _write(path: Path, document: Mapping[str, Any]) -> None:
    path.write_bytes(orjson.dumps(document, option=orjson.OPT_SERIALIZE_NUMPY))


def _write_lines(path: Path, lines: Iterable[bytes]) -> None:
    with path.open("wb") as file:
        file.writelines(lines)
