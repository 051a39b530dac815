"""The order of a configuration's points: newest run first, a run stays together, unknown age comes last."""

from __future__ import annotations

from datetime import date

import numpy as np

from dashboard.domain.columns import Columns
from dashboard.domain.metrics import Economics
from dashboard.pages.configuration_runs import run_lines

ECONOMICS = Economics({}, {}, "")
ROWS: tuple[tuple[str, date | None, float], ...] = (
    ("old", date(2026, 5, 1), 8),
    ("undated", None, 4),
    ("new", None, 64),
    ("new", date(2026, 6, 3), 16),
    ("old", date(2026, 5, 2), 4),
    ("new", date(2026, 6, 2), 1),
)


def columns() -> Columns:
    runs, days, users = zip(*ROWS, strict=True)
    return {
        "point_id": np.array([f"p{row}" for row in range(len(ROWS))], dtype=object),
        "run_id": np.array(runs, dtype=object),
        "run_date": np.array(days, dtype="datetime64[D]"),
        "concurrency": np.array(users, dtype=np.float64),
        "ttft_s_p90": np.array([0.5, np.nan, 2.0, 1.0, 0.25, 0.75]),
    }


def test_a_run_stays_together_at_the_age_of_its_newest_point() -> None:
    lines = run_lines(columns(), "p90", ECONOMICS, frozenset({"p3"}))
    assert [(line.run, line.concurrency) for line in lines] == [
        ("new", "1"),
        ("new", "16"),
        ("new", "64"),
        ("old", "4"),
        ("old", "8"),
        ("undated", "4"),
    ]
    assert [line.point_id for line in lines if line.newest] == ["p3"]


def test_what_is_missing_is_blank() -> None:
    by_id = {line.point_id: line for line in run_lines(columns(), "p90", ECONOMICS, frozenset())}
    assert by_id["p2"].figures == ("", "", "2.00", "") and by_id["p1"].figures == ("", "", "", "")
    assert (by_id["p1"].day, by_id["p1"].requests, by_id["p1"].scenario) == ("", "", "unknown")
