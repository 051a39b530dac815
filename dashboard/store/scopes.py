"""Models and scenarios of a store, and which of them a reader sees who named none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dashboard.domain.choice import Choice, FacetValue
from dashboard.store.connection import Store
from dashboard.store.generation import Scope

#: The scenario that this program is about: it comes first wherever nobody chose another.
_FIRST = "agentic"


def settle(store: Store, choice: Choice) -> Choice:
    """Fill in model and scenario: agentic first, then most vendors and accelerators, then most points."""
    if choice.model is not None and choice.scenario is not None:
        return choice
    open_to = [scope for scope in store.scopes() if _admits(choice, scope)]
    if not open_to:
        return choice
    best = min(open_to, key=_rank)
    return replace(choice, model=best.model, scenario=best.scenario)


def _admits(choice: Choice, scope: Scope) -> bool:
    return choice.model in (None, scope.model) and choice.scenario in (None, scope.scenario)


def _rank(scope: Scope) -> tuple[bool, int, int, int, int, str, str]:
    sizes = (-scope.vendors, -scope.accelerators, -scope.drawable, -scope.points)
    return (scope.scenario != _FIRST, *sizes, scope.model, scope.scenario)


def defaults(store: Store) -> Choice:
    """What a reader sees who chose nothing."""
    return settle(store, Choice())


def models(store: Store) -> tuple[FacetValue, ...]:
    """Every model with its number of points, most points first."""
    counted = _counted((scope.model, scope.points) for scope in store.scopes())
    return tuple(sorted(counted, key=lambda found: (-found.count, found.value)))


def scenarios(store: Store, model: str | None) -> tuple[FacetValue, ...]:
    """Scenarios of a model (of all models for None) with their number of points, agentic first."""
    of_model = (scope for scope in store.scopes() if model in (None, scope.model))
    counted = _counted((scope.scenario, scope.points) for scope in of_model)
    return tuple(sorted(counted, key=lambda found: (found.value != _FIRST, -found.count, found.value)))


def _counted(named: Iterable[tuple[str, int]]) -> list[FacetValue]:
    counts: dict[str, int] = {}
    for name, points in named:
        counts[name] = counts.get(name, 0) + points
    return [FacetValue(name, count, chosen=False) for name, count in counts.items()]
