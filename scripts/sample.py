"""Rebuild the bundled sample store and its README: `python scripts/sample.py`. Takes some minutes."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq

from dashboard.domain.catalog import load_catalog
from dashboard.resources import catalog_dir
from dashboard.simulate.plan import SPECIALS
from dashboard.simulate.sample import SampleOptions, build_sample

SAMPLE = Path(__file__).resolve().parents[1] / "data" / "sample"
README = SAMPLE / "README.md"

#: Between these lines the README lists the points that exist to show something.
FIRST, LAST = "<!-- points -->", "<!-- end of points -->"


def build(folder: Path = SAMPLE) -> int:
    """Simulate the sample aside, then put it in place of what `folder` holds; the exit code of the ingest."""
    with tempfile.TemporaryDirectory(prefix="agentx-sample-") as scratch:
        store = Path(scratch) / "store"
        status = build_sample(SampleOptions(store, load_catalog(catalog_dir()))).exit_code
        shutil.copy(README, store)
        shutil.rmtree(folder)
        shutil.copytree(store, folder)
    return status


def special_points(store: Path) -> list[str]:
    """A table line for each point that is in the plan for a reason, with its permalinks."""
    columns = ["point_id", "run_id", "concurrency", "offload", "measured_at"]
    rows = pq.read_table(store / "points.parquet", columns=columns).to_pylist()
    lines = ["| what it shows | run | concurrency | permalink |", "|---|---|---|---|"]
    for special in SPECIALS:
        key = special.run, special.concurrency, "dram" if special.offload else "none"
        found = [row for row in rows if (row["run_id"], row["concurrency"], row["offload"]) == key]
        ids = [row["point_id"] for row in sorted(found, key=lambda row: row["measured_at"])]
        links = ", ".join(f"`/point/{point_id}`" for point_id in ids)
        lines.append(f"| {special.shows} | {special.run} | {special.concurrency} | {links} |")
    return lines


def update_readme() -> None:
    """Put the table of special points into the README."""
    before, _, rest = README.read_text("utf-8").partition(FIRST)
    after = rest.partition(LAST)[2]
    table = "\n".join(special_points(SAMPLE))
    README.write_text(f"{before}{FIRST}\n{table}\n{LAST}{after}", "utf-8")


if __name__ == "__main__":
    status = build()
    update_readme()
    sys.exit(status)
