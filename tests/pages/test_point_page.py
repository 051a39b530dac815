"""The pages of a point and of a configuration: the row's own values, the way back, and friendly ends."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask, g

from components.stat_table import STATISTICS
from dashboard.domain.metrics import REGISTRY
from dashboard.domain.units import format_number
from dashboard.links import curves_url, parse_curves, parse_query
from dashboard.pages import configuration, method, not_found_404, point
from dashboard.pages.point_statistics import point_statistics
from dashboard.services import Services
from dashboard.store import points
from tests import invented
from tests.pages.tree import parts, plain, text

STACK = invented.STACKS[0][0]
POINT = invented.point(STACK, 16)
WITH_REQUESTS = next(one for one in invented.points() if one.has_requests)


def shown(server: Flask, layout: Any, slug: str, **query: str) -> tuple[str, list[dict[str, Any]], str]:
    """Words, components and tab title of a page."""
    with server.test_request_context("/"):
        tree = plain(layout(slug=slug, **query))
        return text(tree), list(parts(tree)), str(g.page_title)


def hrefs(found: list[dict[str, Any]]) -> set[str]:
    return {str(part["href"]) for part in found if "href" in part}


def test_a_point_page_tells_what_was_measured_and_where_it_is_from(server: Flask) -> None:
    words, found, title = shown(server, point.layout, f"any-words-{POINT.point_id}")
    assert "B300" in words and "concurrency 16" in words and POINT.artifacts[0] in words
    assert f"{POINT.requests_ok}" in words and str(POINT.image) in words
    assert POINT.run_url in hrefs(found)
    assert title.startswith("B300 vLLM FP4") and "UNOFFICIAL" not in title


def test_its_statistics_are_those_of_the_row(services: Services) -> None:
    row = points.one(services.store, POINT.point_id)
    assert row is not None
    profiling = point_statistics(services.store, row)[0]
    lines = {line.metric: line for line in profiling.lines}
    p90 = STATISTICS.index("p90")
    itl = POINT.statistics["itl_s"].p90
    assert itl is not None
    assert lines["ttft"].figures[p90].words == format_number(REGISTRY["ttft"], POINT.statistics["ttft_s"].p90)
    assert lines["interactivity"].figures[p90].words == format_number(REGISTRY["interactivity"], 1 / itl)
    assert lines["ttft"].n == str(POINT.statistics["ttft_s"].n)


def test_a_percentile_that_the_sample_cannot_carry_is_marked(services: Services) -> None:
    row = points.one(services.store, POINT.point_id)
    assert row is not None and POINT.statistics["ttft_s"].n == 640
    few = {
        name: figure.few
        for line in point_statistics(services.store, row)[0].lines
        if line.metric == "ttft"
        for name, figure in zip(STATISTICS, line.figures, strict=True)
    }
    assert few["p99"] and not few["p90"] and not few["mean"] and not few["max"]


def test_stored_requests_are_told_apart_by_phase_and_kind(services: Services) -> None:
    row = points.one(services.store, WITH_REQUESTS.point_id)
    assert row is not None
    titles = [part.title for part in point_statistics(services.store, row)]
    assert titles[0] == "Profiling phase" and "Main requests" in titles and "Warm-up phase" in titles


def test_an_unofficial_point_says_so_in_page_and_title(server: Flask) -> None:
    stack = next(stack for stack, _ in invented.STACKS if not stack.official)
    words, _, title = shown(server, point.layout, invented.point(stack, 16).point_id)
    assert "UNOFFICIAL" in words and "UNOFFICIAL" in title


def test_a_point_without_a_success_still_has_its_page(server: Flask) -> None:
    words, _, _ = shown(server, point.layout, invented.all_failed().point_id)
    assert "ServerError" in words and "64" in words


def test_the_way_back_is_the_view_one_came_from(server: Flask) -> None:
    query = "model=dsv4&scenario=agentic&stat=p99&zx=20..80"
    _, found, _ = shown(server, point.layout, POINT.point_id, **{"from": query})
    assert curves_url(parse_curves(parse_query(query))[0]) in hrefs(found)
    config = next(href for href in hrefs(found) if href.startswith("/config/"))
    assert config.endswith(f"{POINT.config_id}?from={quote(query, safe=',:/~@')}")


def test_without_a_view_to_go_back_to_the_point_is_pinned_in_its_own(server: Flask) -> None:
    _, found, _ = shown(server, point.layout, POINT.point_id)
    assert f"/?model=dsv4&scenario=agentic&pin={POINT.point_id}" in hrefs(found)


def test_a_configuration_shows_all_its_points_the_newest_run_first(server: Flask) -> None:
    older = next(stack for stack, _ in invented.STACKS if stack.run == "6001")
    assert invented.point(older, 16).config_id == POINT.config_id
    words, found, title = shown(server, configuration.layout, POINT.config_id)
    assert "2 runs" in words and words.index("2026-08-12") < words.index("2026-07-03")
    rows = [href for href in hrefs(found) if href.startswith("/point/")]
    assert f"/point/{POINT.point_id}" in rows and f"/point/{invented.point(older, 16).point_id}" in rows
    assert title.startswith("B300 vLLM FP4")
    figure = next(part for part in found if part.get("id") == "config-graph")["figure"]
    marks = [trace for trace in figure["data"] if trace["meta"]["role"] == "mark"]
    assert {one for trace in marks for one in trace["customdata"]} == {
        invented.point(STACK, users).point_id for users in invented.SWEEP
    }


@pytest.mark.parametrize("layout", [point.layout, configuration.layout])
@pytest.mark.parametrize(
    "slug", ["", "0000000000", "../../etc/passwd", "<script>alert(1)</script>", "None", "%00"]
)
def test_an_unknown_id_gets_a_friendly_page(server: Flask, layout: Any, slug: str) -> None:
    words, found, title = shown(server, layout, slug)
    assert "No such" in words and "No such" in title
    assert {"/", "/method"} <= hrefs(found)


def test_an_unknown_path_gets_a_friendly_page(server: Flask) -> None:
    with server.test_request_context("/"):
        assert "does not exist" in text(plain(not_found_404.layout()))


def test_parameters_that_a_page_does_not_take_are_named(server: Flask) -> None:
    words, _, _ = shown(server, point.layout, POINT.point_id, panel="2")
    assert "panel=2" in words


def test_the_method_page_defines_every_metric_at_an_anchor(server: Flask) -> None:
    with server.test_request_context("/"):
        tree = plain(method.layout())
    assert set(REGISTRY) <= {part.get("id") for part in parts(tree)}
    assert all(
        metric.formula in text(tree) and metric.explanation in text(tree) for metric in REGISTRY.values()
    )
