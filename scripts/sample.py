"""Rebuild data/sample from the public result files that lie beside the checkout: `python scripts/sample.py`.

What it holds, and under which licence, stands in data/sample/README.md. This is the one place that selects.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from dashboard.domain.catalog import load_catalog
from dashboard.ingest.pipeline import IngestOptions, ingest
from dashboard.ingest.summary import lines_for_people
from dashboard.resources import catalog_dir

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "data" / "sample"
REAL_DATA = ROOT.parent / "shared" / "real-data"
FORK = "agentx-fork-mi355x-b200"

#: Batches and runs that their authors marked as faulty stay out; so do sources under another licence.
PATTERNS = (f"{FORK}/aggregate-rows/*.json", f"{FORK}/runs/*", "agentx-new-schema/*.json")
LEFT_OUT = ("faulty", "index.json")


def sources(real_data: Path = REAL_DATA) -> list[Path]:
    """The files and folders that the sample is made of, in the order of their names."""
    found = [path for pattern in PATTERNS for path in sorted(real_data.glob(pattern))]
    return [path for path in found if not any(part in path.name for part in LEFT_OUT)]


def build(store: Path, real_data: Path = REAL_DATA) -> list[str]:
    """Ingest the selection into `store`; what the ingest has to say."""
    options = IngestOptions(store, load_catalog(catalog_dir()), {}, None)
    return list(lines_for_people(ingest(sources(real_data), options), verbose=False))


def clear() -> None:
    """Remove the old store; the README beside it stays."""
    for path in SAMPLE.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != "README.md":
            path.unlink()


def main() -> int:
    """Exit status 0, or 1 with a sentence where the result files are absent."""
    if not sources():
        print("No result files: shared/real-data is not beside the checkout.", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / "store"
        print(*build(fresh), sep="\n")
        clear()
        shutil.copytree(fresh, SAMPLE, dirs_exist_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
