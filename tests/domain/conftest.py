"""Invented points as the columns that the store would give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from dashboard.domain.columns import Columns
from dashboard.domain.metrics import Economics

#: An official agentic point; tests name only what they are about.
_USUAL: Mapping[str, Any] = {
    "point_id": None,
    "model": "dsv4",
    "scenario": "agentic",
    "hardware": "b300",
    "vendor": "nvidia",
    "engine": "vllm",
    "precision": "fp4",
    "spec_method": "none",
    "deployment": "single_node",
    "offload": "none",
    "dataset_slug": None,
    "official": True,
    "source": "inferencex",
    "config_id": "c0ffee0000",
    "run_id": "100",
    "run_attempt": 1,
    "run_date": "2026-08-01",
    "measured_at": None,
    "publishable": True,
    "requests_ok": 1000,
    "requests_failed": 0,
    "concurrency": 16,
    "itl_s_p90": 0.02,
    "itl_s_n": None,
    "ttft_s_p90": 1.0,
    "ttft_s_n": None,
    "tput_total_per_gpu": 5000.0,
}
_TIMES = {"run_date": "datetime64[D]", "measured_at": "datetime64[us]"}
_OBJECTS = ("official", "publishable", "dataset_slug", "point_id")


@pytest.fixture
def points() -> Callable[..., Columns]:
    """Makes columns of the given rows; keywords hold for all rows; interactivity may stand for ITL."""
    return _columns


def _columns(*rows: Mapping[str, Any], **common: Any) -> Columns:
    full = [_row(number, {**common, **row}) for number, row in enumerate(rows)]
    names = dict.fromkeys(name for row in full for name in row)
    return {name: _column(name, [row.get(name) for row in full]) for name in names}


def _row(number: int, given: Mapping[str, Any]) -> dict[str, Any]:
    row = {**_USUAL, "point_id": f"p{number}", **given}
    if "interactivity" in row:
        row["itl_s_p90"] = 1.0 / row.pop("interactivity")
    return row


def _column(name: str, values: list[Any]) -> np.ndarray:
    if name in _TIMES:
        return np.array([np.datetime64(v or "NaT") for v in values], dtype=_TIMES[name])
    usual = _USUAL.get(name)
    if isinstance(usual, str) or name in _OBJECTS or any(isinstance(value, str) for value in values):
        return np.array(values, dtype=object)
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


@pytest.fixture
def economics() -> Economics:
    """Prices and power of two accelerators, easy to compute with."""
    return Economics(
        usd_per_gpu_hour={"b300": 3.6, "mi355x": 1.8},
        kw_per_gpu={"b300": 2.0, "mi355x": 2.5},
        price_note="test",
    )
