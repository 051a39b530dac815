"""The controls of the Curves page: every choice as a link to the view with that choice made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dash.development.base_component import Component

from components.control_line import Menu, MenuGroup
from components.option import Option
from components.price_form import Price, price_form
from dashboard.domain.catalog import TIERS, Catalog
from dashboard.domain.choice import Choice, FacetValue
from dashboard.domain.metrics import REGISTRY, STATS, X_METRICS
from dashboard.links import (
    LABELS,
    PAIR,
    RUNS,
    SCALES,
    CurvesView,
    curves_url,
    linked,
)
from dashboard.pages.curves_view import Answer
from dashboard.pages.ready_views import ready_views
from dashboard.pages.wording import Wording

_LABEL_WORDS = {"none": "none", "concurrency": "concurrency", "topology": "topology", "gpus": "GPUs"}
_RUN_WORDS = {
    "newest": ("newest run", "One run per curve: the newest"),
    "per_config": ("newest per configuration", "The newest run of each configuration; dates are mixed"),
    "all": ("all runs", "Every run; dates are mixed"),
}
_SCALE_WORDS = {"auto": "automatic", "linear": "linear", "log": "logarithmic"}
_TIER_WORDS = {"own": "Own and operate", "rental": "Retail rental", "neocloud": "Neocloud (until July 2026)"}
_Y_GROUPS = (
    ("Throughput per GPU", ("tput_total", "tput_input", "tput_output")),
    ("Money and power", ("tokens_per_usd", "tput_per_mw")),
    ("Cost per million tokens", ("cost_total", "cost_input", "cost_output")),
)
PAIR_WORDS = "Interactivity + TTFT"


def left_menus(answer: Answer, words: Wording) -> list[Menu]:
    """What is looked at: model, scenario, statistic."""
    choice = answer.asked.choice
    models = _scope_options(answer, "model", answer.selection.models, words)
    scenarios = _scope_options(answer, "scenario", answer.selection.scenarios, words)
    return [
        Menu("", words.optional("model", choice.model), (MenuGroup("Model", models),), "model"),
        Menu(
            "", words.optional("scenario", choice.scenario), (MenuGroup("Scenario", scenarios),), "scenario"
        ),
        Menu("", answer.asked.stat, (MenuGroup("Statistic", _stats(answer)),), "stat"),
    ]


def right_menus(answer: Answer, words: Wording) -> list[Menu]:
    """How it is drawn: y, x, runs, labels, ready-made views."""
    view = linked(answer.asked)
    return [
        Menu(
            "y",
            REGISTRY[view.y].label,
            (*_y_groups(answer), _scales(view, "y_scale")),
            "y",
            body=prices(answer, words),
        ),
        Menu("x", x_words(view), (_x_group(answer), _scales(view, "x_scale")), "x"),
        Menu(
            "Runs",
            _RUN_WORDS[view.runs][0],
            (MenuGroup("", _runs(view)), MenuGroup("Points", _dominated(view))),
            "runs",
        ),
        Menu("Labels", _LABEL_WORDS[view.labels], (MenuGroup("", _labels(view)),), "labels"),
        Menu("", "Views", (MenuGroup("Ready-made views", ready_views(view, answer.offers)),), "views"),
    ]


def x_words(view: CurvesView) -> str:
    """What stands on the x axis, as its menu says it."""
    return PAIR_WORDS if view.x == PAIR else REGISTRY[view.x].label


def prices(answer: Answer, words: Wording) -> Component:
    """Price tiers and the reader's own prices, for the accelerators in view."""
    view = linked(answer.asked)
    found = [one.hardware for one in answer.scene.series] + [one.hardware for one in answer.scene.hidden]
    shown = dict.fromkeys(name for name in found if name is not None)
    listed = words.catalog.economics(view.tier, None, {}).usd_per_gpu_hour
    fields = [
        Price(name, words.label("hardware", name), listed.get(name), view.own_prices.get(name))
        for name in _in_catalog_order(shown, words.catalog)
    ]
    tiers = [_option(view, _TIER_WORDS[tier], {"tier": tier}) for tier in TIERS]
    return price_form(fields, tiers, answer.price_note, curves_url(replace(view, price=())))


