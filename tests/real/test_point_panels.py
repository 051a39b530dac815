"""The panels of complete real runs against their raw files, read here line by line."""

from __future__ import annotations

import contextlib
import io
import json
import struct
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from flask.testing import FlaskClient

from dashboard import cli
from dashboard.app import create_app
from dashboard.settings import Settings

pytestmark = [pytest.mark.real, pytest.mark.xdist_group("point-panels")]

FORK = ("b200-kimik2.5-tp8-c24-nooffload-1error", "b200-kimik2.5-tp8-c16-lmcache-16errors",
        "b200-kimik2.5-tp4-c56-lmcache-0604", "mi355x-kimik2.5-tp4-c1-nooffload")  # fmt: skip
TWO_RANKS = "agentx-offload-c12-w4"
FAULTY = "errors5-agentx-c08-w3"
RUNS = (*FORK, TWO_RANKS, FAULTY)
UNPACK = ("profile_export.jsonl", "profile_export_aiperf.json", "server_metrics_export.json", "command.txt")
#: The first is the canonical one where a record has it (data-contracts 5).
ITL = ("full_response_inter_token_latency", "inter_token_latency")
Record = dict[str, Any]
Numbers = np.ndarray


@pytest.fixture(scope="module")
def folders(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every run as an open folder."""
    place = tmp_path_factory.mktemp("runs")
    for name in (TWO_RANKS, FAULTY):
        with tarfile.open(shared / "aiperf-artifacts" / f"{name}.tar.gz") as archive:
            wanted = [member for member in archive.getmembers() if Path(member.name).name in UNPACK]
            archive.extractall(place, members=wanted, filter="data")
    fork = shared / "real-data" / "agentx-fork-mi355x-b200" / "runs"
    return {name: fork / name for name in FORK} | {name: place / name for name in (TWO_RANKS, FAULTY)}


@pytest.fixture(scope="module")
def store(folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("panels") / "store"
    with contextlib.redirect_stdout(io.StringIO()):
        cli.main(["ingest", "--json", "--store", str(store), *map(str, folders.values())])
    return store


@pytest.fixture(scope="module")
def point_ids(store: Path) -> dict[str, str]:
    rows = pq.read_table(store / "points.parquet", columns=["point_id", "artifacts"]).to_pylist()
    return {
        name: row["point_id"] for name in RUNS for row in rows if any(name in one for one in row["artifacts"])
    }


@pytest.fixture(scope="module")
def panels(store: Path, point_ids: dict[str, str]) -> Callable[[str], dict[str, Any]]:
    client: FlaskClient = create_app(Settings(store=store, cache="memory")).server.test_client()

    def ask(run: str) -> dict[str, Any]:
        body = client.get(f"/api/v1/points/{point_ids[run]}/panels").data
        (size,) = struct.unpack_from("<I", body)
        header = json.loads(body[4 : 4 + size])

        def read(place: list[int]) -> Numbers:
            return np.frombuffer(body, "<f4", place[1], 4 + size + place[0]).astype(float)

        for panel in header["panels"]:
            panel["read"] = {line["label"]: (read(line["t"]), read(line["v"])) for line in panel["lines"]}
            panel["crosses"] = read(panel["failed"]) if "failed" in panel else np.empty(0)
            if "dots" in panel:
                panel["dots"] = (read(panel["dots"]["t"]), read(panel["dots"]["v"]))
        return {"span": header["span"]} | {panel["key"]: panel for panel in header["panels"]}

    return ask


def records(folder: Path) -> list[Record]:
    return [json.loads(line) for line in (folder / "profile_export.jsonl").read_text().splitlines()]


def ended_well(record: Record) -> bool:
    return record.get("error") is None and not record["metadata"].get("was_cancelled")


def zero_ns(found: list[Record]) -> int:
    """The first moment of the profiling phase: a credit where the record has one, else a start."""
    told = [record["metadata"] for record in found]
    return min(
        one.get("credit_issued_ns") or one["request_start_ns"]
        for one in told
        if one["benchmark_phase"] == "profiling"
    )


def value(record: Record, *names: str) -> float:
    """The first of the metrics that the record has."""
    told = [record["metrics"][name]["value"] for name in names if record["metrics"].get(name)]
    return float(told[0]) if told and told[0] is not None else np.nan


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(
    ("panel", "metrics", "shown"),
    [
        ("ttft_over_time", ("time_to_first_token",), lambda ms: ms / 1e3),
        ("e2el_over_time", ("request_latency",), lambda ms: ms / 1e3),
        ("interactivity_over_time", ITL, lambda ms: 1e3 / ms),
    ],
)
def test_every_request_is_a_dot_at_its_start(
    panels: Callable[[str], dict[str, Any]],
    folders: dict[str, Path],
    run: str,
    panel: str,
    metrics: tuple[str, ...],
    shown: Callable[[float], float],
) -> None:
    found = records(folders[run])
    zero = zero_ns(found)
    raw = sorted(
        ((one["metadata"]["request_start_ns"] - zero) / 1e9, shown(value(one, *metrics)))
        for one in found
        if ended_well(one) and value(one, *metrics) > 0
    )
    t, v = panels(run)[panel]["dots"]
    assert len(t) == len(raw)
    assert np.allclose(sorted(t), [moment for moment, _ in raw], atol=1e-3)
    assert np.allclose(np.sort(v), np.sort([figure for _, figure in raw]), rtol=1e-5)
    failed = sorted(
        (one["metadata"]["request_start_ns"] - zero) / 1e9
        for one in found
        if one.get("error") is not None and not one["metadata"].get("was_cancelled")
    )
    assert np.allclose(np.sort(panels(run)[panel]["crosses"]), failed, atol=1e-3)


@pytest.mark.parametrize("run", RUNS)
def test_histograms_have_the_percentiles_of_the_raw_lengths(
    panels: Callable[[str], dict[str, Any]], folders: dict[str, Path], run: str
) -> None:
    profiled = [
        one for one in records(folders[run])
        if ended_well(one) and one["metadata"]["benchmark_phase"] == "profiling"
    ]  # fmt: skip
    for key, metric in (("isl", "input_sequence_length"), ("osl", "output_sequence_length")):
        lengths = np.array([value(one, metric) for one in profiled])
        lengths = lengths[np.isfinite(lengths)]
        told = panels(run)[key]["histograms"]["profiling"]
        assert told["n"] == len(lengths)
        assert [level for _, level in told["guides"]] == pytest.approx(
            np.percentile(lengths, [50, 75, 90, 95])
        )


def slices(folder: Path, metric: str, field: str, **labels: str) -> dict[str, tuple[Numbers, Numbers]]:
    """Start (ns) and value of each slice by rank, warm-up and profiling one after the other."""
    document = json.loads((folder / "server_metrics_export.json").read_text())
    found: dict[str, list[tuple[int, float]]] = {}
    for block in ("warmup_metrics", "metrics"):
        for series in document[block][metric]["series"]:
            if all(series["labels"].get(name) == text for name, text in labels.items()):
                rank = found.setdefault(series["labels"]["engine"], [])
                rank += [(one["start_ns"], one[field]) for one in series["timeslices"]]
    return {
        rank: (np.array([ns for ns, _ in told]), np.array([v for _, v in told]))
        for rank, told in found.items()
    }


def near(t: Numbers, v: Numbers, moments: Numbers) -> Numbers:
    """The drawn values at the samples nearest to some moments."""
    return v[np.abs(t[:, None] - moments[None, :]).argmin(axis=0)]


def test_each_rank_shows_its_kv_use_slice_by_slice(
    panels: Callable[[str], dict[str, Any]], folders: dict[str, Path]
) -> None:
    found = panels(TWO_RANKS)
    zero = zero_ns(records(folders[TWO_RANKS]))
    raw = slices(folders[TWO_RANKS], "vllm:kv_cache_usage_perc", "avg")
    low, high = found["span"]
    assert set(raw) == {"0", "1"}
    for rank, (ns, used) in raw.items():
        t = (ns - zero) / 1e9
        inside = (t > low) & (t < high)
        label = next(name for name in found["kv_usage"]["read"] if name.endswith(f"rank {rank}"))
        drawn_t, drawn_v = found["kv_usage"]["read"][label]
        known = np.isfinite(drawn_v)
        assert np.allclose(near(drawn_t[known], drawn_v[known], t[inside]), used[inside], atol=1e-6)


def test_the_hit_rate_is_that_of_all_ranks_over_the_last_minute(
    panels: Callable[[str], dict[str, Any]], folders: dict[str, Path]
) -> None:
    """At 80 s the last 60 s lie in the profiling phase; a slice more or less moves the ratio by little."""
    zero = zero_ns(records(folders[TWO_RANKS]))

    def tokens(metric: str) -> float:
        raw = slices(folders[TWO_RANKS], metric, "total").values()
        return sum(float(v[((ns - zero) / 1e9 > 20) & ((ns - zero) / 1e9 <= 80)].sum()) for ns, v in raw)

    read = panels(TWO_RANKS)["hit_rate"]["read"]
    asked = tokens("vllm:prefix_cache_queries")
    for label, metric in (("HBM", "vllm:prefix_cache_hits"), ("offload", "vllm:external_prefix_cache_hits")):
        t, v = read[label]
        assert v[np.searchsorted(t, 80.0, "right") - 1] == pytest.approx(tokens(metric) / asked, rel=0.02)


def test_tokens_come_in_as_fast_as_all_ranks_say(
    panels: Callable[[str], dict[str, Any]], folders: dict[str, Path]
) -> None:
    t, v = panels(TWO_RANKS)["throughput"]["read"]["input (with cached)"]
    raw = slices(folders[TWO_RANKS], "vllm:prompt_tokens", "rate")
    zero = zero_ns(records(folders[TWO_RANKS]))
    both = sum(np.where((ns - zero) / 1e9 >= 1, rate, 0).sum() for ns, rate in raw.values())
    known = np.isfinite(v) & (t >= 1)
    assert v[known].sum() == pytest.approx(both, rel=0.02)


def test_what_the_files_do_not_hold_is_said(panels: Callable[[str], dict[str, Any]]) -> None:
    """The fork's export keeps server totals only; no run of these measured power."""
    without_series = panels(FORK[0])
    for key in ("kv_usage", "throughput", "prompt_sources", "preemptions", "offload_traffic"):
        assert "server metrics" in without_series[key]["missing"] and not without_series[key]["lines"]
    everything = panels(TWO_RANKS)
    drawn = [key for key, panel in everything.items() if key != "span" and not panel["missing"]]
    assert set(drawn) == set(everything) - {"span", "power", "errors"}
