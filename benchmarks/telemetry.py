"""Reading an export of server metrics as large as an hour's: megabytes a second, and the memory it takes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from benchmarks.measure import RUNS, Measure, median

#: What an engine rank exports; the numbers are invented. Half of an export is histograms, which are not read.
GAUGES = ("kv_cache_usage_perc", "num_requests_running", "num_requests_waiting", "cpu_kv_cache_usage_perc")
COUNTERS = (
    "prompt_tokens", "generation_tokens", "prefix_cache_hits", "prefix_cache_queries", "num_preemptions",
    "external_prefix_cache_hits", "external_prefix_cache_queries", "kv_offload_bytes_gpu_to_cpu",
)  # fmt: skip
HISTOGRAMS = ("time_to_first_token_seconds", "inter_token_latency_seconds", "e2e_request_latency_seconds")
RANKS, SECONDS = 8, 3_600
BUCKETS = {str(bound / 100): bound for bound in range(1, 120)}
SIZE = 500_000_000
START = 1_787_300_400_000_000_000
#: Runs in a process of its own, whose peak is then the reader's; the ingest around it is counted too.
CHILD = """
import resource, sys, time
from pathlib import Path
import dashboard.ingest.pipeline
from dashboard.ingest.series_files import read_server_series
start = time.perf_counter()
table, findings = read_server_series(Path(sys.argv[1]), None, "bench")
seconds = time.perf_counter() - start
assert table.num_rows and not findings
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


def server_metrics(folder: Path) -> Iterator[Measure]:
    """An export of half a gigabyte: 8 ranks, an hour, a slice a second, then histograms up to its size."""
    path = folder / "server_metrics_export.json"
    with path.open("w") as file:
        write_export(file)
    size = path.stat().st_size
    told = [read_once(path) for _ in range(RUNS)]
    note = f"{size / 1e6:.0f} MB, {RANKS} ranks, {SECONDS:,} s"
    rate = size / median([seconds for seconds, _ in told]) / 1e6
    yield Measure("reading server metrics", rate, "MB/s", 40, "least", note)
    yield Measure("reading server metrics, peak", max(p for _, p in told) / 1e6, "MB", 400, "most", note)


def read_once(path: Path) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path)], capture_output=True, text=True, check=True
    )
    seconds, peak = done.stdout.split()
    return float(seconds), float(peak)


def write_export(file: TextIO) -> None:
    """The export piece by piece; as many histogram entries as it takes."""
    file.write('{"schema_version": "1.1", "metrics": {')
    for name in (*GAUGES, *COUNTERS):
        file.write(f'"vllm:{name}": {{"series": [')
        file.write(",".join(entry(rank, name in GAUGES) for rank in range(RANKS)))
        file.write("]}, ")
    for number, name in enumerate(HISTOGRAMS):
        file.write(f'{", " if number else ""}"vllm:{name}": {{"series": [')
        first = True
        while first or file.tell() < SIZE * (number + 1) / len(HISTOGRAMS):
            file.write("" if first else ", ")
            file.write(histogram())
            first = False
        file.write("]}")
    file.write("}}")


def entry(rank: int, gauge: bool) -> str:
    slices = [
        {
            **interval(second),
            **({"avg": 0.5, "min": 0.4, "max": 0.6} if gauge else {"total": 7.0, "rate": 7.0}),
        }
        for second in range(SECONDS)
    ]
    return json.dumps(
        {"endpoint_url": "http://n/metrics", "labels": {"engine": str(rank)}, "timeslices": slices}
    )


def histogram() -> str:
    return json.dumps(
        {"labels": {}, "timeslices": [{**interval(n), "buckets": BUCKETS} for n in range(SECONDS)]}
    )


def interval(second: int) -> dict[str, int]:
    return {"start_ns": START + second * 10**9, "end_ns": START + (second + 1) * 10**9}
