"""Data of the timeline over the bundled sample, against the stored requests."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from flask.testing import FlaskClient

from dashboard.app import create_app
from dashboard.resources import sample_store_dir
from dashboard.settings import Settings

POINT = "6e8e9730d6"
TYPES = {"f8": "<f8", "i4": "<i4", "u1": "<u1", "u2": "<u2", "u4": "<u4"}


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    return create_app(Settings(store=sample_store_dir(), cache="memory")).server.test_client()


@pytest.fixture(scope="module")
def requests() -> dict[str, dict[str, Any]]:
    rows = pq.read_table(sample_store_dir() / "requests" / f"{POINT}.parquet").to_pylist()
    return {row["request_id"]: row for row in rows}


def test_columns_and_ids_tell_every_request_in_its_lane(
    client: FlaskClient, requests: dict[str, dict[str, Any]]
) -> None:
    body = client.get(f"/api/v1/points/{POINT}/timeline").data
    size = int.from_bytes(body[:4], "little")
    header = json.loads(body[4 : 4 + size])

    def column(name: str) -> np.ndarray:
        offset, count, kind = header["columns"][name]
        return np.frombuffer(body, TYPES[kind], count, 4 + size + offset)

    ids = client.get(f"/api/v1/points/{POINT}/timeline/ids").get_data(as_text=True).split("\n")
    assert len(ids) == header["count"] == len(requests) and set(ids) == requests.keys()
    zero = int(header["zero_ns"])
    for at, name in enumerate(ids):
        row = requests[name]
        assert zero + int(column("start")[at]) == row["start_ns"]
        assert column("isl")[at] == (row["isl"] if row["isl"] is not None else -1)
        assert bool(column("state")[at]) == bool(row["failed"] or row["cancelled"])
    bounds, lanes = column("bounds"), column("lane")
    assert len(set(lanes.tolist())) == len({row["lane_id"] for row in requests.values()})
    for stream in range(len(lanes)):
        members = [requests[name] for name in ids[bounds[stream] : bounds[stream + 1]]]
        assert len({(row["lane_id"], row["conversation_id"]) for row in members}) == 1
        assert [row["start_ns"] for row in members] == sorted(row["start_ns"] for row in members)


def test_files_hold_what_the_filters_choose(client: FlaskClient, requests: dict[str, dict[str, Any]]) -> None:
    address = f"/api/v1/points/{POINT}/timeline/requests?status=failed,cancelled"
    expected = {name for name, row in requests.items() if row["failed"] or row["cancelled"]}
    assert len(expected) > 5
    csv = pa_csv.read_csv(io.BytesIO(client.get(address + "&format=csv").data))
    parquet = pq.read_table(io.BytesIO(client.get(address + "&format=parquet").data))
    assert set(csv["request_id"].to_pylist()) == set(parquet["request_id"].to_pylist()) == expected
    assert set(parquet["source"].to_pylist()) == {"simulated"}
    for row in parquet.to_pylist():
        assert row["start_ns"] == requests[row["request_id"]]["start_ns"]
    trace = client.get(address + "&format=trace").get_json()
    told = {event["args"]["id"] for event in trace["traceEvents"] if "id" in event.get("args", {})}
    assert told == expected


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("0000000000/timeline", 404),
        ("0000000000/timeline/requests", 404),
        (f"{POINT}/timeline/requests?format=exe", 400),
        (f"{POINT}/timeline/requests?kind=nonsense", 400),
        (f"{POINT}/timeline/requests?isl=9..1", 400),
    ],
)
def test_what_cannot_be_answered_is_refused(client: FlaskClient, path: str, status: int) -> None:
    assert client.get(f"/api/v1/points/{path}").status_code == status


def test_the_strip_is_told_what_servers_said_of_their_queue_and_pool(client: FlaskClient) -> None:
    body = client.get(f"/api/v1/points/{POINT}/timeline/series").data
    size = int.from_bytes(body[:4], "little")
    panels = {one["key"]: one for one in json.loads(body[4 : 4 + size])["panels"]}
    assert set(panels) == {"queue_depth", "kv_usage"}
    stored = pq.read_table(sample_store_dir() / "series" / f"{POINT}.parquet").to_pylist()
    for metric in ("running", "waiting"):
        line = next(one for one in panels["queue_depth"]["lines"] if one["label"] == metric)
        offset, count = line["v"]
        drawn = np.frombuffer(body, "<f4", count, 4 + size + offset)
        totals: dict[int, float] = {}
        for row in stored:
            if row["metric"] == metric:
                totals[row["t_ns"]] = totals.get(row["t_ns"], 0.0) + row["value"]
        assert max(totals.values()) > 0
        assert np.nanmax(drawn) == pytest.approx(max(totals.values()), rel=0.05)
