"""What a reader asked to see: the filters of a page, independent of how a URL spells them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date

#: Filters with several values at once; an empty tuple means "all". The order is the order on the screen.
FACETS = ("precision", "vendor", "hardware", "engine", "deployment", "spec_method", "offload", "official")

#: What a facet calls a point whose source does not say (a null in the store).
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Choice:
    """One model, one scenario, and the facet filters (values OR-ed within a facet, facets AND-ed).

    None for model or scenario lets the store pick the one with most drawable points. `official` holds
    "official" and / or "unofficial". The value "unknown" selects nulls. `since` and `until` bound run_date,
    both inclusive.
    """

    model: str | None = None
    scenario: str | None = None
    precision: tuple[str, ...] = ()
    vendor: tuple[str, ...] = ()
    hardware: tuple[str, ...] = ()
    engine: tuple[str, ...] = ()
    deployment: tuple[str, ...] = ()
    spec_method: tuple[str, ...] = ()
    offload: tuple[str, ...] = ()
    official: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None

    def without(self, facet: str) -> Choice:
        """The same choice with one facet opened to all values, as its own counts need it."""
        return Choice(**{f.name: getattr(self, f.name) for f in fields(self) if f.name != facet})


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value of a facet and how many points the rest of the choice leaves it; 0 is shown disabled."""

    value: str
    count: int
    chosen: bool
