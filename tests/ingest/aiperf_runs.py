"""Invented AIPerf artifacts: records and summaries as the tool writes them, and what a test wants changed."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from dashboard.domain.catalog import Catalog
from dashboard.domain.identity import RunIdentity
from dashboard.domain.records import Finding
from dashboard.ingest.aiperf import FolderContext, FolderReading, read_folder
from dashboard.ingest.request_records import RequestsReading, read_requests

#: An epoch time in nanoseconds: beyond 2**53, so that a float would lose its last digits.
EPOCH_NS = 1_796_028_229_237_092_725
ARTIFACT = "runs/c8"
#: A deployment that leaves no question open.
DEPLOYMENT = {"hardware": "b200", "engine": "vllm", "precision": "fp4", "tp": "8"}


def record(
    number: int = 0,
    metadata: Mapping[str, Any] | None = None,
    metrics: Mapping[str, Any] | None = None,
    without: Sequence[str] = (),
    **top_level: Any,
) -> dict[str, Any]:
    """One record; `metadata` and `metrics` replace fields, `without` removes them, `top_level` adds keys."""
    start = EPOCH_NS + number * 1_000_000_000
    fields = {
        "session_num": number,
        "x_request_id": f"request-{number:04d}",
        "x_correlation_id": f"lane-{number % 4}",
        "conversation_id": f"trace_{number % 4:04d}",
        "turn_index": number // 4,
        "source_trace_id": f"trace_{number % 4:04d}",
        "source_outer_idx": number // 4,
        "credit_issued_ns": start - 2_000_000,
        "request_start_ns": start,
        "request_ack_ns": start + 1_000_000,
        "request_end_ns": start + 2_000_000_000,
        "worker_id": "worker_1",
        "benchmark_phase": "profiling",
        "was_cancelled": False,
        "agent_depth": 0,
        "root_correlation_id": f"lane-{number % 4}",
    }
    figures: dict[str, Any] = {
        "input_sequence_length": tokens(1000 + number),
        "output_sequence_length": tokens(101),
        "time_to_first_token": ms(500.0 + number),
        "request_latency": ms(1500.0 + number),
        "inter_token_latency": ms(10.0 + number / 10),
        "inter_chunk_latency": {"value": [10.0] * 20, "unit": "ms"},
        "usage_total_tokens": tokens(1101 + number),
        "usage_prompt_cache_read_tokens": tokens(800),
        "http_req_duration": ms(1500.0),
    }
    fields, figures = fields | dict(metadata or {}), figures | dict(metrics or {})
    for name in without:
        fields.pop(name, None)
        figures.pop(name, None)
    return {"metadata": fields, "metrics": figures, **top_level}


def failed(number: int = 0, error: Any = None, **metadata: Any) -> dict[str, Any]:
    """A record of a request that failed: no figures, only the error."""
    error = error or {"code": 500, "type": "Internal Server Error", "message": "engine: died"}
    return record(number, metadata) | {"metrics": {}, "error": error}


def warmup(number: int = 0) -> dict[str, Any]:
    """An agentic warm-up record: one token, so no ITL."""
    one_token = {"output_sequence_length": tokens(1)}
    return record(number, {"benchmark_phase": "warmup"}, one_token, without=["inter_token_latency"])


def ms(value: Any) -> dict[str, Any]:
    return {"value": value, "unit": "ms"}


def tokens(value: Any) -> dict[str, Any]:
    return {"value": value, "unit": "tokens"}


def jsonl(records: Sequence[Any]) -> bytes:
    """Compact lines, as AIPerf writes them; a string among the records is a line as it is."""
    lines = (r if isinstance(r, str) else json.dumps(r, separators=(",", ":")) for r in records)
    return "".join(f"{line}\n" for line in lines).encode()


def read(*records: Any, raw: bytes | None = None) -> RequestsReading:
    return read_requests(io.BytesIO(jsonl(records) if raw is None else raw), ARTIFACT)


def table(*records: Any) -> pa.Table:
    """The request table of records that are all sound."""
    reading = read(*records)
    assert reading.table is not None, reading.findings
    return reading.table


def rows(*records: Any) -> list[dict[str, Any]]:
    return table(*records).to_pylist()


def row(one: Any) -> dict[str, Any]:
    return rows(one)[0]


def codes(findings: Sequence[Finding]) -> list[str]:
    return [finding.code for finding in findings]


def summary(**changed: Any) -> dict[str, Any]:
    """A client summary of the newest form without figures of requests beyond the counts."""
    document: dict[str, Any] = {
        "schema_version": "1.4",
        "aiperf_version": "0.13.0",
        "benchmark_id": "0123456789ab",
        "request_count": {"unit": "requests", "avg": 8.0},
        "input_config": {
            "models": {"items": [{"name": "moonshotai/Kimi-K2.5"}]},
            "endpoint": {"urls": ["http://127.0.0.1:8100"], "type": "chat"},
            "datasets": [{"name": "main", "type": "file", "path": "traces12", "format": "weka_trace"}],
            "phases": [{"kind": "profiling", "concurrency": 8, "timing_mode": "agentic_replay"}],
            "scenario": "inferencex-agentx-mvp",
        },
        "run_info": {"benchmark_id": "0123456789ab", "cli_command": "aiperf profile --concurrency 8"},
        "was_cancelled": False,
        "metadata": {"scenario": "inferencex-agentx-mvp", "submission_valid": True},
    }
    return {key: value for key, value in (document | changed).items() if value is not None}


def write_run(
    folder: Path,
    records: Sequence[Any] | None = None,
    client: Mapping[str, Any] | None = None,
    **files: str,
) -> Path:
    """A run folder; `files` are further files by name, `__` in place of the dot."""
    folder.mkdir(parents=True, exist_ok=True)
    if records is not None:
        (folder / "profile_export.jsonl").write_bytes(jsonl(records))
    if client is not None:
        (folder / "profile_export_aiperf.json").write_text(json.dumps(client))
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content)
    return folder


def context(catalog: Catalog, identity: Mapping[str, str] | None = None, **run: Any) -> FolderContext:
    named = replace(RunIdentity("august-sweep", "folder"), **run)
    return FolderContext(catalog, identity or {}, named, ARTIFACT)


def read_run(folder: Path, catalog: Catalog, **identity: str) -> FolderReading:
    return read_folder(folder, context(catalog, identity))
