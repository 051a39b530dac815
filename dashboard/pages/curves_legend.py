"""What a click in the legend leads to: only this series, all again, or one more or less."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from components.legend import UNKNOWN_VENDOR
from components.option import Option
from dashboard.domain.scene import HiddenSeries, Scene, Series
from dashboard.links import CurvesView, curves_url


def series_href(view: CurvesView, scene: Scene) -> Callable[[str], str]:
    """The view after a click: from all, only this one; from only this one, all; else it comes or goes."""
    shown = tuple(one.key for one in scene.series)
    known = tuple(one.key for one in _listed(scene))

    def href(key: str) -> str:
        if len(shown) == len(known) > 1:
            return curves_url(replace(view, only=(key,), hide=()))
        kept = tuple(one for one in known if (one in shown) != (one == key))
        return curves_url(_showing(view, kept, known))

    return href


def vendor_only(view: CurvesView, scene: Scene) -> Callable[[str | None], Option]:
    """The link beside a vendor's name that leaves only the vendor's series, or all again."""
    listed = _listed(scene)
    shown = {one.key for one in scene.series}

    def option(vendor: str | None) -> Option:
        theirs = [one.key for one in listed if one.vendor == vendor]
        alone = shown == set(theirs) and len(theirs) < len(listed)
        only = () if alone or len(theirs) == len(listed) else tuple(dict.fromkeys(map(_hardware, theirs)))
        href = curves_url(replace(view, only=only, hide=()))
        return Option("all" if alone else "only", href, title=vendor or UNKNOWN_VENDOR)

    return option


def _hardware(key: str) -> str:
    """The beginning that all series of one accelerator share."""
    return key.partition(".")[0]


def _listed(scene: Scene) -> tuple[Series | HiddenSeries, ...]:
    """The series of the legend: those shown and those that the reader switched off."""
    return (*scene.series, *(one for one in scene.hidden if one.by_choice))


def _showing(view: CurvesView, kept: Sequence[str], known: Sequence[str]) -> CurvesView:
    """The view that shows `kept` of `known`; none or all of them is the whole view."""
    whole = len(kept) in (0, len(known))
    return replace(view, only=() if whole else tuple(kept), hide=())
