"""The catalog: spellings become canonical names, unknown ones stay, prices hold from a day on."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.domain.catalog import KINDS, TIERS, Catalog, CatalogError, Kind, load_catalog

FOLDER = Path(__file__).parents[2] / "data" / "catalog"
CATALOG = load_catalog(FOLDER)


@pytest.mark.parametrize(
    ("kind", "raw", "name"),
    [
        ("hardware", "b200", "b200"),
        ("hardware", "B200-dgxc", "b200"),
        ("hardware", "cluster:b300-nv", "b300"),
        ("hardware", "mi355x-disagg", "mi355x"),
        ("hardware", " gb300 ", "gb300"),
        ("model", "dsv4", "dsv4"),
        ("model", "dsv4pro", "dsv4"),
        ("model", "kimik2.5-fp4", "kimik2.5"),
        ("model", "deepseek-ai/DeepSeek-V4-Pro", "dsv4"),
        ("model", "amd/Kimi-K2.5-MXFP4", "kimik2.5"),
        ("model", "models/Kimi-K2.5-NVFP4", "kimik2.5"),
        ("model", "Qwen/Qwen3.5-397B-A17B-FP8", "qwen3.5"),
        ("model", "MiniMaxAI/MiniMax-M2.5", "minimaxm2.5"),
        ("model", "zai-org/GLM-5.1-FP8", "glm5.1"),
        ("engine", "sglang-disagg", "mori-sglang"),
        ("engine", "atom-disagg", "mooncake-atom"),
        ("engine", "trtllm", "trt"),
        ("engine", "dynamo-trtllm", "dynamo-trt"),
        ("precision", "nvfp4", "fp4"),
        ("precision", "MXFP4", "fp4"),
        ("spec_method", "MTP", "mtp"),
        ("offload", "on", "dram"),
        ("offload", "off", "none"),
        ("offload", "lmcache", "dram"),
        ("offload", "hicache", "dram"),
        ("offload_backend", "HiCache", "hicache"),
        ("offload_backend", "vllm_simple", "vllm-simple"),
    ],
)
def test_spellings_of_artifacts_have_one_canonical_name(
    catalog: Catalog, kind: Kind, raw: str, name: str
) -> None:
    canonical = catalog.canonical(kind, raw)
    assert (canonical.name, canonical.known) == (name, True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("raw", [None, "", "   "])
def test_an_empty_spelling_is_no_name(catalog: Catalog, kind: Kind, raw: str | None) -> None:
    canonical = catalog.canonical(kind, raw)
    assert (canonical.name, canonical.known) == (None, False)


def test_an_unknown_name_is_kept_in_lower_case(catalog: Catalog) -> None:
    for kind, raw, kept in (
        ("hardware", "cluster:Z900-lab", "z900"),
        ("model", "acme/Rocket-9B-FP8", "rocket-9b"),
        ("engine", "NewServe", "newserve"),
    ):
        canonical = catalog.canonical(kind, raw)  # type: ignore[arg-type]
        assert (canonical.name, canonical.known) == (kept, False)
        assert catalog.label(kind, kept) == kept  # type: ignore[arg-type]


@given(kind=st.sampled_from(KINDS), raw=st.text())
def test_any_text_gets_a_name_and_canonical_names_stay_what_they_are(kind: Kind, raw: str) -> None:
    catalog = CATALOG
    canonical = catalog.canonical(kind, raw)
    assert (canonical.name is None) == (not raw.strip())
    if canonical.known:
        assert canonical.name is not None
        assert catalog.canonical(kind, canonical.name) == canonical


def test_every_alias_leads_to_a_name_of_the_catalog(catalog: Catalog) -> None:
    for kind, aliases in catalog.aliases.items():
        assert kind in KINDS
        for spelling, name in aliases.items():
            assert spelling == spelling.lower()
            assert name in catalog.names(kind), f"{kind} alias {spelling} leads to {name}"


def test_every_engine_has_a_family_with_a_label(catalog: Catalog) -> None:
    assert {engine.family for engine in catalog.engines.values()} == set(catalog.engine_families)
    assert catalog.engine_family("dynamo-sglang") == "sglang"
    assert catalog.engine_family("mooncake-atom") == "atom"
    assert catalog.engine_family("newserve") == "newserve"
    assert catalog.engine_family(None) is None


def test_every_accelerator_has_a_vendor_and_its_own_place_in_legends(catalog: Catalog) -> None:
    places = [chip.sort for chip in catalog.accelerators.values()]
    assert places == sorted(set(places))
    assert catalog.vendor("mi355x") == "AMD"
    assert catalog.vendor("gb300") == "NVIDIA"
    assert catalog.vendor("z900") is None
    assert catalog.vendor(None) is None


def test_every_accelerator_has_a_price_and_a_power_figure(catalog: Catalog) -> None:
    economics = catalog.economics("own", None, {})
    assert set(economics.usd_per_gpu_hour) == set(catalog.accelerators)
    assert set(economics.kw_per_gpu) == set(catalog.accelerators)


def test_prices_are_those_of_the_tier_and_day(catalog: Catalog) -> None:
    assert catalog.economics("own", None, {}).usd_per_gpu_hour["b300"] == 2.26
    assert catalog.economics("rental", None, {}).usd_per_gpu_hour["b300"] == 4.25
    assert catalog.economics("own", date(2026, 5, 1), {}).usd_per_gpu_hour["b300"] == 2.34
    assert catalog.economics("own", date(2026, 5, 1), {}).kw_per_gpu["b300"] == 2.17
    assert catalog.economics("rental", date(2026, 7, 15), {}).usd_per_gpu_hour["mi355x"] == 2.1


def test_power_that_a_survey_does_not_restate_still_holds(catalog: Catalog) -> None:
    assert catalog.economics("own", date(2026, 7, 15), {}).kw_per_gpu["b300"] == 2.17


def test_a_tier_that_was_given_up_keeps_its_last_figures_and_says_their_month(catalog: Catalog) -> None:
    economics = catalog.economics("neocloud", None, {})
    assert economics.usd_per_gpu_hour["mi355x"] == 2.09
    assert "tpuv7" not in economics.usd_per_gpu_hour
    assert "Jul 2026" in economics.price_note


def test_before_the_first_survey_there_is_no_price(catalog: Catalog) -> None:
    economics = catalog.economics("own", date(2025, 1, 1), {})
    assert not economics.usd_per_gpu_hour
    assert not economics.kw_per_gpu
    assert economics.price_note == "no price known"


def test_the_readers_own_price_replaces_one_price_and_is_named(catalog: Catalog) -> None:
    economics = catalog.economics(
        "own", None, {"b300": 2.5, "h100": float("nan"), "h200": -1.0, "gb200": 0.0}
    )
    assert economics.usd_per_gpu_hour["b300"] == 2.5
    assert economics.usd_per_gpu_hour["h100"] == 1.17
    assert economics.usd_per_gpu_hour["h200"] == 1.22
    assert economics.usd_per_gpu_hour["gb200"] == 1.86
    assert economics.price_note.startswith("own-and-operate, Aug 2026 · SemiAnalysis TCO model")
    assert economics.price_note.endswith("your price: b300 2.50")


def test_every_tier_is_explained_and_an_unknown_one_is_an_error(catalog: Catalog) -> None:
    assert set(catalog.tiers) == set(TIERS)
    with pytest.raises(KeyError):
        catalog.economics("retail", None, {})


def test_a_missing_or_broken_catalog_file_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "catalog"
    shutil.copytree(FOLDER, folder)
    (folder / "engines.toml").write_text("[engines.vllm\n")
    with pytest.raises(CatalogError, match=r"engines\.toml"):
        load_catalog(folder)
    (folder / "engines.toml").unlink()
    with pytest.raises(CatalogError, match=r"engines\.toml"):
        load_catalog(folder)


def test_an_entry_with_an_unknown_field_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "catalog"
    shutil.copytree(FOLDER, folder)
    with (folder / "accelerators.toml").open("a") as file:
        file.write('\n[z900]\nlabel = "Z900"\nvendor = "Acme"\nsort = 99\ncolour = "green"\n')
    with pytest.raises(CatalogError, match="colour"):
        load_catalog(folder)
