"""Renew the vendored browser files in `assets/` from their npm packages, and write `assets/VENDORED.md`.

Run it by hand when a version changes: `python scripts/vendor.py`. It needs `npm` (for `npm pack`) and the
registry that npm is configured for. The plotly.js version must equal the one inside the installed plotly
package; a test compares them.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

ASSETS = Path(__file__).resolve().parent.parent / "assets"


@dataclass(frozen=True, slots=True)
class Vendored:
    """One file taken from one npm package, under the name it has in `assets/`."""

    package: str
    version: str
    member: str
    target: str
    licence: str
    purpose: str


VENDORED = (
    Vendored(
        "bootstrap",
        "5.3.9",
        "package/dist/css/bootstrap.min.css",
        "10-bootstrap.min.css",
        "MIT",
        "base styles; light and dark through data-bs-theme",
    ),
    Vendored(
        "plotly.js-cartesian-dist-min",
        "4.1.1",
        "package/plotly-cartesian.min.js",
        "plotly-cartesian-4.1.1.min.js",
        "MIT",
        "charts; window.Plotly keeps Dash from loading its own bundle, three times the size",
    ),
)

_SOURCE_MAP = re.compile(rb"\n?/[*/]# sourceMappingURL=[^\n]*")

_HEAD = """# Vendored files

Written by `scripts/vendor.py`; do not edit by hand. Licence texts are in `licences/`. The checksum is of the
file as it stands here (the source-map comment of the last line is dropped, nothing else is changed).

| file | package | version | licence | SHA-256 | what for |
|---|---|---|---|---|---|
"""


def fetch(item: Vendored) -> tuple[bytes, bytes]:
    """The file and its licence text, read from the package that `npm pack` delivers."""
    with tempfile.TemporaryDirectory() as folder:
        name = f"{item.package}@{item.version}"
        subprocess.run(["npm", "pack", "--silent", name], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        [archive] = Path(folder).glob("*.tgz")
        with tarfile.open(archive) as package:
            return _member(package, item.member), _member(package, "package/LICENSE")


def _member(package: tarfile.TarFile, name: str) -> bytes:
    stream = package.extractfile(name)
    if stream is None:
        raise SystemExit(f"{name} is not a file of the package; look at its contents and correct VENDORED.")
    return stream.read()


def write(item: Vendored) -> str:
    """Put the file and its licence in place; returns the row of VENDORED.md."""
    content, licence = fetch(item)
    content = _SOURCE_MAP.sub(b"", content)
    (ASSETS / item.target).write_bytes(content)
    licences = ASSETS / "licences"
    licences.mkdir(exist_ok=True)
    (licences / f"{item.package}.txt").write_bytes(licence)
    digest = hashlib.sha256(content).hexdigest()
    cells = (f"`{item.target}`", item.package, item.version, item.licence, f"`{digest}`", item.purpose)
    return f"| {' | '.join(cells)} |\n"


def main() -> None:
    """Fetch every vendored file and record what was fetched."""
    (ASSETS / "VENDORED.md").write_text(_HEAD + "".join(write(item) for item in VENDORED), encoding="utf-8")


if __name__ == "__main__":
    main()
