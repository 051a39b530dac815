"""Panels from server telemetry: what the servers said is drawn as said, what they did not say is not."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from dashboard.app import create_app
from dashboard.settings import Settings
from dashboard.store.schema import SERIES
from dashboard.store.writer import StoreWriter
from tests import invented

POINT = next(point for point in invented.points() if point.has_requests)
REQUESTS = invented.requests(POINT)
START = 1_786_500_000_000_000_000
"""The first request, a warm-up one; the axis begins with the 24th request, a ms before its start."""
ZERO_S = 23.999
SECONDS = np.arange(264.0)


@dataclass(frozen=True)
class Series:
    """One source: values at seconds after the first request."""

    metric: str
    values: np.ndarray
    t: np.ndarray | None = None
    role: str | None = None
    rank: str | None = None
    statistic: str = "mean"


Answer = dict[str, dict[str, Any]]
Asked = Callable[..., Answer]


def table(found: Iterable[Series]) -> pa.Table:
    parts = []
    for one in found:
        t = SECONDS[: len(one.values)] if one.t is None else one.t
        n = len(t)
        columns: dict[str, Any] = {name: pa.nulls(n, pa.string()) for name in ("worker",)}
        said = {"point_id": POINT.point_id, "phase": "profiling", "metric": one.metric, "role": one.role,
                "rank": one.rank, "statistic": one.statistic}  # fmt: skip
        columns |= {name: pa.array([text] * n, pa.string()) for name, text in said.items()}
        columns |= {"t_ns": START + (t * 1e9).astype(np.int64), "width_s": np.ones(n), "value": one.values}
        parts.append(pa.table(columns).select(SERIES.names).cast(SERIES))
    return pa.concat_tables(parts)


@pytest.fixture
def panels(tmp_path: Path) -> Asked:
    """All panels of the invented point with some telemetry, by key; lines by label as (t, v)."""

    def ask(*found: Series, query: str = "", requests: pa.Table = REQUESTS) -> Answer:
        with StoreWriter(tmp_path / "store", "0") as writer:
            writer.put(POINT, requests, table(found) if found else None)
        client = create_app(Settings(store=tmp_path / "store", cache="memory")).server.test_client()
        body = client.get(f"/api/v1/points/{POINT.point_id}/panels{query}").data
        (size,) = struct.unpack_from("<I", body)
        header = json.loads(body[4 : 4 + size])

        def read(place: list[int]) -> np.ndarray:
            return np.frombuffer(body, "<f4", place[1], 4 + size + place[0])

        for panel in header["panels"]:
            panel["read"] = {line["label"]: (read(line["t"]), read(line["v"])) for line in panel["lines"]}
        return {"about": header} | {panel["key"]: panel for panel in header["panels"]}

    return ask


def at(line: tuple[np.ndarray, np.ndarray], second: float) -> float:
    """The value of a line at a second after the first request."""
    t, v = line
    return float(v[np.searchsorted(t, second - ZERO_S + 1e-3, "right") - 1])


def test_each_rank_is_a_line_and_their_mean_another(panels: Asked) -> None:
    ranks = [
        Series("kv_usage", np.full(264, level), rank=str(rank)) for rank, level in enumerate((0.2, 0.4, 0.9))
    ]
    panel = panels(*ranks, Series("kv_usage_host", np.full(264, 0.1)))["kv_usage"]
    thin = [line for line in panel["lines"] if line["weight"] == "thin"]
    assert [line["group"] for line in thin] == ["3 ranks"] * 3
    assert at(panel["read"]["mean"], 100) == pytest.approx(0.5)
    assert at(panel["read"]["host pool"], 100) == pytest.approx(0.1)


def test_a_rank_that_starts_late_counts_from_then_on(panels: Asked) -> None:
    late = Series("running", np.full(164, 5.0), t=SECONDS[100:], rank="1")
    panel = panels(Series("running", np.full(264, 3.0), rank="0"), late)["queue_depth"]
    assert at(panel["read"]["running"], 50) == 3 and at(panel["read"]["running"], 150) == 8


def test_a_metric_that_appears_half_way_is_not_zero_before(panels: Asked) -> None:
    half = Series("waiting", np.full(132, 2.0), t=SECONDS[132:])
    panel = panels(Series("running", np.full(264, 3.0)), half)["queue_depth"]
    t, v = panel["read"]["waiting"]
    known = np.isfinite(v)
    assert t[known].min() == pytest.approx(132 - ZERO_S, abs=1e-2) and (v[known] == 2).all()


def test_a_pause_of_the_scrapes_is_a_gap_not_a_line_and_not_a_zero(panels: Asked) -> None:
    t = np.concatenate([SECONDS[:60], SECONDS[120:]])
    panel = panels(Series("kv_usage", np.full(len(t), 0.5), t=t))["kv_usage"]
    assert panel["gaps"] == [[pytest.approx(59 - ZERO_S), pytest.approx(120 - ZERO_S)]]
    times, values = panel["read"]["KV pool"]
    inside = (times > 59 - ZERO_S + 0.1) & (times < 120 - ZERO_S - 0.1)
    assert inside.any() and np.isnan(values[inside]).all()
    assert (values[~inside] == 0.5).all()


def test_a_hit_rate_is_a_ratio_of_sums_over_ranks(panels: Asked) -> None:
    """The rank with the traffic decides: 90 of 100 and 0 of 900 are 9 %, not 45 %."""
    found = [
        Series("prefix_query_tps", np.full(264, 100.0), rank="0"),
        Series("prefix_hit_tps", np.full(264, 90.0), rank="0"),
        Series("prefix_query_tps", np.full(264, 900.0), rank="1"),
        Series("prefix_hit_tps", np.full(264, 0.0), rank="1"),
    ]
    panel = panels(*found)["hit_rate"]
    assert at(panel["read"]["HBM"], 200) == pytest.approx(0.09)
    assert "Offload: not reported." in panel["notes"]
    theory = panel["read"]["theory"]
    isl, cached = (
        np.array(REQUESTS[name].to_pylist(), float) for name in ("isl", "theoretical_cached_tokens")
    )
    bad = np.array(REQUESTS["failed"].to_pylist()) | np.array(REQUESTS["cancelled"].to_pylist())
    last = (np.arange(240) > 139) & (np.arange(240) <= 199) & ~bad
    assert at(theory, 199) == pytest.approx(cached[last].sum() / isl[last].sum(), rel=1e-6)


def test_a_hit_rate_above_one_is_shown_and_said(panels: Asked) -> None:
    found = [Series("prefix_query_tps", np.full(264, 100.0)), Series("prefix_hit_tps", np.full(264, 130.0))]
    panel = panels(*found)["hit_rate"]
    assert at(panel["read"]["HBM"], 200) == pytest.approx(1.3)
    assert any("Above 100 % (HBM)" in note for note in panel["notes"])


def test_tokens_are_counted_in_the_role_that_does_the_work(panels: Asked) -> None:
    """A decode worker's counter of prompt tokens counts what the prefill worker sent it once more."""
    found = [
        Series("prompt_tps", np.full(264, 5000.0), role="prefill"),
        Series("prompt_tps", np.full(264, 4800.0), role="decode"),
        Series("generation_tps", np.full(264, 1.0), role="prefill"),
        Series("generation_tps", np.full(264, 700.0), role="decode"),
    ]
    read = panels(*found)["throughput"]["read"]
    assert at(read["input (with cached)"], 100) == 5000 and at(read["decode"], 100) == 700


