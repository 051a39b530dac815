"""Figures as people read them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.domain.metrics import REGISTRY
from dashboard.domain.units import (
    THIN,
    count,
    exact,
    format_metric,
    format_number,
    percent,
    rate,
    seconds,
    significant,
    tokens,
    usd,
)

FORMATTERS = [significant, rate, tokens, count, seconds, usd, percent, exact]
_SIZES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def plain(text: str) -> str:
    """With ordinary spaces, for reading."""
    return text.replace(THIN, " ")


@pytest.mark.parametrize("formatter", FORMATTERS)
@pytest.mark.parametrize("missing", [None, math.nan, math.inf, -math.inf])
def test_a_missing_value_is_blank_and_never_zero(formatter, missing: float | None) -> None:
    assert formatter(missing) == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (18_432.1, "18.4k"),
        (38.04, "38.0"),
        (999.6, "1.00k"),
        (0.01234, "0.0123"),
        (4_300_000, "4.30M"),
        (0, "0"),
    ],
)
def test_rates_have_three_significant_digits_and_a_prefix(value: float, text: str) -> None:
    assert rate(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(142_310, "142k"), (850, "850"), (8, "8"), (2_310_000, "2.31M"), (12.5, "12.5")]
)
def test_small_token_counts_are_whole(value: float, text: str) -> None:
    assert tokens(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.38, "380 ms"), (2.4, "2.40 s"), (0.0000052, "5.20 µs"), (0.9999, "1.00 s"), (59.96, "1 min 00 s"),
        (65, "1 min 05 s"), (3599.7, "1 h 00 min"), (3720, "1 h 02 min"), (0, "0 s"),
    ],
)  # fmt: skip
def test_durations_stand_in_the_unit_that_reads_best(value: float, text: str) -> None:
    assert plain(seconds(value)) == text


def test_counts_are_whole_and_grouped() -> None:
    assert plain(count(4187)) == "4 187"
    assert plain(count(1_234_567.0)) == "1 234 567"
    assert count(0) == "0", "a counted zero is a zero"


def test_money_and_shares() -> None:
    assert usd(0.0123) == "$0.0123"
    assert usd(2.26) == "$2.26"
    assert usd(1234) == "$1.23k"
    assert plain(percent(0.713)) == "71.3 %"
    assert plain(percent(1.185)) == "118 %", "a share above one is a conflict to be seen, not clipped"


def test_exact_values_keep_every_digit() -> None:
    assert plain(exact(6731.25)) == "6 731.25"
    assert exact(0.1 + 0.2) == "0.30000000000000004"
    assert plain(exact(1_000_000.0)) == "1 000 000"
    assert exact(-0.5) == "-0.5"
    assert exact(1.5e-9) == "1.5e-09"


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e14, max_value=1e14))
def test_an_exact_value_reads_back_as_itself(value: float) -> None:
    assert float(exact(value).replace(THIN, "")) == value


@given(st.floats(1e-6, 1e14))
def test_a_rate_reads_back_to_three_digits(value: float) -> None:
    text = rate(value).replace(THIN, "")
    prefix = text[-1] if text[-1] in _SIZES else ""
    assert float(text.removesuffix(prefix)) * _SIZES[prefix] == pytest.approx(value, rel=0.00501)


@pytest.mark.parametrize(
    ("key", "value", "with_unit", "figure"),
    [
        ("tput_total", 18_400.0, "18.4k tok/s", "18.4k"),
        ("ttft", 0.38, "380 ms", "0.380"),
        ("ttft", 9.2, "9.20 s", "9.20"),
        ("cost_total", 0.0628, "$0.0628/Mtok", "0.0628"),
        ("hbm_hit_rate", 0.724, "72.4 %", "72.4"),
        ("requests_ok", 7162.0, "7 162 requests", "7 162"),
        ("isl", 96_000.0, "96.0k tok", "96.0k"),
        ("interactivity", 38.0, "38.0 tok/s/user", "38.0"),
    ],
)
def test_a_metric_is_written_with_its_unit_or_under_a_heading_without(
    key: str, value: float, with_unit: str, figure: str
) -> None:
    assert plain(format_metric(REGISTRY[key], value)) == with_unit
    assert plain(format_number(REGISTRY[key], value)) == figure


@pytest.mark.parametrize("metric", REGISTRY.values(), ids=lambda metric: metric.key)
def test_no_metric_writes_a_unit_behind_a_missing_value(metric) -> None:
    assert format_metric(metric, None) == format_metric(metric, math.nan) == ""
