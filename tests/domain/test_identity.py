"""Identity: ids that never change their meaning, GPU counts by the harness's rule, labels people read."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.domain.catalog import Catalog
from dashboard.domain.identity import (
    Measurement,
    RawIdentity,
    RunIdentity,
    assemble_point,
    config_fields,
    config_id,
    identifier_of,
    is_official,
    point_id,
    readable_slug,
    scenario_of,
    unknown_names,
)
from dashboard.domain.ids import CONFIG_FIELDS
from dashboard.domain.records import Point, Role

RAW = RawIdentity(
    model="deepseek-ai/DeepSeek-V4-Pro",
    hardware="b300-nv",
    engine="vllm",
    precision="nvfp4",
    spec_method="mtp",
    offload="dram",
    offload_backend="lmcache",
    disaggregated=False,
    multi_node=False,
    decode=Role(tp=8, ep=8),
    image="vllm/vllm-openai:v0.99.0",
)
RUN = RunIdentity(
    "4711", "ci", 1, "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/4711/attempts/1"
)


def _point(catalog: Catalog, raw: RawIdentity = RAW, run: RunIdentity = RUN, **changes: Any) -> Point:
    where = {"source": "inferencex", "concurrency": 384, "scenario": "agentic"} | changes
    return assemble_point(catalog, raw, run, Measurement(), **where)


def test_a_config_id_is_the_hash_of_the_canonical_json_of_what_is_known() -> None:
    fields = {"model": "dsv4", "hardware": "b300", "decode_tp": 8, "decode_pp": None, "image": "ignored"}
    text = '{"decode_tp":8,"hardware":"b300","model":"dsv4"}'
    assert config_id(fields) == hashlib.sha256(text.encode()).hexdigest()[:10]


def test_a_point_id_is_the_hash_of_configuration_scenario_and_run() -> None:
    said = {"config_id": "abc", "concurrency": 8, "scenario": "8k1k", "run_id": "r", "isl": 8192, "osl": 1024}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    assert point_id("abc", 8, "8k1k", "r", None, 8192, 1024) == hashlib.sha256(text.encode()).hexdigest()[:10]


def test_ids_of_a_known_point_do_not_change(catalog: Catalog) -> None:
    """Links are kept by people: if this fails, every link in the world is broken."""
    point = _point(catalog)
    assert (point.config_id, point.point_id) == ("b362a4f10e", "f4b3fa1562")


def test_ids_do_not_depend_on_metrics_images_or_versions(catalog: Catalog) -> None:
    point = _point(catalog)
    measured = Measurement(requests_ok=5, scalars={"tput_total": 1.0}, notes=("another note",))
    again = assemble_point(
        catalog,
        replace(RAW, image="other:v2", offload_backend_version="0.5.3", router_version="9"),
        replace(RUN, date=date(2026, 8, 20)),
        measured,
        source="api",
        concurrency=384,
        scenario="agentic",
    )
    assert (again.config_id, again.point_id) == (point.config_id, point.point_id)


@pytest.mark.parametrize(
    "changed",
    [
        {"model": "Kimi-K3"},
        {"hardware": "b200"},
        {"engine": "sglang"},
        {"precision": "fp8"},
        {"spec_method": "none"},
        {"offload": "none", "offload_backend": None},
        {"offload_backend": "mooncake"},
        {"multi_node": True},
        {"decode": Role(tp=4, ep=8)},
        {"decode": Role(tp=8, ep=8, dp_attention=True)},
        {"kv_transfer": "nixl"},
        {"router": "dynamo-router"},
        {"recipe_fingerprint": "3f1c"},
    ],
)
def test_another_configuration_has_another_id(catalog: Catalog, changed: dict[str, Any]) -> None:
    assert _point(catalog, replace(RAW, **changed)).config_id != _point(catalog).config_id


@pytest.mark.parametrize(
    ("run", "changes"),
    [
        (replace(RUN, run_id="4712"), {}),
        (replace(RUN, attempt=2), {}),
        (replace(RUN, attempt=0), {}),
        (RUN, {"concurrency": 385}),
        (RUN, {"scenario": "8k1k", "isl": 8192, "osl": 1024}),
    ],
)
def test_another_run_attempt_concurrency_or_scenario_is_another_point_of_the_configuration(
    catalog: Catalog, run: RunIdentity, changes: dict[str, Any]
) -> None:
    point, other = _point(catalog), _point(catalog, run=run, **changes)
    assert other.config_id == point.config_id
    assert other.point_id != point.point_id


def test_degrees_that_old_rows_leave_out_are_one(catalog: Catalog) -> None:
    spelled = replace(RAW, decode=Role(workers=1, tp=8, pp=1, dcp=1, pcp=1, ep=8))
    assert _point(catalog, spelled).config_id == _point(catalog).config_id


@given(
    st.dictionaries(
        st.sampled_from(CONFIG_FIELDS), st.none() | st.text(max_size=5) | st.integers(2, 9), max_size=8
    )
)
def test_config_ids_ignore_the_order_of_fields_and_what_is_not_known(fields: dict[str, object]) -> None:
    backwards = {name: fields[name] for name in reversed(fields)}
    known = {name: value for name, value in fields.items() if value is not None}
    assert config_id(fields) == config_id(backwards) == config_id(known)
    assert identifier_of(config_id(fields)) == config_id(fields)


def test_a_stored_point_has_the_fields_its_id_was_formed_from(catalog: Catalog) -> None:
    point = _point(catalog)
    assert set(config_fields(point)) == set(CONFIG_FIELDS)
    assert config_id(config_fields(point)) == point.config_id


def test_canonical_names_stand_beside_raw_ones(catalog: Catalog) -> None:
    point = _point(catalog)
    assert (point.model, point.model_raw) == ("dsv4", "deepseek-ai/DeepSeek-V4-Pro")
    assert (point.hardware, point.hardware_raw, point.vendor) == ("b300", "b300-nv", "NVIDIA")
    assert (point.precision, point.precision_raw) == ("fp4", "nvfp4")
    assert (point.engine, point.engine_family) == ("vllm", "vllm")


def test_the_harness_key_of_a_model_goes_before_its_path(catalog: Catalog) -> None:
    point = _point(catalog, replace(RAW, model="/data/checkpoints/v4", model_key="dsv4-fp4"))
    assert (point.model, point.model_raw) == ("dsv4", "/data/checkpoints/v4")
    unknown_key = _point(catalog, replace(RAW, model="amd/Kimi-K2.5-MXFP4", model_key="kk"))
    assert unknown_key.model == "kimik2.5"


def test_what_is_unknown_stays_unknown(catalog: Catalog) -> None:
    point = _point(catalog, RawIdentity())
    assert point.model == "unknown"
    unknown = ("hardware", "vendor", "engine", "precision", "offload", "deployment", "gpus", "topology_label")
    assert {name: getattr(point, name) for name in unknown} == dict.fromkeys(unknown)


def test_unknown_names_are_kept_and_listed_with_their_kind(catalog: Catalog) -> None:
    raw = replace(RAW, model="acme/Rocket", hardware="z900", offload="tape", offload_backend="tapecache")
    point = _point(catalog, raw)
    assert (point.model, point.hardware, point.offload_backend) == ("rocket", "z900", "tapecache")
    assert (point.offload, point.offload_raw) == (None, "tape")
    assert dict(unknown_names(catalog, raw)) == {
        "model": "acme/Rocket",
        "hardware": "z900",
        "offload": "tape",
        "offload_backend": "tapecache",
    }
    assert not list(unknown_names(catalog, RAW))


@pytest.mark.parametrize(
    ("said", "backend", "offload", "canonical_backend"),
    [
        ("none", None, "none", None),
        ("off", None, "none", None),
        ("on", None, "dram", None),
        ("dram", "HiCache", "dram", "hicache"),
        ("lmcache", None, "dram", "lmcache"),
        ("hicache", None, "dram", "hicache"),
        (None, "mooncake", "dram", "mooncake"),
        ("nvme", "lmcache", "nvme", "lmcache"),
        ("none", "none", "none", None),
        (None, None, None, None),
    ],
)
def test_offload_in_all_its_spellings(
    catalog: Catalog,
    said: str | None,
    backend: str | None,
    offload: str | None,
    canonical_backend: str | None,
) -> None:
    point = _point(catalog, replace(RAW, offload=said, offload_backend=backend))
    assert (point.offload, point.offload_backend) == (offload, canonical_backend)


@pytest.mark.parametrize(
    ("changes", "deployment"),
    [
        ({"disaggregated": False, "multi_node": False}, "single_node"),
        ({"disaggregated": False, "multi_node": True}, "multi_node"),
        ({"disaggregated": True, "multi_node": True}, "disaggregated"),
        ({"disaggregated": None, "multi_node": None}, None),
        ({"disaggregated": None, "multi_node": True, "engine": "sglang-disagg"}, "disaggregated"),
        ({"disaggregated": None, "multi_node": True, "engine": "dynamo-vllm"}, "disaggregated"),
        ({"disaggregated": False, "multi_node": True, "engine": "dynamo-vllm"}, "multi_node"),
        (
            {"disaggregated": None, "prefill": Role(workers=1, tp=8), "decode": Role(workers=2, tp=8)},
            "disaggregated",
        ),
    ],
)
def test_deployment_is_what_is_said_else_what_workers_or_the_engine_imply(
    catalog: Catalog, changes: dict[str, Any], deployment: str | None
) -> None:
    assert _point(catalog, replace(RAW, **changes)).deployment == deployment


@pytest.mark.parametrize(
    ("url", "official"),
    [
        ("https://github.com/SemiAnalysisAI/InferenceX/actions/runs/27213443242/attempts/1", True),
        ("https://github.com/SemiAnalysisAI/InferenceX-e2e/actions/runs/27213443242", True),
        ("https://github.com/someone/InferenceX/actions/runs/27213443242", False),
        ("https://github.com/SemiAnalysisAI/Other/actions/runs/1", False),
        ("https://github.com.evil.example/SemiAnalysisAI/InferenceX/actions/runs/1", False),
        ("https://evil.example/?https://github.com/SemiAnalysisAI/InferenceX/actions/runs/1", False),
        (None, False),
    ],
)
def test_only_runs_of_the_benchmarks_own_repository_are_official(url: str | None, official: bool) -> None:
    assert is_official(url) is official


def test_a_readable_address_ends_in_the_id() -> None:
    row = {"model": "dsv4", "hardware": "b300", "engine": "vllm", "precision": "fp4", "concurrency": 384}
    assert readable_slug(row, "3f9a1c07b2") == "dsv4-b300-vllm-fp4-c384-3f9a1c07b2"
    assert readable_slug({"model": "glm5.2", "hardware": None}, "3f9a1c07b2") == "glm5.2-3f9a1c07b2"


@given(st.dictionaries(st.sampled_from(["model", "hardware", "engine", "precision"]), st.text()))
def test_any_names_make_an_address_that_leads_back_to_the_id(names: dict[str, str]) -> None:
    slug = readable_slug(names, "3f9a1c07b2")
    assert identifier_of(slug) == "3f9a1c07b2"
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789.-")


@pytest.mark.parametrize("slug", ["", "dsv4-b300", "3f9a1c07b", "3F9A1C07B2", "x3f9a1c07b2", "3f9a1c07b2/.."])
def test_an_address_without_an_id_leads_nowhere(slug: str) -> None:
    assert identifier_of(slug) is None


@pytest.mark.parametrize(
    ("isl", "osl", "scenario"),
    [
        (8192, 1024, "8k1k"),
        (1024, 1024, "1k1k"),
        (1024, 8192, "1k8k"),
        (500, 2048, "500x2k"),
        (100, 50, "100x50"),
    ],
)
def test_a_fixed_sequence_scenario_is_named_by_its_lengths(isl: int, osl: int, scenario: str) -> None:
    assert scenario_of(isl, osl) == scenario
