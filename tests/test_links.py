"""URLs: what is written is what is read, defaults are silent, a hostile address gets named notices."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard import links
from dashboard.domain.catalog import TIERS
from dashboard.domain.choice import Choice
from dashboard.domain.metrics import STATS, X_METRICS, Y_METRICS
from dashboard.links import CurvesView, PageView

NAMES = st.text(min_size=1, max_size=30).filter(lambda text: text.isprintable() and text.strip())
MANY = st.lists(NAMES, unique=True, max_size=4).map(tuple)
IDS = st.text("0123456789abcdef", min_size=10, max_size=10)
NUMBERS = st.floats(-1e12, 1e12, allow_nan=False)
INTERVALS = st.none() | st.tuples(NUMBERS, NUMBERS).filter(lambda ends: ends[0] < ends[1])
PRICES = st.tuples(NAMES, st.floats(0.001, 1e6))
CHOICES = st.builds(
    Choice,
    model=st.none() | NAMES,
    scenario=st.none() | NAMES,
    precision=MANY,
    vendor=MANY,
    hardware=MANY,
    engine=MANY,
    deployment=MANY,
    spec_method=MANY,
    offload=MANY,
    official=st.sampled_from([(), ("official",), ("unofficial",), ("official", "unofficial")]),
    since=st.none() | st.dates(date(1000, 1, 1)),
    until=st.none() | st.dates(date(1000, 1, 1)),
)
VIEWS = st.builds(
    CurvesView,
    choice=CHOICES,
    x=st.sampled_from((links.PAIR, *X_METRICS)),
    y=st.sampled_from(Y_METRICS),
    stat=st.sampled_from(STATS),
    x_scale=st.sampled_from(links.SCALES),
    y_scale=st.sampled_from(links.SCALES),
    runs=st.sampled_from(links.RUNS),
    dominated=st.booleans(),
    hide=MANY,
    only=MANY,
    labels=st.sampled_from(links.LABELS),
    pin=st.lists(IDS, unique=True, max_size=links.MAX_PINS).map(tuple),
    tier=st.sampled_from(TIERS),
    price=st.lists(PRICES, unique=True, max_size=3).map(tuple),
    zoom_x=INTERVALS,
    zoom_x2=INTERVALS,
    zoom_y=INTERVALS,
    theme=st.sampled_from([None, *links.THEMES]),
)
PARAMETERS = st.sampled_from([parameter.name for parameter in links.CURVES_PARAMETERS]) | st.text(max_size=12)
HOSTILE = st.dictionaries(PARAMETERS, st.text(max_size=300) | st.lists(st.text(max_size=40), max_size=3))


def read(url: str) -> tuple[CurvesView, tuple[links.Notice, ...]]:
    return links.parse_curves(links.parse_query(urlsplit(url).query))


@given(VIEWS)
def test_every_view_survives_its_url(view: CurvesView) -> None:
    url = links.curves_url(view)
    assert read(url) == (view, ())
    assert links.curves_url(read(url)[0]) == url


@given(VIEWS)
def test_a_url_is_plain_ascii_on_the_curves_path(view: CurvesView) -> None:
    url = links.curves_url(view)
    assert url.isascii() and not any(character.isspace() for character in url)
    assert urlsplit(url).path == "/"


@given(HOSTILE)
def test_any_text_in_any_parameter_gives_a_view(query: dict[str, str | list[str]]) -> None:
    view, notices = links.parse_curves(query)
    assert isinstance(view, CurvesView)
    assert all(notice.detail and len(notice.value) <= 60 for notice in notices)


def test_a_flood_of_parameters_gets_a_handful_of_notices() -> None:
    _, notices = links.parse_curves({f"p{number}": "x" for number in range(5000)})
    assert len(notices) == links.MAX_NOTICES and notices[-1].value == f"{5001 - links.MAX_NOTICES} more"


@given(st.text(max_size=400))
def test_any_query_string_can_be_read(text: str) -> None:
    view, _ = links.parse_curves(links.parse_query(text))
    page, _ = links.parse_page(links.parse_query(text))
    assert isinstance(view, CurvesView) and isinstance(page, PageView)


def test_the_first_view_has_the_bare_address() -> None:
    assert links.curves_url(CurvesView()) == "/"


def test_parameters_are_short_readable_and_in_a_fixed_order() -> None:
    view = CurvesView(
        choice=Choice(model="dsv4", hardware=("b300", "gb300"), since=date(2026, 7, 1)),
        stat="p99",
        pin=("3f9a1c07b2",),
        price=(("b300", 2.5),),
        zoom_x=(20.0, 140.0),
    )
    assert links.curves_url(view) == (
        "/?model=dsv4&stat=p99&hardware=b300,gb300&since=2026-07-01&pin=3f9a1c07b2&price=b300:2.5&zx=20..140"
    )


@pytest.mark.parametrize(
    ("query", "parameter", "said"),
    [
        ("stat=p42", "stat", "p90"),
        ("y=latency", "y", "tput_total"),
        ("zx=9..3", "zx", "low end first"),
        ("zx=nan..inf", "zx", "20..140"),
        ("zy=1e999..2", "zy", "20..140"),
        ("since=yesterday", "since", "2026-07-15"),
        ("since=2026-02-30", "since", "2026-07-15"),
        ("price=b300:free", "price", "US dollars"),
        ("price=b300:-1", "price", "US dollars"),
        ("pin=not-an-id", "pin", "hexadecimal"),
        ("dominated=maybe", "dominated", "1 for yes"),
        ("labels=<script>alert(1)</script>", "labels", "concurrency"),
        ("colour=red", "colour", "no such parameter"),
        ("v=7", "v", "version 1"),
        ("model=" + "m" * 300, "model", "longer than"),
        ("model=%00", "model", "not a name"),
    ],
)
def test_what_cannot_be_used_is_named_and_ignored(query: str, parameter: str, said: str) -> None:
    view, (notice,) = links.parse_curves(links.parse_query(query))
    assert view == CurvesView()
    assert notice.parameter == parameter and said in notice.detail


def test_one_bad_value_does_not_cost_its_neighbours() -> None:
    view, (notice,) = links.parse_curves({"pin": "3f9a1c07b2,nonsense", "stat": "p99"})
    assert (view.pin, view.stat, notice.value) == (("3f9a1c07b2",), "p99", "nonsense")


def test_a_repeated_parameter_adds_values_or_keeps_the_first() -> None:
    view, notices = links.parse_curves({"hardware": ["b300", "h200,b300"], "stat": ["p99", "p50"]})
    assert (view.choice.hardware, view.stat) == (("b300", "h200"), "p99")
    assert [notice.parameter for notice in notices] == ["stat"]


def test_an_empty_value_is_no_value() -> None:
    assert links.parse_curves({"stat": "", "hardware": "", "zx": ""}) == (CurvesView(), ())


def test_at_most_two_points_are_pinned() -> None:
    view, (notice,) = links.parse_curves({"pin": "aaaaaaaaaa,bbbbbbbbbb,cccccccccc"})
    assert view.pin == ("aaaaaaaaaa", "bbbbbbbbbb") and notice.value == "cccccccccc"


def test_a_flood_of_values_is_cut_and_said() -> None:
    view, notices = links.parse_curves({"hide": ",".join(f"s{number}" for number in range(5000))})
    assert len(view.hide) == 64 and len(notices) == 1


@given(st.text(max_size=40), IDS)
def test_only_the_hash_of_a_readable_id_counts(prefix: str, point_id: str) -> None:
    assert links.id_in(point_id) == point_id
    assert links.id_in(f"{prefix}-{point_id}") == point_id


@pytest.mark.parametrize(
    "slug", ["", "..", "../../etc/passwd", "3F9A1C07B2", "3f9a1c07b", "x3f9a1c07b2", "3f9a1c07b2/"]
)
def test_what_is_not_an_id_is_none(slug: str) -> None:
    assert links.id_in(slug) is None


@given(VIEWS)
def test_a_point_page_leads_back_to_the_view_one_came_from(view: CurvesView) -> None:
    url = links.point_url("b300-vllm-3f9a1c07b2", PageView(back=view, theme="dark"))
    page, notices = links.parse_page(links.parse_query(urlsplit(url).query))
    assert notices == () and page.theme == "dark"
    assert (page.back or CurvesView()) == view


@pytest.mark.parametrize(
    "origin", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "\\\\evil"]
)
def test_the_way_back_leads_nowhere_but_to_curves(origin: str) -> None:
    page, _ = links.parse_page({"from": origin})
    assert page.back is None or links.curves_url(page.back) == "/"


def test_an_unknown_parameter_of_a_point_page_is_named() -> None:
    _, (notice,) = links.parse_page({"panel": "2"})
    assert notice.parameter == "panel"


@given(VIEWS)
def test_the_data_link_asks_for_the_rows_of_the_view(view: CurvesView) -> None:
    asked = parse_qs(urlsplit(links.points_api_url(view, "csv")).query)
    assert asked.pop("format") == ["csv"]
    rows, notices = links.parse_curves({key: values[0] for key, values in asked.items()})
    assert notices == () and rows == view.computed()


def test_what_does_not_change_the_series_is_not_computed_again() -> None:
    view = CurvesView(stat="p99", hide=("b300.vllm.fp4",))
    moved = replace(view, pin=("3f9a1c07b2",), zoom_x=(1.0, 2.0), labels="gpus", theme="dark")
    assert moved.computed() == view


def test_paths_of_pages() -> None:
    assert links.point_url("3f9a1c07b2") == "/point/3f9a1c07b2"
    assert links.config_url("a/b?c") == "/config/a%2Fb%3Fc"
    assert links.method_url("ttft") == "/method#ttft"
    assert links.point_api_url("3f9a1c07b2") == "/api/v1/points/3f9a1c07b2"
