"""One formatter for a quantity everywhere: the browser's agrees with the server's."""

from __future__ import annotations

import math
import random

import pytest

from dashboard.domain import units
from dashboard.domain.metrics import REGISTRY, X_METRICS, Y_METRICS
from tests.js.node import call, needs_node

pytestmark = needs_node

_GENERATOR = random.Random(7)
VALUES = [
    *(
        sign * figure * 10.0**power
        for sign in (1, -1)
        for figure in (1, 1.005, 2.345, 9.994, 9.996)
        for power in range(-7, 10)
    ),
    *(10 ** _GENERATOR.uniform(-6, 9) for _ in range(300)),
    0.0,
]


@pytest.mark.parametrize("name", ["significant", "rate"])
def test_figures_agree(name: str) -> None:
    written = call("format.js", f"format.{name}", *[[value] for value in VALUES])
    assert written == [getattr(units, name)(value) for value in VALUES]


def test_durations_agree() -> None:
    positive = [abs(value) for value in VALUES]
    assert call("format.js", "format.seconds", *[[value] for value in positive]) == [
        units.seconds(v) for v in positive
    ]


@pytest.mark.parametrize("key", [*X_METRICS, *Y_METRICS])
def test_every_metric_of_an_axis_is_written_alike_with_its_unit(key: str) -> None:
    metric = REGISTRY[key]
    values = [abs(value) for value in VALUES if math.isfinite(value) and value != 0]
    written = call("format.js", "format.figure", *[[value, metric.unit] for value in values])
    assert written == [units.format_metric(metric, value) for value in values]


@pytest.mark.parametrize("missing", ["NaN", None])
def test_missing_is_empty_and_never_zero(missing: str | None) -> None:
    assert call("format.js", "format.figure", [missing, "s"], [missing, "tok/s"]) == ["", ""]
