"""A Curves view, answered: what the reader asked for, what the store allows, and the scene that follows.

What was asked and what is shown are two values, both kept: a filter value that no point has stays in every
link while a notice says why it does not apply.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from components.figures.pareto import FIGURE_COLUMNS
from components.table_rows import TABLE_COLUMNS
from dashboard.domain.choice import FACETS, Choice, FacetValue
from dashboard.domain.columns import length
from dashboard.domain.curves import AxisChoice, CurveRules, Scene, arrange, scene_columns
from dashboard.links import PARAMETER_OF, CurvesView, curves_query
from dashboard.pages.offers import OFFER_COLUMNS, Offers, offers_in
from dashboard.pages.wording import Wording
from dashboard.parameters import Notice, shortened
from dashboard.services import Services
from dashboard.store import points
from dashboard.store.connection import Store, StoreInfo


@dataclass(frozen=True, slots=True)
class Selection:
    """What the store offers around a view; `relaxations` names the filters to open when nothing is left."""

    models: tuple[FacetValue, ...]
    scenarios: tuple[FacetValue, ...]
    facets: Mapping[str, tuple[FacetValue, ...]]
    dates: tuple[date, date] | None
    relaxations: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything that the parts of the page are made of.

    `asked` is the reader's view with model and scenario filled in, `applied` what of its choice takes effect.
    """

    asked: CurvesView
    applied: Choice
    notices: tuple[Notice, ...]
    selection: Selection
    offers: Offers
    scene: Scene
    price_note: str
    info: StoreInfo


def answer(services: Services, view: CurvesView) -> Answer:
    """The scene of a view with everything around it; equal views of an unchanged store are computed once.

    Raises:
        StoreError: when the store cannot be read.
    """
    with services.store.reading() as fingerprint:
        key = ("curves", fingerprint, curves_query(view.computed()))
        found: Answer = services.cache.recall(key, lambda: _compute(services, view.computed(), fingerprint))
    asked = replace(view, choice=found.asked.choice)
    return replace(found, asked=asked, notices=(*found.notices, *_unmatched(found.scene, asked)))


def effective(found: Answer) -> CurvesView:
    """The view reduced to what has an effect: without filter values and series names that fit nothing."""
    lost = set(found.scene.unmatched)
    return replace(
        found.asked,
        choice=found.applied,
        hide=tuple(token for token in found.asked.hide if token not in lost),
        only=tuple(token for token in found.asked.only if token not in lost),
    )


def rules_of(view: CurvesView) -> CurveRules:
    """The rules by which rows become the curves of a view."""
    return CurveRules(
        panels=tuple(AxisChoice(metric, view.stat, view.x_scale) for metric in view.x_metrics),
        y=AxisChoice(view.y, view.stat, view.y_scale),
        runs=view.runs,
        dominated=view.dominated,
        hide=view.hide,
        only=view.only,
    )


def _compute(services: Services, view: CurvesView, fingerprint: str) -> Answer:
    store, words = services.store, Wording(services.catalog)
    asked, unknown = _known_scope(store, view, words)
    usable, ignored = _usable(store, asked.choice, words)
    rules = rules_of(asked)
    economics = services.catalog.economics(asked.tier, None, asked.own_prices)
    wanted = tuple(dict.fromkeys((*scene_columns(rules), *FIGURE_COLUMNS, *TABLE_COLUMNS)))
    listed = tuple(dict.fromkeys((*wanted, *OFFER_COLUMNS)))
    scope = (fingerprint, _key(asked.choice), _key(usable))
    # Rows and offers of the store outlast what is only another way to look at them: statistic, axis, price.
    columns = services.cache.recall(("rows", *scope, listed), lambda: points.rows(store, usable, listed))
    empty = not length(columns)
    selection = services.cache.recall(
        ("selection", *scope), lambda: _selection(store, asked.choice, usable, empty=empty)
    )
    return Answer(
        asked=asked,
        applied=usable,
        notices=(*unknown, *ignored),
        selection=selection,
        offers=offers_in(columns, asked, economics),
        scene=arrange({name: columns[name] for name in wanted}, rules, economics, words.label),
        price_note=economics.price_note,
        info=store.info(),
    )


def _key(choice: Choice) -> str:
    return curves_query(CurvesView(choice=choice))


def _selection(store: Store, asked: Choice, usable: Choice, *, empty: bool) -> Selection:
    counted = points.facets(store, usable)
    return Selection(
        models=points.models(store),
        scenarios=points.scenarios(store, asked.model),
        facets={facet: _with_ignored(counted[facet], getattr(asked, facet)) for facet in FACETS},
        dates=points.date_range(store, usable),
        relaxations=points.relaxations(store, usable) if empty else (),
    )


def _with_ignored(values: tuple[FacetValue, ...], asked: tuple[str, ...]) -> tuple[FacetValue, ...]:
    """The values of a facet and, chosen but empty, those that the reader asked for in vain."""
    known = {value.value for value in values}
    return (*values, *(FacetValue(name, 0, chosen=True) for name in asked if name not in known))


def _known_scope(store: Store, view: CurvesView, words: Wording) -> tuple[CurvesView, tuple[Notice, ...]]:
    """The view with a model and a scenario of the store; what it does not know is named and dropped."""
    known = {"model": points.models(store), "scenario": points.scenarios(store, None)}
    choice, unknown = view.choice, []
    for name, values in known.items():
        asked = getattr(choice, name)
        if asked is not None and asked not in {value.value for value in values}:
            unknown.append((name, asked))
            unnamed: dict[str, Any] = {name: None}
            choice = replace(choice, **unnamed)
    choice = points.settle(store, choice)
    why = f"this store does not have it; {_scope(choice, words)} is shown"
    return replace(view, choice=choice), tuple(_notice(name, asked, why) for name, asked in unknown)


def _usable(store: Store, choice: Choice, words: Wording) -> tuple[Choice, tuple[Notice, ...]]:
    """The choice without values that no point of model and scenario carries, each of them named."""
    if not any(getattr(choice, facet) for facet in FACETS):
        return choice, ()
    everything = points.facets(store, Choice(model=choice.model, scenario=choice.scenario))
    notices: list[Notice] = []
    for facet in FACETS:
        carried = {value.value for value in everything[facet]}
        asked: tuple[str, ...] = getattr(choice, facet)
        why = f"no point of {_scope(choice, words)} has it, so it does not filter"
        notices += [_notice(facet, value, why) for value in asked if value not in carried]
        kept: dict[str, Any] = {facet: tuple(value for value in asked if value in carried)}
        choice = replace(choice, **kept)
    return choice, tuple(notices)


def _scope(choice: Choice, words: Wording) -> str:
    return f"{words.optional('model', choice.model)}, {words.optional('scenario', choice.scenario)}"


def _notice(field: str, value: str, detail: str) -> Notice:
    return Notice(PARAMETER_OF[field].name, shortened(value), detail)


def _unmatched(scene: Scene, view: CurvesView) -> tuple[Notice, ...]:
    """The names in `hide` and `only` that fit no series of this view."""
    return tuple(
        _notice("only" if token in view.only else "hide", token, "no series of this view has this name")
        for token in scene.unmatched
    )