def test_sources_of_prompt_tokens_are_shares_of_their_sum(panels: Asked) -> None:
    found = [
        Series("prompt_source_tps.computed", np.full(264, 100.0)),
        Series("prompt_source_tps.hbm_hit", np.full(264, 250.0)),
        Series("prompt_source_tps.cpu_hit", np.full(264, 150.0)),
    ]
    panel = panels(*found)["prompt_sources"]
    assert panel["stacked"]
    shares = {label: at(line, 200) for label, line in panel["read"].items()}
    assert shares == pytest.approx({"computed": 0.2, "HBM": 0.5, "CPU": 0.3})
    assert panel["notes"] == ["external, NVMe: not reported."]


def test_tokens_computed_so_far_stand_beside_the_clients_count(panels: Asked) -> None:
    panel = panels(Series("prompt_source_tps.computed", np.full(264, 50.0)))["unique_tokens"]
    assert at(panel["read"]["servers"], 200) == pytest.approx(201 * 50), "each sample stands for a second"
    isl, cached = (np.array(REQUESTS[name].to_pylist(), float) for name in ("isl", "cached_tokens"))
    bad = np.array(REQUESTS["failed"].to_pylist()) | np.array(REQUESTS["cancelled"].to_pylist())
    assert panel["read"]["client"][1][-1] == pytest.approx((isl - cached)[~bad].sum(), rel=1e-6)


