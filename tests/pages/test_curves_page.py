"""The Curves page as its layout and its one callback give it: complete at once, whatever the address."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dash
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.app import create_app
from dashboard.links import CURVES_PARAMETERS, curves_url, parse_curves, parse_query
from dashboard.pages import curves
from dashboard.settings import Settings
from tests import invented
from tests.pages.tree import parts, plain, text


def page(server: Flask, search: str = "", **cookies: str) -> list[dict[str, Any]]:
    header = "; ".join(f"{name}={value}" for name, value in cookies.items())
    with server.test_request_context("/", headers={"Cookie": header}):
        return list(parts(plain(curves.layout(**parse_query(search)))))


def figure(found: list[dict[str, Any]]) -> dict[str, Any]:
    graph: dict[str, Any] = next(part for part in found if part.get("id") == "curves-graph")["figure"]
    return graph


def drawn(fig: dict[str, Any]) -> set[str]:
    return {trace["meta"]["series"] for trace in fig["data"] if trace["meta"]["role"] == "mark"}


def test_the_first_view_is_complete_without_a_parameter(server: Flask) -> None:
    found = page(server)
    assert len(drawn(figure(found))) > 1
    ids = {part["id"] for part in found if "id" in part}
    assert {"curves-controls", "curves-filters", "curves-legend", "curves-counts", "curves-query"} <= ids


def test_every_control_is_a_link_to_a_view_that_reads_back(server: Flask) -> None:
    links = [part["href"] for part in page(server) if part.get("data-view")]
    assert len(links) > 40
    for href in links:
        view, notices = parse_curves(parse_query(href.partition("?")[2]))
        assert notices == () and curves_url(view) == href


def test_each_menu_marks_what_is_chosen(server: Flask) -> None:
    chosen = [
        text(part["children"])
        for part in page(server, "stat=p99&labels=gpus")
        if part.get("aria-current") == "true"
    ]
    assert {"p99", "GPUs", "Interactivity + TTFT", "Total throughput per GPU"} <= {
        words.strip() for words in chosen
    }


def test_the_callback_gives_what_a_fresh_page_gives(server: Flask) -> None:
    search = "?model=dsv4&scenario=agentic&stat=p50&hardware=b300,b200&dominated=1&zy=0..20000"
    fresh = page(server, search)
    with server.test_request_context("/"):
        updated = plain(curves.update(search, painted=None))
    assert updated[0] == figure(fresh)
    legend = next(part for part in fresh if part.get("id") == "curves-legend")
    assert updated[3] == legend["children"]


def test_the_cookies_of_the_browser_choose_theme_and_arrangement(server: Flask) -> None:
    light, dark = figure(page(server)), figure(page(server, agentx_theme="dark"))
    stacked = figure(page(server, agentx_width="stacked"))
    paper = [fig["layout"]["template"]["layout"]["paper_bgcolor"] for fig in (light, dark)]
    assert paper[0] != paper[1]
    assert light["layout"]["yaxis"].get("domain") != stacked["layout"]["yaxis"].get("domain")
    assert drawn(light) == drawn(dark) == drawn(stacked)


def test_the_theme_in_the_address_wins(server: Flask) -> None:
    asked = figure(page(server, "theme=dark", agentx_theme="light"))
    assert asked["layout"]["template"] == figure(page(server, agentx_theme="dark"))["layout"]["template"]


def test_a_pinned_point_fills_the_panel(server: Flask) -> None:
    point = invented.point(*next((stack, sweep[0]) for stack, sweep in invented.STACKS))
    found = page(server, f"model=dsv4&pin={point.point_id}")
    panel = text(next(part for part in found if part.get("id") == "curves-panel")["children"])
    assert "B300" in panel and "On the frontier" in panel and point.artifacts[0] in panel
    assert any(f"/point/dsv4-b300-vllm-fp4-c8-{point.point_id}" in part.get("href", "") for part in found)


def test_two_pins_show_their_difference(server: Flask) -> None:
    first, second = (invented.point(invented.STACKS[0][0], users).point_id for users in (8, 16))
    found = page(server, f"model=dsv4&pin={first},{second}")
    panel = text(next(part for part in found if part.get("id") == "curves-panel")["children"])
    assert "Two points" in panel and "ratio" in panel


def test_an_unknown_pin_is_named(server: Flask) -> None:
    assert "no such point" in text([part.get("children") for part in page(server, "pin=0123456789")])


def notices(found: list[dict[str, Any]]) -> str:
    return text(next(part for part in found if part.get("id") == "curves-notices")["children"])


def test_a_zoom_that_shows_nothing_is_named(server: Flask) -> None:
    assert "zy=-5..-1: no point lies in this range" in notices(page(server, "zy=-5..-1"))
    assert "zx2=0..5: a logarithmic axis starts above 0" in notices(page(server, "xs=log&zx2=0..5"))
    assert "zx2=1..5: there is no second chart" in notices(page(server, "x=e2el&zx2=1..5"))
    assert notices(page(server, "zx=20..80&zy=0..30000")) == ""


def test_nothing_left_says_which_filter_to_open(server: Flask) -> None:
    found = page(server, "model=dsv4&hardware=mi325x&precision=fp4")
    notices = next(part for part in found if part.get("id") == "curves-notices")["children"]
    assert "No point matches" in text(notices)
    assert {
        "/?model=dsv4&scenario=agentic&precision=fp4",
        "/?model=dsv4&scenario=agentic&hardware=mi325x",
    } <= {part["href"] for part in parts(notices) if "href" in part}


def test_an_empty_store_says_how_to_fill_it(tmp_path: Path) -> None:
    empty = create_app(Settings(store=tmp_path / "none", cache="memory")).server
    assert "agentx-dashboard ingest" in text([part.get("children") for part in page(empty)])


def test_a_damaged_store_is_a_sentence_on_the_page(tmp_path: Path) -> None:
    (tmp_path / "store.json").write_text("{")
    broken = create_app(Settings(store=tmp_path, cache="memory")).server
    with broken.test_request_context("/"):
        layout = next(page for page in dash.page_registry.values() if page["path"] == "/")["layout"]
        assert "store.json" in text(plain(layout()))


def test_a_hostile_name_is_text(server: Flask) -> None:
    found = page(server, "model=kimik3")
    assert invented.SCRIPT in json.dumps(figure(found))
    assert all("dangerously" not in key for part in found for key in part)


NAMES = st.sampled_from(
    [parameter.name for parameter in CURVES_PARAMETERS] + ["from", "slug", "constructor", "self"]
)
VALUES = st.text(max_size=30) | st.sampled_from(
    [
        "<script>alert(1)</script>",
        "../../../etc/passwd",
        "' OR 1=1 --",
        "NaN..1e999",
        "b300:1e999",
        "%00",
        "1" * 5000,
    ]
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.dictionaries(NAMES, VALUES, max_size=5))
def test_any_string_in_any_parameter_gives_a_page(server: Flask, query: dict[str, str]) -> None:
    with server.test_request_context("/"):
        found = list(parts(plain(curves.layout(**query))))
    assert any(part.get("id") == "curves-graph" for part in found)
