"""Any metric of a point's run against concurrency, chosen in the URL by `across`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from components.control_line import Menu, MenuGroup
from components.explore import Drawing, Explorer
from components.figures.aggregate import RunPoints, aggregate_alt, aggregate_figure
from components.option import Option
from dashboard.domain.across import Across, across, across_columns
from dashboard.domain.columns import Columns, length, texts
from dashboard.domain.ids import readable_slug
from dashboard.domain.metrics import REGISTRY
from dashboard.domain.neighbours import NEIGHBOUR_COLUMNS, Neighbour, neighbours_of
from dashboard.domain.units import count
from dashboard.links import PointView, neighbours_api_url, point_view_url
from dashboard.pages.frame import theme_of
from dashboard.pages.point_neighbours import beside, economics
from dashboard.pages.wording import Wording
from dashboard.services import services
from dashboard.store.neighbours import neighbours

KEY = "across"
_READY = ("ttft", "interactivity", "e2el", "tput_total", "isl", "osl", "overall_hit_rate", "kv_usage_max")
_GROUPS = (
    ("Latency", ("ttft", "itl", "interactivity", "e2el", "e2e_interactivity")),
    ("Lengths", ("isl", "osl", "uncached_isl")),
    ("Throughput per GPU", ("tput_total", "tput_input", "tput_output", "qps")),
    (
        "Cache",
        (
            "overall_hit_rate",
            "hbm_hit_rate",
            "offload_hit_rate",
            "theoretical_hit_rate",
            "kv_usage_max",
            "kv_pool_tokens",
        ),
    ),
    ("Money and power", ("tokens_per_usd", "tput_per_mw", "cost_total", "cost_input", "cost_output")),
)


def across_explorer(row: Mapping[str, Any], view: PointView, words: Wording) -> Explorer:
    """The view with its choices; drawn when the URL names a metric."""
    key = view.across
    columns = dict.fromkeys((*NEIGHBOUR_COLUMNS, *(across_columns(key) if key else ())))
    found = neighbours(services().store, row, tuple(columns))
    explorer = Explorer(
        key=KEY,
        title="Across this run",
        question=_question(length(found)),
        ready=[_option(row, view, key) for key in _READY],
        menus=[Menu("Metric", REGISTRY[key].label if key else "choose", _menu(row, view), "across")],
    )
    return explorer if key is None else _drawn(explorer, found, row, view, words)


def _question(points: int) -> str:
    if points < 2:
        return "How a metric moves with the load. This run has one point of this stack."
    return f"How a metric moves with the load, over the {points} points of this stack in this run."


def _option(row: Mapping[str, Any], view: PointView, key: str) -> Option:
    metric = REGISTRY[key]
    return Option(
        metric.label, _here(row, replace(view, across=key)), view.across == key, title=metric.explanation
    )


def _menu(row: Mapping[str, Any], view: PointView) -> tuple[MenuGroup, ...]:
    """All metrics of the registry by subject; what no group names comes last."""
    named = {key for _, keys in _GROUPS for key in keys}
    rest = tuple(key for key in REGISTRY if key not in named and key != "concurrency")
    return tuple(
        MenuGroup(title, tuple(_option(row, view, key) for key in keys))
        for title, keys in (*_GROUPS, ("Requests, tokens, energy", rest))
    )


def _here(row: Mapping[str, Any], view: PointView) -> str:
    """This page at this section with another choice."""
    return f"{point_view_url(readable_slug(row, row['point_id']), view)}#{KEY}"


def _drawn(
    explorer: Explorer, columns: Columns, row: Mapping[str, Any], view: PointView, words: Wording
) -> Explorer:
    money = economics(view)
    found = across(columns, str(view.across), money)
    if not found.configurations:
        return replace(explorer, trouble=f"Nothing to draw: {_reasons(found)}.")
    points = neighbours_of(columns, money, words.label)
    shown = RunPoints(
        names=[_name(point) for point in points],
        hrefs=[beside(row, point, view) for point in points],
        offloaded=[kind not in (None, "none") for kind in texts(columns, "offload")],
        present=next((place for place, one in enumerate(points) if one.point_id == row["point_id"]), None),
        hardware=row["hardware"],
    )
    point_id = str(row["point_id"])
    drawing = Drawing(
        figure=aggregate_figure(found, shown, theme_of(view.theme)),
        alt=aggregate_alt(found),
        note=[_note(found, shown, money.price_note)],
        files=[
            Option("CSV", neighbours_api_url(point_id, "csv", view)),
            Option("Parquet", neighbours_api_url(point_id, "parquet", view)),
        ],
        close=Option("Close", _here(row, replace(view, across=None))),
    )
    return replace(explorer, drawing=drawing)


def _name(point: Neighbour) -> str:
    return " · ".join([f"concurrency {count(point.concurrency) or 'unknown'}", *point.apart])


def _note(found: Across, points: RunPoints, price_note: str) -> str:
    """How to read the figure, and what is not in it."""
    several = len(found.configurations) > 1
    parts: Sequence[str] = (
        "Lines join the points of one configuration" if several else "",
        "the dotted upright marks this point" if points.present is not None else "",
        "a dashed ring is KV offload" if any(points.offloaded) else "",
        "hollow: few requests beyond the percentile" if any(line.few.any() for line in found.lines) else "",
        price_note if found.metric.reading.needs_hardware else "",
        f"not drawn: {_reasons(found)}" if found.absent else "",
        "click a mark to open its point",
    )
    said = "; ".join(part for part in parts if part)
    return f"{said[0].upper()}{said[1:]}."


def _reasons(found: Across) -> str:
    return (
        ", ".join(f"{number} × {reason}" for reason, number in found.absent.items()) or "no point has a value"
    )
