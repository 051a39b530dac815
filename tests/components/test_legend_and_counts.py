"""Legend and counts: every series is named once, and everything that is not drawn has its reason."""

from __future__ import annotations

from dataclasses import replace

from components.counts_line import CountLinks, counts_line
from components.key import key_items
from components.legend import legend, legend_rows
from components.option import Option
from tests import invented
from tests.components.scenes import PAIR, STACKS, naming, points, scene_of, with_counts
from tests.components.tree import elements, links, words

LINKS = CountLinks(
    Option("Show", "/?dominated=1"), Option("Show all runs", "/?runs=all"), Option("Show all series", "/")
)


def only(vendor: str | None) -> Option:
    return Option("only", f"/?vendor={vendor}")


def test_each_series_is_one_link_under_its_accelerator() -> None:
    scene = scene_of()
    made = legend(scene, lambda key: f"/?only={key}", only, naming)
    rows = links(made, having="legend-row")
    assert {row.attributes["data-series"] for row in rows} == {one.key for one in scene.series}
    assert all(row.attributes["href"] == f"/?only={row.attributes['data-series']}" for row in rows)
    assert [e.words for e in elements(made) if e.tag == "h3"].count("B300") == 1


def test_series_that_the_reader_switched_off_stay_in_the_legend() -> None:
    scene = scene_of(points(STACKS[:4]), replace(PAIR, hide=("b300.sglang",)))
    rows = {row.key.rsplit(".", 1)[0]: row for row in legend_rows(scene, naming)}
    off = next(row for key, row in rows.items() if key.startswith("b300.sglang"))
    assert not off.shown and not off.coloured
    assert (off.hardware_label, off.engine_label, off.precision_label) == ("B300", "SGLang", "FP8")
    made = legend(scene, lambda key: "/", only, naming)
    [link] = [row for row in links(made, having="legend-row") if "off" in row.classes]
    assert link.attributes["aria-current"] == "false"


def test_grey_series_are_quiet_in_the_legend_too() -> None:
    made = legend(scene_of(), lambda key: "/", only, naming)
    assert sum("grey" in row.classes for row in links(made, having="legend-row")) == 4


def test_a_hostile_name_is_text() -> None:
    hostile = replace(STACKS[0], engine="<script>alert(1)</script>")
    assert "<script>alert(1)</script>" in words(
        legend(scene_of(points([hostile])), lambda key: "/", only, naming)
    )


def test_counts_tell_series_shown_and_colours() -> None:
    assert "12 of 12 series shown , 8 in colour" in words(counts_line(scene_of(), LINKS))


def test_why_names_each_hidden_series_with_its_reason_and_how_to_undo_it() -> None:
    scene = scene_of(points(STACKS[:4]), replace(PAIR, hide=("b300.sglang",)))
    told = counts_line(scene, LINKS)
    [hidden] = scene.hidden
    assert "3 of 4 series shown" in words(told)
    assert hidden.label in words(told) and hidden.reason in words(told)
    assert "Show all series" in [link.words for link in links(told)]


def test_points_that_cannot_be_drawn_and_older_runs_are_counted() -> None:
    older = [
        replace(p, run_id="6000", point_id=f"{i:010x}", run_date=invented.date(2026, 1, 1))
        for i, p in enumerate(points(STACKS[:1]))
    ]
    broken = with_counts(points(STACKS[1:2])[0], 0, 300)
    told = words(counts_line(scene_of([*points(STACKS[:2])[:-1], broken, *older]), LINKS))
    assert "5 : from older runs" in told or "5: from older runs" in told
    assert "no successful request" in told


def test_hidden_dominated_points_are_counted_with_the_link_that_shows_them() -> None:
    worse = [invented.point(replace(STACKS[0], speed=0.2), c) for c in (24, 48)]
    rows = [*points(STACKS[:1]), *worse]
    hidden = counts_line(scene_of(rows), LINKS)
    assert "dominated points hidden" in words(hidden) or "dominated point hidden" in words(hidden)
    assert "/?dominated=1" in [link.attributes["href"] for link in links(hidden)]
    assert "Dominated points shown" in words(
        counts_line(scene_of(rows, replace(PAIR, dominated=True)), LINKS)
    )


def test_the_ring_has_its_key_only_where_a_point_has_offload() -> None:
    with_offload, without = scene_of(points(STACKS[:1])), scene_of(points(STACKS[1:3]))
    assert ("KV offload", "ring") in [(item.words, item.symbol) for item in key_items(with_offload)]
    assert "ring" not in [item.symbol for item in key_items(without)]
    assert "KV offload" in words(counts_line(with_offload, LINKS))
