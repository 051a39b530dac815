"""The marks that a point carries, in words, and from which counts they come."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard.domain.fitness import caveats, failing_share, few_requests, sample_size
from dashboard.domain.metrics import REGISTRY
from tests.domain.curve_points import MakePoints

SHOWN = ((REGISTRY["interactivity"], "p90"), (REGISTRY["tput_total"], "p90"))


@pytest.mark.parametrize(
    ("stat", "least"), [("p50", 20), ("p75", 40), ("p90", 100), ("p95", 200), ("p99", 1000), ("mean", 0)]
)
def test_ten_observations_must_lie_beyond_a_percentile(points: MakePoints, stat: str, least: int) -> None:
    columns = points({"itl_s_n": least}, {"itl_s_n": max(least - 1, 0)})
    marked = few_requests(columns, REGISTRY["interactivity"], stat)
    assert marked.tolist() == [False, stat != "mean"]


def test_a_single_figure_has_no_sample_to_be_small(points: MakePoints) -> None:
    assert not few_requests(points({"requests_ok": 3}), REGISTRY["tput_total"], "p90").any()


def test_an_unknown_sample_size_is_not_taken_for_a_small_one(points: MakePoints) -> None:
    columns = points({"requests_ok": None, "itl_s_n": None})
    assert np.isnan(sample_size(columns, REGISTRY["interactivity"])[0])
    assert not few_requests(columns, REGISTRY["interactivity"], "p99").any()


def test_the_failed_share_counts_neither_cancelled_nor_unknown_requests(points: MakePoints) -> None:
    columns = points(
        {"requests_ok": 25, "requests_failed": 16},
        {"requests_ok": 10, "requests_failed": 0, "requests_cancelled": 90},
        {"requests_ok": None, "requests_failed": 5},
        {"requests_ok": 0, "requests_failed": 0},
    )
    share = failing_share(columns)
    assert share[:2].tolist() == [16 / 41, 0.0]
    assert np.isnan(share[2:]).all()


def test_caveats_are_sentences_with_their_figures(points: MakePoints) -> None:
    columns = points({"requests_ok": 25, "requests_failed": 16, "itl_s_n": 25})
    assert caveats(columns, 0, SHOWN) == (
        "39.0\u202f% of its requests failed, so it is kept off the frontier.",
        "p90 interactivity rests on 25 requests, fewer than 10 beyond it.",
    )


def test_a_sound_point_has_no_caveat(points: MakePoints) -> None:
    assert caveats(points({}), 0, SHOWN) == ()
