"""What a benchmark returns, and how a table of them is printed."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

#: Runs of each timing; the median counts.
RUNS = 5


@dataclass(frozen=True, slots=True)
class Measure:
    """One measured figure beside its bar.

    `sense` "most" means that the value may be at most the bar, "least" at least. `bar` None is a figure for
    information. `note` says what was compared, or what the figure contains.
    """

    work: str
    value: float
    unit: str
    bar: float | None = None
    sense: Literal["most", "least"] = "most"
    note: str = ""

    @property
    def share(self) -> float | None:
        """Value as a share of what the bar allows: at most 1 when the bar is met."""
        if not self.bar or not self.value:
            return None
        return self.value / self.bar if self.sense == "most" else self.bar / self.value

    @property
    def met(self) -> bool | None:
        if self.bar is None:
            return None
        return self.value <= self.bar if self.sense == "most" else self.value >= self.bar


def median(values: Sequence[float]) -> float:
    return float(statistics.median(values))


def quantile(values: Sequence[float], share: float) -> float:
    """Linear-interpolated quantile."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


HEADINGS = ("work", "measured", "bar", "of the bar", "", "note")


def table(measures: Sequence[Measure]) -> str:
    """All measures as a Markdown table."""
    rows = [HEADINGS, *(_cells(measure) for measure in measures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    lines = [
        "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def _cells(measure: Measure) -> tuple[str, ...]:
    sign = "<=" if measure.sense == "most" else ">="
    bar = "" if measure.bar is None else f"{sign} {measure.bar:g} {measure.unit}".rstrip()
    share = "" if measure.share is None else f"{measure.share:.2f}"
    verdict = {None: "", True: "met", False: "MISSED"}[measure.met]
    return (measure.work, f"{measure.value:.4g} {measure.unit}".rstrip(), bar, share, verdict, measure.note)
