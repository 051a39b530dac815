"""The filters of the Curves page: each value as a link to the view that has it, or has it no more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from components.filter_bar import DateRange, Facet
from components.option import Option
from dashboard.domain.choice import FACETS, Choice, FacetValue
from dashboard.links import CurvesView, curves_url, linked
from dashboard.pages.curves_view import Answer
from dashboard.pages.wording import FACET_WORDS, Wording


def facets(answer: Answer, words: Wording) -> list[Facet]:
    """The filters with the values that the selection has, counted."""
    return [
        Facet(
            facet,
            FACET_WORDS[facet],
            tuple(
                _facet_option(linked(answer.asked), facet, value, words)
                for value in answer.selection.facets[facet]
            ),
            active=bool(getattr(answer.asked.choice, facet)),
        )
        for facet in FACETS
    ]


def dates(answer: Answer) -> DateRange | None:
    """The filter by run date; None where no point has a date."""
    if answer.selection.dates is None:
        return None
    view, (first, last) = linked(answer.asked), answer.selection.dates
    anytime = replace(view, choice=replace(view.choice, since=None, until=None))
    return DateRange(
        since=str(view.choice.since or ""),
        until=str(view.choice.until or ""),
        first=str(first),
        last=str(last),
        base=curves_url(anytime),
        shortcuts=(Option("Any date", curves_url(anytime), chosen=anytime == view),),
    )


def clear(answer: Answer) -> Option | None:
    """The link that opens every filter; None when none is active."""
    choice = answer.asked.choice
    opened = Choice(model=choice.model, scenario=choice.scenario)
    return (
        None
        if choice == opened
        else Option("Clear filters", curves_url(replace(linked(answer.asked), choice=opened)))
    )


def relaxing(answer: Answer) -> list[Option]:
    """One link per filter that would bring points back when it is opened, with how many."""
    return [
        Option(*_opened(linked(answer.asked), name), count=count)
        for name, count in answer.selection.relaxations
    ]


def _opened(view: CurvesView, name: str) -> tuple[str, str]:
    """Words and address of the view with one filter opened."""
    choice = view.choice
    if name == "all":
        label, choice = "Open all filters", Choice(model=choice.model, scenario=choice.scenario)
    elif name == "date":
        label, choice = "Open the dates", replace(choice, since=None, until=None)
    elif name in ("model", "scenario"):
        label, choice = f"Any {name}", _with(choice, name, None)
    else:
        label, choice = f"Open {FACET_WORDS[name]}", choice.without(name)
    return label, curves_url(replace(view, choice=choice))


def _facet_option(view: CurvesView, facet: str, value: FacetValue, words: Wording) -> Option:
    """One filter value: a click adds it or takes it away."""
    asked: tuple[str, ...] = getattr(view.choice, facet)
    toggled = tuple(name for name in asked if name != value.value)
    if value.value not in asked:
        toggled = (*asked, value.value)
    href = curves_url(replace(view, choice=_with(view.choice, facet, toggled)))
    chosen = value.value in asked
    return Option(
        words.label(facet, value.value), href, chosen, value.count, disabled=not (value.count or chosen)
    )


def _with(choice: Choice, name: str, value: Any) -> Choice:
    """The choice with one field changed, by its name."""
    changed: dict[str, Any] = {name: value}
    return replace(choice, **changed)
