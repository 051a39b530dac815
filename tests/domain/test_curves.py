"""From rows to curves: what is one series, its frontier in the shown axes, and the axes themselves."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from dashboard.domain.curves import AxisChoice, CurveRules, arrange, scene_columns
from dashboard.domain.metrics import X_METRICS, Y_METRICS, Economics
from dashboard.store.schema import POINTS
from tests.domain.curve_points import (
    NO_PRICES,
    ONE,
    PAIR,
    MakePoints,
    ids,
    keys,
    point,
    random_columns,
)


def test_a_curve_is_the_frontier_of_one_stack_and_precision(points: MakePoints) -> None:
    scene = arrange(points(point(20, 900), point(40, 500), point(30, 400), point(60, 100)), ONE, NO_PRICES)
    [series] = scene.series
    assert (series.key, series.label) == ("b300.vllm.fp4", "B300 vllm FP4")
    assert ids(scene, series.panels[0].frontier) == ["p0", "p1", "p3"]
    assert ids(scene, scene.rows) == ["p0", "p1", "p3"]
    assert scene.dominated_hidden == 1


def test_dominated_points_are_drawn_when_asked_for(points: MakePoints) -> None:
    columns = points(point(20, 900), point(40, 500), point(30, 400))
    scene = arrange(columns, replace(ONE, dominated=True), NO_PRICES)
    curve = scene.series[0].panels[0]
    assert ids(scene, curve.dominated) == ["p2"]
    assert ids(scene, scene.rows) == ["p0", "p1", "p2"] and scene.dominated_hidden == 0
    assert scene.on_frontier.tolist() == [True, True, False]


def test_the_frontier_is_computed_in_the_displayed_axes_and_directions(points: MakePoints) -> None:
    columns = points(
        point(20, 900, ttft_s_p90=9.0), point(40, 500, ttft_s_p90=9.5), point(50, 100, ttft_s_p90=0.5)
    )
    scene = arrange(columns, PAIR, NO_PRICES)
    against_interactivity, against_ttft = scene.series[0].panels
    assert ids(scene, against_interactivity.frontier) == ["p0", "p1", "p2"]
    assert ids(scene, against_ttft.frontier) == ["p2", "p0"], "p1 waits longer for less"


@pytest.mark.parametrize("x", [key for key in X_METRICS if key != "concurrency"])
@pytest.mark.parametrize("y", Y_METRICS)
def test_no_frontier_point_is_dominated_on_any_pair_of_axes(x: str, y: str, economics: Economics) -> None:
    columns = random_columns(300)
    scene = arrange(columns, CurveRules((AxisChoice(x),), AxisChoice(y)), economics)
    axis = scene.panels[0]
    assert scene.series
    for series in scene.series:
        able = series.rows[~np.isnan(axis.values[series.rows]) & ~np.isnan(scene.y.values[series.rows])]
        sign_x, sign_y = (1 if a.metric.better == "higher" else -1 for a in (axis, scene.y))
        gain = np.column_stack((sign_x * axis.values[able], sign_y * scene.y.values[able]))
        best = [
            row
            for row, one in zip(able, gain, strict=True)
            if not ((gain >= one).all(axis=1) & (gain > one).any(axis=1)).any()
        ]
        assert sorted(series.panels[0].frontier) == sorted(best)


def test_spec_offload_and_deployment_are_properties_of_a_point_in_agentic_curves(points: MakePoints) -> None:
    mixed = points(
        point(20, 900, spec_method="mtp"),
        point(40, 500, offload="dram"),
        point(60, 100, deployment="disaggregated"),
    )
    scene = arrange(mixed, ONE, NO_PRICES)
    assert keys(scene) == {"b300.vllm.fp4"} and len(scene.series[0].panels[0].frontier) == 3


def test_spec_offload_and_deployment_tell_fixed_sequence_curves_apart(points: MakePoints) -> None:
    mixed = points(
        point(20, 900, spec_method="mtp"),
        point(40, 500, offload="dram"),
        point(45, 450, offload="none"),
        point(60, 100, deployment="disaggregated"),
        point(60, 100, spec_method=None, deployment=None),
        point(10, 950),
        scenario="8k1k",
        offload=None,
    )
    scene = arrange(mixed, ONE, NO_PRICES)
    assert keys(scene) == {
        "b300.vllm.fp4",
        "b300.vllm.fp4.mtp",
        "b300.vllm.fp4.dram",
        "b300.vllm.fp4.no-offload",
        "b300.vllm.fp4.disaggregated",
        "b300.vllm.fp4.unknown-spec.unknown-deployment",
    }
    told = {series.key: series.qualifiers for series in scene.series}
    assert told["b300.vllm.fp4.mtp"] == "MTP"
    assert told["b300.vllm.fp4.dram"] == "DRAM offload"


def test_a_run_of_ones_own_lies_beside_the_official_curve_and_is_named(points: MakePoints) -> None:
    columns = points(point(20, 900), point(25, 950, official=False, run_id="mine", run_date="2026-08-20"))
    scene = arrange(columns, ONE, NO_PRICES)
    assert keys(scene) == {"b300.vllm.fp4", "b300.vllm.fp4.unofficial"}
    told = {series.key: (series.provenance, series.qualifiers) for series in scene.series}
    assert told["b300.vllm.fp4.unofficial"] == ("unofficial", "unofficial")
    assert scene.older_points == 0


def test_a_simulated_point_never_shares_a_curve_with_a_measured_one(points: MakePoints) -> None:
    columns = points(point(20, 900, official=False), point(25, 950, official=False, source="simulated"))
    assert keys(arrange(columns, ONE, NO_PRICES)) == {"b300.vllm.fp4.unofficial", "b300.vllm.fp4.simulated"}


def test_an_overlay_is_drawn_by_the_same_rules_as_an_official_run(points: MakePoints) -> None:
    rows = [point(20, 900), point(40, 500), point(30, 400), point(60, 100)]
    official = arrange(points(*rows), PAIR, NO_PRICES).series[0]
    own = arrange(points(*rows, official=False), PAIR, NO_PRICES).series[0]
    for one, other in zip(official.panels, own.panels, strict=True):
        for name in ("frontier", "line_x", "line_y", "gap_x", "gap_y"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_a_curve_has_a_stable_key_whatever_else_is_shown(points: MakePoints) -> None:
    alone = arrange(points(point(20, 900, hardware="MI 355/X", engine=None)), ONE, NO_PRICES)
    beside = arrange(points(point(20, 900, hardware="MI 355/X", engine=None), point(1, 1)), ONE, NO_PRICES)
    [key] = keys(alone)
    assert key in keys(beside)
    assert key.startswith("mi-355-x-") and all(c.isalnum() or c in ".-_" for c in key)
    assert alone.series[0].label == "MI 355/X unknown engine FP4"


def test_names_that_differ_only_in_odd_characters_stay_two_curves(points: MakePoints) -> None:
    scene = arrange(points(point(1, 1, engine="a b"), point(1, 1, engine="a/b")), ONE, NO_PRICES)
    assert len(keys(scene)) == 2


def test_rows_of_two_models_are_refused_in_words(points: MakePoints) -> None:
    with pytest.raises(ValueError, match="one model, got dsv4, kimik3"):
        arrange(points(point(1, 1), point(1, 1, model="kimik3")), ONE, NO_PRICES)


@pytest.mark.parametrize("rules", [PAIR, replace(PAIR, panels=(AxisChoice("concurrency"),))])
def test_no_rows_give_a_scene_without_series(points: MakePoints, rules: CurveRules) -> None:
    nothing = {name: column[:0] for name, column in points(point(1, 1)).items()}
    for columns in (nothing, {}):
        scene = arrange(columns, rules, NO_PRICES)
        assert (scene.series, scene.hidden, len(scene.rows), scene.unplotted) == ((), (), 0, {})
        assert scene.y.scale == "linear"


def test_a_single_point_is_drawn_without_a_line(points: MakePoints) -> None:
    curve = arrange(points(point(20, 900)), ONE, NO_PRICES).series[0].panels[0]
    assert len(curve.frontier) == 1 and len(curve.line_x) == len(curve.gap_x) == 0


def test_ttft_over_more_than_a_factor_of_ten_is_logarithmic_by_itself(points: MakePoints) -> None:
    def scale(last: float) -> str:
        columns = points(point(20, 100, ttft_s_p90=1.0), point(10, 500, ttft_s_p90=last))
        return arrange(columns, PAIR, NO_PRICES).panels[1].scale

    assert scale(10.0) == "linear"
    assert scale(10.1) == "log"


def test_y_over_more_than_two_decades_is_logarithmic_by_itself(points: MakePoints) -> None:
    def scale(last: float) -> str:
        return arrange(points(point(20, last), point(30, 1)), ONE, NO_PRICES).y.scale

    assert scale(100) == "linear"
    assert scale(101) == "log"


def test_the_scale_follows_what_is_drawn_not_what_is_hidden(points: MakePoints) -> None:
    columns = points(point(20, 900), point(30, 800), point(10, 1))
    assert arrange(columns, ONE, NO_PRICES).y.scale == "linear"
    assert arrange(columns, replace(ONE, dominated=True), NO_PRICES).y.scale == "log"


def test_a_scale_that_the_reader_chose_stays(points: MakePoints) -> None:
    rules = CurveRules((AxisChoice("interactivity", scale="log"),), AxisChoice("tput_total", scale="linear"))
    scene = arrange(points(point(20, 9000), point(21, 1)), rules, NO_PRICES)
    assert (scene.panels[0].scale, scene.y.scale) == ("log", "linear")
    assert not scene.panels[0].scale_is_automatic
    assert (scene.panels[0].title.scale, scene.y.title.scale) == ("log", "")


def test_concurrency_has_no_frontier_and_lines_join_one_configuration_and_run(points: MakePoints) -> None:
    columns = points(
        point(1, 500, config_id="a", concurrency=8),
        point(1, 400, config_id="b", concurrency=8),
        point(1, 300, config_id="a", concurrency=4),
        point(1, 100, config_id="b", concurrency=16),
    )
    scene = arrange(columns, replace(ONE, panels=(AxisChoice("concurrency"),)), NO_PRICES)
    curve = scene.series[0].panels[0]
    assert sorted(curve.frontier) == [0, 1, 2, 3] and scene.dominated_hidden == 0
    assert not scene.on_frontier.any()
    pieces = np.split(curve.line_x, np.flatnonzero(np.isnan(curve.line_x)))
    assert [piece[~np.isnan(piece)].tolist() for piece in pieces] == [[4.0, 8.0], [8.0, 16.0]]
    assert curve.line_y[:2].tolist() == [300.0, 500.0]


def test_the_columns_of_a_scene_are_columns_of_the_store_and_hold_its_axes() -> None:
    for y in Y_METRICS:
        for x in X_METRICS:
            names = scene_columns(CurveRules((AxisChoice(x, "p75"),), AxisChoice(y)))
            assert set(names) <= set(POINTS.names)
            assert len(names) == len(set(names))
    assert {"itl_s_p90", "itl_s_n", "ttft_s_p90", "tput_total_per_gpu", "point_id"} <= set(
        scene_columns(PAIR)
    )


def test_arranging_needs_no_more_than_the_columns_it_asks_for(points: MakePoints) -> None:
    columns = points(point(20, 900), point(40, 500), point(30, 400, requests_ok=0))
    asked = {name: columns[name] for name in scene_columns(PAIR) if name in columns}
    full, slim = arrange(columns, PAIR, NO_PRICES), arrange(asked, PAIR, NO_PRICES)
    assert full.rows.tolist() == slim.rows.tolist() and full.unplotted == slim.unplotted


def test_a_scene_survives_the_cache_between_workers(points: MakePoints) -> None:
    scene = arrange(points(point(20, 900), point(40, 500)), PAIR, NO_PRICES)
    again = pickle.loads(pickle.dumps(scene))
    assert again.series[0].key == scene.series[0].key
    np.testing.assert_array_equal(again.series[0].panels[1].line_y, scene.series[0].panels[1].line_y)
    assert again.y.metric == scene.y.metric


def test_lines_over_concurrency_join_runs_whose_source_counts_no_attempts(points: MakePoints) -> None:
    columns = points(
        point(20, 900, concurrency=1, run_attempt=None), point(30, 700, concurrency=2, run_attempt=None)
    )
    (series,) = arrange(columns, replace(ONE, panels=(AxisChoice("concurrency"),)), NO_PRICES).series
    assert series.panels[0].line_x.tolist() == [1.0, 2.0]
