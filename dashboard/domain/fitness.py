"""Which points may be drawn, which must carry a mark, and the sentences that say why."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dashboard.domain.columns import Columns, Mask, Numbers, numbers, truths
from dashboard.domain.metrics import Metric, quantity_name
from dashboard.domain.units import percent

#: Share of requests that may fail before a point leaves the frontier: a run can look fast by failing.
FAILING_SHARE = 0.10

#: The same as a reason.
TOO_MANY_FAILED = "more than a tenth of the requests failed"

#: Observations that must lie beyond a percentile for it to be carried by the sample.
OBSERVATIONS_BEYOND = 10

#: Columns that `fitness` reads besides those of the metrics.
FITNESS_COLUMNS = ("publishable", "requests_ok", "requests_failed")


def undrawable(columns: Columns) -> Mapping[str, Mask]:
    """Rows that are never drawn, by reason; a row has at most one reason."""
    no_success = numbers(columns, "requests_ok") == 0
    withheld = ~truths(columns, "publishable", missing=True)
    return {"no successful request": no_success, "marked as not publishable": withheld & ~no_success}


def failing_share(columns: Columns) -> Numbers:
    """Failed requests over failed and successful ones, 0..1; NaN where a count is missing."""
    failed, succeeded = numbers(columns, "requests_failed"), numbers(columns, "requests_ok")
    total = failed + succeeded
    share: Numbers = np.divide(failed, total, out=np.full(len(total), np.nan), where=total > 0)
    return share


def failing(columns: Columns) -> Mask:
    """Rows of which more than a tenth of the requests failed."""
    return np.asarray(failing_share(columns) > FAILING_SHARE)


def sample_size(columns: Columns, metric: Metric) -> Numbers:
    """The number of requests behind a metric's statistics; the successful ones where the row does not say."""
    column = metric.sample_size_column
    stated = numbers(columns, column) if column else np.full(len(numbers(columns, "requests_ok")), np.nan)
    return np.where(np.isnan(stated), numbers(columns, "requests_ok"), stated)


def few_requests(columns: Columns, metric: Metric, stat: str) -> Mask:
    """Rows whose percentile has fewer than ten observations beyond it; unknown sizes are not marked."""
    if not metric.takes_statistic or not stat.startswith("p"):
        return np.zeros(len(numbers(columns, "requests_ok")), dtype=np.bool_)
    beyond_percent = 100 - int(stat[1:])
    return np.asarray(sample_size(columns, metric) * beyond_percent < OBSERVATIONS_BEYOND * 100)


def drawable_values(values: Numbers) -> Numbers:
    """Values that can stand on an axis: above zero and finite; an unmeasured quantity often arrives as 0."""
    return np.where(np.isfinite(values) & (values > 0), values, np.nan)


def absences(columns: Columns, metric: Metric, stat: str, values: Numbers) -> Mapping[str, Mask]:
    """Why rows have no drawable value of a metric, by reason; `values` as `Metric.values` gave them."""
    name = quantity_name(metric, stat)
    stored = numbers(columns, metric.columns(stat)[0])
    missing = np.isnan(drawable_values(values))
    reasons = {
        f"no {name}": missing & np.isnan(stored),
        f"{name} is stored as zero, negative or infinite": missing & ~np.isnan(stored) & ~_sound(stored),
    }
    if metric.reading.needs_hardware:
        reasons["no price or power figure for its hardware"] = missing & _sound(stored)
    return reasons


def _sound(stored: Numbers) -> Mask:
    return np.asarray(np.isfinite(stored) & (stored > 0))


def caveats(columns: Columns, row: int, metrics: tuple[tuple[Metric, str], ...]) -> tuple[str, ...]:
    """What a reader of this point must know, in sentences: failures, and percentiles of few requests."""
    one = {name: column[row : row + 1] for name, column in columns.items()}
    said = []
    if failing(one)[0]:
        share = percent(float(failing_share(one)[0]))
        said.append(f"{share} of its requests failed, so it is kept off the frontier.")
    for metric, stat in metrics:
        if few_requests(one, metric, stat)[0]:
            n = int(sample_size(one, metric)[0])
            name = quantity_name(metric, stat)
            said.append(f"{name} rests on {n} requests, fewer than {OBSERVATIONS_BEYOND} beyond it.")
    return tuple(said)
