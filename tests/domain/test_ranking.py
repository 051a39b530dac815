"""Which series stand in colour at first sight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dashboard.domain.curves import arrange
from dashboard.domain.ranking import MOST_IN_COLOUR, in_colour, scores
from tests.domain.curve_points import NO_PRICES, ONE, MakePoints, point


def curve(*places: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    x, y = zip(*places, strict=True) if places else ((), ())
    return np.array(x, dtype=float), np.array(y, dtype=float)


def test_a_curve_that_offers_more_at_every_level_scores_higher() -> None:
    better, worse = curve((10, 900), (50, 300)), curve((10, 800), (50, 200))
    high, low = scores([better, worse], maximise_x=True, maximise_y=True)
    assert high > low > 0


def test_a_service_level_that_a_curve_does_not_reach_counts_as_nothing() -> None:
    long, short = curve((10, 900), (80, 100)), curve((10, 900), (12, 880))
    reaching, stopping = scores([long, short], maximise_x=True, maximise_y=True)
    assert reaching > stopping


def test_a_level_easier_than_the_easiest_point_is_met_by_that_point() -> None:
    """At a looser latency limit a quick system is still allowed: ending early there costs nothing."""
    wide, quick = curve((1, 500), (30, 500.001)), curve((1, 500))
    assert scores([wide, quick], maximise_x=False, maximise_y=True) == pytest.approx([500, 500], rel=1e-3)


def test_lower_cost_scores_higher() -> None:
    cheap, dear = scores(
        [curve((10, 1), (20, 2)), curve((10, 3), (20, 6))], maximise_x=True, maximise_y=False
    )
    assert cheap > dear


def test_without_a_direction_of_x_the_best_y_counts() -> None:
    assert scores([curve((4, 10), (8, 30)), curve()], maximise_x=None, maximise_y=True).tolist() == [30, 0]


def test_no_curves_and_empty_curves_have_no_score() -> None:
    assert len(scores([], maximise_x=True, maximise_y=True)) == 0
    assert scores([curve()], maximise_x=True, maximise_y=True).tolist() == [0]


def test_the_best_of_each_accelerator_comes_first_into_colour() -> None:
    accelerators = ["b300"] * 9 + ["h100"]
    _, coloured = in_colour(accelerators, [f"k{i}" for i in range(10)], np.arange(10, 0, -1.0))
    assert 9 in coloured, "the only H100, though last of all"
    assert coloured == {0, 1, 2, 3, 4, 5, 6, 9}


def test_of_more_accelerators_than_colours_the_best_are_coloured() -> None:
    order, coloured = in_colour([f"hw{i}" for i in range(12)], [f"k{i}" for i in range(12)], np.arange(12.0))
    assert order[0] == 11 and coloured == set(range(4, 12))


def test_equal_scores_are_ordered_by_key() -> None:
    order, _ = in_colour(["a", "b", "c"], ["z", "m", "q"], np.ones(3))
    assert order == [1, 2, 0]


def test_a_scene_colours_at_most_eight_series_and_lists_the_best_first(points: MakePoints) -> None:
    rows = [point(20, 100 * (i + 1), engine=f"e{i}") for i in range(11)]
    scene = arrange(points(*rows), ONE, NO_PRICES)
    assert [series.engine for series in scene.series] == [f"e{i}" for i in range(10, -1, -1)]
    assert [series.coloured for series in scene.series] == [True] * MOST_IN_COLOUR + [False] * 3


def test_a_colour_goes_to_the_next_series_when_a_coloured_one_is_hidden(points: MakePoints) -> None:
    columns = points(*(point(20, 100 * (i + 1), engine=f"e{i}") for i in range(9)))
    assert not arrange(columns, ONE, NO_PRICES).series[-1].coloured
    without_best = arrange(columns, replace(ONE, hide=("b300.e8.fp4",)), NO_PRICES)
    assert all(series.coloured for series in without_best.series)
