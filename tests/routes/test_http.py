"""What every response carries, which statuses pages have, and that bad requests end in a sentence."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from pathlib import Path

import brotli
import pytest
from flask import Flask
from flask.testing import FlaskClient

from dashboard import __version__
from dashboard.app import create_app
from dashboard.settings import Settings
from tests import invented

POINT = invented.point(*next((stack, sweep[0]) for stack, sweep in invented.STACKS))


@pytest.mark.parametrize(
    "path", ["/", "/method", "/healthz", "/api/v1/points", "/nowhere", "/assets/url-sync.js"]
)
def test_security_headers_are_on_every_response(client: FlaskClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]


def test_pages_are_asked_for_again(client: FlaskClient) -> None:
    assert client.get("/").headers["Cache-Control"] == "no-cache"


def test_the_policy_names_no_outside_host_and_no_unsafe_script(client: FlaskClient) -> None:
    policy = client.get("/").headers["Content-Security-Policy"]
    scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))
    assert "http" not in policy and "*" not in policy
    assert "unsafe" not in scripts and "'self'" in scripts


def test_every_inline_script_of_the_page_is_named_by_hash(client: FlaskClient) -> None:
    answer = client.get("/")
    policy = answer.headers["Content-Security-Policy"]
    inline = re.findall(r"<script(?![^>]*(?:src|application/json))[^>]*>(.*?)</script>", answer.text, re.S)
    assert inline
    for script in inline:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


@pytest.mark.parametrize(("path", "count"), [("/", 3), ("/method", 2)])
def test_what_a_page_preloads_is_there(client: FlaskClient, path: str, count: int) -> None:
    early = re.findall(r"<link rel=\"preload\"[^>]*href=\"([^\"]+)\"", client.get(path).text)
    assert len(early) == count
    assert [client.get(address).status_code for address in early] == [200] * count


def test_scripts_that_no_page_needs_are_not_loaded(client: FlaskClient) -> None:
    scripts = re.findall(r"<script src=\"([^\"]+)\"", client.get("/").text)
    assert any("/async-steps.js" in address for address in scripts)
    assert not [address for address in scripts if "polyfill" in address or "dash_table" in address]


def test_the_page_loads_nothing_from_elsewhere(client: FlaskClient) -> None:
    addresses = re.findall(r"(?:src|href)=\"([^\"]+)\"", client.get("/").text)
    assert addresses and all(address.startswith("/") for address in addresses)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        ("/?stat=nonsense&model=%3Cscript%3E", 200),
        ("/method", 200),
        (f"/point/{POINT.point_id}", 200),
        (f"/point/any-words-{POINT.point_id}?from=stat%3Dp99", 200),
        (f"/config/{POINT.config_id}", 200),
        ("/point/0000000000", 404),
        ("/point/", 404),
        (f"/point/{POINT.config_id}", 404),
        (f"/point/{POINT.point_id}/timeline", 200),
        ("/point/0000000000/timeline", 404),
        (f"/point/{POINT.point_id}/log", 404),
        ("/datasets", 200),
        ("/datasets/no-such", 404),
        ("/datasets/no-such/conversations/x", 404),
        ("/config/0000000000", 404),
        ("/point/..%2f..%2fetc%2fpasswd", 404),
        ("/404", 404),
        ("/nowhere/at/all", 404),
        ("/.env", 404),
        ("/%00", 404),
    ],
)
def test_pages_have_the_status_of_what_they_show(client: FlaskClient, path: str, status: int) -> None:
    answer = client.get(path)
    assert answer.status_code == status and answer.mimetype == "text/html"
    assert '<html lang="en"' in answer.text


def test_the_theme_of_the_reader_is_set_before_any_script(client: FlaskClient) -> None:
    client.set_cookie("agentx_theme", "dark")
    assert 'data-bs-theme="dark"' in client.get("/").text
    client.set_cookie("agentx_theme", '"><script>')
    assert 'data-bs-theme="light"' in client.get("/").text


def test_health_tells_the_points_and_the_version(client: FlaskClient) -> None:
    answer = client.get("/healthz")
    assert answer.status_code == 200 and answer.headers["Cache-Control"] == "no-store"
    assert answer.get_json()["version"] == __version__ and answer.get_json()["points"] > 0


def test_a_damaged_store_is_a_503_with_a_sentence(tmp_path: Path) -> None:
    store = tmp_path / "broken"
    store.mkdir()
    (store / "points.parquet").write_bytes(b"PAR1 this is no table")
    (store / "store.json").write_text("{")
    client = create_app(Settings(store=store, cache="memory")).server.test_client()
    for path in ("/healthz", "/api/v1/points"):
        answer = client.get(path)
        assert answer.status_code == 503 and "store.json" in answer.get_json()["error"]
    assert client.get("/point/0000000000").status_code == 503


def test_an_absent_store_is_healthy_and_empty(tmp_path: Path) -> None:
    client = create_app(Settings(store=tmp_path / "none", cache="memory")).server.test_client()
    assert client.get("/healthz").get_json()["points"] == 0
    assert client.get("/api/v1/points").get_json()["points"] == []
    assert client.get("/").status_code == 200
    assert not (tmp_path / "none").exists()


def test_making_the_application_opens_nothing(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_text("not a folder")
    assert create_app(Settings(store=broken, cache="memory")).server is not None


@pytest.mark.parametrize("encoding", ["br", "gzip"])
def test_files_travel_compressed_and_revalidate(client: FlaskClient, encoding: str) -> None:
    path = "/assets/url-sync.js"
    plain = client.get(path, headers={"Accept-Encoding": "identity"})
    packed = client.get(path, headers={"Accept-Encoding": encoding})
    unpack = {"br": brotli.decompress, "gzip": gzip.decompress}[encoding]
    assert packed.headers["Content-Encoding"] == encoding and unpack(packed.data) == plain.data
    assert len(packed.data) < len(plain.data) / 2
    assert "max-age=31536000" in packed.headers["Cache-Control"]
    again = client.get(path, headers={"Accept-Encoding": encoding, "If-None-Match": packed.headers["ETag"]})
    assert again.status_code == 304 and again.data == b""


def test_answers_of_the_server_travel_compressed(client: FlaskClient) -> None:
    answer = client.get("/api/v1/points?model=dsv4", headers={"Accept-Encoding": "br"})
    assert answer.headers["Content-Encoding"] == "br"
    assert json.loads(brotli.decompress(answer.data))["count"] > 0


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v2/points", "/api/v1/points/a/b"])
def test_an_unknown_route_of_the_api_is_a_404_in_json(client: FlaskClient, path: str) -> None:
    answer = client.get(path, follow_redirects=True)
    assert answer.status_code == 404 and "/api/v1/points" in answer.get_json()["error"]


BODIES = ["", "{", "[]", "{}", '{"output": "x"}', '"text"', "null", '{"output": "..a.b..", "inputs": 3}']


@pytest.mark.parametrize("body", BODIES)
def test_a_bad_callback_request_ends_in_a_sentence(server: Flask, body: str) -> None:
    server.config["PROPAGATE_EXCEPTIONS"] = False
    answer = server.test_client().post("/_dash-update-component", data=body, content_type="application/json")
    assert 400 <= answer.status_code <= 500
    assert "error" in answer.get_json() and "Traceback" not in answer.text


ESCAPES = (
    "/assets/../pyproject.toml",
    "/assets/..%2fpyproject.toml",
    "/assets//etc/passwd",
    "/_dash-component-suites/dash/../../etc/passwd",
)


@pytest.mark.parametrize("path", ESCAPES)
def test_no_address_reads_a_file_outside_what_is_served(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code >= 400
    assert "root:" not in answer.text and "[project]" not in answer.text


def test_nothing_can_be_written_over_http(client: FlaskClient) -> None:
    for path in ("/api/v1/points", "/healthz", "/"):
        for method in ("put", "delete", "patch", "post"):
            assert getattr(client, method)(path).status_code == 405
