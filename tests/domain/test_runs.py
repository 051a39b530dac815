"""Which runs a curve shows: never a frontier stitched from several dates unless asked for."""

from __future__ import annotations

from dataclasses import replace

from dashboard.domain.curves import arrange
from tests.domain.curve_points import (
    NO_PRICES,
    ONE,
    MakePoints,
    chosen,
    ids,
    point,
)


def test_the_newest_run_replaces_the_whole_curve_and_is_never_stitched_to_an_older_one(
    points: MakePoints,
) -> None:
    columns = points(
        point(20, 900, run_id="1", run_date="2026-08-01"),
        point(60, 100, run_id="1", run_date="2026-08-01"),
        point(25, 700, run_id="2", run_date="2026-08-09"),
    )
    scene = arrange(columns, ONE, NO_PRICES)
    assert ids(scene, scene.series[0].rows) == ["p2"]
    assert (scene.older_points, scene.series[0].mixed_dates) == (2, False)


def test_all_runs_may_be_asked_for_and_mixed_dates_are_marked(points: MakePoints) -> None:
    columns = points(point(20, 900), point(25, 950, run_id="2", run_date="2026-08-09"))
    scene = arrange(columns, replace(ONE, runs="all"), NO_PRICES)
    assert len(scene.series[0].rows) == 2
    assert (scene.older_points, scene.series[0].mixed_dates) == (0, True)


def test_newest_per_configuration_keeps_each_configurations_newest_run(points: MakePoints) -> None:
    columns = points(
        point(20, 900, config_id="a", run_id="1"),
        point(21, 890, config_id="a", run_id="2", run_date="2026-08-09"),
        point(60, 100, config_id="b", run_id="1"),
    )
    scene = arrange(columns, replace(ONE, runs="per_config"), NO_PRICES)
    assert ids(scene, scene.series[0].rows) == ["p1", "p2"]
    assert (scene.older_points, scene.series[0].mixed_dates) == (1, True)


def test_a_failed_newer_run_does_not_displace_a_good_one(points: MakePoints) -> None:
    columns = points(point(20, 900), point(25, 950, run_id="2", run_date="2026-08-09", requests_ok=0))
    scene = arrange(columns, ONE, NO_PRICES)
    assert ids(scene, scene.rows) == ["p0"] and scene.older_points == 0


def test_of_two_attempts_of_a_run_the_later_one_counts(points: MakePoints) -> None:
    columns = points(
        point(20, 900, run_attempt=2), point(25, 950, run_attempt=1), point(30, 700, run_attempt=2)
    )
    assert chosen(columns) == ["p0", "p2"]


def test_runs_of_one_day_are_ordered_by_time_then_by_number(points: MakePoints) -> None:
    by_time = points(
        point(20, 900, run_id="99", measured_at="2026-08-01T20:00"),
        point(25, 950, run_id="100", measured_at="2026-08-01T08:00"),
    )
    assert chosen(by_time) == ["p0"]
    by_number = points(point(20, 900, run_id="99"), point(25, 950, run_id="100"))
    assert chosen(by_number) == ["p1"]


def test_a_run_without_any_date_is_older_than_a_dated_one(points: MakePoints) -> None:
    columns = points(point(20, 900, run_id="9", run_date=None), point(25, 950, run_id="1"))
    assert chosen(columns) == ["p1"]


def test_two_datasets_are_two_curves_each_with_its_newest_run(points: MakePoints) -> None:
    columns = points(
        point(20, 900, dataset_slug="weka-a", run_id="1"),
        point(25, 950, dataset_slug="weka-b", run_id="2", run_date="2026-08-09"),
    )
    scene = arrange(columns, ONE, NO_PRICES)
    assert {series.key: series.qualifiers for series in scene.series} == {
        "b300.vllm.fp4.weka-a": "dataset weka-a",
        "b300.vllm.fp4.weka-b": "dataset weka-b",
    }


def test_a_point_that_does_not_name_its_dataset_takes_the_only_one_of_its_run(points: MakePoints) -> None:
    columns = points(
        point(20, 900, dataset_slug="weka-a"),
        point(25, 850),
        point(30, 700, dataset_slug="weka-b", run_id="another"),
    )
    scene = arrange(columns, ONE, NO_PRICES)
    assert {series.key: len(series.rows) for series in scene.series} == {
        "b300.vllm.fp4.weka-a": 2,
        "b300.vllm.fp4.weka-b": 1,
    }


def test_a_run_that_names_no_dataset_belongs_to_the_curve_of_its_stacks_only_one(points: MakePoints) -> None:
    older = point(20, 900, run_id="9", run_date="2026-07-01")
    columns = points(point(25, 850, dataset_slug="weka-a"), older, point(9, 9, hardware="b200", run_id="8"))
    scene = arrange(columns, ONE, NO_PRICES)
    assert {series.key: len(series.rows) for series in scene.series} == {
        "b300.vllm.fp4.weka-a": 1,
        "b200.vllm.fp4": 1,
    }
    assert scene.older_points == 1


def test_a_run_of_two_datasets_lends_neither_to_a_point_that_names_none(points: MakePoints) -> None:
    columns = points(
        point(20, 900, dataset_slug="weka-a"), point(25, 950, dataset_slug="weka-b"), point(30, 700)
    )
    assert {series.qualifiers for series in arrange(columns, ONE, NO_PRICES).series} == {
        "dataset weka-a",
        "dataset weka-b",
        "dataset unknown",
    }
