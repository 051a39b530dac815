"""The pinned point: its own values, how it stands, and the difference of two."""

from __future__ import annotations

from dataclasses import replace

import pytest

from components.difference_card import Pinned, difference_card, zip_facts
from components.point_card import PointLinks, point_card
from dashboard.domain.comparison import Comparison, comparison
from dashboard.domain.scene import Scene
from dashboard.domain.units import format_metric, format_number, significant
from dashboard.store.schema import point_row
from tests import invented
from tests.components.scenes import PAIR, STACKS, naming, points, scene_of, with_counts
from tests.components.tree import elements, links, words

LINKS = PointLinks("/point/x", "/config/x", "/?model=dsv4")
FOUR = STACKS[:4]


def pin_of(scene: Scene, point_id: str) -> Comparison:
    found = comparison(scene, point_id)
    assert found is not None
    return found


def on_frontier(scene: Scene, series: int = -1, place: int = 1) -> str:
    return str(scene.columns["point_id"][scene.series[series].panels[0].frontier[place]])


def test_the_two_big_numbers_are_the_rows_own_with_units() -> None:
    scene = scene_of(points(FOUR))
    pin = pin_of(scene, on_frontier(scene))
    card = point_card(scene, pin, {"hardware": "b300"}, naming, LINKS)
    big = [e.words for e in elements(card) if e.tag == "b"][:2]
    place = pin.panels[0]
    assert big == [format_number(scene.y.metric, place.y), format_number(scene.panels[0].metric, place.x)]
    assert "tok/s total throughput per GPU" in words(card) and "tok/s/user p90 interactivity" in words(card)
    assert f"p90 TTFT {format_metric(scene.panels[1].metric, pin.panels[1].x)}" in words(card)


def test_a_frontier_point_says_so_and_gives_its_factor_against_the_best_line() -> None:
    scene = scene_of(points(FOUR))
    pin = pin_of(scene, on_frontier(scene))
    told = words(point_card(scene, pin, {}, naming, LINKS))
    best = pin.panels[0].best
    assert best is not None
    owner = next(one for one in scene.series if one.key == best.series)
    assert "On the frontier of" in told
    assert f"{significant(best.factor)}×" in told and f"{owner.hardware_label} {owner.engine_label}" in told


def test_the_best_point_is_on_the_best_line() -> None:
    scene = scene_of(points(STACKS[:1]))
    assert "On the best line shown at" in words(
        point_card(scene, pin_of(scene, on_frontier(scene, 0)), {}, naming, LINKS)
    )


def test_a_dominated_point_names_the_point_that_dominates_it() -> None:
    worse = invented.point(replace(STACKS[0], speed=0.2), 48)
    scene = scene_of([*points(STACKS[:1]), worse], replace(PAIR, dominated=True))
    told = words(point_card(scene, pin_of(scene, worse.point_id), {}, naming, LINKS))
    assert "Dominated by concurrency" in told and "On the frontier" not in told


def test_a_failing_point_says_why_it_is_off_the_frontier() -> None:
    bad = with_counts(points(STACKS[:1])[1], 240, 60)
    scene = scene_of([*points(STACKS[:1])[2:], bad], replace(PAIR, dominated=True))
    told = words(point_card(scene, pin_of(scene, bad.point_id), {}, naming, LINKS))
    assert "too many of its requests failed" in told and "20.0\u202f% of its requests failed" in told


def test_a_point_outside_the_selection_is_described_all_the_same() -> None:
    row = point_row(points(STACKS[:1])[0])
    told = words(point_card(scene_of(points(STACKS[1:3])), None, row, naming, LINKS))
    assert "not among those of the present selection" in told and "B300" in told


def test_the_panel_leads_to_the_point_its_configuration_and_back() -> None:
    scene = scene_of(points(FOUR))
    card = point_card(scene, pin_of(scene, on_frontier(scene)), {}, naming, LINKS)
    close = links(card, having="panel-close")[0]
    assert close.attributes["href"] == "/?model=dsv4" and close.attributes["aria-label"]
    assert links(card, having="button-main")[0].attributes["href"] == "/point/x"
    assert [e.attributes["data-copy"] for e in elements(card) if "data-copy" in e.attributes] == ["/config/x"]


def test_two_points_are_compared_by_their_figures_and_what_differs() -> None:
    scene = scene_of(points(FOUR))
    made = points(FOUR)
    pair = [next(p for p in made if p.point_id == on_frontier(scene, s)) for s in (0, -1)]
    first, second = (Pinned(point_row(p), pin_of(scene, p.point_id), f"/point/{p.point_id}") for p in pair)
    told = words(difference_card(scene, first, second, naming, "/"))
    y = [float(scene.y.values[one.place.row]) for one in (first, second) if one.place]
    assert f"{significant(y[1] / y[0])}×" in told
    assert "KV offload" in told
    assert "Spec decoding" not in told, "both decode alike"


@pytest.mark.parametrize(
    "first, second, lines",
    [
        ({"GPUs": "8"}, {"GPUs": "8"}, []),
        ({"GPUs": "8"}, {"GPUs": "16"}, [("GPUs", "8", "16", "")]),
        ({"ok": "5"}, {}, [("ok", "5", "", "")]),
    ],
)
def test_only_what_differs_is_listed(
    first: dict[str, str], second: dict[str, str], lines: list[object]
) -> None:
    assert zip_facts(first, second) == lines
