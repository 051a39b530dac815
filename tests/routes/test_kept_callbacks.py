"""The callback that draws a view is answered from the cache: the same bytes, never another reader's."""

from __future__ import annotations

import json
from pathlib import Path

import brotli
import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from dashboard.app import create_app
from dashboard.pages import curves
from dashboard.settings import Settings
from dashboard.store.writer import StoreWriter
from tests import invented


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows by the query of each view that is made."""
    seen: list[str] = []
    made = curves._parts
    monkeypatch.setattr(
        curves, "_parts", lambda found, *rest: seen.append(found.asked.stat) or made(found, *rest)
    )
    return seen


def ask(client: FlaskClient, query: str, **headers: str) -> TestResponse:
    """What the page sends when the reader follows a control."""
    dependencies = client.get("/_dash-dependencies").get_json()
    [output] = [one["output"] for one in dependencies if curves.DRAWN in one["output"]]
    names = [name.rsplit(".", 1) for name in output.strip(".").split("...")]
    body = {
        "output": output,
        "outputs": [{"id": name, "property": prop} for name, prop in names],
        "inputs": [{"id": "curves-query", "property": "data", "value": query}],
        "state": [{"id": "curves-painted", "property": "data", "value": True}],
        "changedPropIds": ["curves-query.data"],
    }
    return client.post("/_dash-update-component", json=body, headers=headers)


def test_a_view_is_made_once(client: FlaskClient, computed: list[str]) -> None:
    first, second = ask(client, "?stat=p75"), ask(client, "?stat=p75")
    assert (first.status_code, first.data) == (200, second.data)
    assert json.loads(first.data)["response"]["curves-graph"]["figure"]["data"]
    assert computed == ["p75"]


def test_another_view_theme_width_and_encoding_are_other_answers(server: Flask, computed: list[str]) -> None:
    client = server.test_client()
    plain = ask(client, "?stat=p95")
    assert ask(client, "?stat=p99").data != plain.data
    packed = ask(client, "?stat=p95", **{"Accept-Encoding": "br"})
    assert packed.headers["Content-Encoding"] == "br" and brotli.decompress(packed.data) == plain.data
    client.set_cookie("agentx_theme", "dark")
    dark = ask(client, "?stat=p95")
    client.set_cookie("agentx_width", "stacked")
    assert len({plain.data, dark.data, ask(client, "?stat=p95").data}) == 3
    assert computed == ["p95", "p99", "p95", "p95", "p95"]


def test_a_new_ingest_makes_a_new_answer(tmp_path: Path) -> None:
    def put(point: object) -> None:
        with StoreWriter(tmp_path / "store", product_version="0.0.0-test") as writer:
            writer.put(point, None)

    first, second, *_ = invented.points()
    put(first)
    client = create_app(Settings(store=tmp_path / "store", cache="memory")).server.test_client()
    before = ask(client, "").data
    put(second)
    assert ask(client, "").data != before


def test_a_failure_is_not_kept(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("once")

    with monkeypatch.context() as broken:
        broken.setattr(curves, "_parts", fail)
        assert ask(client, "?stat=mean").status_code == 500
    assert ask(client, "?stat=mean").status_code == 200
