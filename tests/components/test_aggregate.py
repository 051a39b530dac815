"""The figure of a metric over a run: every value drawn exactly, every mark leads to its point."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from components.figures.aggregate import RunPoints, aggregate_alt, aggregate_figure
from components.theme import PALETTES
from dashboard.domain.across import across
from dashboard.domain.metric import Economics
from dashboard.store.columns import to_columns
from dashboard.store.parts import point_table
from tests import invented

PRICES = Economics({}, {}, "")
PLAIN, OFFLOADED = (stack for stack, _ in invented.STACKS[:2])
RUN = (*(invented.point(PLAIN, load) for load in (8, 16, 64)), invented.point(OFFLOADED, 128))
COLUMNS = dict(to_columns(pa.concat_tables([point_table(point) for point in RUN])))
POINTS = RunPoints(
    names=[f"concurrency {point.concurrency}" for point in RUN],
    hrefs=[f"/point/{point.point_id}" for point in RUN],
    offloaded=[False, False, False, True],
    present=1,
    hardware="b300",
)


def numbers(spec: dict[str, str]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(spec["bdata"]), dtype=spec["dtype"])


def drawn(key: str) -> dict[str, Any]:
    return aggregate_figure(across(COLUMNS, key, PRICES), POINTS, "light")


def test_values_are_exact_and_each_mark_leads_to_its_point() -> None:
    traces = {trace["uid"]: trace for trace in drawn("ttft")["data"]}
    p95 = traces["across__p95"]
    by_point = dict(zip(p95["customdata"], numbers(p95["y"]).tolist(), strict=True))
    for point in RUN:
        assert by_point[f"/point/{point.point_id}"] == point.statistics["ttft_s"].p95


def test_lines_pause_between_configurations() -> None:
    p90 = next(trace for trace in drawn("ttft")["data"] if trace["uid"] == "across__p90")
    assert np.isnan(numbers(p90["y"])).tolist() == [False, False, False, True, False]


def test_a_share_is_drawn_in_per_cent() -> None:
    figure = drawn("hbm_hit_rate")
    values = numbers(figure["data"][0]["y"])
    expected = [point.scalars["hbm_hit_rate"] or 0 for point in RUN]
    assert values[~np.isnan(values)].tolist() == pytest.approx([share * 100 for share in expected])
    assert any("%" in word["text"] for word in figure["layout"]["annotations"])


def test_the_main_percentile_lies_on_top_in_the_colour_of_its_hardware() -> None:
    lines = [trace for trace in drawn("ttft")["data"] if trace["meta"]["role"] == "mark"]
    assert lines[-1]["meta"]["stat"] == "p90"
    assert lines[-1]["line"]["color"] == PALETTES["light"].hardware("b300")


def test_offloaded_points_have_their_ring_and_the_present_one_its_upright() -> None:
    figure = drawn("ttft")
    ring = next(trace for trace in figure["data"] if trace["meta"]["role"] == "ring")
    assert numbers(ring["x"]).tolist() == [128] and "dash" in ring["marker"]["line"]
    assert figure["layout"]["shapes"][0]["x0"] == 16


def test_names_of_percentiles_stand_apart_in_their_order() -> None:
    words = [
        (word["text"].removeprefix("<b>").removesuffix("</b>"), word["y"])
        for word in drawn("ttft")["layout"]["annotations"]
    ]
    places = {name: place * 232 for name, place in words if name.startswith("p")}
    ordered = [places[name] for name in ("p50", "p75", "p90", "p95", "p99")]
    assert np.diff(ordered).min() >= 12.9
    assert "p50, p75, p90, p95, p99" in aggregate_alt(across(COLUMNS, "ttft", PRICES))
