"""From the columns of one model and scenario to a scene of best-per-stack curves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dashboard.domain.arrangement import Arrangement, joined
from dashboard.domain.columns import Columns, Mask, Rows
from dashboard.domain.fitness import FITNESS_COLUMNS, failing, few_requests, undrawable
from dashboard.domain.left_out import hidden_series, reader_refusals, unplotted_points
from dashboard.domain.metrics import REGISTRY, Economics
from dashboard.domain.runs import RUN_COLUMNS, choose_runs, run_days
from dashboard.domain.scene import (
    AxisChoice,
    CurveRules,
    HiddenSeries,
    PanelCurve,
    ResolvedAxis,
    Scene,
    Series,
)
from dashboard.domain.series import shown_series
from dashboard.domain.stacks import STACK_COLUMNS, Naming, group_by_stack, plain_label, stack_names
from dashboard.domain.standings import Axis, read_axis, resolve, stand

__all__ = [
    "AxisChoice", "CurveRules", "HiddenSeries", "PanelCurve", "ResolvedAxis", "Scene", "Series", "arrange",
    "scene_columns",
]  # fmt: skip

#: Columns of hover, labels, legend and table, beside those of the axes and of the rules.
_SHOWN_COLUMNS = (
    "point_id", "concurrency", "gpus", "topology_label", "offload_backend", "requests_cancelled",
    "isl_nominal", "osl_nominal", "hbm_hit_rate", "offload_hit_rate",
)  # fmt: skip


def scene_columns(rules: CurveRules) -> tuple[str, ...]:
    """The store columns that `arrange`, the hover and the table of a scene need, each once."""
    names = [*STACK_COLUMNS, *RUN_COLUMNS, *FITNESS_COLUMNS, *_SHOWN_COLUMNS]
    for axis in (*rules.panels, rules.y):
        metric = REGISTRY[axis.metric]
        names += metric.columns(axis.stat)
        names += [metric.sample_size_column] if metric.sample_size_column else []
    return tuple(dict.fromkeys(names))


def arrange(columns: Columns, rules: CurveRules, economics: Economics, naming: Naming = plain_label) -> Scene:
    """Group rows into series, choose runs, find frontiers, lay lines, and count what is left out.

    Frontiers are those of the shown axes in the axes' own directions. The rows must be of one model and one
    scenario (ValueError otherwise); no rows give a scene without series. `naming` is the catalog's `label`.
    Unknown metric keys raise KeyError: whoever parses a URL has checked them.
    """
    stacks = group_by_stack(columns)
    eligible = ~np.logical_or.reduce(list(undrawable(columns).values()))
    days = run_days(columns)
    chosen = choose_runs(columns, stacks.values(), eligible, days, rules.runs)
    xs = tuple(read_axis(columns, choice, economics) for choice in rules.panels)
    y = read_axis(columns, rules.y, economics)
    failed = failing(columns)
    refusals, unmatched = reader_refusals((stack.key for stack in stacks), rules)
    members = {stack: rows[chosen[rows]] for stack, rows in stacks.items() if stack.key not in refusals}
    standings = {stack: tuple(stand(rows, x, y, failed) for x in xs) for stack, rows in members.items()}
    work = Arrangement(
        columns=columns,
        days=days,
        failing=failed,
        rules=rules,
        names=stack_names(stacks, naming),
        xs=xs,
        y=y,
        stacks=stacks,
        refusals=refusals,
        members=members,
        standings=standings,
    )
    return _scene(work, eligible, unmatched)


def _scene(work: Arrangement, eligible: Mask, unmatched: tuple[str, ...]) -> Scene:
    """The finished scene: axes with scales, series, and the account of every row that is not drawn."""
    drawn = [work.drawn(panel) for panel in range(len(work.xs))]
    panels = tuple(resolve(x, rows, "x") for x, rows in zip(work.xs, drawn, strict=True))
    shown = _mask(len(eligible), drawn)
    hidden = _mask(len(eligible), [work.drawable()]) & ~shown
    wanted = joined([work.stacks[stack] for stack in work.members])
    chosen = joined(list(work.members.values()))
    axes = (*work.xs, work.y)
    return Scene(
        columns=work.columns,
        rules=work.rules,
        panels=panels,
        y=resolve(work.y, joined(drawn), "y"),
        series=shown_series(work, panels, drawn),
        hidden=hidden_series(work),
        rows=np.flatnonzero(shown),
        on_frontier=_mask(len(eligible), _frontiers(work)),
        failing=work.failing,
        few_requests=_few(work.columns, axes),
        dominated_hidden=int(np.count_nonzero(hidden & ~work.failing)),
        older_points=int(np.count_nonzero(eligible[wanted])) - len(chosen),
        unplotted=unplotted_points(work.columns, wanted, chosen, axes, np.flatnonzero(hidden & work.failing)),
        unmatched=unmatched,
    )


def _mask(size: int, rows: Sequence[Rows]) -> Mask:
    mask = np.zeros(size, dtype=np.bool_)
    mask[joined(rows)] = True
    return mask


def _few(columns: Columns, axes: Sequence[Axis]) -> Mask:
    marks = [few_requests(columns, axis.metric, axis.choice.stat) for axis in axes]
    return np.asarray(np.logical_or.reduce(marks), dtype=np.bool_)


def _frontiers(work: Arrangement) -> list[Rows]:
    """The frontiers of all series in the charts whose x axis has a direction."""
    directed = [panel for panel, x in enumerate(work.xs) if x.metric.better != "neither"]
    return [places[panel].frontier for places in work.standings.values() for panel in directed]
