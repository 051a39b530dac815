"""The recorded sessions of ../shared against the facts beside them, every column, through the store."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from dashboard import cli

pytestmark = pytest.mark.real

#: What a start may lie before the end of the request before without being an overlap, seconds (README).
TOLERANCE_S = 0.011

Row = dict[str, Any]


@pytest.fixture(scope="module")
def facts(shared: Path) -> dict[str, dict[str, str]]:
    with (shared / "real-data" / "weka-traces" / "facts.csv").open(newline="") as lines:
        return {row["trace"]: row for row in csv.DictReader(lines)}


@pytest.fixture(scope="module")
def store(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("facts") / "store"
    traces = sorted(str(path) for path in (shared / "real-data" / "weka-traces").glob("trace_*.json"))
    with contextlib.redirect_stdout(io.StringIO()):
        assert cli.main(["ingest", "--store", str(store), "--dataset", "weka-traces", *traces]) == 0
    return store / "datasets" / "weka-traces"


@pytest.fixture(scope="module")
def turns(store: Path) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in pq.read_table(store / "turns.parquet").to_pylist():
        found.setdefault(row["conversation_id"], []).append(row)
    return found


def streams(rows: list[Row]) -> Iterator[list[Row]]:
    """The requests of the main stream, then those of each subagent, in the order of the file."""
    yield sorted((row for row in rows if row["inner"] is None), key=lambda row: row["outer"])
    for outer in sorted({row["outer"] for row in rows if row["inner"] is not None}):
        own = (row for row in rows if row["outer"] == outer and row["inner"] is not None)
        yield sorted(own, key=lambda row: row["inner"])


def steps(rows: list[Row]) -> Iterator[tuple[Row, Row]]:
    """Each request with the one before it in its stream."""
    for stream in streams(rows):
        yield from pairwise(stream)


def told(conversation: Row, rows: list[Row]) -> dict[str, Any]:
    """The facts of one trace as the store has them."""
    main = next(streams(rows))
    blocks, repeated = sum(row["blocks"] for row in rows), sum(row["repeated_blocks"] for row in rows)
    ends = [row["t_s"] + (row["api_s"] or 0.0) for row in rows]
    return {
        "bytes": conversation["source_bytes"],
        "requests": len(rows),
        "main_requests": len(main),
        "subagents": conversation["subagents"],
        "subagent_requests": len(rows) - len(main),
        "input_tokens": sum(row["isl"] for row in rows),
        "output_tokens": sum(row["osl"] for row in rows),
        "max_context": max(row["isl"] for row in rows),
        "first_context": main[0]["isl"],
        "prefix_blocks_reused": repeated,
        "blocks_total": blocks,
        "reuse_share": round(repeated / blocks, 6),
        "span_seconds": round(max(ends) - min(row["t_s"] for row in rows), 3),
        "zero_outputs": sum(row["osl"] == 0 for row in rows),
        "without_api_time": sum(row["api_s"] is None for row in rows),
        "without_think_time": sum(row["think_s"] is None for row in rows),
        "with_ttft": sum(row["ttft_s"] is not None for row in rows),
        "starts_before_previous_ends": sum(
            before["t_s"] + (before["api_s"] or 0.0) - row["t_s"] > TOLERANCE_S for before, row in steps(rows)
        ),
        "context_shrinks": sum(row["isl"] < before["isl"] for before, row in steps(rows)),
        "context_halvings": sum(
            before["isl"] > 20_000 and row["isl"] < before["isl"] / 2 for before, row in steps(rows)
        ),
    }


def test_every_trace_is_there(facts: dict[str, dict[str, str]], turns: dict[str, list[Row]]) -> None:
    assert turns.keys() == facts.keys() and len(facts) == 25


def test_every_column_of_every_trace_is_reproduced(
    facts: dict[str, dict[str, str]], turns: dict[str, list[Row]], store: Path
) -> None:
    conversations = pq.read_table(store / "conversations.parquet").to_pylist()
    assert len(conversations) == len(facts)
    wrong = []
    for conversation in conversations:
        name = conversation["conversation_id"]
        found = told(conversation, turns[name])
        assert {*found, "trace", "models"} == facts[name].keys()
        for column, value in found.items():
            if float(facts[name][column]) != pytest.approx(
                value, abs=1e-9 if isinstance(value, int) else 5e-7
            ):
                wrong.append((name, column, facts[name][column], value))
        named = set(facts[name]["models"].split("+"))
        of_main = {row["model"] for row in next(streams(turns[name]))}
        if of_main != named or not named <= set(conversation["models"]):
            wrong.append((name, "models", named, of_main))
    assert not wrong


def test_the_session_that_stands_there_twice_is_marked_and_counts_once(store: Path) -> None:
    rows = pq.read_table(store / "conversations.parquet").to_pylist()
    marked = {row["conversation_id"]: row["duplicate_of"] for row in rows if row["duplicate_of"]}
    assert marked == {"trace_0427": "trace_0403"}
