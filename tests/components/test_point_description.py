"""The one description of a point: every fact of the row, unknown where unknown, conflicts shown as such."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest

from components.facts import cache_section, fact_list
from components.point_description import (
    cache_note,
    cache_shares,
    configuration,
    errors,
    headline,
    origin,
    requests,
    spellings,
)
from components.point_row import moment, number, text
from components.point_row import words as listed
from tests.components.scenes import naming
from tests.components.tree import elements, links, words

ROW: dict[str, Any] = {
    "model": "dsv4",
    "scenario": "agentic",
    "hardware": "b300",
    "engine": "vllm",
    "precision": "fp4",
    "official": True,
    "source": "inferencex",
    "concurrency": 128,
    "topology_label": "2×TP8 + 1×DEP16",
    "deployment": "disaggregated",
    "gpus": 32,
    "gpus_rule": "prefill + decode, stated",
    "prefill_workers": 2,
    "prefill_tp": 8,
    "prefill_gpus": 16,
    "decode_workers": 1,
    "decode_tp": 16,
    "decode_ep": 16,
    "decode_dp_attention": True,
    "decode_gpus": 16,
    "spec_method": "mtp",
    "offload": "dram",
    "offload_backend": "lmcache",
    "offload_backend_version": "0.4.2",
    "requests_ok": 4187,
    "requests_failed": 3,
    "requests_cancelled": 0,
    "prompt_tokens_client": 412e6,
    "hbm_hit_rate": 0.713,
    "offload_hit_rate": 0.186,
    "overall_hit_rate": 0.899,
    "theoretical_hit_rate": 0.938,
    "hit_rate_basis": "engine counters",
    "run_id": "7001",
    "run_attempt": 2,
    "run_url": "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/7001",
    "image": "vllm-openai:v0.19.1",
    "measured_at": datetime(2026, 11, 27, 3, 14),
}


def told(facts: Any) -> dict[str, str]:
    return {fact.label: fact.value for fact in facts}


def test_the_headline_names_stack_scope_and_origin() -> None:
    who = headline(ROW, naming)
    assert who.stack == "B300 vLLM FP4" and who.scope == "DeepSeek-V4-Pro · agentic · concurrency 128"
    assert who.badges == ()
    assert headline({**ROW, "official": False}, naming).badges == ("UNOFFICIAL",)
    assert headline({**ROW, "source": "simulated"}, naming).badges == ("SIMULATED",)


def test_an_unknown_name_is_said_to_be_unknown() -> None:
    who = headline({"model": "dsv4"}, naming)
    assert who.stack == "unknown hardware unknown engine unknown precision"
    assert who.scope.endswith("concurrency unknown")


def test_configuration_gives_topology_per_role_and_the_rule_that_counted_the_gpus() -> None:
    facts = configuration(ROW, naming)
    values = told(facts)
    assert values["Topology"] == "2×TP8 + 1×DEP16, disaggregated"
    assert (
        values["Prefill"] == "2 workers · TP8" and values["Decode"] == "1 worker · TP16 EP16 · DP attention"
    )
    assert values["KV offload"] == "DRAM, LMCache" and values["Backend"] == "0.4.2"
    gpus = next(fact for fact in facts if fact.label == "GPUs")
    assert (gpus.value, gpus.note) == ("32", "prefill + decode, stated")


def test_what_the_source_does_not_say_is_unknown_and_never_zero() -> None:
    values = told(configuration({"gpus": None, "offload": None}, naming))
    assert values == dict.fromkeys(("Topology", "GPUs", "Spec decoding", "KV offload"), "unknown")
    assert told(requests({"requests_ok": None})) == {}
    assert cache_shares({"hbm_hit_rate": None}) == () and cache_section({}) == []


def test_no_offload_is_told_apart_from_unknown_offload() -> None:
    assert told(configuration({"offload": "none"}, naming))["KV offload"] == "none"


def test_a_conflict_about_gpus_is_shown() -> None:
    conflict = "the artifact states 64 GPUs (TP × EP); TP × PP × PCP gives 8"
    [fact] = [f for f in configuration({**ROW, "gpus_conflict": conflict}, naming) if f.label == "GPU count"]
    assert (fact.value, fact.tone) == (conflict, "conflict")


def test_requests_are_counted_by_fate_and_tokens_by_who_counted() -> None:
    facts = {(fact.label, fact.note): fact for fact in requests({**ROW, "prompt_tokens_server": 401e6})}
    assert facts["ok", ""].value == "4\u202f187"
    assert (facts["failed", ""].value, facts["failed", ""].tone) == ("3", "failed")
    assert (facts["cancelled", ""].value, facts["cancelled", ""].tone) == ("0", "")
    assert facts["prompt", "client"].value == "412M tok" and facts["prompt", "server"].value == "401M tok"


def test_hit_rates_stand_beside_the_theoretical_one_with_their_basis() -> None:
    assert [(share.label, share.theoretical) for share in cache_shares(ROW)] == [
        ("HBM hit", False),
        ("Offload hit", False),
        ("Overall hit", False),
        ("Theoretical", True),
    ]
    assert cache_note(ROW) == "89.9\u202f% of 93.8\u202f% reached. Basis: engine counters."
    bars = elements(cache_section(ROW))
    assert [b.attributes["style"]["width"] for b in bars if b.tag == "i"] == [
        "71.3%",
        "18.6%",
        "89.9%",
        "93.8%",
    ]


def test_a_share_above_one_is_a_conflict_and_not_clipped_in_words() -> None:
    found = elements(cache_section({"hbm_hit_rate": 1.07}))
    [figure] = [e for e in found if "conflict" in e.classes]
    assert figure.words == "107\u202f%"


def test_provenance_links_the_run_and_names_image_and_time() -> None:
    facts = origin(ROW)
    values = told(facts)
    assert values["Run"] == "7001, attempt 2" and values["Measured"] == "27 Nov 2026, 03:14 UTC"
    assert [link.attributes["href"] for link in links(fact_list(facts))] == [ROW["run_url"]]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "<script>", "file:///etc/passwd", ""])
def test_only_web_addresses_are_followed(url: str) -> None:
    assert links(fact_list(origin({**ROW, "run_url": url}))) == []


def test_values_taken_from_a_file_name_are_marked() -> None:
    assert (
        told(origin({"named_by_file": ["hardware", "engine"]}))["Taken from a file name"]
        == "hardware, engine"
    )


def test_the_artifacts_own_words_are_kept_where_they_differ() -> None:
    row = {"hardware": "b300", "hardware_raw": "b300-nv", "engine": "vllm", "engine_raw": "vllm"}
    assert told(spellings(row)) == {"hardware": "b300-nv"}


def test_errors_are_listed_by_category() -> None:
    assert errors({"error_categories": {"Timeout": 3}}) == {"Timeout": 3} and errors({}) == {}


def test_a_value_from_an_artifact_is_text() -> None:
    assert "<script>" in words(fact_list(origin({**ROW, "image": "<script>alert(1)</script>"})))


def test_rows_are_read_as_plain_values() -> None:
    assert (
        number({"x": float("nan")}, "x") is None
        and number({"x": True}, "x") is None
        and number({}, "x") is None
    )
    assert text({"x": ""}, "x") is None and listed({"x": None}, "x") == ()
    assert moment({"x": date(2026, 11, 7)}, "x") == "7 Nov 2026"
