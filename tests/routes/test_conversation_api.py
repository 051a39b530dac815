"""Data of a conversation over the bundled sample: turns, what runs made of them, the speedscope file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from flask.testing import FlaskClient

from dashboard.app import create_app
from dashboard.links import ConversationView, conversation_api_url, conversation_url
from dashboard.resources import sample_store_dir
from dashboard.settings import Settings

SLUG, NAME = "simulated-agentic-393", "sim_0218"


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    return create_app(Settings(store=sample_store_dir(), cache="memory")).server.test_client()


@pytest.fixture(scope="module")
def turns() -> list[dict[str, Any]]:
    path = sample_store_dir() / "datasets" / SLUG / "turns.parquet"
    found: list[dict[str, Any]] = pq.read_table(path, filters=[("conversation_id", "=", NAME)]).to_pylist()
    return sorted(found, key=lambda row: row["t_s"])


def test_turns_come_in_order_of_time_with_their_tokens(
    client: FlaskClient, turns: list[dict[str, Any]]
) -> None:
    told = client.get(conversation_api_url(SLUG, NAME)).get_json()["turns"]
    assert told["t_s"] == [row["t_s"] for row in turns]
    for column in ("isl", "osl", "cached_prefix_tokens"):
        assert sum(told[column]) == sum(row[column] for row in turns)


def test_every_run_that_replayed_a_turn_is_told_with_its_medians(client: FlaskClient) -> None:
    told = client.get(conversation_api_url(SLUG, NAME, "runs")).get_json()
    runs = told["runs"]
    assert told["left_out"] == 0 and set(runs["point_id"]) == set(told["points"])
    expected: dict[tuple[str, int, int | None], list[dict[str, Any]]] = {}
    for path in sorted((sample_store_dir() / "requests").glob("*.parquet")):
        for row in pq.read_table(path, filters=[("source_trace", "=", NAME)]).to_pylist():
            if row["phase"] == "profiling":
                key = path.stem, row["source_outer"], row["source_inner"]
                expected.setdefault(key, []).append(row)
    assert len(runs["point_id"]) == len(expected) > 50
    for at, point_id in enumerate(runs["point_id"]):
        rows = expected[point_id, runs["outer"][at], runs["inner"][at]]
        assert runs["n"][at] == len(rows)
        known = [
            row["ttft_s"]
            for row in rows
            if row["ttft_s"] is not None and not row["failed"] and not row["cancelled"]
        ]
        if known:
            assert runs["ttft_s"][at] == pytest.approx(np.median(known))
        cached = [
            row["cached_tokens"]
            for row in rows
            if row["cached_tokens"] is not None and not row["failed"] and not row["cancelled"]
        ]
        assert runs["cached_tokens"][at] == (pytest.approx(np.median(cached)) if cached else None)
        assert runs["request_id"][at] in {row["request_id"] for row in rows}


def test_the_speedscope_file_opens_and_closes_every_turn_in_order(
    client: FlaskClient, turns: list[dict[str, Any]]
) -> None:
    document = client.get(conversation_api_url(SLUG, NAME, "speedscope")).get_json()
    assert document["$schema"].startswith("https://www.speedscope.app/")
    assert len(document["shared"]["frames"]) == len(turns)
    seen: list[int] = []
    for profile in document["profiles"]:
        stack: list[int] = []
        moments = [event["at"] for event in profile["events"]]
        assert moments == sorted(moments)
        assert (profile["startValue"], profile["endValue"]) == (moments[0], moments[-1])
        for event in profile["events"]:
            if event["type"] == "O":
                stack.append(event["frame"])
                seen.append(event["frame"])
            else:
                assert stack.pop() == event["frame"]
        assert not stack
    assert sorted(seen) == list(range(len(turns)))


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (conversation_url(SLUG, NAME), 200),
        (conversation_url(SLUG, NAME, "12.3", ConversationView(layout="time")), 200),
        (conversation_url(SLUG, "no-such"), 404),
        (conversation_url("no-such", NAME), 404),
        (conversation_api_url(SLUG, "no-such"), 404),
        (conversation_api_url(SLUG, "no-such", "runs"), 404),
        (conversation_api_url("..", NAME, "speedscope"), 404),
    ],
)
def test_each_address_has_its_status(client: FlaskClient, path: str, status: int) -> None:
    assert client.get(path).status_code == status
