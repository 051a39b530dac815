"""What is known of a scene before it is drawn: axes, series, rows of their runs, and where they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dashboard.domain.columns import Columns, Numbers, Rows
from dashboard.domain.runs import Days
from dashboard.domain.scene import CurveRules
from dashboard.domain.stacks import Stack, StackNames
from dashboard.domain.standings import Axis, Standing

NO_ROWS: Rows = np.zeros(0, dtype=np.intp)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The sorted material of a scene.

    `stacks`: all rows of each series; `refusals`: by key, why the reader does not want a series; `members`:
    of the wanted ones, the rows of the chosen runs; `standings`: of the wanted ones, one place per chart;
    `shown`: those with anything to draw.
    """

    columns: Columns
    days: Days
    rules: CurveRules
    names: StackNames
    xs: tuple[Axis, ...]
    y: Axis
    stacks: Mapping[Stack, Rows]
    refusals: Mapping[str, str]
    members: Mapping[Stack, Rows]
    standings: Mapping[Stack, tuple[Standing, ...]]
    shown: tuple[Stack, ...]

    def off_frontier_drawn(self, panel: int, standing: Standing) -> Rows:
        """The rows off the frontier that this chart draws; an axis without direction hides none."""
        everything = self.rules.dominated or self.xs[panel].metric.better == "neither"
        return standing.off if everything else NO_ROWS

    def drawn(self, panel: int) -> Rows:
        """The rows drawn in one chart."""
        places = [self.standings[stack][panel] for stack in self.shown]
        return joined([rows for p in places for rows in (p.frontier, self.off_frontier_drawn(panel, p))])

    def values(self, panel: int, rows: Rows) -> tuple[Numbers, Numbers]:
        """x and y of rows in one chart."""
        return self.xs[panel].values[rows], self.y.values[rows]


def joined(rows: Sequence[Rows]) -> Rows:
    """Several row lists as one."""
    return np.concatenate([NO_ROWS, *rows])
