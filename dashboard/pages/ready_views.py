"""Ready-made views: questions that readers come with, each one click away and a plain link."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from components.option import Option
from dashboard.domain.choice import Choice
from dashboard.links import PAIR, CurvesView, curves_url
from dashboard.pages.offers import Offers

#: Words, what it shows, and what differs from the first view of the same model and scenario.
_READY: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("Throughput at a latency", "Total throughput per GPU against interactivity and TTFT", {}),
    (
        "Tokens for a dollar",
        "Tokens per dollar of TCO against interactivity and TTFT",
        {"y": "tokens_per_usd"},
    ),
    ("Cost of output tokens", "Dollars per million output tokens", {"y": "cost_output"}),
    ("Tokens for a megawatt", "Total throughput per megawatt of provisioned power", {"y": "tput_per_mw"}),
    ("The slow tail", "The same charts at p99", {"stat": "p99"}),
    ("The usual request", "The same charts at p50", {"stat": "p50"}),
    ("Whole requests", "Against E2E latency, one large chart", {"x": "e2el"}),
    (
        "How load moves it",
        "Throughput over concurrency, every point",
        {"x": "concurrency", "dominated": True},
    ),
    ("Everything measured", "All runs with their dominated points", {"runs": "all", "dominated": True}),
)


def ready_views(view: CurvesView, offers: Offers) -> tuple[Option, ...]:
    """The ready-made views of the present model and scenario; without values they are no links."""
    scope = Choice(model=view.choice.model, scenario=view.choice.scenario)
    first = CurvesView(choice=scope, theme=view.theme, tier=view.tier, price=view.price)
    return tuple(
        _option(replace(first, **changes), words, title, view, offers) for words, title, changes in _READY
    )


def _option(target: CurvesView, words: str, title: str, view: CurvesView, offers: Offers) -> Option:
    metrics = {target.y, *(() if target.x == PAIR else (target.x,))}
    missing = not metrics <= offers.metrics or target.stat not in offers.stats
    return Option(words, curves_url(target), chosen=target == view, disabled=missing, title=title)
