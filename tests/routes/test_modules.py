"""ES modules of single pages: kept for a year under their release's address, not loaded by every page."""

from __future__ import annotations

from flask.testing import FlaskClient

from dashboard.links import module_url


def test_a_module_is_kept_for_a_year_under_the_address_of_its_release(client: FlaskClient) -> None:
    answer = client.get(module_url("lanes-geometry"), headers={"Accept-Encoding": "br"})
    assert (answer.status_code, answer.mimetype) == (200, "text/javascript")
    assert "immutable" in answer.headers["Cache-Control"] and answer.headers["Content-Encoding"] == "br"


def test_the_address_of_another_release_is_answered_but_not_kept(client: FlaskClient) -> None:
    answer = client.get("/modules/0123456789abcdef/lanes-geometry.js")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store")


def test_what_is_no_module_is_not_found(client: FlaskClient) -> None:
    for path in ("/modules/x/nothing.js", "/modules/x/..%2Furl-sync.js"):
        assert client.get(path).status_code == 404


def test_no_page_loads_the_modules_of_others(client: FlaskClient) -> None:
    page = client.get("/").get_data(as_text=True)
    assert "assets/modules.js" in page and "lanes-" not in page
