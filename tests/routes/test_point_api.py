"""Data of a point's page, against the requests themselves: windows, panels, files, refusals."""

from __future__ import annotations

import io
import json
import struct
from typing import Any

import numpy as np
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from flask.testing import FlaskClient

from dashboard.app import create_app
from dashboard.domain.panel_specs import PANELS
from dashboard.resources import sample_store_dir
from dashboard.settings import Settings

POINT = "6e8e9730d6"
"""The sample's point with errors."""


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    return create_app(Settings(store=sample_store_dir(), cache="memory")).server.test_client()


@pytest.fixture(scope="module")
def requests() -> dict[str, np.ndarray]:
    table = pq.read_table(next(sample_store_dir().glob(f"**/requests/{POINT}.parquet")))
    columns = {name: np.array(table[name].to_pylist(), object) for name in table.column_names}
    zero = min(
        columns["credit_ns"][i] if columns["credit_ns"][i] is not None else columns["start_ns"][i]
        for i in range(table.num_rows)
        if columns["phase"][i] == "profiling"
    )
    for name in ("start", "end"):
        columns[name] = np.array([(ns - zero) / 1e9 for ns in columns[f"{name}_ns"]])
    columns["ok"] = ~(columns["failed"].astype(bool) | columns["cancelled"].astype(bool))
    return columns


def decoded(body: bytes) -> dict[str, Any]:
    (size,) = struct.unpack_from("<I", body)
    header: dict[str, Any] = json.loads(body[4 : 4 + size])
    header["read"] = lambda place: np.frombuffer(body, "<f4", place[1], 4 + size + place[0])
    return header


def test_a_window_counts_what_touches_it_and_measures_what_starts_in_it(
    client: FlaskClient, requests: dict[str, np.ndarray]
) -> None:
    low, high = 50.0, 90.0
    told = client.get(f"/api/v1/points/{POINT}/window?window=50..90").get_json()
    profiling = requests["phase"] == "profiling"
    touching = profiling & (requests["start"] < high) & (requests["end"] > low)
    starting = profiling & (requests["start"] >= low) & (requests["start"] < high)
    assert (told["touching"], told["starting"]) == (touching.sum(), starting.sum())
    ttft = next(line for line in told["statistics"] if line["label"] == "TTFT")
    values = requests["ttft_s"][starting & requests["ok"]].astype(float)
    cells = dict(zip(told["columns"], ttft["cells"], strict=True))
    assert cells["n"] == str(len(values))
    for name, percent in (("p50", 50), ("p90", 90)):
        assert float(cells[name].rstrip("*")) == pytest.approx(np.percentile(values, percent), rel=5e-3)
    listed = [one["id"] for one in told["requests"]]
    slowest = sorted(
        np.flatnonzero(touching),
        key=lambda i: -(requests["ttft_s"][i] if requests["ttft_s"][i] is not None else -1),
    )
    assert listed[0] == requests["request_id"][slowest[0]]
    assert all(one["href"].startswith("/point/") and "request=" in one["href"] for one in told["requests"])


@pytest.mark.parametrize(("query", "chosen"), [("phase=warmup", "warmup"), ("kind=subagent", "subagent")])
def test_phase_and_kind_narrow_a_window(
    client: FlaskClient, requests: dict[str, np.ndarray], query: str, chosen: str
) -> None:
    told = client.get(f"/api/v1/points/{POINT}/window?{query}").get_json()
    own = (
        requests["phase"] == chosen
        if "phase" in query
        else (requests["kind"] == chosen) & (requests["phase"] == "profiling")
    )
    assert told["touching"] == told["starting"] == own.sum()


def test_a_trim_leaves_out_the_start_and_the_draining_tail(
    client: FlaskClient, requests: dict[str, np.ndarray]
) -> None:
    told = client.get(f"/api/v1/points/{POINT}/window?trim=30..60").get_json()
    own = requests["phase"] == "profiling"
    low, high = requests["start"][own].min() + 30, requests["end"][own].max() - 60
    assert told["starting"] == (own & (requests["start"] >= low) & (requests["start"] < high)).sum()


def test_panels_hold_every_request_that_has_a_value(
    client: FlaskClient, requests: dict[str, np.ndarray]
) -> None:
    found = decoded(client.get(f"/api/v1/points/{POINT}/panels").data)
    panels = {panel["key"]: panel for panel in found["panels"]}
    assert list(panels) == list(PANELS) == [spec["key"] for spec in found["specs"]]
    ok = requests["ok"]
    dots = panels["ttft_over_time"]["dots"]
    values = requests["ttft_s"][ok].astype(float)
    assert dots["n"] == len(values)
    assert np.allclose(np.sort(found["read"](dots["v"])), np.sort(values.astype("f4")))
    failed = found["read"](panels["ttft_over_time"]["failed"])
    assert len(failed) == requests["failed"].astype(bool).sum() > 0
    bars = panels["isl"]["histograms"]["profiling"]
    own = requests["isl"][ok & (requests["phase"] == "profiling")].astype(float)
    assert found["read"](bars["counts"]).sum() == bars["n"] == len(own)
    assert np.allclose([value for _, value in bars["guides"]], np.percentile(own, [50, 75, 90, 95]))
    errors = panels["errors"]["lines"]
    assert sum(found["read"](line["v"])[-1] for line in errors) == (~ok).sum()