@pytest.mark.parametrize("ahead", [-124.0, 124.0])
def test_clocks_that_differ_are_said_and_not_moved(panels: Asked, ahead: float) -> None:
    found = panels(Series("kv_usage", np.full(264, 0.5), t=SECONDS + ahead))
    start, end = (np.array(REQUESTS[name].to_pylist()) for name in ("start_ns", "end_ns"))
    low, high = 0.0, (end.max() - start.min()) / 1e9
    covered = min(high, ahead + 264) - max(low, ahead)
    assert (
        found["about"]["overlap"] == pytest.approx(covered / (high - low), rel=1e-3) and covered / high < 0.9
    )
    assert found["kv_usage"]["read"]["KV pool"][0].max() <= high - ZERO_S + 1
    assert found["about"]["span"][0] == pytest.approx(-ZERO_S, abs=0.01), "the axis is that of the requests"


@pytest.mark.parametrize("place", [0, 1, 77_777, 149_999])
def test_a_spike_of_one_sample_in_many_is_drawn(panels: Asked, place: int) -> None:
    values = np.full(150_000, 0.3)
    values[place] = 0.99
    t = np.linspace(0, 260, 150_000)
    read = panels(Series("kv_usage", values, t=t))["kv_usage"]["read"]
    _, v = read["KV pool"]
    assert v.max() == pytest.approx(0.99) and len(v) < 3_000


def test_a_panel_says_whether_telemetry_or_only_this_metric_is_missing(panels: Asked) -> None:
    none = panels()
    assert none["kv_usage"]["missing"].startswith("No server metrics came with this run")
    some = panels(Series("running", np.full(264, 3.0)))
    assert "hold no KV-cache utilisation" in some["kv_usage"]["missing"]
    assert not some["queue_depth"]["missing"]
    assert "Server waiting: not reported by this engine." in some["queue_depth"]["notes"]


def test_a_kind_narrows_requests_and_never_servers(panels: Asked) -> None:
    found = panels(Series("running", np.full(264, 3.0)), query="?kind=subagent")
    assert found["ttft_over_time"]["dots"]["n"] < 80
    assert at(found["queue_depth"]["read"]["running"], 100) == 3


def test_a_zoom_draws_its_part_as_finely_as_the_whole(panels: Asked) -> None:
    values = np.sin(np.arange(150_000) / 7.0) + 2
    t = np.linspace(0, 260, 150_000)
    read = panels(Series("kv_usage", values, t=t), query="?zoom=10..12")["kv_usage"]["read"]
    times, _ = read["KV pool"]
    assert np.count_nonzero((times >= 10) & (times <= 12)) == np.count_nonzero(
        (t - ZERO_S >= 10) & (t - ZERO_S <= 12)
    )


def test_a_pause_of_the_requests_breaks_what_they_were_told(panels: Asked) -> None:
    """The hits of the last 60 s are those of no request at all: no line from one side to the other."""
    order = np.arange(REQUESTS.num_rows)
    line = panels(requests=REQUESTS.filter(pa.array((order < 60) | (order > 180))))["hit_rate"]["read"][
        "theory"
    ]
    silent = np.isnan(line[1])
    assert line[0][silent].tolist() == [pytest.approx(58 - ZERO_S + 60, abs=2)]
    assert np.isfinite(line[1][~silent]).all() and silent.sum() == 1
