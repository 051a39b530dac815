"""`agentx-dashboard sample`: what it makes and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from dashboard.cli import EXIT_UNDERSTOOD, EXIT_WRONG_USE, main
from dashboard.simulate.plan import DATASET


def test_a_scaled_sample_is_a_store_with_its_conversations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "store"
    asked = ["sample", "--store", str(store), "--scale", "1", "--requests", "30"]
    assert main(asked) == EXIT_UNDERSTOOD
    assert capsys.readouterr().out == f"1 simulated points in {store}\n"
    (row,) = pq.read_table(store / "points.parquet").to_pylist()
    assert (row["source"], row["requests_total"], row["dataset_slug"]) == ("simulated", 30, DATASET)
    assert (store / "datasets" / DATASET / "turns.parquet").is_file()


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        (["--scale", "0"], "--scale 0"),
        (["--scale", "2", "--requests", "-1"], "--requests -1"),
        (["--seed", "-5"], "--seed -5"),
        (["--requests", "5"], "give both"),
    ],
)
def test_a_size_that_is_none_is_refused_in_a_sentence(
    flags: list[str], word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sample", "--store", str(tmp_path / "store"), *flags]) == EXIT_WRONG_USE
    assert word in capsys.readouterr().err
    assert not (tmp_path / "store").exists()
