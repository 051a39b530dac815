"""`/api/v1/points`: the rows of the page with what is shown and full identity; bad parameters are named."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import pyarrow.parquet as pq
import pytest
from flask.testing import FlaskClient

from dashboard.store.schema import POINTS
from tests import invented


def rows(client: FlaskClient, query: str = "") -> list[dict[str, Any]]:
    answer = client.get(f"/api/v1/points?{query}")
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.get_json()
    assert body["count"] == len(body["points"])
    points: list[dict[str, Any]] = body["points"]
    return points


def test_a_row_holds_what_is_shown_and_identifies_itself(client: FlaskClient) -> None:
    row = rows(client, "model=dsv4&scenario=agentic&stat=p90&only=b300.vllm")[0]
    assert row["series"].startswith("b300.vllm.fp4") and row["on_frontier"] is True
    assert (row["x_quantity"], row["x_unit"]) == ("p90 interactivity", "tok/s/user")
    assert math.isclose(row["x"], 1 / row["itl_s_p90"])
    assert (row["x2_quantity"], row["x2"]) == ("p90 TTFT", row["ttft_s_p90"])
    assert row["y"] == row["tput_total_per_gpu"]
    identity = ("point_id", "config_id", "model", "hardware", "engine", "precision", "concurrency", "run_id")
    assert all(row[name] is not None for name in (*identity, "run_date", "topology_label", "product_version"))


def test_every_column_of_the_store_is_there_and_missing_is_null(client: FlaskClient) -> None:
    row = rows(client, "model=dsv4&hardware=mi325x")[0]
    assert set(POINTS.names) <= set(row)
    assert row["offload"] is None and row["power_w_per_gpu"] is None


def test_rows_are_those_that_the_page_draws(client: FlaskClient) -> None:
    frontier = rows(client, "model=dsv4")
    everything = rows(client, "model=dsv4&dominated=1&runs=all")
    assert {row["point_id"] for row in frontier} < {row["point_id"] for row in everything}
    assert all(row["on_frontier"] for row in frontier)
    assert invented.all_failed().point_id not in {row["point_id"] for row in everything}


def test_filters_of_the_page_are_parameters(client: FlaskClient) -> None:
    found = rows(client, "model=dsv4&hardware=b200,mi355x&precision=fp4&offload=dram&dominated=1")
    assert found and {row["hardware"] for row in found} == {"b200", "mi355x"}
    assert {row["offload"] for row in found} == {"dram"}


def test_csv_and_parquet_hold_the_same_rows(client: FlaskClient) -> None:
    json_rows = rows(client, "model=dsv4")
    text = client.get("/api/v1/points?model=dsv4&format=csv")
    table = list(csv.DictReader(io.StringIO(text.text)))
    parquet = client.get("/api/v1/points?model=dsv4&format=parquet")
    arrow = pq.read_table(io.BytesIO(parquet.data))
    ids = [row["point_id"] for row in json_rows]
    assert [row["point_id"] for row in table] == ids == arrow["point_id"].to_pylist()
    assert [float(row["y"]) for row in table] == arrow["y"].to_pylist() == [row["y"] for row in json_rows]
    assert list(table[0]) == arrow.column_names
    assert text.headers["Content-Disposition"] == "attachment; filename=agentx-points.csv"
    assert parquet.mimetype == "application/vnd.apache.parquet"


def test_a_single_chart_leaves_the_second_x_blank_and_moves_no_column(client: FlaskClient) -> None:
    pair, single = (
        client.get(f"/api/v1/points?model=dsv4&format=csv&x={x}").text.splitlines() for x in ("pair", "ttft")
    )
    assert pair[0] == single[0]
    row = next(csv.DictReader(io.StringIO("\n".join(single))))
    assert row["x2"] == row["x2_unit"] == "" and row["x_quantity"] == "p90 TTFT"


def test_costs_say_which_price_they_rest_on(client: FlaskClient) -> None:
    own = rows(client, "model=dsv4&y=cost_total&price=b300:2.5&only=b300")[0]
    assert "b300 2.50" in own["price_note"]
    rate = own["tput_total_per_gpu"]
    assert own["y"] == pytest.approx(2.5 / (rate * 3600 / 1e6))


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("colour=red", "colour=red"),
        ("stat=p42", "stat=p42"),
        ("model=gpt-9", "model=gpt-9"),
        ("model=dsv4&precision=int7", "precision=int7"),
        ("model=dsv4&only=b999", "only=b999"),
        ("format=xml", "format=xml"),
        ("since=yesterday&zx=a", "since=yesterday"),
        ("pin=nonsense", "pin=nonsense"),
        ("model=<script>", "model=<script>"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(client: FlaskClient, query: str, named: str) -> None:
    answer = client.get(f"/api/v1/points?{query}")
    assert answer.status_code == 400 and answer.mimetype == "application/json"
    assert named in answer.get_json()["error"]


def test_an_impossible_combination_is_an_empty_answer(client: FlaskClient) -> None:
    assert rows(client, "model=dsv4&hardware=mi325x&precision=fp4") == []
    assert (
        client.get("/api/v1/points?model=dsv4&hardware=mi325x&precision=fp4&format=csv").text.count("\n") == 1
    )


def test_an_unchanged_answer_is_not_sent_again(client: FlaskClient) -> None:
    first = client.get("/api/v1/points?model=dsv4")
    again = client.get("/api/v1/points?model=dsv4", headers={"If-None-Match": first.headers["ETag"]})
    other = client.get("/api/v1/points?model=dsv4&stat=p50")
    assert again.status_code == 304 and again.data == b""
    assert other.headers["ETag"] != first.headers["ETag"]


def test_one_point_by_id_with_or_without_words_before_it(client: FlaskClient) -> None:
    row = rows(client, "model=dsv4")[0]
    for slug in (row["point_id"], f"dsv4-b300-{row['point_id']}"):
        point = client.get(f"/api/v1/points/{slug}").get_json()["point"]
        assert point["ttft_s_p90"] == row["ttft_s_p90"] and point["error_categories"] == {}


@pytest.mark.parametrize("slug", ["0000000000", "..%2f..%2fetc%2fpasswd", "x", "%00", "' OR 1=1 --"])
def test_an_unknown_point_is_a_404_in_json(client: FlaskClient, slug: str) -> None:
    answer = client.get(f"/api/v1/points/{slug}")
    assert (
        answer.status_code == 404 and answer.mimetype == "application/json" and "error" in answer.get_json()
    )


def test_names_from_artifacts_are_data(client: FlaskClient) -> None:
    found = rows(client, "model=kimik3&official=unofficial")
    assert invented.SCRIPT in {row["engine"] for row in found}
    assert all("script" not in row["series"] or "<" not in row["series"] for row in found)
