"""From the standings of each series to what is drawn of it: marks, lines, names, colour or grey."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dashboard.domain.arrangement import Arrangement, joined
from dashboard.domain.columns import Columns, Rows, groups, texts
from dashboard.domain.lines import Line, frontier_line, joined_line
from dashboard.domain.ranking import in_colour, scores
from dashboard.domain.runs import mixes_days, run_codes
from dashboard.domain.scene import PanelCurve, ResolvedAxis, Series
from dashboard.domain.stacks import Stack
from dashboard.domain.standings import Standing


def shown_series(
    work: Arrangement, panels: Sequence[ResolvedAxis], drawn: Sequence[Rows]
) -> tuple[Series, ...]:
    """The shown series, best first, the best of each accelerator in colour."""
    shown = work.shown()
    curves = [work.values(0, work.standings[stack][0].frontier) for stack in shown]
    better = work.xs[0].metric.better
    score = scores(
        curves,
        maximise_x=None if better == "neither" else better == "higher",
        maximise_y=work.y.metric.better == "higher",
    )
    order, coloured = in_colour([stack.hardware for stack in shown], [stack.key for stack in shown], score)
    extents = [_extent(axis, rows) for axis, rows in zip(panels, drawn, strict=True)]
    return tuple(_one_series(work, shown[index], panels, extents, index in coloured) for index in order)


def _extent(axis: ResolvedAxis, drawn: Rows) -> float:
    """The width that drawn values take on the axis: a difference, or of logarithms."""
    values = axis.values[drawn]
    if not len(values):
        return 0.0
    low, high = float(values.min()), float(values.max())
    return float(np.log(high / low)) if axis.scale == "log" else high - low


def _one_series(
    work: Arrangement,
    stack: Stack,
    panels: Sequence[ResolvedAxis],
    extents: Sequence[float],
    coloured: bool,
) -> Series:
    rows = work.members[stack]
    curves = tuple(
        _panel_curve(work, index, rows, standing, panels[index], extents[index])
        for index, standing in enumerate(work.standings[stack])
    )
    return Series(
        key=stack.key,
        hardware=stack.hardware,
        vendor=vendor_of(work.columns, rows),
        engine=stack.engine,
        precision=stack.precision,
        hardware_label=work.names.part("hardware", stack.hardware),
        engine_label=work.names.part("engine", stack.engine),
        precision_label=work.names.part("precision", stack.precision),
        label=work.names.label(stack),
        qualifiers=work.names.qualifiers(stack),
        provenance=stack.provenance,
        rows=rows,
        panels=curves,
        coloured=coloured,
        mixed_dates=mixes_days(work.days[rows]),
    )


def _panel_curve(
    work: Arrangement, panel: int, rows: Rows, standing: Standing, axis: ResolvedAxis, extent: float
) -> PanelCurve:
    x, y = work.values(panel, rows)
    frontier, off = work.marks(panel, standing)
    line = _line(work, panel, standing, axis, extent)
    return PanelCurve(
        x=x,
        y=y,
        frontier=frontier,
        dominated=off,
        line_x=line.x,
        line_y=line.y,
        gap_x=line.gap_x,
        gap_y=line.gap_y,
    )


def _line(work: Arrangement, panel: int, standing: Standing, axis: ResolvedAxis, extent: float) -> Line:
    """The line of one series in one chart: through its frontier, or along each configuration and run."""
    if axis.metric.better != "neither":
        x, y = work.values(panel, standing.frontier)
        return frontier_line(x, y, axis.scale, extent, reciprocal=work.y.metric.reciprocal_of is not None)
    parts = [standing.frontier[members] for members in _configurations(work.columns, standing.frontier)]
    owners = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return joined_line(*work.values(panel, joined(parts)), owners)


def _configurations(columns: Columns, rows: Rows) -> list[Rows]:
    """The rows of each configuration and run, in the given order."""
    configs = np.array(texts(columns, "config_id"), dtype=object)[rows].tolist()
    return list(groups([configs, run_codes(columns)[rows].tolist()]).values())


def vendor_of(columns: Columns, rows: Rows) -> str | None:
    """The vendor of the rows of one series."""
    column = columns.get("vendor")
    return None if column is None or not len(rows) else column[rows[0]]
