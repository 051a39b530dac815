"""Models and scenarios of a store, and which of them a reader sees who named none."""

from __future__ import annotations

from dataclasses import replace

from dashboard.domain.choice import Choice, FacetValue
from dashboard.store.connection import Store

_BEST_SCOPE = """
    SELECT model, scenario FROM scopes
    WHERE model = coalesce(?, model) AND scenario = coalesce(?, scenario)
    ORDER BY scenario = 'agentic' DESC, accelerators DESC, drawable DESC, points DESC, model, scenario
    LIMIT 1"""


def settle(store: Store, choice: Choice) -> Choice:
    """Fill in model and scenario: agentic first, then most accelerators, then most drawable points."""
    if choice.model is not None and choice.scenario is not None:
        return choice
    best = store.ask(_BEST_SCOPE, (choice.model, choice.scenario)).to_pylist()
    if not best:
        return choice
    return replace(choice, model=best[0]["model"], scenario=best[0]["scenario"])


def defaults(store: Store) -> Choice:
    """What a reader sees who chose nothing."""
    return settle(store, Choice())


def models(store: Store) -> tuple[FacetValue, ...]:
    """Every model with its number of points, most points first."""
    found = store.ask(
        "SELECT model, sum(points)::BIGINT AS n FROM scopes GROUP BY model ORDER BY n DESC, model"
    )
    return tuple(FacetValue(row["model"], row["n"], chosen=False) for row in found.to_pylist())


def scenarios(store: Store, model: str | None) -> tuple[FacetValue, ...]:
    """Scenarios of a model (of all models for None) with their number of points, agentic first."""
    question = """
        SELECT scenario, sum(points)::BIGINT AS n FROM scopes WHERE model = coalesce(?, model)
        GROUP BY scenario ORDER BY scenario = 'agentic' DESC, n DESC, scenario"""
    found = store.ask(question, (model,))
    return tuple(FacetValue(row["scenario"], row["n"], chosen=False) for row in found.to_pylist())
