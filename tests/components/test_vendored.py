"""The vendored browser files are what VENDORED.md says, and fit the Python packages."""

from __future__ import annotations

import hashlib
import re

import plotly.offline

from dashboard.resources import assets_dir


def test_each_vendored_file_has_its_recorded_checksum_and_licence() -> None:
    table = (assets_dir() / "VENDORED.md").read_text()
    rows = re.findall(r"^\| `(\S+)` \| (\S+) \| \S+ \| \S+ \| `([0-9a-f]{64})` \|", table, re.MULTILINE)
    assert {name for name, _, _ in rows} == {"10-bootstrap.min.css", "plotly-cartesian-4.1.1.min.js"}
    for name, package, checksum in rows:
        assert hashlib.sha256((assets_dir() / name).read_bytes()).hexdigest() == checksum
        assert (assets_dir() / "licences" / f"{package}.txt").read_text().count("MIT") >= 1


def test_the_browsers_plotly_is_the_version_that_python_has() -> None:
    [script] = assets_dir().glob("plotly-cartesian-*.min.js")
    version = plotly.offline.get_plotlyjs_version()
    assert script.name == f"plotly-cartesian-{version}.min.js"
    assert f"plotly.js (cartesian - minified) v{version}" in script.read_text()[:400]


def test_the_stylesheets_ask_no_other_host() -> None:
    for sheet in assets_dir().glob("*.css"):
        urls = re.findall(r"url\(\s*[\"']?([^\"')]+)", sheet.read_text())
        assert all(url.startswith("data:") for url in urls), sheet.name
        assert "@import" not in sheet.read_text()
