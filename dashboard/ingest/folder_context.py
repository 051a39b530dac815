"""What is known about an AIPerf folder before it is opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.domain.catalog import Catalog
from dashboard.domain.identity import RunIdentity


@dataclass(frozen=True, slots=True)
class FolderContext:
    """Catalog, what a person said (`--set`), the run the folder belongs to, the folder's name for people.

    Keys of `identity` are those of `identity_settings.IDENTITY_KEYS`; `setting_error` has checked the values.
    """

    catalog: Catalog
    identity: Mapping[str, str]
    run: RunIdentity
    artifact: str
