"""Words for canonical names: the catalog's, and those of the few facets that it does not hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.domain.catalog import KINDS, Catalog
from dashboard.domain.choice import UNKNOWN

#: Each facet's word on the rail, in the order of the screen.
FACET_WORDS: Mapping[str, str] = {
    "precision": "Precision",
    "vendor": "Vendor",
    "hardware": "Hardware",
    "engine": "Engine",
    "deployment": "Deploy",
    "spec_method": "Spec dec",
    "offload": "Offload",
    "official": "Official",
}
_DEPLOYMENTS = {
    "single_node": "Single node",
    "multi_node": "Multi-node",
    "disaggregated": "Disaggregated",
}
_OFFICIAL = {"official": "Official", "unofficial": "Unofficial"}
_SCENARIOS = {"agentic": "Agentic"}


@dataclass(frozen=True, slots=True)
class Wording:
    """What a reader sees for a canonical name."""

    catalog: Catalog

    def label(self, kind: str, name: str) -> str:
        """The words for one name of a kind or facet; a name that nothing knows is shown as it is."""
        if name == UNKNOWN:
            return UNKNOWN
        if kind == "deployment":
            return _DEPLOYMENTS.get(name, name)
        if kind == "official":
            return _OFFICIAL.get(name, name)
        if kind == "scenario":
            return _SCENARIOS.get(name, scenario_words(name))
        return next((self.catalog.label(known, name) for known in KINDS if known == kind), name)

    def optional(self, kind: str, name: str | None) -> str:
        """The words for a name, or that it is unknown."""
        return self.label(kind, name) if name else UNKNOWN


def scenario_words(name: str) -> str:
    """A fixed-sequence scenario as input and output length: `8k1k` is "8k in / 1k out"."""
    halves = [half for half in name.split("k") if half]
    plain = len(halves) == 2 and all(half.isdigit() for half in halves) and name.endswith("k")
    return f"{halves[0]}k in / {halves[1]}k out" if plain else name
