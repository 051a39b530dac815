"""The figure of the Curves page, read as plotly.js reads it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import brotli
import numpy as np
import orjson
import pytest

from components.figures.config_curve import config_curve
from components.figures.pareto import Dressing, curves_figure, figure_alt
from components.theme import DARK, LIGHT
from dashboard.domain.comparison import comparison
from dashboard.domain.curves import AxisChoice, CurveRules
from dashboard.domain.units import significant
from tests import invented
from tests.components.scenes import (
    CAPTION,
    PAIR,
    STACKS,
    figure_of,
    naming,
    points,
    scene_of,
    traces,
    unpacked,
    with_counts,
)
from tests.invented import Stack

SCRIPT = "<script>alert(1)</script>"
FOUR = STACKS[:4]


def stack(trace: dict[str, Any]) -> str:
    """The series of a trace without its data set: "b300.vllm.fp4"."""
    return ".".join(trace["meta"]["series"].split(".")[:3])


def marks(figure: dict[str, Any], panel: int = 0, role: str = "mark") -> dict[str, tuple[float, float]]:
    """Where each point is drawn, by id."""
    found: dict[str, tuple[float, float]] = {}
    for trace in traces(figure, role, panel):
        found |= dict(
            zip(
                trace["customdata"], zip(unpacked(trace["x"]), unpacked(trace["y"]), strict=True), strict=True
            )
        )
    return found


def test_each_mark_stands_exactly_at_its_points_values() -> None:
    scene = scene_of()
    known = {point.point_id: point for point in points()}
    for panel, quantity in enumerate(("itl_s", "ttft_s")):
        drawn = marks(figure_of(scene), panel)
        assert len(drawn) == sum(len(one.panels[panel].frontier) for one in scene.series)
        for point_id, (x, y) in drawn.items():
            value = known[point_id].statistics[quantity].p90
            assert value is not None
            assert x == (1 / value if panel == 0 else value)
            assert y == known[point_id].scalars["tput_total_per_gpu"]


def test_a_dashed_ring_sits_exactly_on_each_point_with_offload_and_on_no_other() -> None:
    figure = figure_of(scene_of())
    offloaded = {point.point_id for point in points() if point.offload == "dram"}
    for panel in (0, 1):
        rings, drawn = marks(figure, panel, "ring"), marks(figure, panel)
        assert rings.keys() == offloaded & drawn.keys() and rings
        assert all(rings[point_id] == drawn[point_id] for point_id in rings)
    for trace in traces(figure, "ring"):
        assert trace["marker"]["line"]["dash"] == "2.6px,2px" and trace["marker"]["size"] == 14


def test_at_most_eight_curves_are_in_colour_and_the_rest_are_thin_grey_and_hollow() -> None:
    scene = scene_of()
    figure = figure_of(scene)
    mute, ground = LIGHT.token["mute"], LIGHT.token["bg"]
    coloured = [t for t in traces(figure, "line") if t["line"]["color"] != mute]
    assert len(scene.series) == 12 and len(coloured) == 8
    assert {t["line"]["width"] for t in coloured} == {1.5}
    grey = [t for t in traces(figure, "mark") if t["marker"]["line"]["color"] == mute]
    assert grey and all(t["marker"]["color"] == ground and t["marker"]["size"] == 5 for t in grey)
    assert {t["line"]["width"] for t in traces(figure, "line") if t["line"]["color"] == mute} == {1.0}


def test_grey_curves_drawn_alike_share_a_trace_that_says_whose_part_is_whose() -> None:
    alike = [Stack("dsv4", f"chip{i}", "vllm", "fp4", run=str(i), speed=0.1 + i / 100) for i in range(6)]
    scene = scene_of(points([*STACKS[:8], *alike]))
    figure = figure_of(scene)
    [shared] = [
        t for t in traces(figure, "mark") if t["meta"]["series"] is None and len(t["meta"]["parts"]) >= 4
    ]
    frontiers = {one.key: set(scene.columns["point_id"][one.panels[0].frontier]) for one in scene.series}
    for key, start, end in shared["meta"]["parts"]:
        assert set(shared["customdata"][start:end]) == frontiers[key]
    assert len({t["uid"] for t in figure["data"]}) == len(figure["data"])


def test_a_colour_never_depends_on_what_else_is_shown() -> None:
    def colours(*stacks: Stack) -> dict[str, str]:
        figure = figure_of(scene_of(points(stacks)))
        return {stack(t): t["line"]["color"] for t in traces(figure, "line")}

    alone, together = colours(STACKS[0]), colours(*FOUR)
    assert alone["b300.vllm.fp4"] == together["b300.vllm.fp4"] == LIGHT.accelerator["b300"]


def test_engine_shows_as_line_style_and_precision_as_symbol() -> None:
    figure = figure_of(scene_of(points(STACKS[:8])))
    dashes = {stack(t): t["line"]["dash"] for t in traces(figure, "line")}
    symbols = {stack(t): t["marker"]["symbol"] for t in traces(figure, "mark")}
    assert dashes["b300.vllm.fp4"] == "solid" and dashes["b300.sglang.fp8"] == "10px,4px"
    assert dashes["gb300.dynamo-trt.fp4"] == "4px,3px" and dashes["mi355x.atom.fp4"] == "9px,3px,2px,3px"
    assert symbols["b300.vllm.fp4"] == "circle" and symbols["b300.sglang.fp8"] == "square"


def test_a_point_whose_percentile_few_requests_carry_is_hollow() -> None:
    first, *others = points(STACKS[:1])
    few = replace(first, statistics={name: replace(d, n=60) for name, d in first.statistics.items()})
    [trace] = traces(figure_of(scene_of([few, *others])), "mark")
    fill = dict(zip(trace["customdata"], trace["marker"]["color"], strict=True))
    assert fill[few.point_id] == LIGHT.token["bg"]
    assert fill[others[0].point_id] == LIGHT.accelerator["b300"]
    assert "few requests" in [
        item["words"] for item in figure_of(scene_of([few, *others]))["layout"]["meta"]["key"]
    ]


def test_a_single_point_is_drawn_without_a_line() -> None:
    figure = figure_of(scene_of(points(STACKS[:1], sweep=[16])))
    assert len(marks(figure)) == 1 and not traces(figure, "line")


def test_dominated_points_are_dim_when_they_are_asked_for() -> None:
    worse = replace(STACKS[0], speed=0.2)
    rows = [*points(STACKS[:1]), invented.point(worse, 48)]
    dominated = rows[-1].point_id
    assert not traces(figure_of(scene_of(rows)), "dominated")
    [dim] = traces(figure_of(scene_of(rows, replace(PAIR, dominated=True))), "dominated")
    assert dim["marker"]["opacity"] < 0.5 and dominated in dim["customdata"]


def test_axes_start_at_zero_or_are_logarithmic_and_titles_say_everything() -> None:
    rules = replace(PAIR, panels=(AxisChoice("interactivity"), AxisChoice("ttft", scale="log")))
    layout = figure_of(scene_of(rules=rules))["layout"]
    assert layout["xaxis"]["range"][0] == 0 and layout["yaxis"]["range"][0] == 0
    assert layout["xaxis2"]["type"] == "log" and layout["xaxis2"]["anchor"] == "y"
    words = " | ".join(a["text"] for a in layout["annotations"])
    for told in (
        "Total throughput per GPU",
        "tok/s",
        "↑ better",
        "p90 interactivity",
        "better →",
        "p90 TTFT",
        "log",
        "← better",
    ):
        assert told in words
    assert layout["meta"]["home"]["xaxis2.range"] == layout["xaxis2"]["range"]


def test_a_zoom_of_the_url_is_the_range_and_home_stays_the_whole_view() -> None:
    layout = figure_of(scene_of(), zoom={"x": (10.0, 20.0), "y": (100.0, 500.0)})["layout"]
    assert layout["xaxis"]["range"] == [10.0, 20.0] and layout["yaxis"]["range"] == [100.0, 500.0]
    assert layout["meta"]["home"]["xaxis.range"][1] > 20.0


@pytest.mark.parametrize("zoom", [{"x": (20.0, 10.0)}, {"x": (5.0, 5.0)}])
def test_a_senseless_zoom_is_ignored(zoom: dict[str, tuple[float, float]]) -> None:
    scene = scene_of()
    assert figure_of(scene, zoom=zoom)["layout"]["xaxis"] == figure_of(scene)["layout"]["xaxis"]


def test_charts_below_each_other_share_the_y_range() -> None:
    layout = figure_of(scene_of(), arrangement="stacked")["layout"]
    assert layout["yaxis2"]["matches"] == "y" and layout["xaxis2"]["anchor"] == "y2"
    (upper, lower) = (layout[name]["domain"] for name in ("yaxis", "yaxis2"))
    assert lower[1] < upper[0]


def test_curves_carry_distinct_names_at_their_ends_a_line_apart() -> None:
    layout = figure_of(scene_of())["layout"]
    named = [a for a in layout["annotations"] if a.get("name", "").startswith("label:") and "ax" in a]
    assert len(named) == 8 and len({a["text"] for a in named}) == 8
    low, high = layout["yaxis"]["range"]
    tops = sorted((high - a["ay"]) / (high - low) * 408 for a in named)
    assert min(np.diff(tops)) >= 15 - 1e-6 and tops[0] >= 0 and tops[-1] <= 408
    assert {a["ax"] for a in named} == {layout["xaxis2"]["range"][1]}


def test_the_notice_stands_in_each_chart() -> None:
    words = [a["text"] for a in figure_of(scene_of(), notice="UNOFFICIAL")["layout"]["annotations"]]
    assert words.count("UNOFFICIAL") == 2


def test_hover_names_concurrency_parallelism_gpus_offload_and_errors_of_the_row() -> None:
    point = with_counts(points(STACKS[:1])[2], 240, 7)
    figure = figure_of(scene_of([point]))
    hover = figure["layout"]["meta"]["hover"]
    assert hover["ids"] == [point.point_id]
    lines = [line["words"][line["codes"][0]] for line in hover["lines"]]
    assert lines[0] == f"concurrency {point.concurrency} · {point.gpus} GPUs · {point.topology_label}"
    assert lines[1] == "KV offload DRAM, LMCache"
    assert lines[2] == "240 requests ok, 7 failed"
    assert lines[3] == "run of 12 Aug 2026"


def test_names_from_artifacts_never_become_markup() -> None:
    hostile = replace(STACKS[0], hardware=SCRIPT, engine=SCRIPT, precision=SCRIPT)
    figure = figure_of(scene_of(points([hostile])))
    assert all("<script" not in annotation["text"].lower() for annotation in figure["layout"]["annotations"])


def test_a_pinned_point_gets_its_ring_its_values_on_the_axes_and_its_factor() -> None:
    scene = scene_of(points(FOUR))
    slow = scene.series[-1]
    pinned = scene.columns["point_id"][slow.panels[0].frontier[1]]
    pin = comparison(scene, pinned)
    assert pin is not None and pin.panels[0].best is not None
    figure = curves_figure(scene, CAPTION, Dressing(), naming, [pin])
    ring = next(t for t in traces(figure, "pin") if t.get("marker", {}).get("size") == 22)
    assert (unpacked(ring["x"])[0], unpacked(ring["y"])[0]) == (pin.panels[0].x, pin.panels[0].y)
    words = [annotation["text"] for annotation in figure["layout"]["annotations"]]
    assert f"<b>{significant(pin.panels[0].best.factor)}×</b>" in words
    opacity = {t["meta"]["series"]: t["opacity"] for t in traces(figure, "line")}
    assert opacity[slow.key] == opacity[pin.panels[0].best.series] == 1.0
    assert {
        opacity[key] for key in opacity.keys() - {slow.key, *(p.best.series for p in pin.panels if p.best)}
    } <= {0.62}


def test_two_pinned_points_are_told_apart_by_their_rings() -> None:
    scene = scene_of(points(FOUR))
    ids = scene.columns["point_id"][scene.series[0].panels[0].frontier[:2]]
    pins = [pin for pin in (comparison(scene, point_id) for point_id in ids) if pin]
    figure = curves_figure(scene, CAPTION, Dressing(), naming, pins)
    rings = [
        t["marker"]["line"]["dash"] for t in traces(figure, "pin") if t.get("marker", {}).get("size") == 22
    ]
    assert rings == ["solid", "dash"]


@pytest.mark.parametrize("labels, shown", [("concurrency", "c"), ("topology", "TP"), ("gpus", "GPUs")])
def test_one_control_labels_the_points(labels: str, shown: str) -> None:
    scene = scene_of(points(FOUR))
    assert not traces(figure_of(scene), "text")
    [text] = traces(figure_of(scene, labels=labels), "text")
    assert text["text"] and all(shown in word for word in text["text"])


def test_the_dark_theme_changes_colours_only() -> None:
    scene = scene_of()
    light, dark = figure_of(scene), figure_of(scene, theme="dark")
    assert [t["uid"] for t in light["data"]] == [t["uid"] for t in dark["data"]]
    assert dark["layout"]["template"]["layout"]["paper_bgcolor"] == DARK.token["bg"]
    assert marks(light) == marks(dark)


def test_no_rows_give_axes_and_no_traces() -> None:
    figure = figure_of(scene_of([]))
    assert figure["data"] == [] and "xaxis" in figure["layout"]


def test_the_description_names_axes_and_curves() -> None:
    words = figure_alt(scene_of(points(FOUR)))
    assert words.startswith(
        "Total throughput per GPU against p90 interactivity and against p90 TTFT: 4 curves"
    )
    assert "B300 vLLM FP4" in words


def test_the_curve_of_a_configuration_shows_every_point_over_concurrency() -> None:
    rules = CurveRules(panels=(AxisChoice("concurrency"),), y=AxisChoice("tput_total"))
    figure = config_curve(scene_of(points(STACKS[:1]), rules), CAPTION, Dressing(), naming)
    assert sorted(x for x, _ in marks(figure).values()) == list(invented.SWEEP)
    assert not [a for a in figure["layout"]["annotations"] if a.get("name", "").startswith("label:")]


def test_the_data_of_a_first_view_is_small() -> None:
    figure = figure_of(scene_of())
    assert len(brotli.compress(orjson.dumps(figure), quality=4)) < 40_000


def test_the_data_of_a_view_with_many_points_is_bounded() -> None:
    stacks = [
        Stack("dsv4", hardware, engine, precision, run=f"{hardware}{engine}{precision}", speed=0.5 + i / 9)
        for i, hardware in enumerate(("b300", "b200", "h200", "mi355x", "mi325x"))
        for engine in ("vllm", "sglang", "trt")
        for precision in ("fp4", "fp8")
    ]
    figure = figure_of(scene_of(points(stacks, sweep=range(1, 100))))
    written = orjson.dumps(figure)
    assert json.loads(written)
    assert sum(len(trace.get("customdata", ())) for trace in figure["data"]) > 2_000
    assert len(brotli.compress(written, quality=4)) < 200_000
