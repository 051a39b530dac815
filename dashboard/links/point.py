"""The page of a point: its path, and what a link to it holds: window, phase, kinds, rolling line, trim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args
from urllib.parse import quote

from dashboard.domain.metrics import REGISTRY
from dashboard.domain.request_quantities import QUANTITIES
from dashboard.links.curves import POINTS_API, CurvesView, curves_query, parse_curves
from dashboard.links.query import (
    THEME,
    Query,
    Theme,
    address,
    encode,
    fields_of,
    parse,
    parse_query,
    texts,
    written,
)
from dashboard.parameters import Notice, Parameter, UnusableError, interval, one_of, write_interval

Phase = Literal["warmup", "profiling", "all"]
PHASES: tuple[Phase, ...] = get_args(Phase)
Kind = Literal["main", "subagent", "auxiliary"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: Seconds, or with an n behind it requests, over which a rolling percentile looks back.
ROLLS = ("10", "30", "60", "300", "50n", "200n")
DEFAULT_ROLL = "60"
#: Percentiles that a rolling line may show.
LINES = ("p50", "p75", "p90", "p95", "p99")
DEFAULT_LINE = "p90"
MAX_TRIM_S = 1e7
#: Metrics that can be drawn over the neighbours of a point, against their concurrency.
ACROSS = tuple(key for key in REGISTRY if key != "concurrency")


@dataclass(frozen=True, slots=True)
class PointView:
    """What a point's page takes from its URL.

    `window` and `zoom` are seconds on the run's axis (`domain.run_axis`); `trim` leaves so many seconds at
    the start and at the end of the profiling phase out of statistics; `kind` None means all kinds.
    `across` is the metric drawn over the neighbours, `scatter` which figures of single requests are drawn
    against each other (y, x); None draws nothing.
    """

    back: CurvesView | None = None
    window: tuple[float, float] | None = None
    zoom: tuple[float, float] | None = None
    phase: Phase = "profiling"
    kind: Kind | None = None
    roll: str = DEFAULT_ROLL
    line: str = DEFAULT_LINE
    trim: tuple[float, float] | None = None
    across: str | None = None
    scatter: tuple[str, str] | None = None
    theme: Theme | None = None


def _trim(text: str) -> tuple[float, float]:
    """Seconds left out at both ends, as 30..60; unlike a range its first number may be the larger."""
    low, separator, high = text.partition("..")
    try:
        ends = (float(low), float(high)) if separator else (-1.0, -1.0)
    except ValueError:
        ends = (-1.0, -1.0)
    if not all(0 <= end <= MAX_TRIM_S for end in ends):
        raise UnusableError("write seconds left out at the start and at the end as 30..60")
    return ends


def _across(text: str) -> str:
    if text not in ACROSS:
        raise UnusableError("no metric that is drawn over a run; the Method page lists the metrics")
    return text


def _pair(text: str) -> tuple[str, str]:
    """Two quantities of a request, y first, as ttft_s,isl."""
    y, separator, x = text.partition(",")
    if not separator or y not in QUANTITIES or x not in QUANTITIES:
        raise UnusableError(f"write two of {', '.join(QUANTITIES)} as ttft_s,isl, y first")
    return y, x


WINDOW = Parameter("window", "window", interval, write_interval)
PHASE = Parameter("phase", "phase", one_of(PHASES))
POINT_PARAMETERS: tuple[Parameter, ...] = (
    PHASE,
    WINDOW,
    Parameter("zoom", "zoom", interval, write_interval),
    Parameter("kind", "kind", one_of(KINDS)),
    Parameter("roll", "roll", one_of(ROLLS)),
    Parameter("line", "line", one_of(LINES)),
    Parameter("trim", "trim", _trim, write_interval),
    Parameter("across", "across", _across),
    Parameter("scatter", "scatter", _pair, ",".join),
    THEME,
)


def parse_point(query: Query) -> tuple[PointView, tuple[Notice, ...]]:
    """What the page takes from its query string; `from` holds the Curves view one came from."""
    origin = texts(query.get("from", ""))
    values, notices = parse({key: value for key, value in query.items() if key != "from"}, POINT_PARAMETERS)
    back = parse_curves(parse_query(origin[0]))[0] if origin and origin[0] else None
    return PointView(back=back, **values), notices


def point_view_url(slug: str, view: PointView = PointView()) -> str:
    """The page of a point with everything that the reader chose on it."""
    pairs = written(fields_of(view), fields_of(PointView()), POINT_PARAMETERS)
    if view.back is not None and (back := curves_query(view.back)):
        pairs.append(("from", back))
    return address(f"/point/{quote(slug, safe='')}", encode(pairs))


def panels_api_url(point_id: str, view: PointView = PointView()) -> str:
    """The columns that the panels draw: binary, compressed, one answer for all panels."""
    return _data_url(point_id, "panels", view, ("kind", "roll", "line", "zoom"))


def window_api_url(point_id: str, view: PointView = PointView()) -> str:
    """Statistics of a window and the requests in flight in it, as JSON."""
    return _data_url(point_id, "window", view, ("window", "phase", "kind", "trim"))


def panel_api_url(point_id: str, panel: str, file_format: str, view: PointView = PointView()) -> str:
    """The data of one panel as a CSV or Parquet file."""
    return _data_url(
        point_id, f"panels/{quote(panel, safe='')}.{file_format}", view, ("kind", "roll", "line")
    )


def neighbours_api_url(point_id: str, file_format: str, view: PointView = PointView()) -> str:
    """The points of the same stack and run with the metric drawn over them, as CSV or Parquet."""
    return _data_url(point_id, f"neighbours.{file_format}", view, ("across",))


def scatter_api_url(point_id: str, file_format: str | None = None, view: PointView = PointView()) -> str:
    """A scatter's dots for its canvas; as CSV or Parquet every request of it, drawn or not."""
    fields = ("scatter", "phase", "kind")
    return _data_url(point_id, f"scatter.{file_format}" if file_format else "scatter", view, fields)


def _data_url(point_id: str, what: str, view: PointView, fields: tuple[str, ...]) -> str:
    known = tuple(parameter for parameter in POINT_PARAMETERS if parameter.field in fields)
    pairs = written(fields_of(view), fields_of(PointView()), known)
    return address(f"{POINTS_API}/{point_id}/{what}", encode(pairs))