def _in_catalog_order(names: Iterable[str], catalog: Catalog) -> list[str]:
    order = list(catalog.accelerators)
    return sorted(names, key=lambda name: (order.index(name) if name in order else len(order), name))


def _option(
    view: CurvesView, label: str, changes: Mapping[str, Any], title: str = "", disabled: bool = False
) -> Option:
    """The view with some fields changed; chosen when that changes nothing."""
    target = replace(view, **changes)
    return Option(label, curves_url(target), chosen=target == view, disabled=disabled, title=title)


def _scope_options(
    answer: Answer, name: str, values: Sequence[FacetValue], words: Wording
) -> tuple[Option, ...]:
    """Models or scenarios. Another one starts without pins, zoom and series picked by hand; filters stay."""
    view = linked(answer.asked)
    fresh = replace(view, pin=(), hide=(), only=(), zoom_x=None, zoom_x2=None, zoom_y=None)
    options = []
    for value in values:
        chosen = getattr(view.choice, name) == value.value
        target = view if chosen else replace(fresh, choice=_rescoped(view.choice, name, value.value))
        options.append(Option(words.label(name, value.value), curves_url(target), chosen, value.count))
    return tuple(options)


def _rescoped(choice: Choice, name: str, value: str) -> Choice:
    """Another model keeps to no scenario: the store shows the one that it compares best."""
    if name == "model":
        return replace(choice, model=value, scenario=None)
    return replace(choice, scenario=value)


def _y_groups(answer: Answer) -> list[MenuGroup]:
    return [
        MenuGroup(title, tuple(_metric_option(answer, metric, "y") for metric in metrics))
        for title, metrics in _Y_GROUPS
    ]


def _x_group(answer: Answer) -> MenuGroup:
    title = "Two charts on one y axis: one is bought with the other"
    pair = _option(linked(answer.asked), PAIR_WORDS, {"x": PAIR}, title)
    return MenuGroup("x", (pair, *(_metric_option(answer, metric, "x") for metric in X_METRICS)))


def _metric_option(answer: Answer, key: str, axis: str) -> Option:
    """One metric of an axis, with its definition on hover; without values in this selection it says so."""
    metric, missing = REGISTRY[key], key not in answer.offers.metrics
    title = f"No value in this selection. {metric.explanation}" if missing else metric.explanation
    chosen = getattr(answer.asked, axis) == key
    return _option(linked(answer.asked), metric.label, {axis: key}, title, disabled=missing and not chosen)


def _stats(answer: Answer) -> tuple[Option, ...]:
    view, offered = linked(answer.asked), answer.offers.stats
    return tuple(
        _option(
            view,
            stat,
            {"stat": stat},
            "" if stat in offered else "No value in this selection",
            disabled=stat not in offered and stat != view.stat,
        )
        for stat in STATS
    )


def _scales(view: CurvesView, field: str) -> MenuGroup:
    options = tuple(_option(view, _SCALE_WORDS[scale], {field: scale}) for scale in SCALES)
    return MenuGroup("Scale", options)


def _runs(view: CurvesView) -> tuple[Option, ...]:
    return tuple(_option(view, _RUN_WORDS[runs][0], {"runs": runs}, _RUN_WORDS[runs][1]) for runs in RUNS)


def _dominated(view: CurvesView) -> tuple[Option, ...]:
    title = "Points that another of their curve beats in every chart"
    return (
        _option(view, "frontiers only", {"dominated": False}),
        _option(view, "dominated points too", {"dominated": True}, title),
    )


def _labels(view: CurvesView) -> tuple[Option, ...]:
    return tuple(_option(view, _LABEL_WORDS[labels], {"labels": labels}) for labels in LABELS)
