"""The metric registry: definitions recomputed, directions, texts, and that no stored column is misread."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.domain.columns import Columns
from dashboard.domain.metrics import (
    REGISTRY,
    STATS,
    X_METRICS,
    Y_METRICS,
    Economics,
    quantity_name,
    title_parts,
)
from dashboard.store.schema import POINTS

NO_PRICES = Economics({}, {}, "none")
MakePoints = Callable[..., Columns]


def value(key: str, columns: Columns, economics: Economics = NO_PRICES, stat: str = "p90") -> float:
    return float(REGISTRY[key].values(columns, stat, economics)[0])


@pytest.mark.parametrize("metric", REGISTRY.values(), ids=lambda metric: metric.key)
def test_every_metric_reads_columns_that_the_store_has(metric) -> None:
    needed = {name for stat in STATS for name in metric.columns(stat)}
    assert needed <= set(POINTS.names)
    if metric.takes_statistic:
        assert metric.sample_size_column in POINTS.names


@pytest.mark.parametrize("metric", REGISTRY.values(), ids=lambda metric: metric.key)
def test_every_metric_explains_itself(metric) -> None:
    for text in (metric.label, metric.unit, metric.formula, metric.explanation, metric.source):
        assert text.strip() == text and text
    assert metric.explanation.endswith(".") and metric.source.endswith(".")


@pytest.mark.parametrize("key", [*X_METRICS, *Y_METRICS])
def test_a_missing_column_is_missing_values_and_never_zero(
    key: str, points: MakePoints, economics: Economics
) -> None:
    columns = {"hardware": points({}, {})["hardware"]}
    assert np.isnan(REGISTRY[key].values(columns, "p90", economics)).all()


@pytest.mark.parametrize("stat", STATS)
def test_interactivity_is_the_reciprocal_of_the_same_statistic_of_itl(stat: str, points: MakePoints) -> None:
    columns = points({f"itl_s_{stat}": 0.025})
    assert value("interactivity", columns, stat=stat) == pytest.approx(40.0)


def test_p90_interactivity_is_the_slow_tail(points: MakePoints) -> None:
    itl = np.random.default_rng(1).lognormal(-4, 0.6, 5000)
    columns = points({"itl_s_p50": np.percentile(itl, 50), "itl_s_p90": np.percentile(itl, 90)})
    p90 = value("interactivity", columns)
    assert value("interactivity", columns, stat="p50") > p90
    assert np.mean(1 / itl >= p90) == pytest.approx(0.9, abs=0.001)


def test_e2e_normalised_interactivity_is_the_reciprocal_of_the_time_per_token(points: MakePoints) -> None:
    e2el, osl = np.array([4.0, 9.0, 30.0]), np.array([100.0, 300.0, 500.0])
    columns = points({"e2e_per_token_s_p90": float(np.percentile(e2el / osl, 90))})
    assert value("e2e_interactivity", columns) == pytest.approx(1 / np.percentile(e2el / osl, 90))


def test_a_latency_of_zero_gives_no_interactivity(points: MakePoints) -> None:
    assert np.isnan(value("interactivity", points({"itl_s_p90": 0.0})))


RATES = st.floats(0.1, 1e6)


@given(rate=RATES, price=st.floats(0.1, 50))
def test_cost_and_tokens_per_dollar_are_two_sides_of_one_price(rate: float, price: float) -> None:
    columns = {"hardware": np.array(["b300"], dtype=object), "tput_total_per_gpu": np.array([rate])}
    economics = Economics({"b300": price}, {}, "")
    cost = value("cost_total", columns, economics)
    assert cost == pytest.approx(price / (rate * 3600 / 1e6))
    assert value("tokens_per_usd", columns, economics) == pytest.approx(rate * 3600 / price)
    assert cost * value("tokens_per_usd", columns, economics) == pytest.approx(1e6)


@pytest.mark.parametrize("kind", ["total", "input", "output"])
def test_each_cost_is_formed_from_the_throughput_of_its_own_tokens(kind: str, points: MakePoints) -> None:
    rates = {"tput_total_per_gpu": 1010.0, "tput_input_per_gpu": 1000.0, "tput_output_per_gpu": 10.0}
    cost = value(f"cost_{kind}", points(rates), Economics({"b300": 3.6}, {}, ""))
    assert cost == pytest.approx(3.6 * 1e6 / (rates[f"tput_{kind}_per_gpu"] * 3600))
    assert REGISTRY[f"cost_{kind}"].reciprocal_of == f"tput_{kind}"


def test_a_published_price_gives_the_published_cost(points: MakePoints) -> None:
    """data-contracts 9.4 with the B300 rate of 2.26 $/h: 10,000 tok/s/GPU is 36 Mtok an hour."""
    columns = points({"tput_total_per_gpu": 10_000.0})
    assert value("cost_total", columns, Economics({"b300": 2.26}, {}, "")) == pytest.approx(2.26 / 36)


def test_throughput_per_megawatt_uses_the_power_of_the_hardware(
    points: MakePoints, economics: Economics
) -> None:
    columns = points(
        {"hardware": "b300"}, {"hardware": "mi355x"}, {"hardware": "h100"}, tput_total_per_gpu=1000.0
    )
    found = REGISTRY["tput_per_mw"].values(columns, "p90", economics)
    assert found[:2] == pytest.approx([1000 / 0.002, 1000 / 0.0025])
    assert np.isnan(found[2]), "no power figure for h100"


@pytest.mark.parametrize("key", ["cost_total", "tokens_per_usd", "tput_per_mw"])
def test_zero_throughput_and_unknown_hardware_have_no_price(
    key: str, points: MakePoints, economics: Economics
) -> None:
    columns = points({"tput_total_per_gpu": 0.0}, {"hardware": None}, {"hardware": "abacus"})
    assert np.isnan(REGISTRY[key].values(columns, "p90", economics)).all()


@pytest.mark.parametrize("key", ["tput_input", "tput_output", "cost_input", "cost_output"])
def test_split_rates_say_that_disaggregated_rows_have_other_denominators(key: str) -> None:
    text = REGISTRY[key].explanation
    assert "prefill GPUs" in text and "decode GPUs" in text and "not comparable" in text


def test_more_throughput_is_better_and_less_latency_and_cost() -> None:
    lower = {"ttft", "e2el", "cost_total", "cost_input", "cost_output"}
    for key in (*X_METRICS, *Y_METRICS):
        expected = "neither" if key == "concurrency" else "lower" if key in lower else "higher"
        assert REGISTRY[key].better == expected


@pytest.mark.parametrize(
    ("key", "stat", "scale", "title"),
    [
        ("ttft", "p90", "log", ("p90 TTFT", "s", "log", "← better")),
        ("interactivity", "mean", "linear", ("mean interactivity", "tok/s/user", "", "better →")),
        ("tput_total", "p90", "linear", ("Total throughput per GPU", "tok/s", "", "↑ better")),
        ("cost_total", "p90", "log", ("Cost per million tokens", "$/Mtok", "log", "↓ better")),
        ("concurrency", "p90", "linear", ("Concurrency", "requests", "", "")),
    ],
)
def test_axis_titles_carry_quantity_statistic_unit_scale_and_direction(key, stat, scale, title) -> None:
    assert astuple(title_parts(REGISTRY[key], stat, scale)) == title


def test_an_acronym_keeps_its_capitals_behind_the_statistic() -> None:
    assert quantity_name(REGISTRY["e2el"], "p50") == "p50 E2E latency"
    assert quantity_name(REGISTRY["e2e_interactivity"], "p99") == "p99 E2E-normalised interactivity"
    assert quantity_name(REGISTRY["itl"], "p90") == "p90 ITL"


def test_formulas_use_no_names_of_code() -> None:
    for metric in REGISTRY.values():
        assert not re.search(r"[a-z]+_[a-z]+", metric.formula + metric.explanation + metric.source), (
            metric.key
        )
