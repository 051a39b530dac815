"""ES modules that only some pages need: their addresses, with the release's fingerprint in the path.

What a module imports beside it is thereby of the same release, and browsers may keep all of it for a year.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from dashboard.resources import assets_dir

MODULES = "/modules"


def module_url(name: str) -> str:
    """The address of `assets/modules/<name>.js` in this release."""
    return f"{MODULES}/{module_fingerprint()}/{name}.js"


@cache
def module_sources() -> Mapping[str, bytes]:
    """The text of every module by name, as it was when it was first asked for."""
    return {path.stem: path.read_bytes() for path in sorted(Path(assets_dir(), "modules").glob("*.js"))}


@cache
def module_fingerprint() -> str:
    """Sixteen hex digits over all modules."""
    digest = hashlib.sha256()
    for name, source in module_sources().items():
        digest.update(name.encode() + b"\0" + source + b"\0")
    return digest.hexdigest()[:16]
