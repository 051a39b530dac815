"""The table under the charts: the same rows, the same figures, missing as missing."""

from __future__ import annotations

from dataclasses import replace

import dash_ag_grid
import pytest

from components.data_table import CARDS_ID, GRID_ID, columns, points_table, table_update
from components.export_bar import export_bar
from components.grid_bundle import grid_script
from components.table_rows import best_first, table_rows
from dashboard.domain.curves import AxisChoice
from tests.components.scenes import PAIR, STACKS, naming, points, scene_of
from tests.components.tree import links, words


def href(point_id: str) -> str:
    return f"/point/{point_id}"


def test_each_drawn_point_is_one_row_with_its_own_figures() -> None:
    scene = scene_of(points(STACKS[:4]))
    rows = {row["id"]: row for row in table_rows(scene, naming, href)}
    known = {point.point_id: point for point in points(STACKS[:4])}
    assert len(rows) == len(scene.rows)
    for point_id, row in rows.items():
        point = known[point_id]
        assert row["y"] == point.scalars["tput_total_per_gpu"] and row["x2"] == point.statistics["ttft_s"].p90
        assert (row["gpus"], row["concurrency"], row["ok"]) == (
            point.gpus,
            point.concurrency,
            point.requests_ok,
        )
        assert row["href"] == f"/point/{point_id}"


@pytest.mark.parametrize("metric, better", [("tput_total", "higher"), ("cost_total", "lower")])
def test_the_best_stands_first_whichever_way_is_better(metric: str, better: str) -> None:
    scene = scene_of(points(STACKS[:2]), replace(PAIR, y=AxisChoice(metric)))
    values = [scene.y.values[row] for row in best_first(scene)]
    assert values == sorted(values, reverse=better == "higher")
    [sorted_column] = [column for column in columns(scene) if "sort" in column]
    assert sorted_column["field"] == "y" and sorted_column["sort"] == (
        "desc" if better == "higher" else "asc"
    )


def test_missing_is_missing_and_never_zero() -> None:
    bare = [
        replace(p, scalars={**p.scalars, "hbm_hit_rate": None}, gpus=None, topology_label=None)
        for p in points(STACKS[:1])
    ]
    for row in table_rows(scene_of(bare), naming, href):
        assert row["hbm"] is None and row["gpus"] is None and row["topology"] is None


def test_headers_carry_quantity_statistic_and_unit() -> None:
    heads = [column["headerName"] for column in columns(scene_of())]
    assert {"Total throughput per GPU, tok/s", "p90 interactivity, tok/s/user", "p90 TTFT, s"} <= set(heads)


def test_unofficial_rows_are_labelled_where_there_are_any() -> None:
    official = scene_of(points(STACKS[:1]))
    mixed = scene_of([*points(STACKS[:1]), *points([replace(STACKS[2], official=False)])])
    assert "Origin" not in [column["headerName"] for column in columns(official)]
    assert "Origin" in [column["headerName"] for column in columns(mixed)]
    assert {row["origin"] for row in table_rows(mixed, naming, href)} == {"official", "unofficial"}


def test_phones_get_the_same_rows_as_cards() -> None:
    scene = scene_of(points(STACKS[:1]))
    _, cards = points_table(scene, naming, href, narrow=True)
    assert [link.attributes["href"] for link in links(cards)] == [
        row["href"] for row in table_rows(scene, naming, href)
    ]
    assert "more are in the downloads" not in words(cards)
    _, many = points_table(scene_of(points(STACKS, sweep=range(1, 40))), naming, href, narrow=True)
    assert len(links(many)) == 60 and "more are in the downloads" in words(many)


def test_a_table_that_is_there_is_updated_and_not_made_anew() -> None:
    scene = scene_of(points(STACKS[:1]))
    changed = table_update(scene, naming, href, narrow=False)
    assert changed.keys() == {GRID_ID, CARDS_ID}
    assert changed[CARDS_ID]["children"] == []  # a wide window shows none
    assert changed[GRID_ID]["rowData"] == table_rows(scene, naming, href)


def test_the_tables_library_is_served_but_kept_out_of_the_pages_head() -> None:
    [bundle] = [r for r in dash_ag_grid._js_dist if r["relative_package_path"] == "dash_ag_grid.min.js"]
    assert bundle["dynamic"] is True
    assert grid_script().startswith("/_dash-component-suites/dash_ag_grid/dash_ag_grid.v")


def test_a_long_table_lists_the_best_and_says_how_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("table_rows", "export_bar"):
        monkeypatch.setattr(f"components.{module}.MOST_ROWS", 3)
    scene = scene_of()
    rows = table_rows(scene, naming, href)
    best = sorted((scene.y.values[row] for row in scene.rows), reverse=True)[:3]
    assert [row["y"] for row in rows] == pytest.approx(best)
    assert f"{len(scene.rows)} on the frontiers shown, the best 3 listed" in words(export_bar("", "", scene))
