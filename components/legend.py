"""The legend beside the charts: accelerators in bold, their engines under them, grouped by vendor; every
row is a link.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dash import html
from dash.development.base_component import Component

from components.described import Element, described
from components.option import Option, attributes, text_link
from components.swatch import hardware_class, swatch
from dashboard.domain.columns import texts
from dashboard.domain.scene import HiddenSeries, Scene, Series
from dashboard.domain.stacks import Naming, label_or_unknown, plain_label

#: Words for a vendor that a point does not name.
UNKNOWN_VENDOR = "Vendor unknown"

#: A precision that nobody states: at the end of a row there is room for one short word.
_UNKNOWN = "unknown"

SeriesHref = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Row:
    """One series as the legend shows it; `shown` is false for one that the reader switched off."""

    key: str
    vendor: str | None
    hardware: str | None
    hardware_label: str
    engine_label: str
    engine_family: str | None
    precision: str | None
    precision_label: str
    qualifiers: str
    coloured: bool
    shown: bool


def legend(
    scene: Scene,
    series_href: SeriesHref,
    vendor_only: Callable[[str | None], Option],
    naming: Naming = plain_label,
) -> list[Component]:
    """Search, then one block per vendor, each accelerator's series under its name.

    `series_href` gives the view after a click on a series, by its key; `vendor_only` the link that leaves
    one vendor's series alone (or all again), by vendor; None is the unknown vendor.
    """
    blocks = [
        html.Section(
            [_vendor(vendor, vendor_only(vendor), naming), *_hardware_blocks(rows, series_href)],
            className="legend-vendor",
        )
        for vendor, rows in _by(legend_rows(scene, naming), lambda row: row.vendor).items()
    ]
    return [described([_search(), html.Div(blocks, className="legend-list")])]


def legend_rows(scene: Scene, naming: Naming) -> list[Row]:
    """Series shown, best first, then those that the reader switched off; rows of one accelerator stay
    together.
    """
    families = texts(scene.columns, "engine_family")
    shown = [_row(one, families[int(one.rows[0])] if len(one.rows) else one.engine) for one in scene.series]
    return [*shown, *[_hidden_row(one, naming) for one in scene.hidden if one.by_choice]]


def _row(series: Series, family: str | None) -> Row:
    return Row(
        series.key,
        series.vendor,
        series.hardware,
        series.hardware_label,
        series.engine_label,
        family,
        series.precision,
        series.precision_label if series.precision else _UNKNOWN,
        series.qualifiers,
        series.coloured,
        shown=True,
    )


def _hidden_row(series: HiddenSeries, naming: Naming) -> Row:
    return Row(
        series.key,
        series.vendor,
        series.hardware,
        label_or_unknown(naming, "hardware", series.hardware),
        label_or_unknown(naming, "engine", series.engine),
        series.engine,
        series.precision,
        naming("precision", series.precision) if series.precision else _UNKNOWN,
        series.qualifiers,
        coloured=False,
        shown=False,
    )


def _by(rows: Sequence[Row], key: Callable[[Row], str | None]) -> Mapping[str | None, list[Row]]:
    found: dict[str | None, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def _search() -> html.Div:
    box = {"id": "legend-search", "type": "search", "placeholder": "Search series", "class": "field"}
    label = html.Label("Search series", htmlFor="legend-search", className="visually-hidden")
    return html.Div(
        [label, Element("input", box | {"autocomplete": "off"}), html.Kbd("/")], className="legend-search"
    )


def _vendor(vendor: str | None, only: Option, naming: Naming) -> html.Div:
    words = naming("vendor", vendor) if vendor else UNKNOWN_VENDOR
    return html.Div([html.H2(words), text_link(only)], className="legend-heading")


def _hardware_blocks(rows: Sequence[Row], series_href: SeriesHref) -> list[html.Div]:
    return [
        html.Div(
            [
                html.H3(members[0].hardware_label, className=_name_class(members)),
                *[_series_row(row, series_href(row.key)) for row in members],
            ],
            className="legend-hardware",
        )
        for members in _by(rows, lambda row: row.hardware).values()
    ]


def _name_class(rows: Sequence[Row]) -> str:
    """An accelerator's name is in its colour when one of its series is."""
    tone = hardware_class(rows[0].hardware) if any(row.coloured for row in rows) else "muted"
    return f"legend-name {tone}"


def _series_row(row: Row, href: str) -> html.A:
    state = "" if row.shown else " off"
    tone = "" if row.coloured else " grey"
    words = " ".join(part for part in (row.engine_label, row.qualifiers) if part)
    return html.A(
        [swatch(row.hardware, row.engine_family, row.precision, coloured=row.coloured), words],
        href=href,
        className=f"legend-row{state}{tone}",
        **attributes(
            data_view="1",
            data_series=row.key,
            data_precision=row.precision_label,
            data_words=f"{row.hardware_label} {words} {row.precision_label}".lower(),
            aria_current="true" if row.shown else "false",
            title=words if row.shown else "switched off; click to show",
        ),
    )
