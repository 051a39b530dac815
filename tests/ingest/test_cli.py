"""The command line as people and scripts use it: exit status, summary, wrong use in one sentence."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dashboard import cli, server
from dashboard.settings import Settings
from tests.ingest.aiperf_runs import record, summary, write_run
from tests.ingest.inferencex_rows import api, nested
from tests.serving import free_port

Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """Runs a command in a folder of its own: exit status, what it printed, what it complained."""
    monkeypatch.chdir(tmp_path)
    for name in ("STORE", "CATALOG", "HOST", "PORT"):
        monkeypatch.delenv(f"AGENTX_{name}", raising=False)

    def command(*arguments: str | Path) -> tuple[int, str, str]:
        try:
            status = cli.main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = int(end.code or 0)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return command


@pytest.fixture
def artifacts(tmp_path: Path) -> Path:
    folder = tmp_path / "artifacts"
    folder.mkdir()
    (folder / "rows.json").write_text(json.dumps([nested(), api()]))
    write_run(folder / "c8", [record(0)], summary())
    return folder


@pytest.mark.parametrize("command", [(), ("ingest",), ("serve",), ("check",)])
def test_help_says_what_each_command_does(command: tuple[str, ...], run: Cli) -> None:
    status, out, _ = run(*command, "--help")
    assert status == 0
    assert "usage: agentx-dashboard" in out
    assert ("PATH" in out) == (command == ("ingest",))


def test_help_of_ingest_states_the_exit_status_and_the_settings(run: Cli) -> None:
    _, out, _ = run("ingest", "--help")
    for word in (
        "--set",
        "--run",
        "--json",
        "--store",
        "point.toml",
        "exit status",
        "bmk_agentic_X",
        ".tar.gz",
    ):
        assert word in out


def test_status_0_and_a_summary_for_people_when_all_is_understood(run: Cli, artifacts: Path) -> None:
    status, out, err = run("ingest", "--store", "s", artifacts)
    assert (status, err) == (0, "")
    assert "3 points in s: 3 added, 0 replaced, 0 unchanged" in out
    assert "0 refused" in out
    assert "3 points in s: 0 added, 0 replaced, 3 unchanged" in run("ingest", "--store", "s", artifacts)[1]


def test_status_1_when_something_is_refused_grouped_by_reason(run: Cli, artifacts: Path) -> None:
    for number in range(5):
        (artifacts / f"table{number}.csv").write_text("a,b\n")
    status, out, _ = run("ingest", "--store", "s", artifacts)
    assert status == 1
    assert "    5  is a text table, which is not read" in out
    assert "         artifacts/table0.csv\n" in out
    assert "artifacts/table4.csv" not in out
    assert "and 2 more" in out
    assert "artifacts/table4.csv" in run("ingest", "-v", "--store", "s", artifacts)[1]


def test_json_holds_every_finding_and_nothing_else_is_printed(run: Cli, artifacts: Path) -> None:
    (artifacts / "cut.json").write_text("[1")
    status, out, _ = run("ingest", "--json", "--store", "s", artifacts)
    told = json.loads(out)
    assert (status, told["exit_code"], told["added"], told["refused"]) == (1, 1, 3, 1)
    refused = [finding for finding in told["findings"] if finding["severity"] == "error"]
    assert [(f["artifact"], f["code"]) for f in refused] == [("artifacts/cut.json", "damaged")]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("ingest", "--store", "s"), "PATH"),
        (("ingest", "--store", "s", "nowhere"), "nowhere: no such file or folder."),
        (("ingest", "--set", "hardware", "artifacts"), "--set hardware: write KEY=VALUE."),
        (("ingest", "--set", "colour=red", "artifacts"), "colour is not a known setting"),
        (("ingest", "--set", "tp=many", "artifacts"), "must be a whole number above 0"),
        (("ingest", "--store", "artifacts", "artifacts"), "is not a store"),
        (("check", "--store", "nowhere"), "nowhere holds no store"),
        (("check", "--store", "artifacts"), "is not a store"),
        (("serve", "--port", "notaport"), "--port=notaport"),
        (("serve", "--store", "artifacts"), "is not a store"),
        (("serve", "--workers", "0"), "--workers 0"),
        (("frobnicate",), "invalid choice"),
        ((), "COMMAND"),
    ],
)
def test_status_2_and_one_sentence_on_wrong_use(
    arguments: tuple[str, ...], sentence: str, run: Cli, artifacts: Path
) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert sentence in err
    assert "Traceback" not in err
    assert not Path("s").exists()


def test_the_store_of_the_current_folder_is_used_when_none_is_named(run: Cli, artifacts: Path) -> None:
    assert "3 points in agentx-store" in run("ingest", artifacts)[1]
    status, out, _ = run("check")
    assert (status, out) == (0, "agentx-store: sound\n")


def test_the_variable_names_the_store(
    run: Cli, artifacts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTX_STORE", str(tmp_path / "elsewhere"))
    run("ingest", artifacts)
    assert run("check")[0] == 0
    assert (tmp_path / "elsewhere" / "points.parquet").exists()


def test_set_and_run_reach_the_points(run: Cli, artifacts: Path) -> None:
    run("ingest", "--set", "hardware=b300", "--set", "tp = 8", "--run", " night 3 ", artifacts / "c8")
    from dashboard.store.index import read

    (row,) = read(Path("agentx-store/points.parquet")).rows.to_pylist()
    assert (row["hardware"], row["decode_tp"], row["run_id"]) == ("b300", 8, "night 3")


def test_check_names_what_is_wrong_and_has_status_1(run: Cli, artifacts: Path) -> None:
    run("ingest", artifacts)
    part = next(Path("agentx-store/points").iterdir())
    part.write_bytes(part.read_bytes()[:-9])
    status, out, _ = run("check")
    assert status == 1
    assert part.name in out
    told = json.loads(run("check", "--json")[1])
    assert told["sound"] is False
    assert told["findings"]


def test_names_that_a_terminal_cannot_show_are_escaped(
    artifacts: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (artifacts / "größe.csv").write_text("a")
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert cli.main(["ingest", str(artifacts)]) == 1
    assert b"gr\\xf6\\xdfe.csv" in raw.getvalue()


def test_an_interrupt_is_one_line_and_leaves_the_store(
    run: Cli, artifacts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(steps: Iterator[object], *_: object) -> Iterator[object]:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_progress", interrupted)
    status, out, err = run("ingest", artifacts)
    assert (status, out) == (130, "")
    assert err == "agentx-dashboard: Stopped. Nothing half done is visible in the store.\n"
    assert not Path("agentx-store/points.parquet").exists()


def test_a_port_in_use_is_told_before_anything_starts(run: Cli) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        status, _, err = run("serve", "--port", str(port))
    assert status == 2
    assert f"Cannot listen on 127.0.0.1 port {port}" in err


def test_serve_starts_workers_with_the_settings_it_was_given(
    run: Cli, artifacts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[Settings, int]] = []
    monkeypatch.setattr(server, "serve", lambda settings, workers: started.append((settings, workers)))
    run("ingest", artifacts)
    port = free_port()
    status, out, _ = run("serve", "--port", str(port), "--workers", "3")
    ((settings, workers),) = started
    assert (status, workers, settings.port, settings.store) == (0, 3, port, Path("agentx-store"))
    assert f"http://127.0.0.1:{port}" in out
