"""Geometry and addresses of the curves in the browser."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.figures.boxes import spread
from dashboard.links import parse_curves, parse_query
from tests.js.node import call, needs_node

pytestmark = needs_node


def test_the_nearest_mark_within_reach_is_found() -> None:
    xs, ys = [0, 10, 100], [0, 0, 0]
    found = call("marks.js", "nearest", [xs, ys, 8, 1], [xs, ys, 50, 0], [xs, ys, 100, 13], [[], [], 0, 0])
    assert found == [1, -1, 2, -1]


@settings(max_examples=5, deadline=None)
@given(st.lists(st.lists(st.floats(-50, 450), max_size=12), min_size=20, max_size=20))
def test_names_in_the_margin_move_by_the_servers_rule(crowds: list[list[float]]) -> None:
    placed = call("marks.js", "spread", *[[wanted, 15, 6, 402] for wanted in crowds])
    for ours, wanted in zip(placed, crowds, strict=True):
        assert ours == pytest.approx(spread(wanted, 15, 6, 402))


@pytest.mark.parametrize(
    "search, add, expected",
    [
        ("", False, ("3f9a1c07b2",)),
        ("?stat=p99&pin=aaaaaaaaaa", False, ("3f9a1c07b2",)),
        ("?pin=aaaaaaaaaa", True, ("aaaaaaaaaa", "3f9a1c07b2")),
        ("?pin=aaaaaaaaaa,bbbbbbbbbb", True, ("aaaaaaaaaa", "3f9a1c07b2")),
        ("?pin=3f9a1c07b2", False, ()),
        ("?pin=aaaaaaaaaa,3f9a1c07b2", True, ("aaaaaaaaaa",)),
    ],
)
def test_a_click_pins_adds_or_releases_a_point(search: str, add: bool, expected: tuple[str, ...]) -> None:
    [written] = call("marks.js", "pinned", [search, "3f9a1c07b2", add])
    view, notices = parse_curves(parse_query(urlsplit(written).query))
    assert view.pin == expected and not notices


def test_the_rest_of_the_address_stays_as_it_is() -> None:
    [written] = call("marks.js", "pinned", ["?model=a%20b&pin=aaaaaaaaaa&hide=x,y", "3f9a1c07b2", False])
    assert written == "?model=a%20b&hide=x,y&pin=3f9a1c07b2"
    assert call("marks.js", "withPins", ["?pin=aaaaaaaaaa", []]) == [""]


def test_a_price_form_leads_to_one_parameter_and_empty_fields_to_none() -> None:
    fields = [["price.b300", "2.50"], ["price.h200", ""], ["price.mi355x", " 1.5 "]]
    written = call(
        "menus.js",
        "formUrl",
        ["/?y=cost_total", fields],
        ["/", [["since", "2026-06-01"], ["until", ""]]],
        ["/", []],
    )
    assert written == ["/?y=cost_total&price=b300:2.50,mi355x:1.5", "/?since=2026-06-01", "/"]
    view, notices = parse_curves(parse_query(urlsplit(written[0]).query))
    assert view.own_prices == {"b300": 2.5, "mi355x": 1.5} and not notices


def test_the_picture_holds_title_scope_key_source_and_date() -> None:
    layout = {"margin": {"l": 52, "r": 100, "t": 36, "b": 52}, "annotations": [{"text": "y title"}]}
    caption = {
        "title": "M & <script>",
        "subtitle": "p90",
        "source": "lab store",
        "date": "newest run 2026-08-12",
    }
    key = [{"words": "FP4", "symbol": "circle"}, {"words": "KV offload", "symbol": "ring"}]
    colours = {"text": "#111", "quiet": "#555"}
    size = {"width": 1100, "height": 500}
    [made] = call("picture.js", "pictureLayout", [layout, caption, key, size, colours])
    words = [annotation["text"] for annotation in made["annotations"]]
    assert words[0] == "y title" and "<b>M &amp; &lt;script&gt;</b>" in words
    assert {"p90", "FP4", "KV offload", "lab store · newest run 2026-08-12"} <= set(words)
    assert "2.6px,2px" in [shape["line"].get("dash") for shape in made["shapes"]]
    assert (made["width"], made["height"] > 500) == (1100, True)
