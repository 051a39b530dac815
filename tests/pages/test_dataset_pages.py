"""The pages of datasets, on the bundled sample: figures recounted from the files, lists, friendly ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from flask import Flask, g

from dashboard.app import create_app
from dashboard.links import DatasetView, dataset_conversations_api_url, dataset_url
from dashboard.pages import dataset, datasets
from dashboard.resources import sample_store_dir
from dashboard.settings import Settings
from tests.pages.tree import parts, plain, text

SLUG = "simulated-agentic-393"
FILES = sample_store_dir() / "datasets" / SLUG


@pytest.fixture(scope="module")
def server() -> Flask:
    return create_app(Settings(store=sample_store_dir(), cache="memory")).server


@pytest.fixture(scope="module")
def turns() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = pq.read_table(FILES / "turns.parquet").to_pydict()
    return found


def shown(server: Flask, path: str, layout: Any, **query: str) -> tuple[str, list[dict[str, Any]], str]:
    with server.test_request_context(path):
        tree = plain(layout(**query))
        return text(tree), list(parts(tree)), str(g.page_title)


def test_the_list_names_each_dataset_and_says_that_it_is_simulated(server: Flask) -> None:
    words, found, _ = shown(server, "/datasets", datasets.layout)
    assert "393" in words and "SIMULATED" in words
    assert dataset_url(SLUG) in {part.get("href") for part in found}


def test_a_dataset_page_states_what_its_files_hold(server: Flask, turns: dict[str, list[Any]]) -> None:
    words, _, title = shown(server, f"/datasets/{SLUG}", dataset.layout, slug=SLUG)
    assert "SIMULATED" in title
    assert f"{len(turns['isl']):,}".replace(",", "\u202f") in words
    median = np.percentile(turns["isl"], 50)
    assert f"{median / 1000:.0f}k" in words
    share = sum(turns["cached_prefix_tokens"]) / sum(turns["isl"])
    assert f"{100 * share:.1f}" in words


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        ({"q": "SIM_00"}, lambda row: "sim_00" in row["conversation_id"]),
        ({"subagents": "with"}, lambda row: row["subagents"] > 0),
        ({"turns": "100..200"}, lambda row: 100 <= row["turns"] <= 200),
        (
            {"isl": "0..200000", "subagents": "without"},
            lambda row: row["isl_max"] <= 2e5 and not row["subagents"],
        ),
    ],
)
def test_the_list_is_narrowed_on_the_server(server: Flask, query: dict[str, str], fits: Any) -> None:
    rows = pq.read_table(FILES / "conversations.parquet").to_pylist()
    answer = server.test_client().get(f"/api/v1/datasets/{SLUG}/conversations", query_string=query)
    expected = sorted((row for row in rows if fits(row)), key=lambda row: -row["input_tokens"])
    listed = answer.get_json()
    assert (listed["fitting"], listed["total"]) == (len(expected), len(rows))
    assert [row["input_tokens"] for row in listed["conversations"]] == [
        row["input_tokens"] for row in expected[:50]
    ]


def test_pages_of_the_list_follow_each_other(server: Flask) -> None:
    client = server.test_client()
    seen: list[str] = []
    for page in (1, 2, 8):
        view = DatasetView(sort="id", page=page)
        listed = client.get(dataset_conversations_api_url(SLUG, view)).get_json()["conversations"]
        seen += [row["conversation_id"] for row in listed]
    assert seen == sorted(set(seen)) and len(seen) == 50 + 50 + 393 - 350


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/datasets", 200),
        (f"/datasets/{SLUG}", 200),
        ("/datasets/no-such", 404),
        ("/datasets/..%2f..%2fetc", 404),
        ("/api/v1/datasets/no-such/conversations", 404),
        (f"/api/v1/datasets/{SLUG}/conversations?sort=nonsense", 400),
        (f"/api/v1/datasets/{SLUG}/conversations?nonsense=1", 400),
    ],
)
def test_each_address_has_its_status(server: Flask, path: str, status: int) -> None:
    assert server.test_client().get(path).status_code == status


def test_an_unknown_dataset_gets_a_friendly_page(server: Flask) -> None:
    words, _, _ = shown(server, "/datasets/no-such", dataset.layout, slug="no-such")
    assert "No such dataset" in words and "--dataset" in words


def test_an_unknown_name_in_a_comparison_is_said_and_left_out(server: Flask) -> None:
    words, _, _ = shown(server, "/datasets", datasets.layout, compare=f"{SLUG},other")
    assert "compare=other" in words and "Datasets compared" in words
