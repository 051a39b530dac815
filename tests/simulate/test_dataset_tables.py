"""Tables of the simulated conversations: what each turn could find cached, by order and by cause."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dashboard.simulate.conversations import Conversation, Stream, Turn
from dashboard.simulate.dataset_tables import edge_rows, turn_rows, write_conversations
from dashboard.store.datasets import TABLES, write_dataset
from tests.simulate.deployments import corpus


def turn(outer: int, inner: int | None, path: tuple[int, ...], blocks: int, delay_s: float) -> Turn:
    return Turn(outer, inner, path, blocks, blocks * 64 + 10, 20, delay_s, 5.0, "m")


@pytest.fixture
def fan_out() -> Conversation:
    """Two subagents of one system prompt (10 blocks), forked from turn 0 and joined by turn 1."""
    main = (turn(0, None, (0,), 20, 0.0), turn(3, None, (0,), 30, 2.0))
    agents = [
        Stream(f"sa:{n}", "subagent", (turn(1 + n, 0, (1, 2 + n), 15, 1.0 + n),), 0, 1) for n in range(2)
    ]
    return Conversation("c", (Stream("", "main", main), *agents), (0, 0, 10, 10))


def test_parallel_siblings_share_a_prefix_in_order_but_not_by_cause(fan_out: Conversation) -> None:
    rows = {(row["outer"], row["inner"]): row for row in turn_rows(fan_out)}
    assert [rows[0, None][key] for key in ("cached_prefix_tokens", "uncached_tokens")] == [0, 1290]
    assert rows[1, 0]["cached_prefix_tokens"] == 0
    assert rows[2, 0]["t_s"] < rows[1, 0]["end_s"]
    assert rows[2, 0]["cached_prefix_tokens"] == 640
    assert rows[2, 0]["cached_prefix_causal_tokens"] == 0
    assert rows[3, None]["cached_prefix_tokens"] == rows[3, None]["cached_prefix_causal_tokens"] == 1280


def test_a_spawn_leads_to_each_subagent_and_a_join_back(fan_out: Conversation) -> None:
    edges = [(e["kind"], e["from_outer"], e["to_outer"], e["delay_s"]) for e in edge_rows(fan_out)]
    assert edges == [("spawn", 0, 1, 1.0), ("join", 1, 3, 1.0), ("spawn", 0, 2, 2.0), ("join", 2, 3, 0.0)]


def test_tables_of_a_store_add_up(tmp_path: Path) -> None:
    write_conversations(tmp_path, "some-sessions", corpus(1.0), seed=5)
    folder = tmp_path / "datasets" / "some-sessions"
    tables = {name: pq.read_table(folder / f"{name}.parquet") for name in TABLES}
    assert all(table.schema.equals(TABLES[name]) for name, table in tables.items())
    turns, conversations = tables["turns"].to_pylist(), tables["conversations"].to_pylist()
    assert (
        len(conversations)
        == len(corpus(1.0))
        == json.loads((folder / "dataset.json").read_text())["conversations"]
    )
    for total in ("input_tokens", "cached_tokens", "output_tokens"):
        column = {"input_tokens": "isl", "cached_tokens": "cached_prefix_tokens", "output_tokens": "osl"}[
            total
        ]
        assert sum(row[total] for row in conversations) == sum(row[column] for row in turns)
    assert all(row["cached_prefix_tokens"] + row["uncached_tokens"] == row["isl"] for row in turns)
    assert all(row["cached_prefix_causal_tokens"] <= row["cached_prefix_tokens"] for row in turns)
    assert sum(row["cached_prefix_tokens"] for row in turns) > 0.9 * sum(row["isl"] for row in turns)
    assert any(row["compaction"] for row in turns)
    assert len({(row["conversation_id"], row["outer"], row["inner"]) for row in turns}) == len(turns)


def test_a_slug_that_would_leave_the_folder_is_refused(tmp_path: Path) -> None:
    for slug in ("../x", "a/b", "", ".hidden", "A"):
        with pytest.raises(ValueError, match="slug"):
            write_dataset(tmp_path, slug, {}, {})
