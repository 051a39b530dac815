"""The one place that knows URLs: paths, parameters, defaults. Reads with named notices, builds them back.

A default is left out of the URL and the order of the parameters is fixed: equal views have equal URLs. When a
default changes, `VERSION` rises and old links, which carry no `v` or a lower one, keep the old default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args
from urllib.parse import parse_qs, quote, urlencode

from dashboard.domain.catalog import TIERS
from dashboard.domain.choice import Choice
from dashboard.domain.ids import identifier_of
from dashboard.domain.metrics import DEFAULT_STAT, DEFAULT_Y, STATS, X_METRICS, Y_METRICS
from dashboard.domain.metrics import PAIR as PAIR_METRICS
from dashboard.domain.scene import RunChoice, ScaleChoice
from dashboard.parameters import (
    Notice,
    Parameter,
    UnusableError,
    day,
    flag,
    identifier,
    interval,
    name,
    one_of,
    price,
    shortened,
    write_flag,
    write_interval,
    write_price,
)

VERSION = "1"
CURVES, METHOD, HEALTH = "/", "/method", "/healthz"
POINTS_API = "/api/v1/points"

#: The linked pair of charts: y against interactivity and against TTFT.
PAIR = "pair"
Labels = Literal["none", "concurrency", "topology", "gpus"]
Theme = Literal["light", "dark"]
RUNS: tuple[RunChoice, ...] = get_args(RunChoice)
LABELS: tuple[Labels, ...] = get_args(Labels)
SCALES: tuple[ScaleChoice, ...] = get_args(ScaleChoice)
THEMES: tuple[Theme, ...] = get_args(Theme)
FORMATS = ("json", "csv", "parquet")
MAX_PINS = 2
MAX_NOTICES = 12

Interval = tuple[float, float]
Query = Mapping[str, str | Sequence[str]]


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


@dataclass(frozen=True, slots=True)
class PageView:
    """What a page about one point, one configuration or the metrics takes from its URL.

    `back` is the Curves view the reader came from, `y` and `stat` what the configuration's small curve shows.
    """

    back: CurvesView | None = None
    y: str = DEFAULT_Y
    stat: str = DEFAULT_STAT
    theme: Theme | None = None


def _version(text: str) -> str:
    if text != VERSION:
        raise UnusableError(
            f"this program reads links of version {VERSION}; the link may show something else here"
        )
    return text


_CHOICE_FIELDS = frozenset(f.name for f in fields(Choice))
_THEME = Parameter("theme", "theme", one_of(THEMES))
_Y = Parameter("y", "y", one_of(Y_METRICS))
_STAT = Parameter("stat", "stat", one_of(STATS))

CURVES_PARAMETERS: tuple[Parameter, ...] = (
    Parameter("model", "model", name),
    Parameter("scenario", "scenario", name),
    Parameter("x", "x", one_of((PAIR, *X_METRICS))),
    _Y,
    _STAT,
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
    _THEME,
)
PAGE_PARAMETERS: tuple[Parameter, ...] = (_Y, _STAT, _THEME)
PARAMETER_OF: Mapping[str, Parameter] = {parameter.field: parameter for parameter in CURVES_PARAMETERS}


def parse_curves(query: Query) -> tuple[CurvesView, tuple[Notice, ...]]:
    """The view a query string asks for, and a notice for each parameter or value that had to be ignored."""
    values, notices = _parse(query, CURVES_PARAMETERS)
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
    return _url(CURVES, curves_query(view))


def curves_query(view: CurvesView) -> str:
    """The query string of a view, without the question mark; empty for the first view of a store."""
    return encode(_written(view, CurvesView(), CURVES_PARAMETERS))


def points_api_url(view: CurvesView, file_format: str = "json") -> str:
    """The same rows as the view's table, as JSON, CSV or Parquet."""
    pairs = _written(view.computed(), CurvesView(), CURVES_PARAMETERS)
    return _url(POINTS_API, encode(pairs if file_format == "json" else [*pairs, ("format", file_format)]))


def point_api_url(point_id: str) -> str:
    """One point with everything the store knows about it, as JSON."""
    return f"{POINTS_API}/{point_id}"


