"""The browser's half of the URLs, run in Node: zoom is carried where it makes sense, order is kept."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from dashboard.links import CurvesView, curves_url
from dashboard.resources import assets_dir

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")

_CALL = """
const sync = require(process.argv[1]);
const [name, args] = JSON.parse(process.argv[2]);
if (name === "zoomOf") args[2] = ((logs) => (axis) => logs.includes(axis))(args[2]);
process.stdout.write(JSON.stringify(sync[name](...args)));
"""


def js(name: str, *args: Any) -> Any:
    script = str(assets_dir() / "url-sync.js")
    done = subprocess.run(
        [str(NODE), "-e", _CALL, script, json.dumps([name, args])], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_another_filter_keeps_the_zoom() -> None:
    assert (
        js("carryZoom", "?stat=p99&zx=20..80", "?stat=p99&hardware=b300")
        == "?stat=p99&hardware=b300&zx=20..80"
    )


@pytest.mark.parametrize("change", ["stat=p50", "x=ttft", "xs=log", "model=kimik3"])
def test_another_x_axis_ends_the_zoom_of_x_and_keeps_that_of_y_where_it_can(change: str) -> None:
    kept = js("carryZoom", "?zx=20..80&zx2=1..2&zy=5..9", f"?{change}")
    assert "zx" not in kept
    assert ("zy=5..9" in kept) == (not change.startswith("model"))


@pytest.mark.parametrize("change", ["y=cost_total", "ys=log", "tier=rental", "price=b300:2"])
def test_another_y_axis_ends_the_zoom_of_y(change: str) -> None:
    assert js("carryZoom", "?zx=20..80&zy=5..9", f"?{change}") == f"?{change}&zx=20..80"


def test_zoom_stands_where_the_server_writes_it() -> None:
    view = CurvesView(stat="p99", zoom_x=(20.0, 80.0), zoom_y=(5.0, 9.0), theme="dark")
    written = js("withZoom", "?stat=p99&zy=5..9&theme=dark", {"zx": "20..80"})
    assert f"/{written}" == curves_url(view)


HOME = {"xaxis": [0, 240], "xaxis2": [-1, 2], "yaxis": [0, 20000]}


def test_a_zoom_is_written_in_the_unit_of_its_axis() -> None:
    ranges = {"xaxis": [19.99, 80.123], "xaxis2": [-0.5, 1.3010299956639813], "yaxis": [0, 12345.678]}
    assert js("zoomOf", ranges, HOME, ["xaxis2"], "") == {
        "zx": "19.99..80.12",
        "zx2": "0.3162..20",
        "zy": "0..12350",
    }


def test_an_axis_that_shows_its_whole_view_is_not_zoomed() -> None:
    assert js("zoomOf", HOME, HOME, ["xaxis2"], "?zx=1..2&zy=3..4") == {"zx": None, "zx2": None, "zy": None}
    assert js("withZoom", "?zx=1..2&zy=3..4", {"zx": None, "zy": None}) == ""


def test_a_zoom_that_came_with_the_address_stays_to_the_letter() -> None:
    ranges = {"xaxis": [20.123456, 80.5], "yaxis": [0, 20000]}
    assert js("zoomOf", ranges, HOME, [], "?zx=20.123456..80.5") == {"zx": "20.123456..80.5", "zy": None}


def test_a_shared_link_names_model_and_scenario() -> None:
    scope = "model=dsv4&scenario=agentic"
    assert js("withScope", "?stat=p99", scope) == "?model=dsv4&scenario=agentic&stat=p99"
    assert js("withScope", "?stat=p99&model=dsv4", scope) == "?model=dsv4&scenario=agentic&stat=p99"
    assert js("withScope", "?model=kimik3", scope) == "?model=kimik3"
    assert js("withScope", "?model=dsv4&scenario=8k1k", scope) == "?model=dsv4&scenario=8k1k"
    assert js("withScope", "", "") == ""
