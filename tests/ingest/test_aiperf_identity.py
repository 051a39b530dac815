"""Who was measured: what a person says, what the client was told, what only the folder's name says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.domain.catalog import Catalog
from dashboard.domain.records import Point
from dashboard.ingest.folder_names import identity_in
from dashboard.ingest.identity_settings import IDENTITY_KEYS, setting_error
from tests.ingest.aiperf_runs import codes, read_run, record, summary, write_run


def point(folder: Path, catalog: Catalog, **identity: str) -> Point:
    found = read_run(folder, catalog, **identity).point
    assert found is not None
    return found


# What a person says


def test_a_lone_folder_knows_its_load_and_nothing_of_the_server(tmp_path: Path, catalog: Catalog) -> None:
    found = point(write_run(tmp_path / "x", [record()], summary()), catalog)
    assert (found.model, found.concurrency, found.scenario) == ("kimik2.5", 8, "agentic")
    unknown = (found.hardware, found.engine, found.precision, found.offload, found.deployment, found.gpus)
    assert set(unknown) == {None}
    assert (found.source, found.official, found.named_by_file) == ("aiperf", False, ())


def test_set_fills_in_the_deployment(tmp_path: Path, catalog: Catalog) -> None:
    said = {"hardware": "b200-dgxc", "engine": "vllm", "precision": "nvfp4", "tp": "8", "ep": "8"}
    found = point(write_run(tmp_path / "x", [record()], summary()), catalog, **said, offload="lmcache")
    assert (found.hardware, found.vendor, found.engine, found.precision) == ("b200", "NVIDIA", "vllm", "fp4")
    assert (found.hardware_raw, found.precision_raw, found.offload_raw) == ("b200-dgxc", "nvfp4", "lmcache")
    assert (found.offload, found.offload_backend) == ("dram", "lmcache")
    assert (found.topology_label, found.gpus) == ("TEP8", 8)
    assert found.named_by_file == ()


def test_a_disaggregated_deployment_is_said_by_role(tmp_path: Path, catalog: Catalog) -> None:
    settings = 'deployment = "disaggregated"\n[prefill]\nworkers = 2\ntp = 4\n[decode]\nworkers = 1\ntp = 8\n'
    found = point(write_run(tmp_path / "x", [record()], summary(), point__toml=settings), catalog)
    assert (found.deployment, found.gpus) == ("disaggregated", 16)
    assert (found.prefill.workers, found.prefill.gpus, found.decode.gpus) == (2, 8, 8)


@pytest.mark.parametrize("place", ["runs/c8/point.toml", "runs/point.toml"])
def test_point_toml_in_the_folder_or_beside_it_is_read(tmp_path: Path, catalog: Catalog, place: str) -> None:
    folder = write_run(tmp_path / "runs" / "c8", [record()], summary())
    (tmp_path / place).write_text('hardware = "mi355x"\ntp = 4\ndp_attention = true\n')
    found = point(folder, catalog)
    assert (found.hardware, found.decode.tp, found.decode.dp_attention) == ("mi355x", 4, True)
    assert found.named_by_file == ()


def test_point_toml_above_a_sweep_speaks_for_all_its_cells(tmp_path: Path, catalog: Catalog) -> None:
    sweep = tmp_path / "b300-sweep"
    cell = write_run(sweep / "profile_runs" / "trial_0001" / "concurrency_4", [record()], summary())
    (sweep / "point.toml").write_text('hardware = "b300"\n')
    assert point(cell, catalog).hardware == "b300"


def test_set_goes_before_point_toml_which_goes_before_the_artifact(tmp_path: Path, catalog: Catalog) -> None:
    folder = write_run(
        tmp_path / "h100-c2", [record()], summary(), point__toml='hardware = "b200"\nmodel = "dsv4"'
    )
    assert (point(folder, catalog).hardware, point(folder, catalog).model) == ("b200", "dsv4")
    assert point(folder, catalog, hardware="b300").hardware == "b300"


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ("hardwear = 'b200'", "hardwear"),
        ("tp = 'eight'", "tp"),
        ("tp = -8", "tp"),
        ("tp = 0", "tp"),
        ("dp_attention = 'maybe'", "dp_attention"),
        ("deployment = 'cloud'", "deployment"),
        ("hardware = ''", "hardware"),
        ("[prefill]\nshape = 3", "prefill_shape"),
        ("not toml", "point.toml"),
    ],
)
def test_a_wrong_setting_is_named_and_left_out(
    tmp_path: Path, catalog: Catalog, content: str, field: str
) -> None:
    reading = read_run(write_run(tmp_path / "x", [record()], summary(), point__toml=content), catalog)
    assert reading.point is not None and reading.point.decode.tp is None
    assert field in [f.field for f in reading.findings if f.severity == "warning"]


def test_settings_are_checked_before_an_ingest_begins() -> None:
    assert setting_error("tp", "8") is None
    assert setting_error("deployment", "multi_node") is None
    assert "hardware" in (setting_error("hardwear", "b200") or "")
    assert "whole number" in (setting_error("tp", "8.5") or "")
    assert "true or false" in (setting_error("dp_attention", "True") or "")


@given(st.sampled_from(sorted(IDENTITY_KEYS)), st.text(max_size=30))
def test_any_value_of_a_setting_is_judged_without_raising(key: str, value: str) -> None:
    assert setting_error(key, value) is None or key in str(setting_error(key, value))


# What only a name says


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "b200-kimik2.5-tp8-c16-lmcache",
            {
                "hardware": "b200", "model": "kimik2.5", "tp": "8", "concurrency": "16",
                "offload_backend": "lmcache",
            },
        ),
        ("agentx-nooffload-c04", {"offload": "none", "concurrency": "4"}),
        ("agentx-offload-c12-w4", {"offload": "on", "concurrency": "12"}),
        (
            "kimik2.5_tp8_conc1_offloadnone_fp4_vllm_tp8-ep1-dpafalse_disagg-false_spec-none_b200-node33",
            {
                "model": "kimik2.5", "tp": "8", "concurrency": "1", "offload": "none", "precision": "fp4",
                "engine": "vllm", "ep": "1", "dp_attention": "false", "spec_method": "none",
                "hardware": "b200",
            },
        ),
        (
            "dsv4_fp4_dynamo-vllm_prefill-tp4-ep4-nw2_decode-tp8-nw1_disagg-true_spec-mtp_conc64_gb200-nv",
            {
                "model": "dsv4", "precision": "fp4", "engine": "dynamo-vllm", "prefill_tp": "4",
                "prefill_ep": "4", "prefill_workers": "2", "decode_tp": "8", "decode_workers": "1",
                "deployment": "disaggregated",
                "spec_method": "mtp", "concurrency": "64", "hardware": "gb200",
            },
        ),
        ("sigterm-mid-profiling", {}),
        ("my_first_run", {}),
        ("70b-test", {"model": "70b"}),
        ("kimi-k2.5-vllm-simple", {"model": "kimi-k2.5", "offload_backend": "vllm-simple"}),
    ],
)  # fmt: skip
def test_names_spell_out_what_was_measured(name: str, expected: dict[str, str], catalog: Catalog) -> None:
    assert identity_in([name], catalog) == expected


def test_the_name_of_an_experiment_does_not_give_its_plain_run_a_backend(catalog: Catalog) -> None:
    names = ["kimik2.5-fp4-b200-vllm-agentic-lmcache", "tp8_conc1_offloadnone"]
    assert "offload_backend" not in identity_in(names, catalog)


def test_what_comes_from_a_name_is_marked(tmp_path: Path, catalog: Catalog) -> None:
    found = point(write_run(tmp_path / "b200-tp8-c16-nooffload", [record()], summary()), catalog)
    assert (found.hardware, found.decode.tp, found.offload) == ("b200", 8, "none")
    assert found.named_by_file == ("decode_tp", "hardware", "offload")
    assert found.concurrency == 8, "the client knows its own load better than the name"


def test_what_a_person_says_is_not_marked(tmp_path: Path, catalog: Catalog) -> None:
    found = point(write_run(tmp_path / "b200-tp8", [record()], summary()), catalog, hardware="b300", tp="4")
    assert (found.hardware, found.decode.tp, found.named_by_file) == ("b300", 4, ())


def test_an_index_beside_the_runs_tells_where_each_came_from(tmp_path: Path, catalog: Catalog) -> None:
    folder = write_run(tmp_path / "run-17", [record()], summary())
    source = "results/glm5.1-fp8-mi355x-sglang-agentic/agentic_tp4_conc8_offloadhicache"
    (tmp_path / "index.json").write_text(json.dumps([{"dir": "run-17", "source": source}]))
    found = point(folder, catalog)
    assert (found.hardware, found.engine, found.precision, found.decode.tp) == ("mi355x", "sglang", "fp8", 4)
    assert (found.offload, found.offload_backend) == ("dram", "hicache")
    assert {"hardware", "engine", "precision", "decode_tp", "offload"} <= set(found.named_by_file)


@pytest.mark.parametrize("index", ["[", "{}", '[{"dir": 3}, 5, {"dir": "run-17"}]', "[[]]"])
def test_a_broken_index_says_nothing(tmp_path: Path, catalog: Catalog, index: str) -> None:
    folder = write_run(tmp_path / "run-17", [record()], summary())
    (tmp_path / "index.json").write_text(index)
    assert point(folder, catalog).named_by_file == ()


# Runs that wrote no summary


def test_a_command_line_beside_the_records_tells_the_load(tmp_path: Path, catalog: Catalog) -> None:
    command = "agentx profile -m moonshotai/Kimi-K2.5 --concurrency 4 --input-file traces12"
    found = point(write_run(tmp_path / "x", [record()], command__txt=command), catalog)
    assert (found.model, found.concurrency, found.scenario) == ("kimik2.5", 4, "agentic")
    assert (found.dataset_slug, found.command_line) == ("traces12", command)


def test_records_that_name_their_trace_are_a_replay(tmp_path: Path, catalog: Catalog) -> None:
    assert point(write_run(tmp_path / "x", [record()]), catalog).scenario == "agentic"
    plain = record(0, without=["source_trace_id", "source_outer_idx"])
    assert point(write_run(tmp_path / "y", [plain]), catalog).scenario == "unknown"


def test_a_cell_of_a_sweep_keeps_its_configuration_in_a_file_of_its_own(
    tmp_path: Path, catalog: Catalog
) -> None:
    config = json.dumps({"benchmark_id": "b", "cfg": summary()["input_config"]})
    found = point(write_run(tmp_path / "x", [record()], run_config__json=config), catalog)
    assert (found.model, found.concurrency) == ("kimik2.5", 8)


def test_names_the_catalog_does_not_know_are_kept_and_named(tmp_path: Path, catalog: Catalog) -> None:
    reading = read_run(write_run(tmp_path / "x", [record()], summary()), catalog, hardware="abacus-9000")
    assert reading.point is not None and reading.point.hardware == "abacus"
    assert "unknown_name" in codes(reading.findings)
