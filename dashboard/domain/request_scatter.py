"""Single requests against each other: two figures of each, thinned for a picture, whole for a file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dashboard.domain.columns import Columns, Mask, Numbers, Rows, numbers, texts, truths
from dashboard.domain.metric import Scale
from dashboard.domain.request_quantities import QUANTITIES
from dashboard.domain.run_axis import PROFILING
from dashboard.domain.scatter_sample import scatter_sample

#: Kinds of requests in the order of their colours; any other name is the last.
KINDS = ("main", "subagent", "auxiliary", "unknown")
#: A range wider than this factor is read on a log axis.
_LOG_BEYOND = 100.0


@dataclass(frozen=True, slots=True)
class RequestScatter:
    """Dots of successful requests: values, start and end in seconds on the run's axis, place in `KINDS`.

    `n` requests have both figures, `drawn` are their rows that a picture shows; `without` lack a figure,
    `zeros` have none that a log axis can place.
    """

    x: Numbers
    y: Numbers
    start_s: Numbers
    end_s: Numbers
    kind: Rows
    rows: Rows
    drawn: Rows
    x_scale: Scale
    y_scale: Scale
    without: int
    zeros: int

    @property
    def n(self) -> int:
        """How many requests have both figures."""
        return len(self.x)


def request_scatter(columns: Columns, pair: tuple[str, str], phase: str, kind: str | None) -> RequestScatter:
    """The scatter of a pair (y, x) of `QUANTITIES`; `columns` as `store.request_columns` gives them."""
    y, x = (QUANTITIES[key].read(columns) for key in pair)
    chosen = _chosen(columns, phase, kind)
    both = chosen & np.isfinite(x) & np.isfinite(y)
    x_scale, y_scale = _scale(x[both]), _scale(y[both])
    placed = both & ((x > 0) | (x_scale == "linear")) & ((y > 0) | (y_scale == "linear"))
    rows = np.flatnonzero(placed)
    known = [KINDS.index(name) if name in KINDS else len(KINDS) - 1 for name in texts(columns, "kind")]
    drawn = scatter_sample(x[rows], y[rows], x_scale, y_scale) if len(rows) else rows
    return RequestScatter(
        x[rows],
        y[rows],
        numbers(columns, "start_s")[rows],
        numbers(columns, "end_s")[rows],
        np.array(known, np.intp)[rows],
        rows,
        drawn,
        x_scale,
        y_scale,
        without=int(np.count_nonzero(chosen & ~both)),
        zeros=int(np.count_nonzero(both & ~placed)),
    )


def _chosen(columns: Columns, phase: str, kind: str | None) -> Mask:
    failed, cancelled = (truths(columns, name, missing=False) for name in ("failed", "cancelled"))
    phases = np.array([name or PROFILING for name in texts(columns, "phase")], object)
    kinds = np.array(texts(columns, "kind"), object)
    here = np.ones(len(phases), np.bool_) if phase == "all" else phases == phase
    return np.asarray(~failed & ~cancelled & here & ((kinds == kind) if kind else True))


def _scale(values: Numbers) -> Scale:
    """Log over two decades and more, where almost everything is above zero."""
    above = values[values > 0]
    wide = len(above) > 0.9 * len(values) and len(above) and above.max() > _LOG_BEYOND * above.min()
    return "log" if wide else "linear"
