"""The timeline of complete real runs against their raw records, read here line by line."""

from __future__ import annotations

import contextlib
import io
import json
import random
import shutil
import tarfile
from collections import Counter, defaultdict
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

pytestmark = [pytest.mark.real, pytest.mark.xdist_group("timeline-runs")]

#: This run replays one of its conversations twice.
TWICE = "b200-kimik2.5-tp8-c2-nooffload"
OLD = "b200-kimik2.5-tp4-c56-lmcache-0604"
NEW = "agentx-offload-c12-w4"
AIPERF = "aiperf-weka-c08"
FAULTY = "errors5-agentx-c08-w3"
PACKED = (NEW, AIPERF, FAULTY)
FORK = (TWICE, OLD)
RUNS = (*FORK, *PACKED)
UNPACK = ("profile_export.jsonl", "profile_export_aiperf.json", "command.txt")
TYPES = {"f8": "<f8", "i4": "<i4", "u1": "<u1", "u2": "<u2", "u4": "<u4"}
Record = dict[str, Any]
Answer = dict[str, Any]


@pytest.fixture(scope="module")
def folders(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("runs")
    for name in PACKED:
        with tarfile.open(shared / "aiperf-artifacts" / f"{name}.tar.gz") as archive:
            wanted = [member for member in archive.getmembers() if Path(member.name).name in UNPACK]
            archive.extractall(place, members=wanted, filter="data")
    fork = shared / "real-data" / "agentx-fork-mi355x-b200" / "runs"
    for name in FORK:
        (place / name).mkdir()
        for file in (fork / name).iterdir():
            if file.name in UNPACK:
                shutil.copyfile(file, place / name / file.name)
    return {name: place / name for name in RUNS}


def ingested(store: Path, folders: list[Path]) -> Path:
    with contextlib.redirect_stdout(io.StringIO()):
        cli.main(["ingest", "--json", "--store", str(store), *map(str, folders)])
    return store


@pytest.fixture(scope="module")
def store(folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ingested(tmp_path_factory.mktemp("timeline") / "store", list(folders.values()))


def asking(store: Path) -> Callable[[str, str], bytes]:
    """The answer of a route of the timeline for the run whose folder has this name."""
    rows = pq.read_table(store / "points.parquet", columns=["point_id", "artifacts"]).to_pylist()
    client: FlaskClient = create_app(Settings(store=store, cache="memory")).server.test_client()

    def ask(run: str, path: str = "") -> bytes:
        point = next(row["point_id"] for row in rows if any(run in one for one in row["artifacts"]))
        answer = client.get(f"/api/v1/points/{point}/timeline{path}")
        assert answer.status_code == 200
        return answer.data

    return ask


@pytest.fixture(scope="module")
def ask(store: Path) -> Callable[[str, str], bytes]:
    return asking(store)


def read(body: bytes) -> Answer:
    size = int.from_bytes(body[:4], "little")
    header = json.loads(body[4 : 4 + size])
    columns = {
        name: np.frombuffer(body, TYPES[kind], count, 4 + size + offset)
        for name, (offset, count, kind) in header.pop("columns").items()
    }
    return header | columns


def records(folder: Path) -> list[Record]:
    return [json.loads(line) for line in (folder / "profile_export.jsonl").read_text().splitlines()]


def lane_of(record: Record, parents: dict[str, str | None]) -> str:
    """The root that the record names, else the top of its line of parents."""
    told = record["metadata"]
    if told.get("root_correlation_id"):
        return str(told["root_correlation_id"])
    own = told["x_correlation_id"]
    while parents.get(own):
        own = parents[own]
    return str(own)


def by_lane(found: list[Record]) -> dict[str, dict[str, list[Record]]]:
    """Lane -> conversation -> records, by credit (else start)."""
    parents = {
        one["metadata"]["x_correlation_id"]: one["metadata"].get("parent_correlation_id") for one in found
    }
    lanes: dict[str, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for record in sorted(found, key=lambda one: (begin_ns(one), one["metadata"]["request_start_ns"])):
        lanes[lane_of(record, parents)][record["metadata"]["conversation_id"]].append(record)
    return lanes


def begin_ns(record: Record) -> int:
    told = record["metadata"]
    credit = told.get("credit_issued_ns")
    return min(credit, told["request_start_ns"]) if credit else int(told["request_start_ns"])


@pytest.mark.parametrize("run", RUNS)
def test_lanes_streams_bars_and_lengths_are_those_of_the_raw_records(
    ask: Callable[[str, str], bytes], folders: dict[str, Path], run: str
) -> None:
    answer = read(ask(run, ""))
    ids = ask(run, "/ids").decode().split("\n")
    lanes = by_lane(records(folders[run]))
    order = sorted(lanes, key=lambda lane: min(begin_ns(each[0]) for each in lanes[lane].values()))
    assert answer["count"] == sum(len(each) for lane in lanes.values() for each in lane.values())
    assert answer["lane"].max() == len(lanes)
    assert len(answer["lane"]) == sum(len(lane) for lane in lanes.values())
    assert not answer["set_aside"]
    zero, seen = int(answer["zero_ns"]), 0
    for stream, number in enumerate(answer["lane"].tolist()):
        low, high = answer["bounds"][stream : stream + 2].tolist()
        raw = lanes[order[number - 1]][answer["names"][stream]]
        assert ids[low:high] == [one["metadata"]["x_request_id"] for one in raw]
        for at, record in zip(range(low, high), raw, strict=True):
            told = record["metadata"]
            assert zero + int(answer["start"][at]) == told["request_start_ns"]
            assert zero + int(answer["end"][at]) == told["request_end_ns"]
            assert bool(answer["state"][at]) == bool(record.get("error") or told["was_cancelled"])
            assert answer["texts"]["phase"][answer["phase"][at]] == told["benchmark_phase"]
            ttft = record["metrics"].get("time_to_first_token")
            if ttft and not answer["state"][at]:
                drawn = (answer["first"][at] - answer["start"][at]) / 1e6
                assert drawn == pytest.approx(ttft["value"], rel=1e-6, abs=1e-3)
        seen += high - low
    assert seen == answer["count"]


def test_a_conversation_replayed_in_two_lanes_has_a_row_in_each(
    ask: Callable[[str, str], bytes], folders: dict[str, Path]
) -> None:
    answer = read(ask(TWICE, ""))
    raw = Counter(name for lane in by_lane(records(folders[TWICE])).values() for name in lane)
    (name,) = (name for name, count in raw.items() if count > 1)
    lanes = [
        lane for lane, told in zip(answer["lane"].tolist(), answer["names"], strict=True) if told == name
    ]
    assert len(lanes) == len(set(lanes)) == raw[name] == 2
    assert Counter(answer["names"]) == raw


@pytest.mark.parametrize("run", [OLD, NEW])
def test_shuffled_lines_of_a_real_run_give_the_same_bytes(
    ask: Callable[[str, str], bytes], folders: dict[str, Path], tmp_path: Path, run: str
) -> None:
    shuffled = tmp_path / "again" / run
    shutil.copytree(folders[run], shuffled)
    lines = (shuffled / "profile_export.jsonl").read_text().splitlines()
    random.Random(5).shuffle(lines)
    (shuffled / "profile_export.jsonl").write_text("\n".join(lines) + "\n")
    again = asking(ingested(tmp_path / "store", [shuffled]))
    assert again(run, "/ids") == ask(run, "/ids")
    told, first = read(again(run, "")), read(ask(run, ""))
    for name in ("begin", "start", "first", "end", "isl", "osl", "state", "bounds", "lane", "parent"):
        assert np.array_equal(told[name], first[name], equal_nan=told[name].dtype.kind == "f")
    assert told["names"] == first["names"]