def point_url(slug: str, view: PageView = PageView()) -> str:
    """The page of a point; `slug` is its id, with or without the readable prefix."""
    return _page_url(f"/point/{quote(slug, safe='')}", view)


def config_url(slug: str, view: PageView = PageView()) -> str:
    """The page of a configuration; `slug` is its id, with or without the readable prefix."""
    return _page_url(f"/config/{quote(slug, safe='')}", view)


def method_url(metric: str | None = None, theme: Theme | None = None) -> str:
    """The page that defines every metric, at one of them."""
    return _page_url(METHOD, PageView(theme=theme)) + (f"#{quote(metric, safe='')}" if metric else "")


def parse_page(query: Query) -> tuple[PageView, tuple[Notice, ...]]:
    """What a point, configuration or method page takes from its query string.

    `from` holds the query string of a Curves view. The way back is rebuilt from what was understood of it, so
    that it can lead nowhere but to the Curves page.
    """
    origin = _texts(query.get("from", ""))
    values, notices = _parse({key: value for key, value in query.items() if key != "from"}, PAGE_PARAMETERS)
    back = parse_curves(parse_query(origin[0]))[0] if origin and origin[0] else None
    return PageView(back=back, **values), notices


def parse_query(text: str) -> dict[str, str | list[str]]:
    """A query string, with or without its question mark, as Dash hands it on: a text or a list per name."""
    found = parse_qs(text.removeprefix("?"), keep_blank_values=True, max_num_fields=None, errors="replace")
    return {key: values[0] if len(values) == 1 else values for key, values in found.items()}


def id_in(slug: str) -> str | None:
    """The id at the end of a point's or configuration's path, or None when there is none."""
    return identifier_of(slug)


def encode(pairs: Sequence[tuple[str, str]]) -> str:
    """Pairs as a query string that stays readable: commas, colons and slashes are kept as they are."""
    return urlencode(pairs, quote_via=quote, safe=",:/~@")


def _page_url(path: str, view: PageView) -> str:
    pairs = _written(view, PageView(), PAGE_PARAMETERS)
    if view.back is not None and (back := curves_query(view.back)):
        pairs.append(("from", back))
    return _url(path, encode(pairs))


def _url(path: str, query: str) -> str:
    return f"{path}?{query}" if query else path


def _parse(query: Query, parameters: Sequence[Parameter]) -> tuple[dict[str, Any], tuple[Notice, ...]]:
    by_name = {parameter.name: parameter for parameter in (*parameters, Parameter("v", "v", _version))}
    values: dict[str, Any] = {}
    notices: list[Notice] = []
    for key, raw in query.items():
        parameter = by_name.get(key)
        if parameter is None:
            notices.append(_unknown(key, raw))
            continue
        value, found = parameter.parse(_texts(raw))
        notices.extend(found)
        if value is not None and parameter.name != "v":
            values[parameter.field] = value
    return values, _bounded(notices)


def _bounded(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    """At most `MAX_NOTICES`; the last one counts the rest."""
    if len(notices) <= MAX_NOTICES:
        return tuple(notices)
    rest = len(notices) - MAX_NOTICES + 1
    return (*notices[: MAX_NOTICES - 1], Notice("…", f"{rest} more", "could not be used either"))


def _unknown(key: str, raw: object) -> Notice:
    return Notice(shortened(key), shortened(", ".join(_texts(raw))), "this page has no such parameter")


def _texts(raw: object) -> list[str]:
    return [raw] if isinstance(raw, str) else [str(text) for text in raw] if isinstance(raw, Sequence) else []


def _written(view: Any, default: Any, parameters: Sequence[Parameter]) -> list[tuple[str, str]]:
    return [
        (parameter.name, parameter.text(value))
        for parameter in parameters
        if (value := _value(view, parameter)) != _value(default, parameter) and value is not None
    ]


def _value(view: Any, parameter: Parameter) -> Any:
    chosen = isinstance(view, CurvesView) and parameter.field in _CHOICE_FIELDS
    return getattr(view.choice if chosen else view, parameter.field)
