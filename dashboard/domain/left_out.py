"""What a scene does not draw, and the reasons: series for the "Why?" of the counts line, points by reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from dashboard.domain.arrangement import Arrangement
from dashboard.domain.columns import Columns, Mask, Rows
from dashboard.domain.fitness import TOO_MANY_FAILED, undrawable
from dashboard.domain.scene import CurveRules, HiddenSeries
from dashboard.domain.series import vendor_of
from dashboard.domain.stacks import Stack, matching
from dashboard.domain.standings import Axis

HIDDEN_BY_READER = "You hid it."
NOT_AMONG_CHOSEN = "It is not among the series that you chose."


def reader_refusals(keys: Iterable[str], rules: CurveRules) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """The series that the reader does not want, with the reason; and the tokens that name no series."""
    known = set(keys)
    hidden = {token: matching(known, token) for token in rules.hide}
    chosen = {token: matching(known, token) for token in rules.only}
    refused = dict.fromkeys(set().union(*hidden.values()), HIDDEN_BY_READER)
    wanted: set[str] = set().union(*chosen.values())
    if wanted:
        refused |= {key: NOT_AMONG_CHOSEN for key in known - wanted if key not in refused}
    unmatched = [token for token, found in (*chosen.items(), *hidden.items()) if not found]
    return refused, tuple(dict.fromkeys(unmatched))


def hidden_series(work: Arrangement) -> tuple[HiddenSeries, ...]:
    """The series that are not drawn, by key, with their reasons."""
    shown = set(work.shown())
    absent = [stack for stack in work.stacks if stack not in shown]
    return tuple(_hidden(work, stack) for stack in sorted(absent, key=lambda stack: stack.key))


def _hidden(work: Arrangement, stack: Stack) -> HiddenSeries:
    rows = work.stacks[stack]
    refusal = work.refusals.get(stack.key)
    return HiddenSeries(
        key=stack.key,
        label=work.names.label(stack),
        qualifiers=work.names.qualifiers(stack),
        hardware=stack.hardware,
        vendor=vendor_of(work.columns, rows),
        engine=stack.engine,
        precision=stack.precision,
        points=len(rows),
        reason=refusal or _why_not_drawn(work, stack),
        by_choice=refusal is not None,
    )


def _why_not_drawn(work: Arrangement, stack: Stack) -> str:
    """Why nothing of a wanted series is drawn: no point may be, or none of the shown runs can be."""
    chosen = work.members[stack]
    rows = chosen if len(chosen) else work.stacks[stack]
    absent = [axis.absent for axis in (*work.xs, work.y)]
    never = [undrawable(work.columns)]
    reasons = _counted(rows, [*absent, {TOO_MANY_FAILED: work.failing}] if len(chosen) else never)
    said = ", ".join(sorted(reasons, key=lambda reason: -reasons[reason]))
    return f"None of its {len(rows)} points: {said}." if len(rows) > 1 else f"Its one point: {said}."


def _counted(rows: Rows, masks: Sequence[Mapping[str, Mask]]) -> dict[str, int]:
    """How many of the rows each reason applies to; reasons without a row are left out."""
    counts: dict[str, int] = {}
    for reasons in masks:
        for reason, mask in reasons.items():
            if found := int(np.count_nonzero(mask[rows])):
                counts[reason] = max(found, counts.get(reason, 0))
    return counts


def unplotted_points(
    columns: Columns, rows: Rows, chosen: Rows, axes: Sequence[Axis], off_frontier: Rows
) -> Mapping[str, int]:
    """Points missing from at least one chart, by reason, but for dominated ones and older runs.

    `rows`: all rows of the series that the reader wants; `chosen`: those of the shown runs; `off_frontier`:
    rows that are not drawn because too many of their requests failed.
    """
    counts = _counted(rows, [undrawable(columns)]) | _counted(chosen, [axis.absent for axis in axes])
    return counts | ({TOO_MANY_FAILED: len(off_frontier)} if len(off_frontier) else {})
