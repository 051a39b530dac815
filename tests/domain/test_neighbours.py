"""The points of a run beside each other: what the cards say, and the mark of the frontier."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from dashboard.domain.catalog import Catalog
from dashboard.domain.metric import Economics
from dashboard.domain.neighbours import NEIGHBOUR_COLUMNS, described_apart, neighbours_of, on_frontier
from dashboard.domain.records import Point
from dashboard.store import neighbours, points
from dashboard.store.columns import to_columns
from dashboard.store.connection import Store
from dashboard.store.parts import point_table
from tests import invented

NO_PRICES = Economics({}, {}, "")
PLAIN, OFFLOADED, OLDER = (stack for stack, _ in invented.STACKS[:3])


def columns_of(*given: Point) -> dict[str, np.ndarray]:
    return dict(to_columns(pa.concat_tables([point_table(point) for point in given])))


@pytest.fixture(scope="module")
def store(tiny_store: Path) -> Store:
    return Store(tiny_store)


def test_neighbours_are_the_points_of_the_same_stack_and_run(store: Store) -> None:
    row = points.one(store, invented.point(PLAIN, 16).point_id)
    assert row is not None and PLAIN.run == OFFLOADED.run != OLDER.run
    found = neighbours.neighbours(store, row, ("point_id", "concurrency"))
    expected = {invented.point(PLAIN, load).point_id for load in invented.SWEEP}
    expected |= {invented.point(OFFLOADED, load).point_id for load in (64, 128, 256)}
    assert set(found["point_id"]) == expected
    assert found["concurrency"].tolist() == sorted(found["concurrency"].tolist())


def test_a_run_without_an_attempt_has_neighbours_too(store: Store) -> None:
    stack = next(stack for stack, _ in invented.STACKS if stack.run == "lab-sweep")
    row = points.one(store, invented.point(stack, 16).point_id)
    assert row is not None and row["run_attempt"] is None
    assert neighbours.neighbours(store, row, ("concurrency",))["concurrency"].tolist() == [8, 16, 32, 64]


@pytest.mark.parametrize("columns", [(), ("point_id; DROP TABLE points",)])
def test_only_columns_of_points_can_be_asked_for(store: Store, columns: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="Not columns"):
        neighbours.neighbours(store, {}, columns)


def test_a_card_says_only_what_tells_it_apart(catalog: Catalog) -> None:
    mixed = columns_of(invented.point(PLAIN, 64), invented.point(OFFLOADED, 64))
    assert described_apart(mixed, catalog.label) == [("no offload",), ("DRAM",)]
    other = invented.point(replace(OFFLOADED, offload_backend="mooncake"), 64)
    two = columns_of(invented.point(OFFLOADED, 64), other, invented.point(PLAIN, 64))
    assert described_apart(two, catalog.label) == [("DRAM LMCache",), ("DRAM Mooncake",), ("no offload",)]
    alike = columns_of(invented.point(PLAIN, 8), invented.point(PLAIN, 16))
    assert described_apart(alike, catalog.label) == [(), ()]


def test_points_that_look_alike_are_numbered(catalog: Catalog) -> None:
    once = invented.point(PLAIN, 64)
    again = replace(once, point_id="0123456789", router_version="0.2")
    assert described_apart(columns_of(once, again, invented.point(PLAIN, 8)), catalog.label) == [
        ("no. 1",),
        ("no. 2",),
        (),
    ]


def test_the_frontier_is_that_of_throughput_against_p90_interactivity() -> None:
    given = [invented.point(PLAIN, load) for load in invented.SWEEP]
    slow = invented.point(replace(PLAIN, speed=0.5), 16)
    marks = on_frontier(columns_of(*given, slow), NO_PRICES)
    pairs = [
        (p.scalars["tput_total_per_gpu"] or 0, 1 / (p.statistics["itl_s"].p90 or 1)) for p in (*given, slow)
    ]
    beaten = [any(a >= y and b >= x and (a, b) != (y, x) for a, b in pairs) for y, x in pairs]
    assert marks.tolist() == [not worse for worse in beaten]
    assert not marks[-1]


def test_a_point_that_failed_is_beside_the_others_without_a_figure(catalog: Catalog) -> None:
    sound = invented.point(replace(invented.FAILED, speed=1.0), 64)
    found = neighbours_of(columns_of(sound, invented.all_failed()), NO_PRICES, catalog.label)
    assert [one.concurrency for one in found] == [64, 512]
    assert found[0].throughput and found[0].on_frontier
    assert found[1].throughput is None and not found[1].on_frontier and not found[1].stored


def test_every_column_that_is_read_is_a_column_of_points(store: Store) -> None:
    row = points.one(store, invented.point(PLAIN, 16).point_id)
    assert row is not None
    assert set(neighbours.neighbours(store, row, NEIGHBOUR_COLUMNS)) == set(NEIGHBOUR_COLUMNS)
