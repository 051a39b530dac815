"""Where the files that travel with the program are: in a checkout, or bundled into an installed wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def assets_dir() -> Path:
    """Style sheets, scripts and the vendored bundles that the browser loads."""
    return _folder("assets")


def catalog_dir() -> Path:
    """The TOML files of canonical names, prices and power."""
    return _folder("data/catalog")


def sample_store_dir() -> Path:
    """The store that is shown when none is named."""
    return _folder("data/sample")


def _folder(relative: str) -> Path:
    bundled = _PACKAGE / "_bundled" / relative
    return bundled if bundled.is_dir() else _PACKAGE.parent / relative
