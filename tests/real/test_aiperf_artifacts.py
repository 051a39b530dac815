"""The 24 runs of `aiperf-artifacts`: every ending, every trap its README names, with the README's counts."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pyarrow.compute as pc
import pytest

from dashboard.domain.catalog import Catalog
from dashboard.domain.records import Point
from dashboard.ingest.aiperf import FolderReading
from dashboard.ingest.client_summary import ClientSummary
from dashboard.ingest.documents import read_json
from dashboard.ingest.run_files import read_summary
from dashboard.ingest.server_totals import from_csv, from_json
from tests.ingest.aiperf_runs import codes, read_run

pytestmark = pytest.mark.real

#: Warm-up and profiling records of each run, from the README's tables.
RECORDS = {
    "agentx-offload-c02": (8, 58),
    "agentx-offload-c04": (16, 115),
    "agentx-offload-c08": (32, 290),
    "agentx-offload-c16": (64, 350),
    "agentx-nooffload-c04": (16, 124),
    "agentx-nooffload-c08": (32, 209),
    "agentx-nooffload-c16": (64, 228),
    "agentx-offload-c12-w4": (48, 365),
    "errors5-agentx-c08-w3": (32, 249),
    "aiperf-weka-c04": (76, 69),
    "aiperf-weka-c08": (38, 120),
    "warmup-abort-weka-c06": (10, 0),
    "server-dies-threshold-profiling-weka-c06": (95, 73),
    "sigint-weka-c06": (96, 70),
    "sigterm-mid-profiling": (60, 10),
    "synth-c04": (16, 240),
    "synth-c16": (16, 240),
    "synth-rate6-poisson": (8, 238),
    "multiturn-raw": (0, 55),
    "errors5-synth-c08": (10, 300),
    "server-dies-synth-c08": (10, 300),
    "request-cancel-15pct": (0, 200),
    "sigint-multiturn-c08": (0, 221),
}
REPLAYS = tuple(name for name in RECORDS if "agentx" in name or "weka" in name)
ENDED_EARLY = ("warmup-abort-weka-c06", "sigterm-mid-profiling")
#: By how much a request's latency may fall short of its end minus its start (aiperf.md 4.2).
LATENCY_SHORTFALL_S = 0.006
UNPACK = ("profile_export.jsonl", "profile_export_aiperf.json", "server_metrics_export.csv", "command.txt")


@pytest.fixture(scope="module")
def runs(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every run as an open folder: the packed ones unpacked, the open ones linked."""
    folder = tmp_path_factory.mktemp("aiperf")
    artifacts = shared / "aiperf-artifacts"
    for packed in artifacts.glob("*.tar.gz"):
        with tarfile.open(packed) as archive:
            wanted = [
                m
                for m in archive.getmembers()
                if Path(m.name).name in (*UNPACK, "server_metrics_export.json")
            ]
            archive.extractall(folder, members=wanted, filter="data")
    for name in RECORDS:
        if not (folder / name).exists():
            (folder / name).symlink_to(artifacts / name)
    return folder


@pytest.fixture(scope="module")
def readings(runs: Path, catalog: Catalog) -> dict[str, FolderReading]:
    return {name: read_run(runs / name, catalog) for name in RECORDS}


@pytest.fixture(scope="module")
def points(readings: dict[str, FolderReading]) -> dict[str, Point]:
    found = {name: reading.point for name, reading in readings.items()}
    return {name: point for name, point in found.items() if point is not None}


@pytest.mark.parametrize("name", RECORDS)
def test_every_run_is_read_with_its_warm_up_and_profiling_requests(
    points: dict[str, Point], name: str
) -> None:
    found = points[name]
    assert (found.requests_warmup, found.requests_total) == RECORDS[name]


@pytest.mark.parametrize("name", RECORDS)
def test_no_run_has_a_finding_against_its_files(readings: dict[str, FolderReading], name: str) -> None:
    about_files = {
        "malformed_records",
        "torn_record",
        "unreadable_values",
        "unreadable_summary",
        "client_disagrees",
    }
    assert about_files.isdisjoint(codes(readings[name].findings))


