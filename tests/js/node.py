"""Calling our browser modules in Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from dashboard.resources import assets_dir

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")

_CALL = """
const [script, path, calls] = process.argv.slice(1);
const found = path.split(".").reduce((place, name) => place[name], require(script).agentx);
const read = (value) => (value === "NaN" ? NaN : value);
process.stdout.write(JSON.stringify(JSON.parse(calls).map((args) => found(...args.map(read)))));
"""


def call(script: str, function: str, *calls: list[Any]) -> list[Any]:
    """The results of a function of `assets/<script>`, once per argument list."""
    command = [str(NODE), "-e", _CALL, str(assets_dir() / script), function, json.dumps(calls)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: list[Any] = json.loads(done.stdout)
    return found
