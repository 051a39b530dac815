"""What each filter offers: its values, and how many points each leaves under the rest of the choice."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from dashboard.domain.choice import FACETS, UNKNOWN, Choice, FacetValue
from dashboard.store.connection import Store
from dashboard.store.scopes import settle

#: Beside the facets: what a reader can open who finds nothing.
_DATES = "date"
_SCOPE = "model = coalesce(?, model) AND scenario = coalesce(?, scenario)"
_COMBINATIONS = f"""
    SELECT {", ".join(FACETS)}, sum(points)::BIGINT AS points,
           ((?::DATE IS NULL OR run_date >= ?) AND (?::DATE IS NULL OR run_date <= ?)) IS TRUE AS in_time
    FROM combinations WHERE {_SCOPE} GROUP BY ALL"""


def facets(store: Store, choice: Choice) -> Mapping[str, tuple[FacetValue, ...]]:
    """Values of each facet in model and scenario of the choice, counted with every other filter applied.

    A value that the others leave without points stays, with 0; so does a chosen value that nothing carries.
    """
    choice = settle(store, choice)
    combinations = _combinations(store, choice)
    blocks = [_blocking(choice, combination) for combination in combinations]
    return {facet: _values(facet, getattr(choice, facet), combinations, blocks) for facet in FACETS}


def relaxations(store: Store, choice: Choice) -> tuple[tuple[str, int], ...]:
    """Which one filter to open, and how many points that gives, most first; "all" if none alone does.

    Names are those of `FACETS`, "date" for since and until, "scenario" and "model".
    """
    choice = settle(store, choice)
    combinations = _combinations(store, choice)
    opened: dict[str, int] = {}
    for combination in combinations:
        blocking = _blocking(choice, combination)
        if len(blocking) == 1:
            (name,) = blocking
            opened[name] = opened.get(name, 0) + combination["points"]
    opened |= _other_scopes(store, choice) if not combinations else {}
    ranked = tuple(sorted(opened.items(), key=lambda item: (-item[1], item[0])))
    total = sum(combination["points"] for combination in combinations)
    return ranked or ((("all", total),) if total else ())


def date_range(store: Store, choice: Choice) -> tuple[date, date] | None:
    """First and last run date in model and scenario of the choice; None where no point has a date."""
    scope = settle(store, choice)
    question = f"SELECT min(run_date) AS first, max(run_date) AS last FROM combinations WHERE {_SCOPE}"
    found = store.ask(question, (scope.model, scope.scenario)).to_pylist()[0]
    return (found["first"], found["last"]) if found["first"] else None


def _combinations(store: Store, choice: Choice) -> list[dict[str, Any]]:
    bounds = (choice.since, choice.since, choice.until, choice.until)
    return store.ask(_COMBINATIONS, (*bounds, choice.model, choice.scenario)).to_pylist()


def _blocking(choice: Choice, combination: Mapping[str, Any]) -> set[str]:
    """Filters that keep a combination out."""
    names = {
        facet for facet in FACETS if (chosen := getattr(choice, facet)) and combination[facet] not in chosen
    }
    return names if combination["in_time"] else names | {_DATES}


def _values(
    facet: str, chosen: tuple[str, ...], combinations: list[dict[str, Any]], blocks: list[set[str]]
) -> tuple[FacetValue, ...]:
    counts = dict.fromkeys(chosen, 0)
    for combination, blocking in zip(combinations, blocks, strict=True):
        counts.setdefault(combination[facet], 0)
        if blocking <= {facet}:
            counts[combination[facet]] += combination["points"]
    ordered = sorted(counts, key=lambda value: (value == UNKNOWN, value))
    return tuple(FacetValue(value, counts[value], value in chosen) for value in ordered)


def _other_scopes(store: Store, choice: Choice) -> dict[str, int]:
    """Points that another scenario of the model, or the scenario in another model, would give."""
    opened = {
        "scenario": sum(scope.points for scope in store.scopes() if scope.model == choice.model),
        "model": sum(scope.points for scope in store.scopes() if choice.scenario in (None, scope.scenario)),
    }
    return {name: count for name, count in opened.items() if count}
