"""The catalog: models, accelerators, engines, aliases, dated prices and power, from `data/catalog/*.toml`."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar, get_args

from dashboard.domain.metric import Economics
from dashboard.domain.spelling import folded, hardware_spellings, model_spellings

Kind = Literal["model", "hardware", "engine", "precision", "offload", "offload_backend", "spec_method"]
KINDS: tuple[Kind, ...] = get_args(Kind)

#: Price tiers a reader chooses from, the default first; what they mean stands in `economics.toml`.
TIERS = ("own", "rental", "neocloud")


_LABELLED: tuple[Kind, ...] = ("precision", "offload", "offload_backend", "spec_method")
_Record = TypeVar("_Record")


class CatalogError(ValueError):
    """The catalog folder cannot be read; the message names the file and what to do."""


@dataclass(frozen=True, slots=True)
class Canonical:
    """A canonical name, None where the source says nothing; `known` tells whether the catalog lists it."""

    name: str | None
    known: bool


@dataclass(frozen=True, slots=True)
class Model:
    """One model. Parameters in the vendor's words (`1.6T`); `agentic`: the agentic scenario runs it."""

    key: str
    label: str
    status: str
    parameters: str | None = None
    active_parameters: str | None = None
    released: date | None = None
    agentic: bool = False


@dataclass(frozen=True, slots=True)
class Accelerator:
    """One accelerator: place in legends, data-sheet figures (units in the names; TFLOPS dense, per GPU)."""

    key: str
    label: str
    vendor: str
    sort: int
    tdp_w: float | None = None
    hbm_gb: float | None = None
    hbm_type: str | None = None
    hbm_tb_per_s: float | None = None
    fp4_tflops: float | None = None
    fp8_tflops: float | None = None
    bf16_tflops: float | None = None
    scale_up_gb_per_s: float | None = None
    scale_up_world: int | None = None
    gpus_per_node: int | None = None


@dataclass(frozen=True, slots=True)
class Engine:
    """One serving engine as stacks name it; `disaggregated` is what the bare name implies, if anything."""

    key: str
    label: str
    family: str
    disaggregated: bool | None = None


@dataclass(frozen=True, slots=True)
class Survey:
    """Prices (USD per GPU and hour; tier, accelerator) and power (kW per GPU) that hold from a day on."""

    valid_from: date
    source: str
    usd_per_gpu_hour: Mapping[str, Mapping[str, float]]
    kw_per_gpu: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Catalog:
    """All names the product knows. Names outside it are kept as they are; see `canonical`."""

    models: Mapping[str, Model]
    accelerators: Mapping[str, Accelerator]
    engines: Mapping[str, Engine]
    engine_families: Mapping[str, str]
    labels: Mapping[str, Mapping[str, str]]
    aliases: Mapping[str, Mapping[str, str]]
    model_suffixes: tuple[str, ...]
    tiers: Mapping[str, str]
    surveys: tuple[Survey, ...]

    def names(self, kind: Kind) -> Mapping[str, str]:
        """Canonical names of a kind with their labels, in the catalog's order."""
        if kind == "model":
            return {key: model.label for key, model in self.models.items()}
        if kind == "hardware":
            return {key: chip.label for key, chip in self.accelerators.items()}
        if kind == "engine":
            return {key: engine.label for key, engine in self.engines.items()}
        return self.labels[kind]

    def canonical(self, kind: Kind, raw: str | None) -> Canonical:
        """The canonical name of a spelling. An unknown one is kept in lower case; an empty one is no name."""
        if raw is None or not raw.strip():
            return Canonical(None, False)
        spellings = self._spellings(kind, raw)
        names, aliases = self.names(kind), self.aliases.get(kind, {})
        for spelling in spellings:
            name = aliases.get(spelling, spelling)
            if name in names:
                return Canonical(name, True)
        return Canonical(spellings[-1], False)

    def _spellings(self, kind: Kind, raw: str) -> tuple[str, ...]:
        if kind == "hardware":
            return hardware_spellings(raw) or (folded(raw),)
        if kind == "model":
            return model_spellings(raw, self.model_suffixes) or (folded(raw),)
        return (folded(raw),)

    def label(self, kind: Kind, name: str) -> str:
        """What a reader sees for a canonical name; an unknown name is its own label."""
        return self.names(kind).get(name, name)

    def vendor(self, hardware: str | None) -> str | None:
        """Vendor of an accelerator, None when the catalog does not know it."""
        chip = self.accelerators.get(hardware) if hardware else None
        return chip.vendor if chip else None

    def engine_family(self, engine: str | None) -> str | None:
        """Family key of an engine (`vllm` of `dynamo-vllm`); an unknown engine is its own family."""
        known = self.engines.get(engine) if engine else None
        return known.family if known else engine

    def economics(self, tier: str, on: date | None, own: Mapping[str, float]) -> Economics:
        """Prices of a tier and power that held on a day (None: the newest), the reader's own merged in.

        Accelerators without a figure by then are left out, so that their money metrics are missing, not zero.
        Raises KeyError for a tier that is not in `TIERS`.
        """
        tier_label = self.tiers[tier]
        held = tuple(survey for survey in self.surveys if on is None or survey.valid_from <= on)
        prices, days, sources = _newest((survey, survey.usd_per_gpu_hour.get(tier, {})) for survey in held)
        power, _, _ = _newest((survey, survey.kw_per_gpu) for survey in held)
        replaced = {key: usd for key, usd in own.items() if math.isfinite(usd) and usd > 0}
        note = f"{tier_label}, {_months(days)} · {', '.join(sources)}" if prices else "no price known"
        if replaced:
            yours = ", ".join(f"{key} {usd:.2f}" for key, usd in sorted(replaced.items()))
            note = f"{note}; your price: {yours}"
        return Economics(MappingProxyType(prices | replaced), MappingProxyType(power), note)


