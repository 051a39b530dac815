"""What is known of a scene before it is drawn: axes, series, rows of their runs, and where they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dashboard.domain.columns import Columns, Mask, Numbers, Rows
from dashboard.domain.runs import Days
from dashboard.domain.scene import CurveRules
from dashboard.domain.stacks import Stack, StackNames
from dashboard.domain.standings import Axis, Standing

NO_ROWS: Rows = np.zeros(0, dtype=np.intp)


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The sorted material of a scene.

    `days`: of each row's run; `failing`: rows that too many failed requests keep off the frontier; `stacks`:
    all rows of each series; `refusals`: by key, why the reader does not want a series; `members`: of the
    wanted ones, the rows of the chosen runs; `standings`: of the wanted ones, one place per chart.
    """

    columns: Columns
    days: Days
    failing: Mask
    rules: CurveRules
    names: StackNames
    xs: tuple[Axis, ...]
    y: Axis
    stacks: Mapping[Stack, Rows]
    refusals: Mapping[str, str]
    members: Mapping[Stack, Rows]
    standings: Mapping[Stack, tuple[Standing, ...]]

    def shown(self) -> list[Stack]:
        """The series of which at least one chart draws something."""
        return [stack for stack, places in self.standings.items() if any(map(len, self._marks(places)))]

    def drawn(self, panel: int) -> Rows:
        """The rows drawn in one chart."""
        marks = [self.marks(panel, places[panel]) for places in self.standings.values()]
        return joined([rows for frontier_and_off in marks for rows in frontier_and_off])

    def drawable(self) -> Rows:
        """The rows with a place in any chart, drawn or not; a row may come more than once."""
        places = [place for one in self.standings.values() for place in one]
        return joined([rows for place in places for rows in (place.frontier, place.off)])

    def marks(self, panel: int, standing: Standing) -> tuple[Rows, Rows]:
        """What one chart draws of a series: on the frontier, and off it; without a direction, always both."""
        everything = self.rules.dominated or self.xs[panel].metric.better == "neither"
        return standing.frontier, standing.off if everything else NO_ROWS

    def _marks(self, places: Sequence[Standing]) -> list[Rows]:
        return [rows for panel, place in enumerate(places) for rows in self.marks(panel, place)]

    def values(self, panel: int, rows: Rows) -> tuple[Numbers, Numbers]:
        """x and y of rows in one chart."""
        return self.xs[panel].values[rows], self.y.values[rows]


def joined(rows: Sequence[Rows]) -> Rows:
    """Several row lists as one."""
    return np.concatenate([NO_ROWS, *rows])
