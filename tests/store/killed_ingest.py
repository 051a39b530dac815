"""An ingest to be killed, as a process of its own. Run by `test_kill.py`."""

from __future__ import annotations

from dataclasses import replace
from multiprocessing.synchronize import Event
from pathlib import Path

from dashboard.store.writer import StoreWriter
from tests import invented

#: Ten without requests, four with.
POINTS = (*invented.points()[:10], *(point for point in invented.points() if point.has_requests))


def ingest(store: Path, image: str, begins: Event | None = None) -> None:
    """Put the points into a store, all of them marked with an image name."""
    if begins is not None:
        begins.set()
    with StoreWriter(store, "0.0.0-test") as writer:
        for point in POINTS:
            requests = invented.requests(point, 60) if point.has_requests else None
            writer.put(replace(point, image=image), requests)
        writer.findings(invented.findings())
