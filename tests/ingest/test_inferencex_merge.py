"""Two rows of one point: the richer wins, nothing is lost, and a failure displaces nothing."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from dashboard.domain.catalog import Catalog
from dashboard.domain.records import STATISTICS, Distribution, Point
from dashboard.ingest.inferencex import natural_key, richer, same_measurement
from tests.ingest.inferencex_rows import api, early_agentic, nested, read_one

FEWER = ("median_ttft", "median_tpot", "median_intvty", "p99_e2el", "input_tput_per_gpu")


def _history_copy(catalog: Catalog) -> Point:
    """The same row without its image and with fewer metrics, as the site's history has it."""
    metrics = {key: value for key, value in api()["metrics"].items() if key not in FEWER}
    return read_one(api({"image": ..., "metrics": metrics}), catalog)[0]


def test_rows_of_one_point_have_one_natural_key(catalog: Catalog) -> None:
    full, poor = read_one(api(), catalog)[0], _history_copy(catalog)
    assert natural_key(full) == natural_key(poor) == full.point_id
    assert natural_key(read_one(api({"conc": 64}), catalog)[0]) != natural_key(full)


def test_the_row_with_more_figures_wins_in_either_order(catalog: Catalog) -> None:
    full, poor = read_one(api(), catalog)[0], _history_copy(catalog)
    assert richer(full, poor) == richer(poor, full) == full


def test_what_only_the_poorer_row_knows_is_not_lost(catalog: Catalog) -> None:
    full = read_one(api(), catalog)[0]
    lacking = replace(full, image=None, run_date=None)
    poor = replace(
        full,
        statistics={"ttft_s": Distribution(p90=0.5), "isl": Distribution(mean=1000.0)},
        scalars={"tput_total_per_gpu": 750.0, "power_w_per_gpu": 600.0},
        notes=("seen elsewhere",),
        artifacts=("other.json",),
    )
    both = richer(lacking, poor)
    assert both.statistics["ttft_s"] == replace(full.statistics["ttft_s"], p90=0.5)
    assert both.statistics["isl"] == Distribution(mean=1000.0)
    assert both.scalars["power_w_per_gpu"] == 600.0
    assert (both.image, both.run_date) == (full.image, full.run_date)
    assert both.artifacts == ("other.json", "rows.json")
    assert "seen elsewhere" in both.notes
    assert both.point_id == full.point_id


def test_where_both_rows_have_a_figure_the_richer_rows_stands(catalog: Catalog) -> None:
    exact = read_one(nested({"request_metrics/latency/ttft/mean": 0.123456789}), catalog)[0]
    rounded = {"request_metrics/latency/ttft/mean": 0.12346, "request_metrics/latency/e2el": {}}
    poor = read_one(nested(rounded), catalog)[0]
    for both in (richer(exact, poor), richer(poor, exact)):
        assert both.statistics["ttft_s"].mean == 0.123456789


@pytest.mark.parametrize("order", ["earlier", "later"])
def test_every_figure_of_both_rows_is_in_the_united_one(catalog: Catalog, order: str) -> None:
    full, poor = read_one(api(), catalog)[0], _history_copy(catalog)
    both = richer(full, poor) if order == "earlier" else richer(poor, full)
    for point in (full, poor):
        for name, found in point.statistics.items():
            for stat in STATISTICS:
                if getattr(found, stat) is not None:
                    assert getattr(both.statistics[name], stat) == getattr(found, stat)
        for field in fields(Point):
            if getattr(point, field.name) is not None:
                assert getattr(both, field.name) is not None


def test_of_two_measurements_the_later_stands_whole(catalog: Catalog) -> None:
    first = read_one(early_agentic(), catalog)[0]
    slower = {"duration_seconds": 1801.5, "tput_per_gpu": 348.3, "p75_ttft": ...}
    second = read_one(early_agentic(slower), catalog)[0]
    assert not same_measurement(first, second)
    assert richer(first, second) == second, "figures of two measurements are never mixed"
    assert richer(second, first) == first


def test_a_run_without_a_success_never_displaces_one_with(catalog: Catalog) -> None:
    good = read_one(nested(), catalog)[0]
    failed = read_one(nested({"num_requests_successful": 0, "request_metrics/latency": {}}), catalog)[0]
    assert natural_key(good) == natural_key(failed)
    assert richer(good, failed) == good
    assert richer(failed, good) == good


def test_rounding_to_five_decimals_is_no_second_measurement(catalog: Catalog) -> None:
    exact = read_one(nested({"request_metrics/latency/ttft/mean": 0.123456789}), catalog)[0]
    rounded = read_one(nested({"request_metrics/latency/ttft/mean": 0.12346}), catalog)[0]
    other = read_one(nested({"request_metrics/latency/ttft/mean": 0.12401}), catalog)[0]
    assert same_measurement(exact, rounded)
    assert not same_measurement(exact, other)
