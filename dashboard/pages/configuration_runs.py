"""The points of one configuration, newest run first, as lines of a table."""

from __future__ import annotations

import numpy as np

from components.runs_table import RunLine
from dashboard.domain.columns import Columns, Rows, numbers, texts
from dashboard.domain.metrics import REGISTRY, Economics, title_parts
from dashboard.domain.runs import RUN_COLUMNS, run_days
from dashboard.domain.units import count, format_number

#: Metrics of the table, in the chosen statistic.
METRICS = ("tput_total", "interactivity", "ttft", "e2el")
#: Columns of the store that the table reads beside those of its metrics.
RUNS_TABLE_COLUMNS = (
    *RUN_COLUMNS,
    "point_id",
    "scenario",
    "concurrency",
    "requests_ok",
    "requests_failed",
    "run_url",
)


def heads(stat: str) -> tuple[str, ...]:
    """The columns of the figures, with statistic and unit."""
    titles = [title_parts(REGISTRY[key], stat, "linear") for key in METRICS]
    return tuple(f"{title.quantity}, {title.unit}" for title in titles)


def run_lines(
    columns: Columns, stat: str, economics: Economics, newest: frozenset[str]
) -> tuple[RunLine, ...]:
    """One line per point; `newest` holds the ids of the points that the curve shows."""
    values = [REGISTRY[key].values(columns, stat, economics) for key in METRICS]
    days, ids = run_days(columns), texts(columns, "point_id")
    scenarios, runs, urls = (texts(columns, name) for name in ("scenario", "run_id", "run_url"))
    users, good, bad = (numbers(columns, name) for name in ("concurrency", "requests_ok", "requests_failed"))
    return tuple(
        RunLine(
            point_id=str(ids[row]),
            day="" if np.isnat(days[row]) else str(days[row]),
            run=str(runs[row] or "unknown"),
            run_url=urls[row],
            newest=ids[row] in newest,
            scenario=str(scenarios[row] or "unknown"),
            concurrency=count(float(users[row])),
            figures=tuple(
                format_number(REGISTRY[key], float(found[row]))
                for key, found in zip(METRICS, values, strict=True)
            ),
            requests=_fate(float(good[row]), float(bad[row])),
        )
        for row in _newest_first(columns)
    )


def _newest_first(columns: Columns) -> Rows:
    """Rows by run, the newest first and those of unknown age last, then by rising concurrency."""
    days = run_days(columns).astype("datetime64[D]").astype(np.int64)  # unknown is the smallest number
    runs = np.unique([run or "" for run in texts(columns, "run_id")], return_inverse=True)[1]
    newest = np.full(runs.max(initial=0) + 1, np.iinfo(np.int64).min)
    np.maximum.at(newest, runs, days)
    return np.asarray(np.lexsort((numbers(columns, "concurrency"), runs, ~newest[runs])), dtype=np.intp)


def _fate(good: float, bad: float) -> str:
    """Requests that succeeded and failed: "4 187 / 3"; what nobody counted is left out."""
    return " / ".join(part for part in (count(good), count(bad)) if part)
