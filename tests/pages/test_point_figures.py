"""The eight figures at the head of a point's page: the row's own values, and words for what is missing."""

from __future__ import annotations

import pytest

from components.figure_row import BigFigure
from dashboard.domain.catalog import Catalog
from dashboard.domain.metric import Economics
from dashboard.domain.units import THIN
from dashboard.pages.point_figures import Row, point_figures
from dashboard.services import Services
from dashboard.store import points
from dashboard.store.schema import point_row
from tests import invented

STACK = invented.STACKS[1][0]
POINT = invented.point(STACK, 128)


@pytest.fixture
def economics(catalog: Catalog) -> Economics:
    return catalog.economics("own", None, {})


def figures(row: Row, economics: Economics) -> dict[str, BigFigure]:
    return {figure.label: figure for figure in point_figures(row, economics)}


def test_they_are_the_figures_of_the_row(services: Services, economics: Economics) -> None:
    row = points.one(services.store, POINT.point_id)
    assert row is not None
    found = figures(row, economics)
    ttft, itl = POINT.statistics["ttft_s"].p90, POINT.statistics["itl_s"].p90
    rate = POINT.scalars["tput_total_per_gpu"]
    assert ttft and itl and rate
    assert float(found["p90 TTFT"].value) == pytest.approx(ttft, rel=5e-3) and found["p90 TTFT"].unit == "s"
    assert float(found["p90 interactivity"].value) == pytest.approx(1 / itl, rel=5e-3)
    assert found["p90 interactivity"].note == f"n 5{THIN}120 · 1 / p90 ITL"
    price = economics.usd_per_gpu_hour["b300"]
    cost = float(found["Cost per million tokens"].exact.split(THIN)[0])
    assert cost == pytest.approx(price * 1e6 / (rate * 3600), rel=1e-12)
    assert (
        "Aug 2026" in found["Cost per million tokens"].note
        and f"${price}" in found["Cost per million tokens"].note
    )


def test_the_parts_of_the_hit_share_stand_under_the_whole(economics: Economics) -> None:
    found = figures(point_row(POINT), economics)["Prefix hit share"]
    hbm, offload = POINT.scalars["hbm_hit_rate"], POINT.scalars["offload_hit_rate"]
    assert hbm and offload
    assert found.value == f"{(hbm + offload) * 100:.1f}"
    assert f"HBM {hbm:.1%}".replace("%", f"{THIN}%") in found.note and "Offload" in found.note


def test_what_is_missing_is_blank_and_says_why(economics: Economics) -> None:
    found = point_figures(point_row(invented.all_failed()), Economics({}, {}, ""))
    assert [figure.label for figure in found if figure.value] == ["Completed"]
    notes = {figure.label: figure.note for figure in found}
    assert notes["p90 TTFT"] == "not reported"
    assert notes["Prefix hit share"] == "no cache counts reported"
    assert "64 failed" in notes["Completed"]
    unpriced = figures(point_row(POINT), Economics({}, {}, ""))["Cost per million tokens"]
    assert (unpriced.value, unpriced.note) == ("", "no price or power figure for its hardware")


def test_a_hit_share_above_the_whole_is_a_conflict_and_not_clipped(economics: Economics) -> None:
    row = point_row(POINT) | {"overall_hit_rate": 1.185}
    found = figures(row, economics)["Prefix hit share"]
    assert found.value in ("118", "119")
    assert found.tone == "conflict" and "above 100 %" in found.note


def test_a_percentile_of_few_requests_is_marked(economics: Economics) -> None:
    assert not figures(point_row(POINT), economics)["p90 TTFT"].few
    assert figures(point_row(POINT) | {"ttft_s_n": 99}, economics)["p90 TTFT"].few