def load_catalog(folder: Path) -> Catalog:
    """The catalog of a folder of TOML files. Raises CatalogError naming the file that is missing or wrong."""
    models, accelerators = _toml(folder / "models.toml"), _toml(folder / "accelerators.toml")
    engines, labels = _toml(folder / "engines.toml"), _toml(folder / "labels.toml")
    aliases, economics = _toml(folder / "aliases.toml"), _toml(folder / "economics.toml")
    try:
        suffixes = tuple(aliases.pop("model_suffixes"))
        return Catalog(
            models=_records(Model, models),
            accelerators=_records(Accelerator, accelerators),
            engines=_records(Engine, engines["engines"]),
            engine_families=MappingProxyType(engines["families"]),
            labels=MappingProxyType({kind: labels[kind] for kind in _LABELLED}),
            aliases=MappingProxyType(aliases),
            model_suffixes=suffixes,
            tiers=MappingProxyType(economics["tiers"]),
            surveys=tuple(sorted(map(_survey, economics["survey"]), key=lambda survey: survey.valid_from)),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise CatalogError(f"The catalog in {folder} has a wrong or missing entry: {error}.") from error


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise CatalogError(f"The catalog file {path} is missing; restore it from the distribution.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CatalogError(f"The catalog file {path} is not valid TOML: {error}.") from error


def _records(record: Callable[..., _Record], entries: Mapping[str, Any]) -> Mapping[str, _Record]:
    return MappingProxyType({key: record(key, **entry) for key, entry in entries.items()})


def _survey(entry: Mapping[str, Any]) -> Survey:
    prices = {tier: MappingProxyType(entry[tier]) for tier in TIERS if tier in entry}
    power = MappingProxyType(entry.get("kw_per_gpu", {}))
    return Survey(entry["valid_from"], entry["source"], MappingProxyType(prices), power)


def _newest(
    figures: Iterable[tuple[Survey, Mapping[str, float]]],
) -> tuple[dict[str, float], list[date], list[str]]:
    """Per accelerator the figure of the last survey that has one; with the days and sources in use."""
    values: dict[str, float] = {}
    origin: dict[str, Survey] = {}
    for survey, by_hardware in figures:
        values |= by_hardware
        origin |= dict.fromkeys(by_hardware, survey)
    days = sorted({survey.valid_from for survey in origin.values()})
    return values, days, sorted({survey.source for survey in origin.values()})


def _months(days: list[date]) -> str:
    """`Aug 2026`, or `Jul 2026 to Aug 2026` where figures of several surveys are in use."""
    return " to ".join(dict.fromkeys(f"{day:%b %Y}" for day in (days[0], days[-1])))
