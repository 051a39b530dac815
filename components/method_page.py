"""The method page: every metric of the registry, so that no definition stands anywhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dash import html
from dash.development.base_component import Component

from dashboard.domain.metrics import Metric

_SECTIONS = (
    ("On the y axis", ("y",)),
    ("On the x axis", ("x", "both")),
    ("In tables, panels and exports", ("detail",)),
)
_BETTER = {"higher": "higher is better", "lower": "lower is better", "neither": "neither way is better"}


def method_page(registry: Mapping[str, Metric]) -> list[Component]:
    """A list of contents, then one entry per metric: definition, formula, unit, direction, source.

    Each entry has the metric's key as its id, so that a link can lead to it.
    """
    groups = [(title, [m for m in registry.values() if m.role in roles]) for title, roles in _SECTIONS]
    return [_contents(groups), *[_group(title, metrics) for title, metrics in groups if metrics]]


def _contents(groups: Sequence[tuple[str, Sequence[Metric]]]) -> html.Nav:
    links = [html.A(metric.label, href=f"#{metric.key}") for _, metrics in groups for metric in metrics]
    return html.Nav(links, className="method-contents", **{"aria-label": "Metrics"})


def _group(title: str, metrics: Sequence[Metric]) -> html.Section:
    return html.Section([html.H2(title), *[_entry(metric) for metric in metrics]], className="method-group")


def _entry(metric: Metric) -> html.Article:
    statistic = (
        "a statistic over requests: p50, p75, p90, p95, p99 or mean"
        if metric.takes_statistic
        else "one figure"
    )
    facts = (
        ("Formula", html.Code(metric.formula)),
        ("Unit", metric.unit),
        ("Direction", _BETTER[metric.better]),
        ("Kind", statistic),
        ("Source", metric.source),
    )
    pairs = [part for name, value in facts for part in (html.Dt(name), html.Dd(value))]
    return html.Article(
        [html.H3(metric.label), html.P(metric.explanation), html.Dl(pairs, className="facts facts-long")],
        id=metric.key,
        className="method-entry",
    )
