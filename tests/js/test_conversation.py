"""The conversation's pure parts in Node: folded idle time, brackets, rows, the graph of spawns and joins."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

MODULES = Path(__file__).resolve().parents[2] / "assets" / "modules"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")

TURNS = {
    # main 0..3; agents a and b spawned by turn 0 run at once and join at turn 1; 100 s idle before turn 2
    "outer": [0, 1, 1, 2, 3, 4, 5],
    "inner": [None, 0, 1, 0, None, None, None],
    "stream": ["", "sa:a", "sa:a", "sa:b", "", "", ""],
    "kind": ["main", "subagent", "subagent", "subagent", "main", "main", "main"],
    "t_s": [0, 3, 6, 4, 10, 115, 120],
    "end_s": [2, 5, 9, 8, 15, 118, None],
    "model": ["m"] * 7,
    "isl": [100, 20, 30, 40, 200, 300, 60],
    "osl": [10, 1, 1, 1, 20, 30, 6],
    "cached_prefix_tokens": [0, 0, 20, 10, 100, 190, 30],
    "cached_prefix_causal_tokens": [0, 0, 20, 0, 100, 190, 30],
    "delay_s": [None] * 7,
    "stop": [""] * 7,
    "compaction": [False] * 6 + [True],
}
EDGES = {
    "kind": ["spawn", "join", "spawn", "join"],
    "from_outer": [0, 1, 0, 2],
    "from_inner": [None, 1, None, 0],
    "to_outer": [1, 3, 2, 3],
    "to_inner": [0, None, 0, None],
    "delay_s": [1, 1, 1, 1],
}


def told(
    expression: str, tmp_path: Path, turns: dict[str, Any] = TURNS, edges: dict[str, Any] = EDGES
) -> Any:
    """The value of an expression over `c`, the conversation, with all exports of the modules at hand."""
    for module in ("conversation-data", "conversation-rows", "conversation-dag", "panels-axis"):
        shutil.copy(MODULES / f"{module}.js", tmp_path / f"{module}.js")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    script = f"""
    import {{ Conversation, idle, foldedTime, concurrent, mostAtOnce }} from "./conversation-data.js";
    import {{ tokenRows, timeRows }} from "./conversation-rows.js";
    import {{ dagLayout }} from "./conversation-dag.js";
    const c = new Conversation({json.dumps({"turns": turns, "edges": edges})});
    const format = {{ rate: String, figure: String, count: String, seconds: String }};
    const view = {{ unfold: [] }};
    console.log(JSON.stringify({expression}));
    """
    (tmp_path / "run.js").write_text(script)
    assert NODE
    found = subprocess.run([NODE, tmp_path / "run.js"], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


def test_idle_time_beyond_a_minute_is_folded_and_back(tmp_path: Path) -> None:
    assert told("idle(c)", tmp_path) == [[15, 115]]
    folded = told(
        "(f => [0, 10, 15, 65, 115, 120].map((t) => [f.to(t), f.from(f.to(t))]))(foldedTime(idle(c)))",
        tmp_path,
    )
    assert [round(place, 6) for place, _ in folded] == [0, 10, 15, 21, 27, 32]
    assert [round(back, 6) for _, back in folded] == [0, 10, 15, 65, 115, 120]


def test_streams_that_run_at_once_are_bracketed_with_the_most_requests_at_a_moment(tmp_path: Path) -> None:
    groups = told("concurrent(c).map((g) => [g.members.map((m) => m.key), g.most])", tmp_path)
    assert groups == [[["sa:a", "sa:b"], 2]]


def test_rows_hold_main_turns_in_order_with_subagents_folded_among_them(tmp_path: Path) -> None:
    rows = told("tokenRows(c, view, format, () => null).map((r) => [r.label, r.fold, r.runs])", tmp_path)
    assert [label for label, _, _ in rows] == ["Turn 0", "a", "b", "Turn 3", "Turn 4", "Turn 5"]
    assert rows[1][1:] == ["closed", [[8, 9]]]
    opened = told("tokenRows(c, {unfold: ['sa:a']}, format, () => null).map((r) => r.label)", tmp_path)
    assert opened == ["Turn 0", "a", "0", "1", "b", "Turn 3", "Turn 4", "Turn 5"]


def test_a_measured_share_far_below_the_theoretical_one_is_marked(tmp_path: Path) -> None:
    cells = told(
        "tokenRows(c, view, format, (i) => (i === 4 ? 0.1 : i === 5 ? NaN : null)).map((r) => r.right[2])",
        tmp_path,
    )
    marked = [cell for cell in cells if cell]
    assert marked[0]["text"].startswith("▾") and marked[1]["text"] == "not reported"


def test_the_graph_merges_agents_of_one_fork_and_keeps_anchors_alone(tmp_path: Path) -> None:
    layout = told(
        "(d => [d.nodes.map((n) => n.turns), d.capsules.map((k) => [k.from, k.to, k.streams.length])])"
        "(dagLayout(c))",
        tmp_path,
    )
    nodes, capsules = layout
    assert nodes == [[0], [4], [5], [6]]
    assert capsules == [[0, 1, 2]]


def test_the_graph_of_five_hundred_turns_stays_small(tmp_path: Path) -> None:
    n = 500
    turns = {name: [values[0]] * n for name, values in TURNS.items()} | {
        "outer": list(range(n)),
        "t_s": list(range(0, 3 * n, 3)),
        "end_s": list(range(1, 3 * n, 3)),
    }
    edges = {name: [] for name in EDGES}
    assert told("dagLayout(c).nodes.length", tmp_path, turns, edges) == 3
