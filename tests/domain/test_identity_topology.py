"""GPUs of a deployment (data-contracts 2.4) and the short form of its parallelism (peer-features 1.8)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.domain.identity import count_gpus, topology_label
from dashboard.domain.records import Role

DEGREE = st.integers(1, 64)


@pytest.mark.parametrize(
    ("role", "gpus"),
    [
        (Role(tp=8), 8),
        (Role(tp=8, ep=8), 8),
        (Role(tp=8, ep=8, dp_attention=True), 8),
        (Role(tp=4, pp=2), 8),
        (Role(tp=4, pcp=2), 8),
        (Role(tp=8, dcp=8), 8),
    ],
)
def test_a_single_server_uses_tp_times_pp_times_pcp(role: Role, gpus: int) -> None:
    count = count_gpus(Role(), role, "single_node")
    assert (count.total, count.decode, count.prefill) == (gpus, gpus, None)
    assert count.rule == "TP × PP × PCP"
    assert count.conflict is None


def test_a_count_of_tp_times_ep_on_one_server_is_a_conflict_and_not_believed() -> None:
    """The public site states 64 GPUs for a server with TP 8 and EP 8; its rates are per physical GPU."""
    role = Role(tp=8, ep=8, gpus=64)
    count = count_gpus(role, role, "single_node")
    assert count.total == 8
    assert count.conflict is not None
    assert "64" in count.conflict
    assert "8" in count.conflict


def test_a_mirrored_count_of_an_aggregated_deployment_is_the_total_not_half_of_it() -> None:
    role = Role(tp=8, gpus=8)
    assert count_gpus(role, role, "single_node").total == 8


def test_another_stated_count_wins_and_the_contradiction_is_named() -> None:
    count = count_gpus(Role(), Role(tp=8, gpus=16), "single_node")
    assert (count.total, count.rule) == (16, "stated")
    assert count.conflict == "TP × PP × PCP gives 8 GPUs; the artifact states 16"


def test_a_stated_total_is_used_where_degrees_are_missing() -> None:
    assert count_gpus(Role(), Role(), "single_node", 8).total == 8
    assert count_gpus(Role(), Role(gpus=8), None).total == 8


def test_nothing_known_is_no_count() -> None:
    count = count_gpus(Role(), Role(), None)
    assert (count.total, count.rule, count.conflict) == (None, None, None)


def test_an_aggregated_multi_node_deployment_multiplies_by_its_workers() -> None:
    prefill = Role(workers=4, tp=8, pp=1, pcp=1, gpus=32)
    count = count_gpus(prefill, Role(pp=1, dcp=1, pcp=1), "multi_node")
    assert (count.total, count.decode, count.rule) == (32, 32, "workers × TP × PP × PCP")


def test_stated_pools_of_a_disaggregated_deployment_add_up() -> None:
    count = count_gpus(Role(workers=2, tp=8, gpus=16), Role(workers=1, tp=4, gpus=4), "disaggregated")
    assert (count.total, count.prefill, count.decode) == (20, 16, 4)
    assert count.rule == "prefill + decode, stated"


def test_pools_without_stated_counts_are_workers_times_degrees() -> None:
    count = count_gpus(Role(workers=2, tp=4, pp=2), Role(workers=1, tp=16), "disaggregated")
    assert (count.total, count.prefill, count.decode) == (32, 16, 16)
    assert count.rule == "workers × TP × PP × PCP"


def test_stated_pools_win_over_placeholder_degrees() -> None:
    """Rows of December 2025 write TP 1 for every worker, but state how many GPUs each pool has."""
    count = count_gpus(Role(workers=5, tp=1, gpus=40), Role(workers=1, tp=1, gpus=32), "disaggregated")
    assert (count.total, count.conflict) == (72, None)


def test_a_total_mirrored_into_both_pools_is_not_doubled() -> None:
    role = Role(tp=36, ep=1, gpus=36)
    count = count_gpus(role, role, "disaggregated")
    assert (count.total, count.prefill, count.decode) == (36, None, None)


def test_equal_pools_with_workers_do_add_up() -> None:
    role = Role(workers=1, tp=8, gpus=8)
    assert count_gpus(role, role, "disaggregated").total == 16


def test_a_stated_total_that_pools_do_not_reach_is_a_conflict() -> None:
    count = count_gpus(Role(workers=1, tp=8, gpus=8), Role(workers=1, tp=8, gpus=8), "disaggregated", 24)
    assert (count.total, count.prefill, count.decode) == (24, 8, 8)
    assert count.conflict is not None


def test_one_pool_alone_is_no_total() -> None:
    assert count_gpus(Role(workers=1, tp=8), Role(), "disaggregated").total is None


@given(workers=DEGREE, tp=DEGREE, pp=DEGREE, pcp=DEGREE, dcp=DEGREE, ep=DEGREE)
def test_expert_and_decode_context_parallelism_never_add_gpus(
    workers: int, tp: int, pp: int, pcp: int, dcp: int, ep: int
) -> None:
    role = Role(workers=workers, tp=tp, pp=pp, pcp=pcp, dcp=dcp, ep=ep)
    assert count_gpus(Role(), role, "multi_node").total == workers * tp * pp * pcp


@given(tp=DEGREE, ep=st.integers(2, 64), pp=DEGREE)
def test_every_tp_times_ep_count_is_flagged_and_corrected(tp: int, ep: int, pp: int) -> None:
    count = count_gpus(Role(), Role(tp=tp, pp=pp, ep=ep, gpus=tp * pp * ep), "single_node")
    assert count.total == tp * pp
    assert count.conflict is not None


@pytest.mark.parametrize(
    ("role", "label"),
    [
        (Role(tp=8), "TP8"),
        (Role(tp=8, ep=1), "TP8"),
        (Role(tp=8, ep=8), "TEP8"),
        (Role(tp=8, ep=8, dp_attention=True), "DEP8"),
        (Role(tp=8, ep=8, gpus=64), "TEP8"),
        (Role(tp=8, dp_attention=True), "DPA-TP8"),
        (Role(tp=1, ep=4), "EP4"),
        (Role(tp=1, ep=32, dp_attention=True), "DPA-EP32"),
        (Role(tp=8, ep=4), "TP8/EP4"),
        (Role(tp=4, pp=2), "TP4/PP2"),
        (Role(tp=8, dcp=8), "TP8/DCP8"),
        (Role(tp=8, pcp=2), "TP8/PCP2"),
        (Role(tp=1, ep=1), "TP1"),
        (Role(workers=4, tp=8), "4×TP8"),
        (Role(), None),
    ],
)
def test_an_aggregated_deployment_is_written_as_one_role(role: Role, label: str | None) -> None:
    assert topology_label(Role(), role, "single_node") == label
    assert topology_label(role, role, "multi_node") == label
    assert topology_label(role, Role(), "multi_node") == label


DEP16 = Role(workers=1, tp=16, ep=16, dp_attention=True)
DPA_EP32 = Role(workers=1, tp=1, ep=32, dp_attention=True)


@pytest.mark.parametrize(
    ("prefill", "decode", "label"),
    [
        (Role(workers=2, tp=8), DEP16, "2×TP8 + 1×DEP16"),
        (Role(workers=1, tp=8, ep=8), DEP16, "TEP8 + DEP16"),
        (Role(workers=2, tp=1, ep=4), DPA_EP32, "2×EP4 + 1×DPA-EP32"),
        (Role(workers=2, tp=8), Role(), "2×TP8"),
        (Role(workers=5, tp=1, gpus=40), Role(workers=1, tp=1, gpus=32), "5×8 GPU + 1×32 GPU"),
        (Role(workers=3, tp=1, gpus=10), Role(workers=1, tp=8, gpus=8), "10 GPU + 1×TP8"),
        (Role(tp=36, gpus=36), Role(tp=36, gpus=36), "36 GPU"),
        (Role(), Role(), None),
    ],
)
def test_a_disaggregated_deployment_is_written_as_two_pools(
    prefill: Role, decode: Role, label: str | None
) -> None:
    assert topology_label(prefill, decode, "disaggregated") == label


@given(tp=DEGREE, ep=DEGREE, dp_attention=st.booleans() | st.none())
def test_degrees_of_one_are_not_written(tp: int, ep: int, dp_attention: bool | None) -> None:
    bare = Role(tp=tp, ep=ep, dp_attention=dp_attention)
    spelled = replace(bare, workers=1, pp=1, dcp=1, pcp=1)
    assert topology_label(Role(), bare, "single_node") == topology_label(Role(), spelled, "single_node")
