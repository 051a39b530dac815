"""Clicks in the legend: only this one, all again, else one more or less; a vendor alone and back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dashboard.links import CurvesView, parse_curves, parse_query
from dashboard.pages.curves_legend import series_href, vendor_only
from dashboard.pages.curves_view import answer
from dashboard.services import Services


class Legend:
    """A legend that is clicked: each click follows the link and asks the store again."""

    def __init__(self, services: Services, view: CurvesView) -> None:
        self.services = services
        self.view = answer(services, view).asked

    @property
    def shown(self) -> set[str]:
        return {one.key for one in answer(self.services, self.view).scene.series}

    def click(self, key: str) -> set[str]:
        return self._follow(series_href(self.view, answer(self.services, self.view).scene)(key))

    def vendor(self, name: str) -> tuple[str, set[str]]:
        option = vendor_only(self.view, answer(self.services, self.view).scene)(name)
        return option.label, self._follow(option.href)

    def _follow(self, href: str) -> set[str]:
        self.view, notices = parse_curves(parse_query(href.partition("?")[2]))
        assert notices == ()
        return self.shown


@pytest.fixture
def legend(services: Services) -> Legend:
    return Legend(services, CurvesView())


def test_a_click_leaves_only_this_series_and_another_click_brings_all_back(legend: Legend) -> None:
    everything = legend.shown
    first = sorted(everything)[0]
    assert legend.click(first) == {first}
    assert legend.click(first) == everything and legend.view.only == ()


def test_from_one_series_others_come_and_go(legend: Legend) -> None:
    first, second, third = sorted(legend.shown)[:3]
    legend.click(first)
    assert legend.click(second) == {first, second}
    assert legend.click(third) == {first, second, third}
    assert legend.click(first) == {second, third}


def test_adding_the_last_one_is_the_whole_view_again(legend: Legend) -> None:
    keys = sorted(legend.shown)
    for key in keys:
        legend.click(key)
    assert legend.shown == set(keys) and legend.view.only == ()


def test_a_series_that_the_address_hides_can_be_shown_again(services: Services) -> None:
    legend = Legend(services, replace(CurvesView(), hide=("mi325x", "mi355x")))
    before = legend.shown
    hidden = next(one.key for one in answer(services, legend.view).scene.hidden if one.by_choice)
    assert hidden not in before and legend.click(hidden) == before | {hidden}


def test_a_vendor_alone_and_back(legend: Legend) -> None:
    everything = legend.shown
    label, amd = legend.vendor("AMD")
    assert label == "only" and amd == {key for key in everything if key.startswith("mi")}
    assert legend.vendor("AMD") == ("all", everything)
