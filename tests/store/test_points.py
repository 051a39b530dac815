"""The questions pages ask about points, against a plain walk over the same invented points."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.domain.choice import FACETS, UNKNOWN, Choice, FacetValue
from dashboard.domain.records import Point
from dashboard.store import points
from dashboard.store.connection import Store
from dashboard.store.schema import POINTS, point_row
from dashboard.store.writer import StoreWriter
from tests import invented

EVERY = invented.points()


@pytest.fixture(scope="module")
def store(tiny_store: Path) -> Store:
    return Store(tiny_store)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("nothing"))


def facet_of(point: Point, facet: str) -> str:
    if facet == "official":
        return "official" if point.official else "unofficial"
    return getattr(point, facet) or UNKNOWN


def passes(point: Point, choice: Choice, *, but: str = "") -> bool:
    """Whether a point is in a choice, one filter left open: the definition, word by word."""
    if (point.model, point.scenario) != (choice.model, choice.scenario):
        return False
    in_time = (choice.since is None or point.run_date >= choice.since) and (
        choice.until is None or point.run_date <= choice.until
    )
    facets = [f for f in FACETS if f != but and getattr(choice, f)]
    return (in_time or but == "date") and all(facet_of(point, f) in getattr(choice, f) for f in facets)


def some(values: list[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(values), max_size=2, unique=True).map(tuple)


@st.composite
def choices(draw: st.DrawFn) -> Choice:
    carried = {f: sorted({facet_of(p, f) for p in EVERY} | {"nothing has this"}) for f in FACETS}
    days = st.none() | st.dates(date(2026, 7, 1), date(2026, 8, 15))
    return Choice(
        model=draw(st.sampled_from(["dsv4", "kimik3"])),
        scenario=draw(st.sampled_from(["agentic", "8k1k"])),
        since=draw(days),
        until=draw(days),
        **{f: draw(some(carried[f])) for f in FACETS},
    )


many_choices = settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@many_choices
@given(choice=choices())
def test_rows_are_the_points_that_pass_every_filter(store: Store, choice: Choice) -> None:
    found = points.rows(store, choice, ["point_id"])["point_id"]
    assert sorted(found) == sorted(p.point_id for p in EVERY if passes(p, choice))


@many_choices
@given(choice=choices())
def test_a_facet_value_counts_what_the_other_filters_leave(store: Store, choice: Choice) -> None:
    in_scope = [p for p in EVERY if (p.model, p.scenario) == (choice.model, choice.scenario)]
    offered = points.facets(store, choice)
    assert tuple(offered) == FACETS
    for facet, values in offered.items():
        chosen = getattr(choice, facet)
        expected = {facet_of(p, facet) for p in in_scope} | set(chosen)
        assert {v.value for v in values} == expected
        for value in values:
            count = sum(passes(p, choice, but=facet) and facet_of(p, facet) == value.value for p in in_scope)
            assert value == FacetValue(value.value, count, value.value in chosen)


@many_choices
@given(choice=choices())
def test_relaxations_count_what_opening_one_filter_adds(store: Store, choice: Choice) -> None:
    in_scope = [p for p in EVERY if (p.model, p.scenario) == (choice.model, choice.scenario)]
    if not in_scope or any(passes(p, choice) for p in in_scope):
        return
    opened = {f: sum(passes(p, choice, but=f) for p in in_scope) for f in (*FACETS, "date")}
    expected = {name: count for name, count in opened.items() if count} or {"all": len(in_scope)}
    found = points.relaxations(store, choice)
    assert dict(found) == expected
    assert [count for _, count in found] == sorted(expected.values(), reverse=True)


def test_an_impossible_scenario_or_model_can_be_opened(store: Store) -> None:
    kimi = sum(p.model == "kimik3" for p in EVERY)
    fixed = sum(p.scenario == "8k1k" for p in EVERY)
    found = points.relaxations(store, Choice(model="kimik3", scenario="8k1k"))
    assert dict(found) == {"scenario": kimi, "model": fixed}
    assert points.relaxations(store, Choice(model="no-such-model")) == (("model", len(EVERY)),)


def test_unknown_is_chosen_like_any_value(store: Store) -> None:
    found = points.rows(store, Choice("dsv4", "agentic", offload=(UNKNOWN,)), ["hardware", "offload"])
    assert set(found["hardware"]) == {"mi325x"}
    assert set(found["offload"]) == {None}


def test_unknown_stands_last_among_the_values(store: Store) -> None:
    values = points.facets(store, Choice("dsv4", "agentic"))["offload"]
    assert [v.value for v in values] == ["dram", "none", UNKNOWN]


def test_the_first_view_is_the_agentic_scenario_with_most_drawable_points(store: Store) -> None:
    assert points.defaults(store) == Choice(model="dsv4", scenario="agentic")


def test_a_model_that_can_be_compared_comes_before_one_with_more_points_of_one_stack(tmp_path: Path) -> None:
    lone = [invented.point(invented.Stack("lone", "b300", "vllm", "fp4"), c) for c in range(1, 30)]
    pair = [invented.point(invented.Stack("pair", chip, "vllm", "fp4"), 8) for chip in ("b300", "b200")]
    with StoreWriter(tmp_path / "store", "0") as writer:
        for point in (*lone, *pair):
            writer.put(point)
    assert points.defaults(Store(tmp_path / "store")).model == "pair"


def test_points_without_a_success_do_not_decide_the_first_view(tmp_path: Path) -> None:
    failed = [invented.all_failed(invented.Stack("failed", "b300", "vllm", "fp4"), c) for c in range(1, 9)]
    with StoreWriter(tmp_path / "store", "0") as writer:
        for point in (*failed, invented.point(invented.Stack("works", "b300", "vllm", "fp4"), 8)):
            writer.put(point)
    assert points.defaults(Store(tmp_path / "store")).model == "works"


def test_an_open_scenario_follows_the_chosen_model(store: Store) -> None:
    assert points.settle(store, Choice(model="kimik3")).scenario == "agentic"
    assert points.settle(store, Choice(scenario="8k1k")).model == "dsv4"
    assert points.settle(store, Choice(model="no-such-model")) == Choice(model="no-such-model")


def test_models_and_scenarios_are_counted(store: Store) -> None:
    counted = {value.value: value.count for value in points.models(store)}
    assert counted == {m: sum(p.model == m for p in EVERY) for m in ("dsv4", "kimik3")}
    assert [value.value for value in points.scenarios(store, "dsv4")] == ["agentic", "8k1k"]
    assert [value.value for value in points.scenarios(store, "kimik3")] == ["agentic"]
    assert sum(value.count for value in points.scenarios(store, None)) == len(EVERY)


def test_columns_leave_as_plain_arrays(store: Store) -> None:
    names = ["concurrency", "ttft_s_p90", "engine", "official", "run_date", "measured_at", "prefill_tp"]
    found = points.rows(store, Choice("dsv4", "8k1k", engine=("vllm",)), names)
    assert list(found) == names
    assert {len(column) for column in found.values()} == {5}
    assert found["concurrency"].dtype == found["ttft_s_p90"].dtype == np.float64
    assert np.isnan(found["prefill_tp"]).all()
    assert found["engine"].tolist() == ["vllm"] * 5
    assert found["official"].tolist() == [True] * 5
    assert found["run_date"].dtype == "datetime64[D]"
    assert found["measured_at"].dtype == "datetime64[us]"


def test_every_stored_value_comes_back_as_it_was(store: Store) -> None:
    for point in EVERY[::7]:
        row = point_row(point)
        found = points.rows(store, Choice(point.model, point.scenario), POINTS.names)
        place = found["point_id"].tolist().index(point.point_id)
        for name, expected in row.items():
            value = found[name][place]
            if expected is None:
                assert value is None or value != value, name
            elif name == "run_date":
                assert value.item() == expected
            elif name == "measured_at":
                assert value.item() == expected.replace(tzinfo=None)
            else:
                assert value == expected, name


def test_one_point_is_its_row_with_its_errors_by_category(store: Store) -> None:
    failed = invented.all_failed()
    assert points.one(store, failed.point_id) == point_row(failed) | {"error_categories": {"ServerError": 64}}


@pytest.mark.parametrize("name", ["", "0123456789", "' OR 1=1 --", "0" * 1000, "../store.json", "\0"])
def test_an_unknown_point_is_none(store: Store, name: str) -> None:
    assert points.one(store, name) is None


def test_a_configuration_gathers_its_points_over_runs(store: Store) -> None:
    newest = next(p for p in EVERY if p.run_id == "7001" and p.offload == "none")
    found = points.of_config(store, newest.config_id, ["run_id", "concurrency"])
    assert set(found["run_id"]) == {"7001", "6001"}
    assert len(found["run_id"]) == 2 * len(invented.SWEEP)
    assert len(points.of_config(store, "0123456789", ["run_id"])["run_id"]) == 0


def test_the_dates_of_a_scope_are_its_first_and_last(store: Store) -> None:
    assert points.date_range(store, Choice("dsv4", "agentic")) == (date(2026, 7, 3), date(2026, 8, 12))
    assert (
        points.date_range(store, Choice("dsv4", "agentic", vendor=("AMD",), since=date(2027, 1, 1)))
        is not None
    )
    assert points.date_range(store, Choice("no-such-model", "agentic")) is None


def test_a_column_that_does_not_exist_is_refused_before_any_sql(store: Store) -> None:
    with pytest.raises(ValueError, match="Not columns of a point"):
        points.rows(store, Choice(), ["point_id", "1; DROP TABLE points"])


HOSTILE = [
    "'; DROP TABLE points; --",
    '" OR 1=1',
    "%",
    "\0",
    "😀" * 500,
    "[]",
    "read_text('/etc/passwd')",
    "unknown'",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_value_is_a_value_that_nothing_has(store: Store, text: str) -> None:
    for facet in FACETS:
        choice = Choice("dsv4", "agentic", **{facet: (text,)})
        assert len(points.rows(store, choice, ["point_id"])["point_id"]) == 0
        assert FacetValue(text, 0, chosen=True) in points.facets(store, choice)[facet]
    assert len(points.rows(store, Choice(text, "agentic"), ["point_id"])["point_id"]) == 0


def test_an_absent_or_empty_store_answers_with_nothing(empty: Store) -> None:
    assert points.defaults(empty) == Choice()
    assert points.models(empty) == points.scenarios(empty, None) == ()
    assert set(points.facets(empty, Choice()).values()) == {()}
    assert points.relaxations(empty, Choice(precision=("fp4",))) == ()
    assert points.date_range(empty, Choice()) is None
    assert points.one(empty, "0123456789") is None
    assert len(points.rows(empty, Choice(), ["point_id", "ttft_s_p90"])["ttft_s_p90"]) == 0


def walk(values: Iterator[FacetValue]) -> set[str]:
    return {value.value for value in values}


def test_a_name_with_markup_is_a_name(store: Store) -> None:
    choice = Choice("kimik3", "agentic", engine=(invented.SCRIPT,))
    assert set(points.rows(store, choice, ["engine"])["engine"]) == {invented.SCRIPT}
    assert invented.SCRIPT in walk(iter(points.facets(store, choice)["engine"]))
