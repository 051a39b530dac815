"""The Curves page: everything that its address can say, and its data twin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

from dashboard.domain.catalog import TIERS
from dashboard.domain.choice import Choice
from dashboard.domain.metrics import DEFAULT_STAT, DEFAULT_Y, STATS, X_METRICS, Y_METRICS
from dashboard.domain.metrics import PAIR as PAIR_METRICS
from dashboard.domain.scene import RunChoice, ScaleChoice
from dashboard.links.query import THEME, Query, Theme, address, encode, fields_of, parse, written
from dashboard.parameters import (
    Notice,
    Parameter,
    day,
    flag,
    identifier,
    interval,
    name,
    one_of,
    price,
    write_flag,
    write_interval,
    write_price,
)

CURVES = "/"
POINTS_API = "/api/v1/points"

#: The linked pair of charts: y against interactivity and against TTFT.
PAIR = "pair"
Labels = Literal["none", "concurrency", "topology", "gpus"]
RUNS: tuple[RunChoice, ...] = get_args(RunChoice)
LABELS: tuple[Labels, ...] = get_args(Labels)
SCALES: tuple[ScaleChoice, ...] = get_args(ScaleChoice)
FORMATS = ("json", "csv", "parquet")
MAX_PINS = 2

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class CurvesView:
    """Everything that decides the picture of the Curves page.

    `choice.model` None leaves the model to the store. `hide` and `only` hold series keys, `pin` point ids (at
    most two), `price` pairs of hardware and US dollars per GPU hour. Zooms are in the unit of the axis
    (`zoom_x2`: the second chart's x). `theme` None follows the reader's system.
    """

    choice: Choice = field(default_factory=Choice)
    x: str = PAIR
    y: str = DEFAULT_Y
    stat: str = DEFAULT_STAT
    x_scale: ScaleChoice = "auto"
    y_scale: ScaleChoice = "auto"
    runs: RunChoice = "newest"
    dominated: bool = False
    hide: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    labels: Labels = "none"
    pin: tuple[str, ...] = ()
    tier: str = TIERS[0]
    price: tuple[tuple[str, float], ...] = ()
    zoom_x: Interval | None = None
    zoom_x2: Interval | None = None
    zoom_y: Interval | None = None
    theme: Theme | None = None

    @property
    def x_metrics(self) -> tuple[str, ...]:
        """The x metric of each chart, left to right."""
        return PAIR_METRICS if self.x == PAIR else (self.x,)

    @property
    def zoom(self) -> dict[str, Interval]:
        """The zoomed axes by name: x, x2, y."""
        axes = {"x": self.zoom_x, "x2": self.zoom_x2, "y": self.zoom_y}
        return {axis: ends for axis, ends in axes.items() if ends is not None}

    @property
    def own_prices(self) -> dict[str, float]:
        """The reader's own US dollars per GPU hour, by hardware; a later value replaces an earlier one."""
        return dict(self.price)

    def computed(self) -> CurvesView:
        """The part of the view that decides which series are computed: no pins, labels, zoom or theme."""
        return replace(self, pin=(), labels="none", zoom_x=None, zoom_x2=None, zoom_y=None, theme=None)


_CHOICE_FIELDS = frozenset(f.name for f in fields(Choice))
Y = Parameter("y", "y", one_of(Y_METRICS))
STAT = Parameter("stat", "stat", one_of(STATS))

CURVES_PARAMETERS: tuple[Parameter, ...] = (
    Parameter("model", "model", name),
    Parameter("scenario", "scenario", name),
    Parameter("x", "x", one_of((PAIR, *X_METRICS))),
    Y,
    STAT,
    Parameter("xs", "x_scale", one_of(SCALES)),
    Parameter("ys", "y_scale", one_of(SCALES)),
    Parameter("runs", "runs", one_of(RUNS)),
    Parameter("dominated", "dominated", flag, write_flag),
    Parameter("precision", "precision", name, many=True),
    Parameter("vendor", "vendor", name, many=True),
    Parameter("hardware", "hardware", name, many=True),
    Parameter("engine", "engine", name, many=True),
    Parameter("deploy", "deployment", name, many=True),
    Parameter("spec", "spec_method", name, many=True),
    Parameter("offload", "offload", name, many=True),
    Parameter("official", "official", one_of(("official", "unofficial")), many=True),
    Parameter("since", "since", day, str),
    Parameter("until", "until", day, str),
    Parameter("hide", "hide", name, many=True),
    Parameter("only", "only", name, many=True),
    Parameter("labels", "labels", one_of(LABELS)),
    Parameter("pin", "pin", identifier, many=True),
    Parameter("tier", "tier", one_of(TIERS)),
    Parameter("price", "price", price, write_price, many=True),
    Parameter("zx", "zoom_x", interval, write_interval),
    Parameter("zx2", "zoom_x2", interval, write_interval),
    Parameter("zy", "zoom_y", interval, write_interval),
    THEME,
)
PARAMETER_OF: Mapping[str, Parameter] = {parameter.field: parameter for parameter in CURVES_PARAMETERS}


def parse_curves(query: Query) -> tuple[CurvesView, tuple[Notice, ...]]:
    """The view a query string asks for, and a notice for each parameter or value that had to be ignored."""
    values, notices = parse(query, CURVES_PARAMETERS)
    choice = {field: value for field, value in values.items() if field in _CHOICE_FIELDS}
    view = {field: value for field, value in values.items() if field not in _CHOICE_FIELDS}
    pins = view.get("pin", ())
    if len(pins) > MAX_PINS:
        view["pin"] = pins[:MAX_PINS]
        notices = (*notices, Notice("pin", pins[MAX_PINS], f"at most {MAX_PINS} points can be pinned"))
    return CurvesView(choice=Choice(**choice), **view), notices


def linked(view: CurvesView) -> CurvesView:
    """The view that links to its neighbours start from: the browser adds the zoom where it makes sense."""
    return replace(view, zoom_x=None, zoom_x2=None, zoom_y=None)


def curves_url(view: CurvesView) -> str:
    """The Curves page that shows exactly this view."""
    return address(CURVES, curves_query(view))


def curves_query(view: CurvesView) -> str:
    """The query string of a view, without the question mark; empty for the first view of a store."""
    return encode(written(_said(view), _DEFAULTS, CURVES_PARAMETERS))


def points_api_url(view: CurvesView, file_format: str = "json") -> str:
    """The same rows as the view's table, as JSON, CSV or Parquet."""
    pairs = written(_said(view.computed()), _DEFAULTS, CURVES_PARAMETERS)
    return address(POINTS_API, encode(pairs if file_format == "json" else [*pairs, ("format", file_format)]))


def _said(view: CurvesView) -> dict[str, Any]:
    return {**fields_of(view), **fields_of(view.choice)}


_DEFAULTS = _said(CurvesView())
