"""Damaged and hostile artifacts through the whole ingest: a sentence for each, no traceback, no half point.

Each kind of damage is tried in one ingest over many damaged copies, side by side with a sound one.
"""

from __future__ import annotations

import copy
import json
import os
import random
import shutil
import signal
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from dashboard.domain.catalog import Catalog
from dashboard.ingest.pipeline import IngestOptions, ingest
from dashboard.ingest.summary import IngestSummary
from dashboard.store.check import check
from dashboard.store.connection import Store
from tests.ingest.aiperf_runs import failed, jsonl, record, summary, warmup, write_run
from tests.ingest.forked_ingests import Forked, forked_ingests
from tests.ingest.inferencex_rows import api, early_agentic, fixed, nested

ROWS = json.dumps([nested(), early_agentic(), fixed(), api()], indent=1).encode()
RECORDS = jsonl([warmup(0), *(record(n) for n in range(1, 12)), failed(12)])
SUMMARY = json.dumps(summary()).encode()
SERVER = b"# AIPerf\n\nEndpoint,Metric,Type,Key,Value\nhttp://a,vllm:prompt_tokens,counter,total,100\n"

#: Kinds of files and, per kind, how a folder with a damaged one is made.
FILES = {
    "rows.json": ROWS,
    "profile_export.jsonl": RECORDS,
    "profile_export_aiperf.json": SUMMARY,
    "server_metrics_export.csv": SERVER,
    "point.toml": b'hardware = "b300"\n[decode]\ntp = 8\n',
}
HOSTILE = (
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 400, "-1", "1.5", "true", "null", '""', "[]",
    "{}", '"<script>alert(1)</script>"', '"\\u0000\\ud800"', "[" * 60 + "]" * 60,
    '{"a":' * 60 + "1" + "}" * 60,
)  # fmt: skip


@pytest.fixture
def taken(tmp_path: Path, catalog: Catalog) -> Callable[[Path], IngestSummary]:
    """Ingests a folder beside a sound row and checks what every ingest must leave."""

    def run(folder: Path) -> IngestSummary:
        (folder / "sound").mkdir()
        (folder / "sound" / "row.json").write_text(json.dumps(nested({"conc": 4096})))
        store = tmp_path / "store"
        result = ingest([folder], IngestOptions(store, catalog))
        assert check(store) == ()
        assert 4096 in pq.read_table(store / "points.parquet")["concurrency"].to_pylist()
        for finding in result.findings:
            assert finding.code != "reader_failed", finding
            assert finding.artifact.startswith("in"), finding
            assert finding.detail.isprintable(), finding
        return result

    return run


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    return folder


def damaged_copies(source: Path, name: str, versions: Iterator[bytes]) -> None:
    """One folder per version of the file; the other files of a run stand beside it whole."""
    for number, content in enumerate(versions):
        folder = source / f"{number:03d}"
        folder.mkdir()
        if name != "rows.json":
            for other in ("profile_export.jsonl", "profile_export_aiperf.json"):
                (folder / other).write_bytes(FILES[other])
        (folder / name).write_bytes(content)


