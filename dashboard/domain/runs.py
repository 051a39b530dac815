"""Which runs of a curve are shown: the newest, the newest of each configuration, or all."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from dashboard.domain.columns import Columns, Mask, Rows, groups, moments, numbers, texts
from dashboard.domain.scene import RunChoice

#: A date or time per row, NaT where unknown.
Days = NDArray[np.datetime64]

#: Columns that tell runs apart and order them by age.
RUN_COLUMNS = ("config_id", "run_id", "run_attempt", "run_date", "measured_at")


def choose_runs(
    columns: Columns, scopes: Iterable[Rows], eligible: Mask, days: Days, choice: RunChoice
) -> Mask:
    """Which rows belong to the runs that a curve shows.

    A run (its id and attempt) is taken or left as one unit. Only `eligible` rows count, so that a run
    without a single success cannot displace a good one.
    """
    if choice == "all":
        return eligible.copy()
    runs = run_codes(columns)
    age = _age_ranks(columns, days)
    configs = np.array([config or "" for config in texts(columns, "config_id")], dtype=object)
    kept = np.zeros(len(eligible), dtype=np.bool_)
    for rows in scopes:
        scope = rows[eligible[rows]]
        units: Iterable[Rows] = [scope]
        if choice == "per_config":
            units = [scope[members] for members in groups([configs[scope].tolist()]).values()]
        for unit in units:
            if len(unit):
                newest = unit[np.argmax(age[unit])]
                kept[unit[runs[unit] == runs[newest]]] = True
    return kept


def run_codes(columns: Columns) -> Rows:
    """One number per run: rows with equal run id and attempt share it."""
    codes: dict[tuple[str | None, float], int] = {}
    attempts = np.nan_to_num(numbers(columns, "run_attempt"), nan=0.0).tolist()
    runs = zip(texts(columns, "run_id"), attempts, strict=True)
    return np.array([codes.setdefault(run, len(codes)) for run in runs], dtype=np.intp)


def _age_ranks(columns: Columns, days: Days) -> Rows:
    """Rank of every row by the age of its run, the newest highest: date, time, then run id and attempt."""
    measured = moments(columns, "measured_at", "us")
    identities = texts(columns, "run_id")
    ordered = sorted(set(identities), key=lambda text: (len(text or ""), text or ""))
    place = {text: rank for rank, text in enumerate(ordered)}
    run = np.array([place[text] for text in identities], dtype=np.intp)
    attempt = np.nan_to_num(numbers(columns, "run_attempt"), nan=0.0)
    oldest_first = np.lexsort((attempt, run, _nat_oldest(measured), _nat_oldest(days)))
    ranks = np.empty(len(run), dtype=np.intp)
    ranks[oldest_first] = np.arange(len(run))
    return ranks


def _nat_oldest(when: Days) -> Rows:
    """Times as integers; NaT is the smallest integer and so the oldest."""
    return when.astype(np.int64)


def run_days(columns: Columns) -> Days:
    """The day of each row's run: its own date, else the day on which it was measured, else NaT."""
    date = moments(columns, "run_date", "D")
    return np.where(np.isnat(date), moments(columns, "measured_at", "D"), date)


def mixes_days(days: Days) -> bool:
    """Whether runs are from more than one day; unknown days do not count."""
    known = days[~np.isnat(days)]
    return bool(len(known) and (known != known[0]).any())