@pytest.mark.parametrize("name", [name for name in RECORDS if name not in ENDED_EARLY])
def test_the_clients_own_statistics_are_recomputed(runs: Path, points: dict[str, Point], name: str) -> None:
    client = read_summary(runs / name / "profile_export_aiperf.json")
    theirs = client.statistics()
    assert {"ttft_s", "itl_s", "e2el_s", "isl", "osl"} == set(theirs)
    for quantity, expected in theirs.items():
        found = points[name].statistics[quantity]
        assert found.n == expected.n
        for statistic in ("mean", "p50", "p75", "p90", "p95", "p99", "max", "std"):
            assert getattr(found, statistic) == pytest.approx(getattr(expected, statistic), rel=1e-6), (
                quantity
            )


@pytest.mark.parametrize("name", [name for name in RECORDS if name not in ENDED_EARLY])
def test_the_clients_duration_and_totals_are_recomputed(
    runs: Path, points: dict[str, Point], name: str
) -> None:
    client = read_summary(runs / name / "profile_export_aiperf.json")
    scalars = points[name].scalars
    duration = client.value("benchmark_duration")
    assert scalars["duration_s"] == pytest.approx(duration, abs=LATENCY_SHORTFALL_S)
    assert scalars["prompt_tokens_client"] == client.value("total_isl")
    assert scalars["generated_tokens_client"] == client.value("total_osl")


def test_every_point_has_an_id_of_its_own(points: dict[str, Point]) -> None:
    assert len({point.point_id for point in points.values()}) == len(RECORDS)


@pytest.mark.parametrize("name", RECORDS)
def test_the_load_is_known_and_the_server_is_not(points: dict[str, Point], name: str) -> None:
    found = points[name]
    assert found.model == "mock-model"
    assert (found.hardware, found.engine, found.precision, found.gpus) == (None,) * 4
    assert (found.scenario == "agentic") is (name in REPLAYS or name == "sigterm-mid-profiling")


def test_offload_is_told_by_names_only_and_marked(points: dict[str, Point]) -> None:
    kinds = {name: points[name].offload for name in RECORDS if "offload" in name}
    assert {name: kind for name, kind in kinds.items() if "nooffload" in name} == dict.fromkeys(
        ["agentx-nooffload-c04", "agentx-nooffload-c08", "agentx-nooffload-c16"], "none"
    )
    assert {kind for name, kind in kinds.items() if "nooffload" not in name} == {"dram"}
    assert all("offload" in points[name].named_by_file for name in kinds)


def test_a_load_by_rate_has_no_concurrency(points: dict[str, Point]) -> None:
    assert points["synth-rate6-poisson"].concurrency is None
    assert points["synth-c16"].concurrency == 16


# Endings


def test_an_error_in_warm_up_ends_a_run_before_it_began(readings: dict[str, FolderReading]) -> None:
    reading = readings["warmup-abort-weka-c06"]
    assert reading.point is not None
    assert (reading.point.requests_ok, reading.point.publishable, reading.point.concurrency) == (0, False, 6)
    assert "warmup_only" in codes(reading.findings)


def test_sigterm_leaves_records_without_a_summary(points: dict[str, Point]) -> None:
    found = points["sigterm-mid-profiling"]
    assert (found.requests_ok, found.concurrency) == (10, 4)
    assert any(note.startswith("Unfinished") for note in found.notes)


@pytest.mark.parametrize(
    "name", ["server-dies-threshold-profiling-weka-c06", "sigint-weka-c06", "sigint-multiturn-c08"]
)
def test_a_cancelled_run_is_noted(points: dict[str, Point], name: str) -> None:
    assert any("cancelled before its time" in note for note in points[name].notes)


def test_a_dead_server_gives_a_complete_run_of_mostly_errors(points: dict[str, Point]) -> None:
    found = points["server-dies-synth-c08"]
    assert (found.requests_ok, found.requests_failed) == (103, 197)
    assert found.error_categories["ClientConnectorError"] == 189


def test_cancelled_requests_are_told_from_failed_ones(points: dict[str, Point]) -> None:
    found = points["request-cancel-15pct"]
    assert (found.requests_ok, found.requests_failed, found.requests_cancelled) == (174, 0, 26)