def cut(content: bytes) -> Iterator[bytes]:
    return (content[: len(content) * percent // 100] for percent in range(100))


def flipped(content: bytes) -> Iterator[bytes]:
    dice = random.Random(7)
    for _ in range(100):
        damaged = bytearray(content)
        for _ in range(dice.choice((1, 1, 3, 20))):
            damaged[dice.randrange(len(damaged))] ^= 1 << dice.randrange(8)
        yield bytes(damaged)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", [cut, flipped])
def test_a_file_cut_at_every_percent_or_with_flipped_bytes(
    name: str,
    damage: Callable[[bytes], Iterator[bytes]],
    source: Path,
    taken: Callable[[Path], IngestSummary],
) -> None:
    damaged_copies(source, name, damage(FILES[name]))
    result = taken(source)
    if name == "rows.json" and damage is cut:
        assert result.added == 1, "no row of a cut file may become a point"
        assert len(result.refused) == 100
    if name == "profile_export.jsonl" and damage is cut:
        told = {finding.artifact for finding in result.findings if finding.severity != "info"}
        whole_lines = {len(RECORDS[: len(RECORDS) * p // 100]) for p in range(100)} & line_ends(RECORDS)
        assert len(told) >= 100 - len(whole_lines), "each torn file is named"


def line_ends(content: bytes) -> set[int]:
    return {place + 1 for place, byte in enumerate(content) if byte == ord("\n")} | {0}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from leaves(inner, (*path, key))


def with_mark(value: Any, path: tuple[Any, ...], mark: str) -> str:
    """JSON of `value` with what stands at `path` replaced by the raw text `mark`."""
    changed = copy.deepcopy(value)
    target = changed
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = "@@mark@@"
    return json.dumps(changed).replace('"@@mark@@"', mark)


@pytest.mark.parametrize("row", [nested(), early_agentic(), fixed(), api()], ids=["v3", "early", "v1", "api"])
def test_a_row_with_any_value_in_any_place(
    row: dict[str, Any], source: Path, taken: Callable[[Path], IngestSummary]
) -> None:
    dice = random.Random(11)
    places = list(leaves(row))
    texts = [with_mark(row, path, mark) for path in places for mark in dice.sample(HOSTILE, 2)]
    (source / "rows.json").write_text(f"[{','.join(texts)}]", encoding="utf-8")
    result = taken(source)
    assert all(finding.field for finding in result.findings if finding.artifact == "in/rows.json")


def test_records_with_any_value_in_any_place(source: Path, taken: Callable[[Path], IngestSummary]) -> None:
    dice = random.Random(13)
    for number, path in enumerate(leaves(record(3))):
        lines = [json.dumps(record(n)) for n in range(200)]
        lines[3:5] = [with_mark(record(3), path, mark) for mark in dice.sample(HOSTILE, 2)]
        write_run(source / f"{number:03d}", lines)
    taken(source)


def test_a_summary_with_any_value_in_any_place(source: Path, taken: Callable[[Path], IngestSummary]) -> None:
    dice = random.Random(17)
    block = {"unit": "ms", "avg": 1.0, "p50": 1.0, "p90": 2.0, "p99": 3.0, "max": 4.0, "std": 0.5, "count": 8}
    client = summary(time_to_first_token=block, request_latency=block, inter_token_latency=block)
    for number, path in enumerate(leaves(client)):
        for mark in dice.sample(HOSTILE, 2):
            folder = source / f"{number:03d}-{HOSTILE.index(mark)}"
            write_run(folder, profile_export_aiperf__json=with_mark(client, path, mark))
    taken(source)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig", "latin-1", "cp037"])
def test_wrong_encodings(encoding: str, source: Path, taken: Callable[[Path], IngestSummary]) -> None:
    text = json.dumps([nested({"image": "größe"})], ensure_ascii=False)
    damaged_copies(source, "rows.json", iter([text.encode(encoding)]))
    write_run(source / "run", [record(0)])
    (source / "run" / "profile_export_aiperf.json").write_bytes(json.dumps(summary()).encode(encoding))
    (source / "run" / "server_metrics_export.csv").write_bytes(SERVER.decode().encode(encoding))
    taken(source)


def test_names_of_artifacts_may_be_markup_or_control_characters(
    source: Path, taken: Callable[[Path], IngestSummary]
) -> None:
    for name in (
        "<script>alert(1)</script>",
        "a\nb",
        "\x1b[2J",
        "‮gnp.exe",
        "x" * 200,
        "'; DROP TABLE points;--",
    ):
        write_run(source / name.replace("/", "|"), [record(0)], summary())
        (source / f"{name.replace('/', '|')}.json").write_text("{")
    result = taken(source)
    assert result.exit_code == 1


def test_hostile_archives_write_nothing_outside_and_hide_no_point(
    source: Path, tmp_path: Path, taken: Callable[[Path], IngestSummary]
) -> None:
    row = json.dumps(nested({"conc": 3})).encode()
    with zipfile.ZipFile(source / "dots.zip", "w") as out:
        out.writestr("good.json", row)
        out.writestr("../../outside.json", row)
    with tarfile.open(source / "links.tar.gz", "w:gz") as out:
        link = tarfile.TarInfo("secret.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        out.addfile(link)
    with zipfile.ZipFile(source / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("zeros.json", bytes(64 << 20))
    before = {path for path in tmp_path.rglob("*") if "store" not in path.parts}
    result = taken(source)
    after = {path for path in tmp_path.rglob("*") if "store" not in path.parts}
    assert {path.name for path in after - before} == {"sound", "row.json"}
    assert result.added == 1, "nothing of a refused archive becomes a point"
    assert {finding.artifact for finding in result.refused} == {
        "in/dots.zip",
        "in/links.tar.gz",
        "in/bomb.zip",
    }


def test_an_ingest_of_this_very_store_changes_nothing(
    source: Path, tmp_path: Path, catalog: Catalog, taken: Callable[[Path], IngestSummary]
) -> None:
    taken(source)
    result = ingest([tmp_path / "store", source], IngestOptions(tmp_path / "store", catalog))
    assert (result.added, result.replaced, result.refused) == (0, 0, ())


def test_kill_9_at_random_moments_leaves_the_store_as_it_was_or_complete(
    source: Path, tmp_path: Path, catalog: Catalog
) -> None:
    """More kills with AGENTX_KILLS; quality.md asks for 100."""
    store, clean, more = tmp_path / "store", tmp_path / "clean", source / "more"
    (source / "first.json").write_text(json.dumps([nested({"conc": n}) for n in range(1, 8)]))
    ingest([source], IngestOptions(store, catalog))
    kept = bytes_of(store / "points")
    for number in range(3):
        write_run(more / f"c{number}", [record(n + 1000 * number) for n in range(60)], summary())
    (more / "rows.json").write_text(json.dumps([early_agentic({"conc": n}) for n in range(1, 25)]))
    shutil.copytree(store, clean)
    dice = random.Random(23)
    with forked_ingests() as ingests:
        whole = timed(ingests, clean, more)
        for number in range(int(os.environ.get("AGENTX_KILLS", "5"))):
            victim = tmp_path / f"killed-{number}"
            shutil.copytree(store, victim)
            process = ingests.start(victim, more)
            time.sleep(dice.uniform(0.02, 1.0) * whole)
            os.kill(process, signal.SIGKILL)
            ingests.wait()
            assert Store(victim).info().points in (len(kept), len(bytes_of(clean / "points"))), "it opens"
            assert kept.items() <= bytes_of(victim / "points").items(), "earlier points are byte-equal"
            timed(ingests, victim, more)
            assert check(victim) == (), "a re-run completes and tidies up"
            for table in ("points", "requests", "points.parquet"):
                assert bytes_of(victim / table) == bytes_of(clean / table)


def timed(ingests: Forked, store: Path, source: Path) -> float:
    """Seconds that a whole ingest takes."""
    began = time.monotonic()
    ingests.start(store, source)
    assert ingests.wait() == 0
    return time.monotonic() - began


def bytes_of(path: Path) -> dict[str, bytes]:
    files = [path] if path.is_file() else sorted(path.rglob("*.parquet"))
    return {file.name: file.read_bytes() for file in files}
