"""Pages about one point, one configuration, or the metrics: their paths and what they take from the URL."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from dashboard.domain.ids import identifier_of
from dashboard.domain.metrics import DEFAULT_STAT, DEFAULT_Y
from dashboard.links.curves import POINTS_API, STAT, CurvesView, Y, curves_query, parse_curves
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
from dashboard.parameters import Notice, Parameter

METHOD, HEALTH = "/method", "/healthz"
PAGE_PARAMETERS: tuple[Parameter, ...] = (Y, STAT, THEME)


@dataclass(frozen=True, slots=True)
class PageView:
    """What a page about one point, one configuration or the metrics takes from its URL.

    `back` is the Curves view the reader came from, `y` and `stat` what the configuration's small curve shows.
    """

    back: CurvesView | None = None
    y: str = DEFAULT_Y
    stat: str = DEFAULT_STAT
    theme: Theme | None = None


def point_api_url(point_id: str) -> str:
    """One point with everything the store knows about it, as JSON."""
    return f"{POINTS_API}/{point_id}"


def point_url(slug: str, view: PageView = PageView()) -> str:
    """The page of a point; `slug` is its id, with or without the readable prefix.

    `y` and `stat` of the view stay behind.
    """
    return _page_url(f"/point/{quote(slug, safe='')}", PageView(back=view.back, theme=view.theme))


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
    origin = texts(query.get("from", ""))
    values, notices = parse({key: value for key, value in query.items() if key != "from"}, PAGE_PARAMETERS)
    back = parse_curves(parse_query(origin[0]))[0] if origin and origin[0] else None
    return PageView(back=back, **values), notices


def id_in(slug: str) -> str | None:
    """The id at the end of a point's or configuration's path, or None when there is none."""
    return identifier_of(slug)


def _page_url(path: str, view: PageView) -> str:
    pairs = written(fields_of(view), fields_of(PageView()), PAGE_PARAMETERS)
    if view.back is not None and (back := curves_query(view.back)):
        pairs.append(("from", back))
    return address(path, encode(pairs))
