"""Panels that are made from single requests."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from dashboard.domain import rolling
from dashboard.domain.columns import Mask, Numbers, Rows
from dashboard.domain.downsample import extremes
from dashboard.domain.log_histogram import log_histogram
from dashboard.domain.panel import Dots, Line, Panel, Reference, Span, Tone
from dashboard.domain.point_run import ALL_PHASES, PointRun, RunRequests
from dashboard.domain.step_lines import completed, in_flight, largest_per_group

NO_REQUESTS = "The artifact holds aggregates only, no single requests (profile_export.jsonl)."
_PHASES = ("profiling", "warmup")
#: Dots beyond the extremes, so that a cloud keeps its body.
_BODY = 4000
#: Moments at which a rolling line is formed, at least and at most; three per look-back between them.
_FEWEST, _MOST = 400, 3000
_SO_FAR = 300
_TONES: tuple[Tone, ...] = ("failed", "cancelled", "second", "third", "fourth", "quiet")


@dataclass(frozen=True, slots=True)
class Detail:
    """How finely a panel is drawn: cells over a span of the axis; the rolling look-back and percentile.

    `roll` is seconds, or with an n behind it requests.
    """

    cells: int
    span: Span
    roll: str = "60"
    line: str = "p90"

    @property
    def q(self) -> float:
        """The percentile as 0..1."""
        return int(self.line[1:]) / 100

    @property
    def roll_words(self) -> str:
        """ "last 60 s" or "last 50 requests"."""
        return f"last {self.roll[:-1]} requests" if self.roll.endswith("n") else f"last {self.roll} s"


def histogram_panel(key: str, requests: RunRequests) -> Panel:
    """ISL or OSL of successful requests, by phase."""
    found = {}
    for phase in (*_PHASES, ALL_PHASES):
        part = requests.in_phase(phase)
        told = log_histogram(getattr(part, key)[part.ok])
        if told is not None:
            found[phase] = told
    missing = "" if found else f"No successful request carries its {key.upper()}."
    return Panel(key, histograms=found, missing=missing)


def latency_panel(key: str, requests: RunRequests, quantity: str, detail: Detail) -> Panel:
    """A latency over time: dots, the rolling and the cumulative percentile, phase by phase."""
    values = getattr(requests, quantity)
    known = requests.ok & np.isfinite(values) & np.isfinite(requests.start) & (values > 0)
    failed = requests.start[requests.failed & np.isfinite(requests.start)]
    if not known.any():
        return Panel(key, failed=failed, missing=_without(quantity, requests))
    t, v = requests.start[known], values[known]
    reciprocal = key.startswith("interactivity")
    shown = 1 / v if reciprocal else v
    drawn = _drawn(t, shown, detail)
    inside = int(np.count_nonzero((t >= detail.span[0]) & (t <= detail.span[1])))
    lines = _moving_lines(requests, known, v, reciprocal, detail)
    return Panel(key, lines=lines, dots=Dots(t[drawn], shown[drawn], inside), failed=failed)


def _without(quantity: str, requests: RunRequests) -> str:
    name = {"ttft_s": "a TTFT", "itl_s": "an ITL (two tokens or more)", "e2el_s": "an E2EL"}[quantity]
    return f"None of the {len(requests)} requests has {name}."


def _drawn(t: Numbers, v: Numbers, detail: Detail) -> Rows:
    kept = extremes(t, v, detail.cells, detail.span)
    inside = np.flatnonzero((t >= detail.span[0]) & (t <= detail.span[1]))
    body = inside[:: max(len(inside) // _BODY, 1)] if len(kept) < len(inside) else inside
    return np.union1d(kept, body).astype(np.intp)


def _moving_lines(
    requests: RunRequests, known: Mask, v: Numbers, reciprocal: bool, detail: Detail
) -> tuple[Line, ...]:
    """Phases never mix in a percentile: each has its own stretch of both lines."""
    part_of = np.where(requests.phase[known] == "warmup", "warmup", "profiling")
    t = requests.start[known]
    stretches: list[tuple[Numbers, Numbers, Numbers, Numbers]] = []
    for phase in ("warmup", "profiling"):
        here = part_of == phase
        if here.any():
            stretches.append(_stretch(t[here], v[here], detail))
    rolled = _joined([(at, values) for at, values, _, _ in stretches], reciprocal)
    total = _joined([(at, values) for _, _, at, values in stretches], reciprocal)
    return (
        Line(f"{detail.line}, {detail.roll_words}", *_line(*rolled, detail), tone="second"),
        Line(f"{detail.line}, cumulative", *_line(*total, detail), dash=True),
    )


def _line(t: Numbers, v: Numbers, detail: Detail) -> tuple[Numbers, Numbers]:
    if len(t) <= 4 * detail.cells:
        return t, v
    keep = np.union1d(extremes(t, v, detail.cells, detail.span), np.flatnonzero(np.isnan(v)))
    return t[keep], v[keep]


def _stretch(t: Numbers, v: Numbers, detail: Detail) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    begin, end = max(float(t[0]), detail.span[0]), min(float(t[-1]), detail.span[1])
    end = max(end, begin)
    by_count = detail.roll.endswith("n")
    look_back = (end - begin) / 400 if by_count else float(detail.roll)
    count = int(np.clip(3 * (end - begin) / max(look_back, 1e-9), _FEWEST, _MOST))
    at = np.linspace(begin, end, count)
    if by_count:
        rolled, _ = rolling.over_count(t, v, at, int(detail.roll[:-1]), detail.q)
    else:
        rolled, _ = rolling.over_time(t, v, at, look_back, detail.q)
    seldom = np.linspace(begin, end, _SO_FAR)
    total, _ = rolling.so_far(t, v, seldom, detail.q)
    return at, rolled, seldom, total


def _joined(parts: list[tuple[Numbers, Numbers]], reciprocal: bool) -> tuple[Numbers, Numbers]:
    """Stretches one after the other with a break between them."""
    ts, vs = [], []
    for t, v in parts:
        ts += [t, t[-1:]]
        vs += [1 / v if reciprocal else v, np.array([np.nan])]
    return np.concatenate(ts)[:-1], np.concatenate(vs)[:-1]


def _timed(requests: RunRequests) -> RunRequests:
    return requests.where(np.isfinite(requests.start) & np.isfinite(requests.end))


def in_flight_line(requests: RunRequests, detail: Detail, label: str = "in flight at the client") -> Line:
    """Requests in flight, of all phases: a server does not know of phases."""
    timed = _timed(requests)
    t, level = in_flight(timed.start, timed.end)
    return Line(label, *_steps(t, level, detail), tone="fourth", weight="thin", step=True)


def completed_panel(requests: RunRequests, detail: Detail) -> Panel:
    """Requests that ended well so far."""
    done = requests.where(requests.ok & np.isfinite(requests.end))
    if not len(done):
        return Panel("completed", missing="No request ended well.")
    lines = []
    tones: tuple[tuple[str, Tone], ...] = (("profiling", "first"), ("warmup", "quiet"))
    for phase, tone in tones:
        part = done.in_phase(phase)
        if len(part):
            name = "profiling" if phase == "profiling" else "warm-up"
            lines.append(Line(name, *_steps(*completed(part.end), detail), tone=tone, step=True))
    return Panel("completed", lines=tuple(lines))


def tokens_in_flight_panel(run: PointRun, requests: RunRequests, detail: Detail) -> Panel:
    """Tokens of the distinct conversations in flight against the nominal pool."""
    sized = _timed(requests)
    sized = sized.where(np.isfinite(sized.isl))
    if not len(sized):
        return Panel("tokens_in_flight", missing="No request carries both its times and its ISL.")
    held = largest_per_group(sized.start, sized.end, sized.isl, sized.lane.astype(np.intp))
    line = Line("conversations in flight", *_steps(*held, detail), tone="first", step=True)
    pool = (Reference("KV pool, nominal", run.pool_tokens),) if run.pool_tokens else ()
    notes = () if pool else ("The size of the KV pool is not reported.",)
    return Panel("tokens_in_flight", lines=(line,), references=pool, notes=notes)


def errors_panel(requests: RunRequests, detail: Detail) -> Panel:
    """Failed and cancelled requests so far, by category; the six most frequent ones and the rest."""
    moment = np.where(np.isfinite(requests.end), requests.end, requests.start)
    bad = ~requests.ok & np.isfinite(moment)
    if not bad.any():
        return Panel("errors", missing=f"None: all {len(requests)} requests ended well.")
    names = np.array(
        [
            "cancelled" if cancelled else str(category or "failed, category not reported")
            for cancelled, category in zip(requests.cancelled[bad], requests.category[bad], strict=True)
        ],
        object,
    )
    common = [name for name, _ in Counter(names.tolist()).most_common(len(_TONES) - 1)]
    names = np.array([name if name in common else "other" for name in names], object)
    lines = []
    for place, name in enumerate([*common, *(["other"] if "other" in names else [])]):
        t, total = completed(moment[bad][names == name])
        t, total = np.append(t, detail.span[1]), np.append(total, total[-1])
        tone: Tone = "cancelled" if name == "cancelled" else _TONES[place % len(_TONES)]
        lines.append(Line(name, *_steps(t, total, detail), tone=tone, step=True))
    return Panel("errors", lines=tuple(lines), failed=moment[bad])


def _steps(t: Numbers, v: Numbers, detail: Detail) -> tuple[Numbers, Numbers]:
    """A step line has no gaps: it holds its level."""
    keep = extremes(t, v, detail.cells, detail.span)
    return t[keep], v[keep]
