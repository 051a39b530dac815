"""Reading per-request records against the plainest loop that derives the same percentiles."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import RUNS, Measure, median
from dashboard.ingest.request_records import read_requests
from dashboard.ingest.run_statistics import statistics

RECORDS = 6_000
PERCENTILES = (50, 75, 90, 95, 99)
#: AIPerf 0.13 writes a latency for each chunk: most of a line's length.
OUTPUT_TOKENS = 150
#: What else stands in a record, in the same form, and is not read.
BESIDE = {
    **dict.fromkeys(
        ("http_req_blocked", "http_req_dns_lookup", "http_req_connecting", "http_req_sending"), "ms"
    ),
    **dict.fromkeys(("http_req_waiting", "http_req_receiving", "http_req_duration", "http_req_total"), "ms"),
    **dict.fromkeys(("http_req_connection_overhead", "time_to_first_output_token", "decode_duration"), "ms"),
    **dict.fromkeys(("http_req_data_sent", "http_req_data_received"), "KB"),
    **dict.fromkeys(("http_req_chunks_sent", "http_req_chunks_received"), "count"),
    **dict.fromkeys(("usage_completion_tokens", "usage_total_tokens", "output_token_count"), "tokens"),
    **dict.fromkeys(("prefill_throughput_per_user", "e2e_output_token_throughput"), "tokens/sec/user"),
}


def request_records(folder: Path) -> Iterator[Measure]:
    """Records per second of our reader, as a ratio to `json.loads` line by line."""
    yield compare("with chunk latencies", [record(number, with_chunks=True) for number in range(RECORDS)])
    yield compare("without", [record(number, with_chunks=False) for number in range(RECORDS)])


def compare(name: str, lines: list[bytes]) -> Measure:
    """Both readers in turn over the same content, so that a noisy minute hits both."""
    content = b"".join(lines)
    check(plain_loop(content), our_reader(content))
    pairs = [(seconds(plain_loop, content), seconds(our_reader, content)) for _ in range(RUNS)]
    ours = median([our_time for _, our_time in pairs])
    note = f"{len(content) / ours / 1e6:.0f} MB/s, {len(lines) / ours:,.0f} records/s; a json.loads loop is 1"
    ratio = median([plain / our_time for plain, our_time in pairs])
    return Measure(f"ingest of per-request records, {name}", ratio, "x", 3, "least", note)


def seconds(read: Callable[[bytes], object], content: bytes) -> float:
    start = time.perf_counter()
    read(content)
    return time.perf_counter() - start


def record(number: int, with_chunks: bool) -> bytes:
    """One line of `profile_export.jsonl`; the numbers are invented."""
    start = 1_786_500_000_000_000_000 + number * 700_000_000
    itl = 8.0 + number * 37 % 101 / 20
    ttft = 180.0 + number * 53 % 997
    latency = ttft + itl * (OUTPUT_TOKENS - 1)
    values: dict[str, tuple[object, str]] = {
        "time_to_first_token": (ttft, "ms"),
        "inter_token_latency": (itl, "ms"),
        "request_latency": (latency, "ms"),
        "input_sequence_length": (20_000 + number * 911 % 180_000, "tokens"),
        "output_sequence_length": (OUTPUT_TOKENS, "tokens"),
        **{name: (number * 7 % 1009 / 3, unit) for name, unit in BESIDE.items()},
    }
    if with_chunks:
        chunks = [itl * (0.5 + (number + chunk) % 11 / 11) for chunk in range(OUTPUT_TOKENS - 1)]
        values["inter_chunk_latency"] = (chunks, "ms")
    line = {
        "metadata": {
            "session_num": number,
            "x_request_id": f"{number:032x}",
            "x_correlation_id": f"{number // 10:032x}",
            "conversation_id": f"trace_{number // 10:04d}",
            "turn_index": number % 10,
            "request_start_ns": start,
            "request_ack_ns": start + 900_000,
            "request_end_ns": start + int(latency * 1e6),
            "worker_id": f"worker_{number % 4}",
            "record_processor_id": "processor_0",
            "benchmark_phase": "profiling",
            "was_cancelled": False,
            "cancellation_time_ns": None,
            "agent_depth": 0,
        },
        "metrics": {name: {"value": value, "unit": unit} for name, (value, unit) in values.items()},
        "error": None,
    }
    return json.dumps(line).encode() + b"\n"


#: Quantities that both readers derive, with the metric of a record and the divisor to our unit.
SOURCES = {
    "ttft_s": ("time_to_first_token", 1000),
    "itl_s": ("inter_token_latency", 1000),
    "e2el_s": ("request_latency", 1000),
    "isl": ("input_sequence_length", 1),
    "osl": ("output_sequence_length", 1),
}


def plain_loop(content: bytes) -> dict[str, list[float]]:
    """The percentiles by `json.loads`, the way a script would do it."""
    columns: dict[str, list[float]] = {name: [] for name in SOURCES}
    for line in io.BytesIO(content):
        parsed = json.loads(line)
        if parsed["error"] is None and parsed["metadata"]["benchmark_phase"] == "profiling":
            for name, (metric, divisor) in SOURCES.items():
                columns[name].append(parsed["metrics"][metric]["value"] / divisor)
    per_token = [latency / osl for latency, osl in zip(columns["e2el_s"], columns["osl"], strict=True)]
    columns["e2e_per_token_s"] = per_token
    return {name: [float(v) for v in np.percentile(values, PERCENTILES)] for name, values in columns.items()}


def our_reader(content: bytes) -> dict[str, list[float]]:
    found = statistics(read_requests(io.BytesIO(content), "profile_export.jsonl").table)
    names = (*SOURCES, "e2e_per_token_s")
    return {name: [getattr(found[name], f"p{p}") for p in PERCENTILES] for name in names}


def check(expected: dict[str, list[float]], found: dict[str, list[float]]) -> None:
    """A reader that is fast and wrong is not fast."""
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-6, err_msg=name)
