"""The first two lines of a point's page: who the point is, and where it comes from."""

from __future__ import annotations

from typing import Any

from dash import html

from components.navbar import badge
from components.point_description import headline, offload_words, safe_url
from components.point_row import Row, moment, number, text
from components.swatch import hardware_class
from dashboard.domain.stacks import Naming, label_or_unknown
from dashboard.domain.units import count, seconds

#: Texts and components in one line.
Words = list[Any]

_SOURCES = {"inferencex": "InferenceX row", "aiperf": "AIPerf folder", "simulated": "simulated, not measured"}


def point_title(row: Row, naming: Naming) -> html.H1:
    """Model, hardware, engine, precision, topology, concurrency; then badges for what is not official."""
    who = headline(row, naming)
    gpus = count(number(row, "gpus"))
    hardware = f"{gpus} × {who.hardware_label}" if gpus else who.hardware_label
    parts: list[Words] = [
        [label_or_unknown(naming, "model", text(row, "model"))],
        [html.Span(hardware, className=f"hardware {hardware_class(who.hardware)}")],
        [who.engine_label],
        [who.precision_label],
        [text(row, "topology_label") or "topology unknown"],
        [f"concurrency {count(number(row, 'concurrency')) or 'unknown'}"],
    ]
    marks = [part for word in who.badges for part in (" ", badge(word))]
    return html.H1([*_dotted(parts), *marks], className="point-title")


def provenance_line(row: Row, naming: Naming, scenario: str, dataset: str, details: str) -> html.P:
    """Scenario, offload, dataset, run with date and length, source; `dataset` and `details` are addresses.

    An empty `dataset` leaves the name of the dataset without a link: the store does not hold it.
    """
    source = text(row, "source") or "source unknown"
    parts: list[Words] = [
        [scenario],
        [f"KV offload {_offload(row, naming)}"],
        _dataset(row, dataset),
        _run(row),
        [_SOURCES.get(source, source)],
        [html.A("source and commands", href=details)],
    ]
    return html.P(_dotted([part for part in parts if part]), className="point-origin")


def _offload(row: Row, naming: Naming) -> str:
    version = text(row, "offload_backend_version")
    words = offload_words(row, naming) or "unknown"
    return f"{words} {version}" if version and text(row, "offload_backend") else words


def _dataset(row: Row, href: str) -> Words:
    name = text(row, "dataset_slug")
    if name is None:
        return []
    return ["dataset ", html.A(name, href=href) if href else name]


def _run(row: Row) -> Words:
    """When it was measured and for how long; the words lead to the CI run where there is one."""
    when = moment(row, "measured_at") or moment(row, "run_date")
    words = f"run {when}" if when else "run date unknown"
    address = safe_url(text(row, "run_url"))
    run = html.A(words, href=address, rel="noopener", target="_blank") if address else words
    lasted = seconds(number(row, "duration_s"))
    return [run, *([f", {lasted}"] if lasted else [])]


def _dotted(parts: list[Words]) -> Words:
    """The parts in one line with a middle dot between them."""
    return [word for place, part in enumerate(parts) for word in ([" · ", *part] if place else part)]
