"""AIPerf's edge-case traces: spawns and joins by the rules of data-contracts 7.5, through the store."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dashboard import cli

pytestmark = pytest.mark.real

Place = tuple[int, int | None]
Edge = tuple[str, Place, Place]

#: Edges by file, reasoned from the rules: a group is spawned by the last root call before its start and
#: joined by the first root call at or after its end (start + duration); a fork ends with its last call.
EXPECTED: dict[str, set[Edge]] = {
    "weka_traces/simple.json": set(),
    "weka_traces/one_subagent.json": {("spawn", (0, None), (1, 0)), ("join", (1, 0), (2, None))},
    "weka_traces/multi_model.json": {("spawn", (0, None), (1, 0)), ("join", (1, 0), (2, None))},
    # nothing follows the subagent: nobody waits for it
    "weka_traces/terminal_subagent.json": {("spawn", (0, None), (1, 0))},
    # ends at 33.161 + 246.584 = 279.745 s: the call at 271 s does not wait for it, that at 280 s does
    "weka_traces/async_subagent_with_parallel_inner.json": {
        ("spawn", (3, None), (4, 0)),
        ("join", (4, 1), (7, None)),
    },
    # 1, 2 fork from 0, 4 goes on from 1; 2 ends at 6.5 s (the call at 9 s waits), 4 at 9.5 s (that at 12 s)
    "weka_traces_fanout/fanout.json": {
        ("spawn", (0, None), (1, None)),
        ("spawn", (0, None), (2, None)),
        ("join", (2, None), (3, None)),
        ("join", (4, None), (5, None)),
    },
    # three calls at once share nothing; the fourth goes on from the first and waits for the others
    "weka_traces_overlap_groups/abc_join_d.json": {
        ("spawn", (0, None), (1, None)),
        ("spawn", (0, None), (2, None)),
        ("join", (1, None), (3, None)),
        ("join", (2, None), (3, None)),
    },
}


def ingested(store: Path, path: Path) -> tuple[int, dict[str, object]]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = cli.main(["ingest", "--json", "--store", str(store), "--dataset", "fixture", str(path)])
    return status, json.loads(printed.getvalue())


@pytest.mark.parametrize("name", EXPECTED)
def test_spawns_and_joins_are_those_of_the_rules(name: str, shared: Path, tmp_path: Path) -> None:
    status, _ = ingested(tmp_path / "store", shared / "real-data" / "aiperf-test-fixtures" / name)
    assert status == 0
    rows = pq.read_table(tmp_path / "store" / "datasets" / "fixture" / "edges.parquet").to_pylist()
    found = {
        (row["kind"], (row["from_outer"], row["from_inner"]), (row["to_outer"], row["to_inner"]))
        for row in rows
    }
    assert found == EXPECTED[name]


def test_a_trace_without_a_request_is_refused_by_name(shared: Path, tmp_path: Path) -> None:
    folder = shared / "real-data" / "aiperf-test-fixtures" / "weka_traces_invalid"
    status, told = ingested(tmp_path / "store", folder)
    assert status == 1
    (finding,) = told["findings"]  # type: ignore[misc]
    assert finding["code"] == "trace_refused" and finding["artifact"].endswith("bad_extra_field.json")
    assert "no request" in finding["detail"]
