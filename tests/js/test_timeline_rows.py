"""Edges between the streams of a lane, and what is in flight, as the timeline's modules find them."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from dashboard.resources import assets_dir
from tests.js.node import NODE, needs_node

pytestmark = needs_node

_RUN = """
const [folder, given] = process.argv.slice(1);
const { edgesOf } = await import(`file://${folder}/timeline-rows.js`);
const { inFlight, thinned } = await import(`file://${folder}/timeline-data.js`);
const run = JSON.parse(given);
const flight = inFlight(run);
const t = Array.from({ length: 5000 }, (_, n) => n);
const long = { t, v: t.map((n) => (n === 3333 ? 99 : n % 7)) };
const thin = thinned(long, 50);
const thinly = { t: [...thin.t], v: [...thin.v] };
process.stdout.write(JSON.stringify({ thinly, edges: edgesOf(run, 2), t: [...flight.t], v: [...flight.v] }));
"""


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """A lane of one stream; then a root with a stream that comes back and one that never does."""
    run = {
        "streams": 4,
        "lane": [1, 2, 2, 2],
        "parent": [0, 1, 1, 1],
        "bounds": [0, 1, 4, 6, 7],
        "begin": [0, 10, 20, 60, 22, 30, 65],
        "start": [0, 11, 21, 61, 23, 31, 66],
        "end": [5, 15, 25, 70, 28, 40, 90],
        "count": 7,
    }
    command = [str(NODE), "--input-type=module", "-e", _RUN, str(assets_dir() / "modules"), json.dumps(run)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_a_stream_leaves_at_its_first_moment_and_joins_when_its_parent_sends_again(
    found: dict[str, Any],
) -> None:
    assert found["edges"] == [
        {"child": 2, "parent": 1, "spawn": 22, "join": 61},
        {"child": 3, "parent": 1, "spawn": 65, "join": None},
    ]


def test_in_flight_counts_what_has_started_and_not_ended(found: dict[str, Any]) -> None:
    starts, ends = [0, 11, 21, 61, 23, 31, 66], [5, 15, 25, 70, 28, 40, 90]
    for moment, level in zip(found["t"], found["v"], strict=True):
        assert level == sum(s <= moment < e for s, e in zip(starts, ends, strict=True))
    assert found["v"][-1] == 0 and max(found["v"]) == 2


def test_a_thinned_line_keeps_its_peak_its_ends_and_its_order(found: dict[str, Any]) -> None:
    t, v = found["thinly"]["t"], found["thinly"]["v"]
    assert len(t) <= 102 and t == sorted(t)
    assert max(v) == 99 and abs(t[v.index(99)] - 3333) <= 100
    assert (t[0], t[-1], v[-1]) == (0, 4999, 4999 % 7)
