"""The bundled sample is what today's ingest makes of its sources, small, sound, and unofficial throughout."""

from __future__ import annotations

import hashlib
import importlib.util
from pathlib import Path
from types import ModuleType

import pyarrow.parquet as pq
import pytest

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "data" / "sample"

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sample", ROOT / "scripts" / "sample.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def checksums(store: Path) -> dict[str, str]:
    """SHA-256 of each table of points and requests."""
    files = [path for part in ("points", "requests") for path in (store / part).glob("*.parquet")]
    return {str(path.relative_to(store)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_sample_is_what_ingest_makes_of_its_sources(
    shared: Path, script: ModuleType, tmp_path: Path
) -> None:
    script.build(tmp_path / "store", shared / "real-data")
    assert checksums(tmp_path / "store") == checksums(SAMPLE), "renew it with: python scripts/sample.py"


def test_no_point_of_the_sample_is_official_and_more_than_one_curve_can_be_drawn() -> None:
    points = pq.read_table(SAMPLE / "points.parquet").to_pylist()
    assert points and not any(point["official"] for point in points)
    assert len({(point["hardware"], point["engine"]) for point in points if point["model"] == "kimik2.5"}) > 1


def test_the_sample_is_small_and_names_no_machine() -> None:
    files = [path for path in SAMPLE.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 5_000_000
    for point in pq.read_table(SAMPLE / "points.parquet").to_pylist():
        assert not any(artifact.startswith("/") for artifact in point["artifacts"])
