"""What stands in for Babel's polyfill steps Dash's compiled functions, which use no more than it has."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import dash
import pytest

from dashboard.resources import assets_dir
from tests.js.node import NODE, needs_node

_BUNDLES = ("dash-renderer/build/dash_renderer.min.js", "dcc/dash_core_components.js")
_COMPILED = re.compile(
    r"regeneratorRuntime\.mark\(function (\w+)\(\)\{return regeneratorRuntime\.wrap\(function\((\w+)\)"
    r"\{(.*?)\},\1\)\}\)"
)


def _bundle(name: str) -> str:
    return (Path(dash.__file__).parent / name).read_text()


@pytest.mark.parametrize("name", _BUNDLES)
def test_the_bundles_use_only_what_we_have(name: str) -> None:
    text = _bundle(name)
    found = _COMPILED.findall(text)
    assert text.count("regeneratorRuntime") == 2 * len(found) > 0
    for _, context, body in found:
        assert set(re.findall(rf"\b{context}\.(\w+)", body)) <= {"prev", "next", "sent", "stop"}
        assert "catch" not in body


_STEPS = """
require(process.argv[1]);
const told = [];
const made = regeneratorRuntime.mark(function steps() {
  return regeneratorRuntime.wrap(function (at) {
    for (;;) switch (at.prev = at.next) {
      case 0: return told.push("asked"), at.next = 2, Promise.resolve("answer");
      case 2: told.push(at.sent);
      case 3: case "end": return at.stop();
    }
  }, steps);
});
const run = made();
const first = run.next();
first.value.then((answer) => {
  const last = run.next(answer);
  let thrown = "";
  try { made().throw(new Error("lost")); } catch (error) { thrown = error.message; }
  process.stdout.write(JSON.stringify([told, first.done, last.done, thrown]));
});
"""


@needs_node
def test_a_compiled_function_waits_goes_on_and_ends() -> None:
    script = str(assets_dir() / "async-steps.js")
    prelude = "globalThis.window = globalThis;"
    done = subprocess.run(
        [str(NODE), "-e", prelude + _STEPS, script], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [["asked", "answer"], False, True, "lost"]
