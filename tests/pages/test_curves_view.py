"""A view, answered: what the store lacks is named and set aside, and what was asked stays in every link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Flask

from dashboard.caching import ViewCache
from dashboard.domain.catalog import Catalog
from dashboard.domain.choice import Choice
from dashboard.links import CurvesView
from dashboard.pages.curves_view import Answer, answer, effective
from dashboard.services import Services
from dashboard.settings import Settings
from dashboard.store.connection import Store


def view(**choice: object) -> CurvesView:
    return CurvesView(choice=Choice(**choice))  # type: ignore[arg-type]


def said(found: Answer) -> Mapping[str, str]:
    return {notice.parameter: f"{notice.value}: {notice.detail}" for notice in found.notices}


def test_who_asks_for_nothing_sees_an_agentic_model_with_several_curves(services: Services) -> None:
    found = answer(services, CurvesView())
    assert (found.asked.choice.model, found.asked.choice.scenario) == ("dsv4", "agentic")
    assert len(found.scene.series) > 1 and found.notices == ()


def test_an_unknown_model_is_named_and_another_one_shown(services: Services) -> None:
    found = answer(services, view(model="gpt-9"))
    assert found.asked.choice.model == "dsv4"
    assert "gpt-9" in said(found)["model"] and "DeepSeek" in said(found)["model"]


def test_an_unknown_scenario_does_not_cost_the_model(services: Services) -> None:
    found = answer(services, view(model="kimik3", scenario="9k9k"))
    assert (found.asked.choice.model, found.asked.choice.scenario) == ("kimik3", "agentic")
    assert list(said(found)) == ["scenario"]


def test_a_filter_value_that_no_point_has_is_named_but_stays_in_the_links(services: Services) -> None:
    found = answer(services, view(precision=("int7", "fp4")))
    assert "int7" in said(found)["precision"]
    assert found.asked.choice.precision == ("int7", "fp4")
    assert found.applied.precision == ("fp4",)
    shown = {option.value: option for option in found.selection.facets["precision"]}
    assert shown["int7"].chosen and shown["int7"].count == 0


def test_filter_values_that_never_meet_leave_nothing_and_say_which_to_open(services: Services) -> None:
    found = answer(services, view(model="dsv4", hardware=("mi325x",), precision=("fp4",)))
    assert found.scene.series == ()
    assert found.notices == ()
    assert {name for name, _ in found.selection.relaxations} == {"hardware", "precision"}
    assert all(count > 0 for _, count in found.selection.relaxations)


def test_a_series_name_that_fits_nothing_is_named_and_dropped_from_downloads(services: Services) -> None:
    found = answer(services, replace(CurvesView(), only=("b300.vllm", "b999"), hide=("nothing",)))
    assert set(said(found)) == {"only", "hide"}
    assert effective(found).only == ("b300.vllm",) and effective(found).hide == ()
    assert {one.hardware for one in found.scene.series} == {"b300"}


def test_metrics_and_statistics_without_values_are_not_offered(services: Services) -> None:
    found = answer(services, view(hardware=("b300",)))
    assert {"p50", "p90", "p99", "mean"} <= found.offers.stats
    assert {"tput_total", "cost_output", "interactivity", "ttft"} <= found.offers.metrics


def test_own_prices_change_the_cost_and_are_noted(services: Services) -> None:
    cost = replace(CurvesView(), y="cost_total")
    mine = replace(cost, price=(("b300", 1.0),))
    theirs, ours = (answer(services, one) for one in (cost, mine))
    listed = services.catalog.economics(cost.tier, None, {}).usd_per_gpu_hour["b300"]
    row = next(int(one.rows[0]) for one in theirs.scene.series if one.hardware == "b300")
    assert ours.scene.y.values[row] == pytest.approx(theirs.scene.y.values[row] / listed)
    assert "b300 1.00" in ours.price_note and "b300" not in theirs.price_note


def test_each_step_of_a_view_is_computed_once_for_all_views_that_share_it(
    tiny_store: Path, catalog: Catalog
) -> None:
    computed = []

    class Counting(ViewCache):
        def recall(self, key, compute):  # type: ignore[no-untyped-def]
            return super().recall(key, lambda: computed.append(key[0]) or compute())

    found = Services(Settings(), Store(tiny_store), catalog, Counting(Flask("test"), "memory"))
    plain = CurvesView()
    answer(found, plain)
    answer(found, replace(plain, pin=("3f9a1c07b2",), labels="gpus", zoom_y=(1.0, 2.0), theme="dark"))
    assert computed == ["curves", "rows", "selection"]
    answer(found, replace(plain, price=(("b300", 1.0),)))
    assert computed[3:] == ["curves"]
    answer(found, replace(plain, stat="p50"))
    assert computed[4:] == ["curves", "rows"]


def test_an_absent_store_is_a_state_and_no_error(tmp_path: Path, catalog: Catalog) -> None:
    empty = Services(Settings(), Store(tmp_path / "none"), catalog, ViewCache(Flask("test"), "memory"))
    found = answer(empty, CurvesView())
    assert found.info.points == 0 and found.scene.series == () and found.selection.models == ()
