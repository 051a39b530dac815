"""The pure parts of the panels in Node: clock, ticks, scales, windows by key, values at a moment."""

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


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The value of an expression with all exports of the modules at hand."""
    folder = tmp_path_factory.mktemp("modules")
    for module in ("panels-axis", "panels-data"):
        shutil.copy(MODULES / f"{module}.js", folder / f"{module}.js")
    (folder / "package.json").write_text('{"type": "module"}')

    def tell(expression: str) -> Any:
        (folder / "run.js").write_text(f"""
            import {{ clock, ordered, scaleOf, stepped, tickWords, timeTicks }} from "./panels-axis.js";
            import {{ valueAt }} from "./panels-data.js";
            console.log(JSON.stringify({expression}));
        """)
        assert NODE
        done = subprocess.run([NODE, folder / "run.js"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return tell


def test_moments_read_as_a_clock_before_and_after_the_phase(told: Any) -> None:
    assert told("[-240, -0.4, 0, 59.6, 744, 3723].map((s) => clock(s))") == [
        "−4:00", "0:00", "0:00", "1:00", "12:24", "1:02:03",
    ]  # fmt: skip
    assert told("[1.25, 61.04].map((s) => clock(s, 0.1))") == ["0:01.3", "1:01.0"]


def test_ticks_are_round_and_inside(told: Any) -> None:
    assert told("timeTicks([-250, 1830], 6)") == {"ticks": [0, 600, 1200, 1800], "step": 600}
    assert told("scaleOf('share', 0, 0.4).ticks") == [0, 0.25, 0.5, 0.75, 1]
    over = told("(s => [s.high, s.place(1.3)])(scaleOf('share', 0, 1.3))")
    assert over[0] >= 1.3 and over[1] <= 1, "more than 100 % has a place on the axis"
    low, high, ticks = told("(s => [s.place(0.02), s.place(50), s.ticks])(scaleOf('log', 0.02, 50))")
    assert 0 < low < high < 1 and ticks == [0.1, 1, 10]
    assert told("[0, 0.25].map((v) => tickWords(v, 'percent')).concat(tickWords(0.03, 'seconds'))") == [
        "0", "25", "30\u202fms",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("key", "shift", "window", "then"),
    [
        ("ArrowRight", "false", "null", [0, 110]),
        ("ArrowRight", "false", "[100, 200]", [110, 210]),
        ("ArrowLeft", "false", "[5, 205]", [-15, 185]),
        ("ArrowLeft", "false", "[-100, 100]", [-100, 100]),
        ("ArrowRight", "false", "[950, 1000]", [950, 1000]),
        ("ArrowRight", "true", "[100, 200]", [100, 210]),
        ("ArrowLeft", "true", "[100, 200]", [100, 190]),
        ("a", "false", "[100, 200]", None),
    ],
)
def test_keys_move_a_window_and_its_end_within_the_run(
    told: Any, key: str, shift: str, window: str, then: list[int] | None
) -> None:
    assert told(f"stepped('{key}', {shift}, {window}, [-100, 1000])") == then


def test_a_drag_beyond_the_run_ends_at_its_edge(told: Any) -> None:
    assert told("ordered(900, -500, [-100, 1000])") == [-100, 900]


def test_a_value_holds_from_its_sample_on_and_not_beyond_the_last(told: Any) -> None:
    line = "{ t: [0, 10, 20], v: [1, NaN, 3], step: %s }"
    assert told(f"[-1, 0, 9, 10, 20, 21].map((t) => valueAt({line % 'false'}, t))") == [
        None,
        1,
        1,
        None,
        3,
        None,
    ]
    assert told(f"valueAt({line % 'true'}, 25)") == 3
