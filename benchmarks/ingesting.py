"""Reading per-request records against the plainest loop that derives the same percentiles."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import RUNS, Measure, median
from dashboard.ingest.aiperf import read_requests, statistics

RECORDS = 6_000
PERCENTILES = (50, 75, 90, 95, 99)
#: Metrics of a record as AIPerf 0.13 writes them, with a latency for each chunk: most of a line's length.
OUTPUT_TOKENS = 150


def request_records(folder: Path) -> Iterator[Measure]:
    """Records per second of our reader, as a ratio to `json.loads` line by line."""
    content = b"".join(record(number) for number in range(RECORDS))
    plain = median([seconds(lambda: plain_loop(content)) for _ in range(RUNS)])
    ours = median([seconds(lambda: our_reader(content)) for _ in range(RUNS)])
    check(plain_loop(content), our_reader(content))
    rate = len(content) / ours / 1e6
    yield Measure(
        "ingest of per-request records", plain / ours, "x", 3, "least", "rate against a json.loads loop"
    )
    yield Measure("the same, absolute", rate, "MB/s", note=f"{RECORDS / ours:,.0f} records/s")


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def record(number: int) -> bytes:
    """One line of `profile_export.jsonl`; the numbers are invented."""
    start = 1_786_500_000_000_000_000 + number * 700_000_000
    itl = 8.0 + number * 37 % 101 / 20
    ttft = 180.0 + number * 53 % 997
    latency = ttft + itl * (OUTPUT_TOKENS - 1)
    values = {
        "time_to_first_token": (ttft, "ms"),
        "inter_token_latency": (itl, "ms"),
        "request_latency": (latency, "ms"),
        "input_sequence_length": (20_000 + number * 911 % 180_000, "tokens"),
        "output_sequence_length": (OUTPUT_TOKENS, "tokens"),
        "inter_chunk_latency": (
            [itl * (0.5 + (number + k) % 11 / 11) for k in range(OUTPUT_TOKENS - 1)],
            "ms",
        ),
    }
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


def plain_loop(content: bytes) -> dict[str, list[float]]:
    """The same percentiles by `json.loads`, the way a script would do it. Seconds and tokens."""
    names = {"ttft_s": "time_to_first_token", "itl_s": "inter_token_latency", "e2el_s": "request_latency"}
    columns: dict[str, list[float]] = {name: [] for name in names}
    for line in io.BytesIO(content):
        parsed = json.loads(line)
        if parsed["error"] is None and parsed["metadata"]["benchmark_phase"] == "profiling":
            for name, key in names.items():
                columns[name].append(parsed["metrics"][key]["value"] / 1000)
    return {name: [float(v) for v in np.percentile(values, PERCENTILES)] for name, values in columns.items()}


def our_reader(content: bytes) -> dict[str, list[float]]:
    found = statistics(read_requests(io.BytesIO(content), "profile_export.jsonl").table)
    names = ("ttft_s", "itl_s", "e2el_s")
    return {name: [getattr(found[name], f"p{p}") for p in PERCENTILES] for name in names}


def check(expected: dict[str, list[float]], found: dict[str, list[float]]) -> None:
    """A reader that is fast and wrong is not fast."""
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-6, err_msg=name)
