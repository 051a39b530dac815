"""Controls: every choice is a link that says where it leads, how much it leaves, and whether it is chosen."""

from __future__ import annotations

from components.control_line import Menu, MenuGroup, control_line
from components.described import described
from components.export_bar import export_bar
from components.filter_bar import DateRange, Facet, filter_bar
from components.method_page import method_page
from components.navbar import StoreLine, navbar
from components.notice import empty_state, notices
from components.option import Option, option_link
from components.price_form import Price, price_form
from dashboard.domain.metrics import REGISTRY
from tests.components.scenes import scene_of
from tests.components.tree import elements, links, words

P90 = Option("p90", "/?stat=p90", chosen=True)
P99 = Option("p99", "/?stat=p99", title="the slow tail")


def test_an_option_is_one_link_with_its_count() -> None:
    [link] = elements(option_link(Option("FP8", "/?precision=fp8", count=1234)))
    assert (link.tag, link.words, link.attributes["href"]) == ("a", "FP8", "/?precision=fp8")
    assert link.attributes["data-view"] == "1" and link.attributes["data-count"] == "1\u202f234"
    assert "aria-current" not in link.attributes


def test_the_chosen_option_says_so_and_a_disabled_one_is_no_link() -> None:
    assert elements(option_link(P90))[0].attributes["aria-current"] == "true"
    [off] = elements(option_link(Option("FP4", "/?precision=fp4", count=0, disabled=True)))
    assert off.tag == "span" and "disabled" in off.classes and off.attributes["data-count"] == "0"


def test_the_control_line_shows_values_and_holds_all_options() -> None:
    line = control_line([Menu("", "p90", (MenuGroup("Statistic", (P90, P99)),), "stat")], [])
    found = elements(line)
    assert [e.attributes["href"] for e in found if e.tag == "a"] == ["/?stat=p90", "/?stat=p99"]
    [menu] = [e for e in found if e.tag == "details"]
    assert menu.attributes["data-menu"] == "stat"
    assert next(e.words for e in found if e.tag == "summary") == "p90"


def test_a_filter_that_narrows_the_view_is_marked_in_words_too() -> None:
    facet = Facet(
        "precision", "Precision", (Option("FP4", "/?precision=fp4", chosen=True, count=3),), active=True
    )
    bar = filter_bar([facet], None, Option("Clear filters", "/"))
    assert "filter is on" in words(bar) and "Clear filters" in words(bar)
    assert "filter is on" not in words(filter_bar([Facet("precision", "Precision", ())], None, None))


def test_a_filter_without_values_says_so() -> None:
    assert "No values in this selection" in words(filter_bar([Facet("vendor", "Vendor", ())], None, None))


def test_the_date_filter_is_a_form_over_the_rest_of_the_view() -> None:
    dates = DateRange("2026-06-01", "", "2026-01-02", "2026-08-12", "/?model=dsv4")
    found = elements(filter_bar([], dates, None))
    [form] = [e for e in found if e.tag == "form"]
    since, until = [e.attributes for e in found if e.tag == "input"]
    assert form.attributes["data-base"] == "/?model=dsv4"
    assert (since["name"], since["value"], since["min"], since["max"]) == (
        "since",
        "2026-06-01",
        "2026-01-02",
        "2026-08-12",
    )
    assert (until["name"], until["type"], until["value"]) == ("until", "date", "")


def test_own_prices_stand_beside_those_of_the_catalog() -> None:
    prices = [Price("b300", "B300", 2.26), Price("h200", "H200", None, own_usd=1.9)]
    form = price_form(
        prices, [Option("Own and operate", "/")], "own, Aug 2026 · some source", "/?y=cost_total"
    )
    inputs = [e.attributes for e in elements(described([form])) if e.tag == "input"]
    assert [(i["name"], i["value"], i["placeholder"]) for i in inputs] == [
        ("price.b300", "", "2.26"),
        ("price.h200", "1.9", "none"),
    ]
    assert "own, Aug 2026 · some source" in words(described([form]))


def test_the_bar_names_page_store_and_badges() -> None:
    bar = navbar(
        [Option("Curves", "/", chosen=True), Option("Method", "/method")],
        StoreLine("lab · 3 days old", ("UNOFFICIAL",)),
    )
    assert "lab · 3 days old" in words(bar) and "UNOFFICIAL" in words(bar)
    current = [e.words for e in links(bar) if e.attributes.get("aria-current") == "page"]
    assert current == ["Curves"]
    assert all(e.attributes.get("aria-label") or e.words for e in elements(bar) if e.tag == "button")


def test_exports_say_how_many_points_and_lead_to_files_and_pictures() -> None:
    scene = scene_of()
    bar = export_bar("/rows.csv", "/rows.parquet", scene)
    assert f"{len(scene.rows)} on the frontiers shown" in words(bar)
    assert [e.attributes["href"] for e in links(bar)] == ["/rows.csv", "/rows.parquet"]
    assert [e.attributes["data-picture"] for e in elements(bar) if e.tag == "button"] == ["png", "svg"]


def test_notices_are_announced_and_silent_when_there_are_none() -> None:
    assert notices([]) == []
    said = notices(["stat=p42: choose one of p50."])
    [found] = [e for e in elements(said) if e.attributes.get("role") == "status"]
    assert "p42" in found.words


def test_an_empty_state_offers_what_helps() -> None:
    state = empty_state(
        "No points", "The store is empty.", [Option("Clear filters", "/")], "agentx-dashboard ingest DIR"
    )
    assert "The store is empty." in words(state) and "agentx-dashboard ingest DIR" in words(state)
    assert [e.attributes["href"] for e in links(state)] == ["/"]


def test_the_method_page_defines_every_metric_of_the_registry_once() -> None:
    page = method_page(REGISTRY)
    entries = {e.attributes["id"]: e.words for e in elements(page) if e.tag == "article"}
    assert entries.keys() == REGISTRY.keys()
    for key, metric in REGISTRY.items():
        assert metric.formula in entries[key] and metric.explanation in entries[key]
    anchors = [e.attributes["href"] for e in links(page)]
    assert anchors and all(anchor[1:] in REGISTRY for anchor in anchors)