def test_errors_of_every_kind_are_counted_by_category(points: dict[str, Point]) -> None:
    found = points["errors5-synth-c08"]
    assert (found.requests_ok, found.requests_failed, sum(found.error_categories.values())) == (287, 13, 13)
    assert set(found.error_categories) == {
        "Bad Request",
        "ClientPayloadError",
        "Internal Server Error",
        "Service Unavailable",
        "Too Many Requests",
    }


def test_streams_cut_by_an_error_event_are_found_among_the_successes(
    readings: dict[str, FolderReading],
) -> None:
    reading = readings["errors5-agentx-c08-w3"]
    assert reading.point is not None
    assert (reading.point.requests_ok, reading.point.requests_failed) == (241, 8)
    assert reading.point.error_categories["suspected stream error"] == 2
    assert "suspected_stream_errors" in codes(reading.findings)
    assert any("3 requests outgrew" in note for note in reading.point.notes)


def test_no_other_run_is_suspected(readings: dict[str, FolderReading]) -> None:
    suspected = [name for name, r in readings.items() if "suspected_stream_errors" in codes(r.findings)]
    assert suspected == ["errors5-agentx-c08-w3"]


def test_a_throughput_over_a_longer_window_is_explained(readings: dict[str, FolderReading]) -> None:
    reading = readings["aiperf-weka-c08"]
    assert reading.point is not None
    assert reading.point.scalars["tput_output"] == pytest.approx(278.2, abs=0.05)
    [finding] = [f for f in reading.findings if f.code == "throughput_window"]
    assert "218.7" in finding.detail and "90.0 s" in finding.detail


# Streams and caches


@pytest.mark.parametrize(
    ("name", "subagents"), [("agentx-offload-c08", 95), ("agentx-offload-c16", 78), ("agentx-offload-c02", 0)]
)
def test_subagents_and_split_off_chains_hang_under_their_root(
    readings: dict[str, FolderReading], name: str, subagents: int
) -> None:
    requests = readings[name].requests
    assert requests is not None
    spoken = pc.sum(pc.match_substring(requests["conversation_id"], "::sa:")).as_py()
    split = pc.sum(pc.match_substring(requests["conversation_id"], "::fa:")).as_py()
    assert spoken == subagents
    children = requests.filter(pc.equal(requests["kind"], "subagent"))
    assert children.num_rows == spoken + split
    roots = requests.filter(pc.equal(requests["kind"], "main"))
    assert set(children["lane_id"].to_pylist()) <= set(roots["lane_id"].to_pylist())


def test_no_more_lanes_are_alive_than_the_concurrency(readings: dict[str, FolderReading]) -> None:
    requests = readings["agentx-offload-c12-w4"].requests
    assert requests is not None
    spans: dict[str, list[int]] = {}
    for lane, start, end in zip(
        *(requests[c].to_pylist() for c in ("lane_id", "start_ns", "end_ns")), strict=True
    ):
        span = spans.setdefault(lane, [start, end])
        span[:] = min(span[0], start), max(span[1], end)
    alive = max(sum(s <= start < e for s, e in spans.values()) for start, _ in spans.values())
    assert alive <= 12


def test_several_workers_are_told_apart(readings: dict[str, FolderReading]) -> None:
    for name, workers in (("agentx-offload-c12-w4", 4), ("errors5-agentx-c08-w3", 3)):
        requests = readings[name].requests
        assert requests is not None and pc.count_distinct(requests["worker_id"]).as_py() == workers


def test_agentic_warm_up_sends_one_token_requests_without_itl(readings: dict[str, FolderReading]) -> None:
    requests = readings["agentx-offload-c16"].requests
    assert requests is not None
    warm = requests.filter(pc.equal(requests["phase"], "warmup"))
    assert set(warm["osl"].to_pylist()) == {1}
    assert warm["itl_s"].null_count == warm.num_rows
    assert warm["ttft_s"].null_count == 0


