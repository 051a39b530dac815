"""Columns as the store gives them: missing stays missing, and is never mistaken for a value."""

from __future__ import annotations

import numpy as np

from dashboard.domain.columns import groups, length, moments, numbers, texts, truths

COLUMNS = {
    "gpus": np.array([8.0, np.nan]),
    "engine": np.array(["vllm", None], dtype=object),
    "official": np.array([True, None], dtype=object),
    "run_date": np.array(["2026-08-01", "NaT"], dtype="datetime64[D]"),
}


def test_a_column_that_was_not_asked_for_is_wholly_missing() -> None:
    assert np.isnan(numbers(COLUMNS, "isl_p90")).all() and len(numbers(COLUMNS, "isl_p90")) == 2
    assert texts(COLUMNS, "router") == [None, None]
    assert truths(COLUMNS, "publishable", missing=True).tolist() == [True, True]
    assert np.isnat(moments(COLUMNS, "measured_at", "us")).all()


def test_a_null_truth_counts_as_the_caller_says() -> None:
    assert truths(COLUMNS, "official", missing=False).tolist() == [True, False]
    assert truths(COLUMNS, "official", missing=True).tolist() == [True, True]


def test_times_keep_their_gaps_in_any_unit() -> None:
    assert np.isnat(moments(COLUMNS, "run_date", "us")).tolist() == [False, True]


def test_no_columns_hold_no_points() -> None:
    assert length({}) == 0 and length(COLUMNS) == 2


def test_rows_with_equal_keys_are_grouped_in_order_nulls_among_them() -> None:
    found = groups([["b", None, "b", None], [1, 1, 1, 2]])
    assert [(key, rows.tolist()) for key, rows in found.items()] == [
        (("b", 1), [0, 2]),
        ((None, 1), [1]),
        ((None, 2), [3]),
    ]
