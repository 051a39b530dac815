"""A window of a run in words: its statistics as lines of a table, its requests with their links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from components.stat_table import STATISTICS, Line
from dashboard.domain.ids import readable_slug
from dashboard.domain.units import count, seconds, tokens
from dashboard.links import (
    ConversationView,
    PointView,
    TimelineView,
    conversation_url,
    timeline_url,
    turn_text,
)
from dashboard.pages.point_statistics import lines
from dashboard.store.connection import Store
from dashboard.store.dataset_presence import holds_dataset
from dashboard.store.run_window import Narrowing, RunWindow, run_window

#: Requests of the list beside the panels.
SHOWN = 40


def window_answer(store: Store, row: Mapping[str, Any], view: PointView) -> dict[str, Any]:
    """What the page shows of a window, as JSON: counts, lines of statistics, requests slowest first."""
    found = run_window(store, str(row["point_id"]), Narrowing(view.window, view.phase, view.kind, view.trim))
    if found is None:
        return {"touching": 0, "statistics": [], "requests": []}
    dataset = row["dataset_slug"] if holds_dataset(store, row["dataset_slug"]) else None
    return {
        "span": found.span,
        "touching": found.touching,
        "starting": found.starting,
        "conversations": found.conversations,
        "failed": found.failed,
        "columns": ["n", *STATISTICS],
        "statistics": [_line(line) for line in lines(found.statistics)],
        "requests": [_request(one, row, view, found, dataset) for one in found.listed[:SHOWN]],
        "more": max(found.touching - SHOWN, 0),
    }


def _line(line: Line) -> dict[str, Any]:
    cells = [f"{figure.words}*" if figure.few else figure.words or "–" for figure in line.figures]
    return {"label": line.label, "unit": line.unit, "cells": [line.n, *cells]}


def _request(
    one: Mapping[str, Any], row: Mapping[str, Any], view: PointView, found: RunWindow, dataset: str | None
) -> dict[str, Any]:
    """One request: where it lies on the axis, its figures in words, and the pages it leads to."""
    begin = one["credit_ns"] if one["credit_ns"] is not None else one["start_ns"]
    moments = (begin, one["start_ns"], one["first_token_ns"], one["end_ns"])
    chosen = TimelineView(request=one["request_id"], window=view.window, theme=view.theme)
    return {
        "name": _name(one),
        "id": one["request_id"],
        "kind": one["kind"],
        "state": "cancelled" if one["cancelled"] else "failed" if one["failed"] else "ok",
        "why": one["error_category"],
        "at": [found.axis.second(moment) if moment is not None else None for moment in moments],
        "ttft": seconds(one["ttft_s"]),
        "isl": tokens(one["isl"]),
        "osl": count(one["osl"]),
        "href": timeline_url(readable_slug(row, row["point_id"]), chosen),
        "turn": _turn(one, dataset, view),
    }


def _name(one: Mapping[str, Any]) -> str:
    conversation = str(one["source_trace"] or one["conversation_id"] or one["request_id"] or "request")
    outer, inner = one["source_outer"], one["source_inner"]
    turn = turn_text(outer, inner) if outer is not None else one["turn_index"]
    short = conversation if len(conversation) <= 14 else f"{conversation[:13]}…"
    return short if turn is None else f"{short} · {turn}"


def _turn(one: Mapping[str, Any], dataset: str | None, view: PointView) -> str | None:
    """The turn of the dataset that was replayed, where the store holds it."""
    if dataset is None or one["source_trace"] is None:
        return None
    place = turn_text(one["source_outer"], one["source_inner"]) if one["source_outer"] is not None else None
    return conversation_url(dataset, one["source_trace"], place, ConversationView(theme=view.theme))