def test_one_kind_leaves_the_rest_out(client: FlaskClient, requests: dict[str, np.ndarray]) -> None:
    found = decoded(client.get(f"/api/v1/points/{POINT}/panels?kind=main&roll=50n&line=p50").data)
    panel = next(panel for panel in found["panels"] if panel["key"] == "ttft_over_time")
    assert panel["dots"]["n"] == (requests["ok"] & (requests["kind"] == "main")).sum()
    assert [line["label"] for line in panel["lines"]] == ["p50, last 50 requests", "p50, cumulative"]


def test_a_panel_without_data_says_what_is_missing(client: FlaskClient) -> None:
    found = decoded(client.get(f"/api/v1/points/{POINT}/panels").data)
    power = next(panel for panel in found["panels"] if panel["key"] == "power")
    assert "No power was recorded" in power["missing"] and not power["lines"]


def test_a_panel_is_a_file_that_explains_itself(client: FlaskClient, requests: dict[str, np.ndarray]) -> None:
    table = pa_csv.read_csv(io.BytesIO(client.get(f"/api/v1/points/{POINT}/panels/ttft_over_time.csv").data))
    parquet = pq.read_table(
        io.BytesIO(client.get(f"/api/v1/points/{POINT}/panels/ttft_over_time.parquet").data)
    )
    assert table.column_names == parquet.column_names and table.num_rows == parquet.num_rows
    assert set(table["source"].to_pylist()) == {"simulated"}
    dots = [
        y
        for part, y in zip(table["part"].to_pylist(), table["y"].to_pylist(), strict=True)
        if part == "requests"
    ]
    assert np.allclose(sorted(dots), np.sort(requests["ttft_s"][requests["ok"]].astype(float)), rtol=1e-12)


@pytest.mark.parametrize(
    ("path", "status", "word"),
    [
        ("0000000000/panels", 404, "no point"),
        ("../etc/panels", 404, ""),
        (f"{POINT}/panels?kind=nonsense", 400, "kind=nonsense"),
        (f"{POINT}/window?window=9..1", 400, "window"),
        (f"{POINT}/panels/nonsense.csv", 404, "isl"),
        (f"{POINT}/panels/isl.exe", 404, "isl"),
        (f"{POINT}/panels/power.csv", 404, "holds no data"),
    ],
)
def test_what_cannot_be_answered_is_named(client: FlaskClient, path: str, status: int, word: str) -> None:
    answer = client.get(f"/api/v1/points/{path}")
    assert answer.status_code == status
    assert word in answer.text


def test_a_scatter_draws_every_request_that_has_both_figures(
    client: FlaskClient, requests: dict[str, np.ndarray]
) -> None:
    found = decoded(client.get(f"/api/v1/points/{POINT}/scatter?scatter=ttft_s,uncached_isl").data)
    chosen = requests["ok"] & (requests["phase"] == "profiling")
    ttft = requests["ttft_s"][chosen].astype(float)
    uncached = requests["isl"][chosen].astype(float) - requests["cached_tokens"][chosen].astype(float)
    assert found["n"] == len(ttft) and found["scales"] == ["log", "linear"]
    arrays = {name: found["read"](place) for name, place in found["arrays"].items()}
    assert sorted(zip(arrays["x"].tolist(), arrays["y"].tolist(), strict=True)) == sorted(
        zip(uncached.astype("f4").tolist(), ttft.astype("f4").tolist(), strict=True)
    )
    assert np.allclose(np.sort(arrays["start"]), np.sort(requests["start"][chosen].astype(float)), atol=1e-3)
    kinds = [found["kinds"][int(place)] for place in arrays["kind"]]
    assert sorted(kinds) == sorted(requests["kind"][chosen])


def test_requests_in_flight_are_counted_over_all_phases(
    client: FlaskClient, requests: dict[str, np.ndarray]
) -> None:
    """A scatter of one kind still counts the others that were in flight."""
    url = f"/api/v1/points/{POINT}/scatter.csv?scatter=itl_s,in_flight&kind=subagent"
    table = pa_csv.read_csv(io.BytesIO(client.get(url).data)).to_pydict()
    place = {name: i for i, name in enumerate(requests["request_id"])}
    assert table["request_id"] and set(table["kind"]) == {"subagent"}
    start, end = requests["start_ns"].astype(np.int64), requests["end_ns"].astype(np.int64)
    for name, told, itl in zip(table["request_id"], table["in_flight"], table["itl_s"], strict=True):
        i = place[name]
        assert told == np.count_nonzero((start <= start[i]) & (end > start[i]))
        assert itl == pytest.approx(requests["itl_s"][i])


def test_a_scatter_without_a_pair_offers_what_there_is(client: FlaskClient) -> None:
    found = decoded(client.get(f"/api/v1/points/{POINT}/scatter").data)
    assert found["arrays"] == {} and "ttft_s" in [key for key, *_ in found["quantities"]]
    assert client.get(f"/api/v1/points/{POINT}/scatter.csv").status_code == 404
    assert client.get(f"/api/v1/points/{POINT}/scatter?scatter=ttft_s,nonsense").status_code == 400
