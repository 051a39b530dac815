"""What pages ask about points, those of `scopes` and `facets` included.

Every function answers from memory, from one generation of the store.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.domain.choice import FACETS, Choice
from dashboard.domain.columns import Columns
from dashboard.store.columns import to_columns
from dashboard.store.connection import Store
from dashboard.store.facets import date_range, facets, relaxations
from dashboard.store.generation import FACET_VALUES
from dashboard.store.layout import is_id
from dashboard.store.schema import POINTS
from dashboard.store.scopes import defaults, models, scenarios, settle

__all__ = ["date_range", "defaults", "facets", "models", "of_config", "one"]
__all__ += ["relaxations", "rows", "scenarios", "settle"]


_BOUNDS = {
    "model = ?": "model",
    "scenario = ?": "scenario",
    "run_date >= ?": "since",
    "run_date <= ?": "until",
}


def rows(store: Store, choice: Choice, columns: Sequence[str]) -> Columns:
    """The points of a choice, in the order of the index: one array per asked column (of `POINTS`)."""
    where, parameters = _condition(settle(store, choice))
    return to_columns(
        store.ask(f"SELECT {_listed(columns)} FROM points WHERE {where} ORDER BY rowid", parameters)
    )


def of_config(store: Store, config_id: str, columns: Sequence[str]) -> Columns:
    """All points of one configuration, whatever run; empty arrays for an unknown id."""
    question = f"SELECT {_listed(columns)} FROM points WHERE config_id = ? ORDER BY rowid"
    return to_columns(store.ask(question, (config_id,)))


def one(store: Store, point_id: str) -> Mapping[str, object] | None:
    """Every column of one point as plain values, `error_categories` as a mapping; None for an unknown id."""
    if not is_id(point_id):
        return None
    found = store.ask("SELECT * FROM points WHERE point_id = ?", (point_id,)).to_pylist()
    if not found:
        return None
    return found[0] | {"error_categories": json.loads(found[0]["error_categories"] or "{}")}


def _listed(columns: Sequence[str]) -> str:
    unknown = [name for name in columns if name not in POINTS.names]
    if unknown or not columns:
        raise ValueError(f"Not columns of a point: {unknown}.")
    return ", ".join(dict.fromkeys(columns))


def _condition(choice: Choice) -> tuple[str, list[Any]]:
    """A WHERE clause of our own words, and the reader's words as its parameters."""
    terms: list[str] = ["TRUE"]
    parameters: list[Any] = []
    for term, field in _BOUNDS.items():
        if (bound := getattr(choice, field)) is not None:
            terms.append(term)
            parameters.append(bound)
    for facet in FACETS:
        if chosen := getattr(choice, facet):
            terms.append(f"list_contains(?, {FACET_VALUES[facet]})")
            parameters.append(list(chosen))
    return " AND ".join(terms), parameters
