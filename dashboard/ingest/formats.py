"""Known formats that are not points: each is recognised by its own keys and named when it is refused.

A reader who drops a folder on `ingest` learns what each file is, not merely that it was not used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """A format that gives no point: `code` groups findings, `sentence` follows a file's name."""

    code: str
    sentence: str


Shape = Callable[[Mapping[str, object]], bool]


def _keys(*names: str) -> Shape:
    return lambda document: all(name in document for name in names)


def _without(shape: Shape, *names: str) -> Shape:
    return lambda document: shape(document) and not any(name in document for name in names)


def _is_guidellm(document: Mapping[str, object]) -> bool:
    metadata = document.get("metadata")
    return "benchmarks" in document and isinstance(metadata, Mapping) and "guidellm_version" in metadata


def _is_server_metrics(document: Mapping[str, object]) -> bool:
    summary = document.get("summary")
    return "metrics" in document and isinstance(summary, Mapping) and "endpoints_configured" in summary


WEKA = Format(
    "weka_trace", "is an array of WEKA traces; write one trace a file, or one a line (traces.jsonl)"
)
GUIDELLM = Format(
    "guidellm_report", "is a GuideLLM report, which is not read; only InferenceX rows and AIPerf are"
)
INFERENCE_PERF = Format("inference_perf_report", "is an inference-perf report, which is not read")
LLM_D = Format("llm_d_report", "is an llm-d benchmark report, which is not read")
VLLM_BENCH = Format("vllm_bench_summary", "is a summary of `vllm bench serve`, which is not read")
EVALUATION = Format("evaluation", "holds accuracy evaluations, not performance points")
AVAILABILITY = Format("api_availability", "lists what the public site has, not points")
SUBMISSIONS = Format("api_submissions", "summarises submissions to the public site, not points")
RELIABILITY = Format("api_reliability", "counts run successes per accelerator and day, not points")
WORKFLOW = Format("api_workflow", "describes CI runs and their changelogs, not points")
CHANGELOG = Format("changelog_metadata", "is the changelog of a CI run, not points")
AGGREGATE = Format(
    "aiperf_aggregate", "is AIPerf's own average over runs; the runs themselves give the points"
)
TIMESLICES = Format("aiperf_timeslices", "holds AIPerf's time slices without the run folder they belong to")
SERVER_METRICS = Format("server_metrics", "holds server metrics without the run folder they belong to")
INPUTS = Format("aiperf_inputs", "holds the prompts or answers of an AIPerf run without its records")
PHASES = Format("aiperf_phases", "is the phase manifest of an AIPerf run without its records")
RUN_CONFIG = Format("aiperf_run_config", "is the configuration of an AIPerf run without its results")
RUN_INDEX = Format("run_index", "is an index of run folders; the folders themselves give the points")
POWER = Format("power_telemetry", "is power telemetry without a row that uses it")

#: In the order they are tried; the first that fits names an object.
_OBJECTS: tuple[tuple[Format, Shape], ...] = (
    (WEKA, _keys("requests", "block_size", "hash_id_scope")),
    (GUIDELLM, _is_guidellm),
    (INFERENCE_PERF, _keys("load_summary", "successes", "failures")),
    (LLM_D, _keys("version", "run", "results")),
    (VLLM_BENCH, _keys("num_prompts", "request_throughput", "completed")),
    (EVALUATION, _keys("results", "versions", "configs")),
    (EVALUATION, _without(_keys("task"), "request_metrics")),
    (SUBMISSIONS, _keys("summary", "volume")),
    (RELIABILITY, _keys("hardware", "n_success", "total")),
    (AVAILABILITY, _without(_keys("model", "hardware", "framework", "spec_method", "date"), "metrics")),
    (WORKFLOW, _keys("runs", "changelogs")),
    (CHANGELOG, _keys("base_ref", "head_ref", "entries")),
    (AGGREGATE, _keys("aggregation_type")),
    (AGGREGATE, _keys("metadata", "metrics")),
    (TIMESLICES, _keys("timeslices")),
    (SERVER_METRICS, _is_server_metrics),
    (PHASES, _keys("schema_version", "phases")),
    (RUN_CONFIG, _keys("benchmark_id", "cfg")),
    (RUN_INDEX, _keys("dir", "source", "requests")),
    (INPUTS, lambda document: isinstance(document.get("data"), list)),
    (POWER, _keys("power_metric_schema_version")),
)

_YAML_LINES: tuple[tuple[Format, re.Pattern[str]], ...] = (
    (INFERENCE_PERF, re.compile(r"^load_summary:", re.MULTILINE)),
    (LLM_D, re.compile(r"^version: '?0\.\d[\s\S]*^(run|scenario):", re.MULTILINE)),
)


def foreign_object(document: Mapping[str, object]) -> Format | None:
    """The known format that an object is, when it is one that gives no point."""
    return next((known for known, fits in _OBJECTS if fits(document)), None)


def foreign(document: object) -> Format | None:
    """The known format of a JSON document that gives no point; an array is told by its first object."""
    if isinstance(document, Mapping):
        return foreign_object(document)
    if isinstance(document, Sequence) and not isinstance(document, str):
        first = next((item for item in document if isinstance(item, Mapping)), None)
        return foreign_object(first) if first is not None else None
    return None


def foreign_yaml(text: str) -> Format | None:
    """The known format of a YAML text, told by its top-level keys."""
    return next((known for known, pattern in _YAML_LINES if pattern.search(text)), None)


def is_client_aggregate(document: object) -> bool:
    """Whether a document is the summary that AIPerf writes for one run (`profile_export_aiperf.json`)."""
    if not isinstance(document, Mapping) or not isinstance(document.get("input_config"), Mapping):
        return False
    return "request_latency" in document or "request_count" in document or "error_request_count" in document


def is_request_record(document: object) -> bool:
    """Whether a document is one line of AIPerf's per-request export."""
    if not isinstance(document, Mapping) or not isinstance(document.get("metadata"), Mapping):
        return False
    metadata = document["metadata"]
    return "metrics" in document and "request_start_ns" in metadata
