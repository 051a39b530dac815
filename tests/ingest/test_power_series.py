"""Board power over time: the dialects of its tables, each GPU on its own."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from dashboard.ingest.power_series import read_power_series
from dashboard.ingest.run_files import run_files

ARTIFACTS = Path(__file__).resolve().parents[3] / "shared" / "aiperf-artifacts"
SMI = """timestamp, index, power.draw [W], power.limit [W], utilization.gpu [%]
2026/08/20 11:02:03.114, 0, 842.31 W, 1000.00 W, 98 %
2026/08/20 11:02:03.116, 1, [N/A], 1000.00 W, 97 %
2026/08/20 11:02:04.114, 0, 850.00 W, 1000.00 W, 98 %
2026/08/20 11:02:04.116, 1, 700 W, 1000.00 W, 97 %
2026/08/20 11:02:05.116, 1, 710 W, 1000.00 W, 97 %
"""
AMD = """a banner line
timestamp,gpu,socket_power,gfx_activity
1787310123,0,1187,99
1787310124,0,1190,99
"""
DCGM = """schema_version,timestamp_unix,scrape_seq,hostname,gpu_index,gpu_uuid,power_w
1,1787310123.204,57,node-a,0,GPU-0000-example,911.4
1,1787310123.204,57,node-b,0,GPU-0001-example,700
1,1787310124.204,58,node-a,0,GPU-0000-example,912
1,1787310124.204,58,node-b,0,GPU-0001-example,701
"""


def read(folder: Path, name: str, text: str) -> list[dict[str, Any]]:
    (folder / name).write_text(text)
    table, findings = read_power_series(None, (folder / name,), "run")
    assert findings == []
    return [] if table is None else table.to_pylist()


def test_nvidia_smi_has_units_in_its_cells_and_gaps(tmp_path: Path) -> None:
    rows = read(tmp_path, "gpu_metrics.csv", SMI)
    first = int(datetime(2026, 8, 20, 11, 2, 3, tzinfo=UTC).timestamp()) * 10**9 + 114_000_000
    assert [(row["rank"], row["t_ns"] - first, row["value"]) for row in rows] == [
        ("0", 0, 842.31),
        ("1", 1_002_000_000, 700.0),
    ]
    assert {(row["metric"], row["statistic"], row["width_s"]) for row in rows} == {("power_w", "mean", 1.0)}


def test_amd_smi_counts_in_seconds_after_a_banner(tmp_path: Path) -> None:
    (row,) = read(tmp_path, "power.csv", AMD)
    assert (row["t_ns"], row["value"], row["width_s"]) == (1787310123 * 10**9, 1187.0, 1.0)


def test_dcgm_tells_nodes_apart(tmp_path: Path) -> None:
    rows = read(tmp_path, "samples.csv", DCGM)
    assert [(row["worker"], row["rank"], row["value"]) for row in rows] == [
        ("node-a", "0", 911.4),
        ("node-b", "0", 700.0),
    ]
    assert rows[0]["t_ns"] == 1787310123_204_000_000


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "\x00\x01", "timestamp,gpu,power\nnever,0,1\n"])
def test_what_is_no_table_of_power_gives_nothing(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, "power.csv", text) == []


def test_a_table_beside_several_runs_belongs_to_none_of_them(tmp_path: Path) -> None:
    for name in ("aiperf_artifacts", "c16"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "profile_export_aiperf.json").write_text("{}")
    (tmp_path / "gpu_metrics.csv").write_text(SMI)
    assert run_files(tmp_path / "c16").power_tables == ()
    assert run_files(tmp_path / "aiperf_artifacts").power_tables == (tmp_path / "gpu_metrics.csv",)


@pytest.mark.real
@pytest.mark.skipif(not ARTIFACTS.is_dir(), reason="../shared/aiperf-artifacts is not there")
def test_the_gpu_telemetry_of_a_real_run_is_kept_to_the_digit(tmp_path: Path) -> None:
    import tarfile

    name = "synth-c16/gpu_telemetry_export.jsonl"
    with tarfile.open(ARTIFACTS / "synth-c16.tar.gz") as archive:
        archive.extract(name, tmp_path, filter="data")
    lines = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
    table, _ = read_power_series(tmp_path / name, (), "run")
    assert table is not None
    for gpu in {line["gpu_index"] for line in lines}:
        told = sorted(
            (line["timestamp_ns"], line["telemetry_data"]["nvidia_power_usage"])
            for line in lines
            if line["gpu_index"] == gpu
        )
        kept = [(r["t_ns"], r["value"]) for r in table.to_pylist() if r["rank"] == str(gpu)]
        assert kept == told[:-1]
