"""What one panel of a point's page draws, as plain arrays: lines, dots, marks, bars; or why nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from dashboard.domain.columns import Numbers
from dashboard.domain.log_histogram import LogHistogram

#: The colour's part in the picture; the palette gives each part a colour per theme.
Tone = Literal["ink", "first", "second", "third", "fourth", "quiet", "failed", "cancelled"]
Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Line:
    """One line over seconds of the run's axis; NaN breaks it. `step` holds each value until the next."""

    label: str
    t: Numbers
    v: Numbers
    tone: Tone = "ink"
    weight: Literal["thin", "normal", "heavy"] = "normal"
    dash: bool = False
    step: bool = False
    #: Members of a group (ranks) share one key in the legend.
    group: str = ""


@dataclass(frozen=True, slots=True)
class Dots:
    """One dot per request at its start; `n` requests start in the span drawn, thinned ones included."""

    t: Numbers
    v: Numbers
    n: int


@dataclass(frozen=True, slots=True)
class Reference:
    """A level to read the lines against, such as the pool's size."""

    label: str
    value: float


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel; `missing` says what it lacks and why, and then it has nothing to draw.

    `notes` are caveats to what is drawn. `gaps` are stretches without a server sample. `failed` are moments
    of requests that failed and so have no dot.
    """

    key: str
    lines: tuple[Line, ...] = ()
    dots: Dots | None = None
    failed: Numbers | None = None
    references: tuple[Reference, ...] = ()
    histograms: Mapping[str, LogHistogram] = field(default_factory=dict)
    stacked: bool = False
    gaps: tuple[Span, ...] = ()
    missing: str = ""
    notes: tuple[str, ...] = ()