def test_without_a_second_tier_the_prefix_cache_thrashes(points: dict[str, Point]) -> None:
    shares = [points[f"agentx-nooffload-c{c}"].scalars["overall_hit_rate"] for c in ("04", "08", "16")]
    assert [round(share or 0, 2) for share in shares] == [0.96, 0.49, 0.03]
    for c in ("04", "08", "16"):
        scalars = points[f"agentx-offload-c{c}"].scalars
        hbm, offload, overall = (scalars[f"{tier}_hit_rate"] for tier in ("hbm", "offload", "overall"))
        assert hbm is not None and offload is not None
        assert overall == pytest.approx(hbm + offload)
        assert offload > 0


@pytest.mark.parametrize("name", ["agentx-offload-c12-w4", "agentx-nooffload-c08", "synth-c04"])
def test_csv_and_json_exports_of_the_server_agree(runs: Path, name: str) -> None:
    with (runs / name / "server_metrics_export.csv").open() as lines:
        table = from_csv(lines)
    document = from_json(read_json(runs / name / "server_metrics_export.json"))
    assert table.prompt_tokens() == document.prompt_tokens() is not None
    assert table.generated_tokens() == document.generated_tokens()
    assert table.hit_rates() == document.hit_rates()
    assert table.kv_usage_max() == pytest.approx(document.kv_usage_max(), abs=1e-4)


@pytest.mark.parametrize("name", [name for name in REPLAYS if name not in ENDED_EARLY])
def test_server_and_client_count_about_the_same_tokens(points: dict[str, Point], name: str) -> None:
    scalars = points[name].scalars
    for tokens in ("prompt_tokens", "generated_tokens"):
        client, server = scalars[f"{tokens}_client"], scalars[f"{tokens}_server"]
        assert client is not None and server == pytest.approx(client, rel=0.1)


#: Runs in whose figures the harness itself finds a fault, beside the overridden rules.
FAULTED = ("errors5-agentx-c08-w3", "server-dies-threshold-profiling-weka-c06", "sigint-weka-c06")


@pytest.mark.parametrize("name", [name for name in REPLAYS if name not in ENDED_EARLY])
def test_a_run_with_overridden_rules_is_drawn_and_says_so(points: dict[str, Point], name: str) -> None:
    assert points[name].publishable is (name not in FAULTED) and not points[name].official
    assert any("unsafe_override" in note for note in points[name].notes)


# The sweep


@pytest.fixture(scope="module")
def sweep(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sweep")
    with tarfile.open(shared / "aiperf-artifacts" / "synth-sweep-c2-4-8-x2.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder / "synth-sweep-c2-4-8-x2"


def test_cells_and_trials_of_a_sweep_are_points_of_one_configuration(sweep: Path, catalog: Catalog) -> None:
    cells = sorted(sweep.glob("profile_runs/trial_*/concurrency_*"))
    found = [point for cell in cells if (point := read_run(cell, catalog).point) is not None]
    assert [p.concurrency for p in found] == [2, 4, 8, 2, 4, 8]
    assert {(p.requests_total, p.scenario, p.isl_nominal, p.osl_nominal) for p in found} == {
        (60, "512x64", 512, 64)
    }
    assert len({p.point_id for p in found}) == 6
    assert len({p.config_id for p in found}) == 1
    assert [p.requests_warmup for p in found] == [6, 6, 6, 0, 0, 0]


def test_a_sweeps_own_mean_over_trials_is_recomputed(sweep: Path, catalog: Catalog) -> None:
    for concurrency in (2, 4, 8):
        cells = [sweep / f"profile_runs/trial_000{n}/concurrency_{concurrency}" for n in (1, 2)]
        aggregate = sweep / f"aggregate/concurrency_{concurrency}/profile_export_aiperf_aggregate.json"
        document = ClientSummary(read_json(aggregate)["metrics"])  # type: ignore[index,call-overload]
        p90s = [point.statistics["ttft_s"].p90 for c in cells if (point := read_run(c, catalog).point)]
        mean = sum(p90 for p90 in p90s if p90 is not None) / 2
        assert mean * 1e3 == pytest.approx(document.value("time_to_first_token_p90", "mean"), rel=1e-6)
