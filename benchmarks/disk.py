"""How much room points take."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Measure
from benchmarks.stores import make_store

POINTS = 100_000


def points_on_disk(folder: Path) -> Iterator[Measure]:
    """Bytes of the index of 100,000 points, which is what pages read."""
    store = make_store(folder / "store", POINTS)
    index = (store / "points.parquet").stat().st_size / 1e6
    yield Measure("100,000 points on disk, the index", index, "MB", 40)
