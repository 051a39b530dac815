"""The timeline of a point: every choice on it, its data, and its exports."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args
from urllib.parse import quote

from dashboard.links.curves import POINTS_API
from dashboard.links.query import THEME, Query, Theme, address, encode, fields_of, parse, written
from dashboard.parameters import (
    Notice,
    Parameter,
    UnusableError,
    flag,
    interval,
    name,
    one_of,
    write_flag,
    write_interval,
    write_number,
)

Rows = Literal["conversation", "worker"]
Sort = Literal["start", "duration", "tokens", "ttft"]
Colour = Literal["kind", "ttft", "isl", "uncached", "cached", "wait", "osl"]
ROWS: tuple[Rows, ...] = get_args(Rows)
SORTS: tuple[Sort, ...] = get_args(Sort)
COLOURS: tuple[Colour, ...] = get_args(Colour)
PHASES = ("warmup", "profiling", "other")
KINDS = ("main", "subagent", "auxiliary")
STATUSES = ("ok", "failed", "cancelled")
#: All lanes unfolded.
UNFOLD_ALL = "all"
#: Files of the requests that a view shows: `trace` is the Chrome / Perfetto format.
TIMELINE_FORMATS = ("csv", "parquet", "trace")

Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class TimelineView:
    """Everything that decides the picture of a timeline.

    `window` is in seconds on the run's axis; `duration` and `ttft` in seconds, `isl` in tokens, `cached` as a
    fraction of the ISL, each with an end that may be infinite. `unfold` holds lane numbers (or `all`),
    `request` the selected request, `beside` the one whose companions in flight are shown.
    """

    rows: Rows = "conversation"
    sort: Sort = "start"
    colour: Colour = "cached"
    search: str | None = None
    phase: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    duration: Span | None = None
    ttft: Span | None = None
    isl: Span | None = None
    cached: Span | None = None
    unfold: tuple[str, ...] = ()
    window: tuple[float, float] | None = None
    request: str | None = None
    beside: str | None = None
    table: bool = False
    theme: Theme | None = None


def _span(text: str) -> Span:
    """A stretch that may be open at one end: 2.., ..5 or 2..5."""
    low, separator, high = text.partition("..")
    try:
        if not separator or not (low or high):
            raise UnusableError("")
        low_end, high_end = interval(f"{low or '-1e300'}..{high or '1e300'}")
        return low_end if low else -math.inf, high_end if high else math.inf
    except UnusableError:
        raise UnusableError("write a range as 2..5, 2.. or ..5, low end first") from None


def _write_span(value: Span) -> str:
    return "..".join("" if math.isinf(end) else write_number(end) for end in value)


def _unfolded(text: str) -> str:
    if text != UNFOLD_ALL and not re.fullmatch(r"[1-9]\d{0,8}", text, re.ASCII):
        raise UnusableError("write the numbers of lanes, or all")
    return text


TIMELINE_PARAMETERS: tuple[Parameter, ...] = (
    Parameter("rows", "rows", one_of(ROWS)),
    Parameter("sort", "sort", one_of(SORTS)),
    Parameter("colour", "colour", one_of(COLOURS)),
    Parameter("q", "search", name),
    Parameter("phase", "phase", one_of(PHASES), many=True),
    Parameter("kind", "kind", one_of(KINDS), many=True),
    Parameter("status", "status", one_of(STATUSES), many=True),
    Parameter("duration", "duration", _span, _write_span),
    Parameter("ttft", "ttft", _span, _write_span),
    Parameter("isl", "isl", _span, _write_span),
    Parameter("cached", "cached", _span, _write_span),
    Parameter("unfold", "unfold", _unfolded, many=True),
    Parameter("window", "window", interval, write_interval),
    Parameter("request", "request", name),
    Parameter("beside", "beside", name),
    Parameter("table", "table", flag, write_flag),
    THEME,
)


def timeline_url(slug: str, view: TimelineView = TimelineView()) -> str:
    """The timeline of a point that shows exactly this view; `slug` is its id, with or without the prefix."""
    return address(f"/point/{quote(slug, safe='')}/timeline", timeline_query(view))


def timeline_query(view: TimelineView) -> str:
    """The query string of a view, without the question mark; empty for the first view."""
    return encode(_pairs(view))


def parse_timeline(query: Query) -> tuple[TimelineView, tuple[Notice, ...]]:
    """The view a query string asks for, and a notice for each parameter or value that had to be ignored."""
    values, notices = parse(query, TIMELINE_PARAMETERS)
    return TimelineView(**values), notices


def timeline_api_url(point_id: str, part: str = "") -> str:
    """The columns of a point's requests as the canvas reads them; `part` is `ids`, `series` or `requests`."""
    path = f"{POINTS_API}/{point_id}/timeline"
    return f"{path}/{part}" if part else path


def timeline_export_url(point_id: str, view: TimelineView, file_format: str) -> str:
    """The requests that a view shows, as a file of one of `TIMELINE_FORMATS`."""
    shown = replace(view, sort="start", colour="cached", unfold=(), request=None, table=False, theme=None)
    return address(timeline_api_url(point_id, "requests"), encode([*_pairs(shown), ("format", file_format)]))


def _pairs(view: TimelineView) -> list[tuple[str, str]]:
    first: dict[str, Any] = fields_of(TimelineView())
    return written(fields_of(view), first, TIMELINE_PARAMETERS)
