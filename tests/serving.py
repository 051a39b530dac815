"""`agentx-dashboard serve` as its users start it: a process of its own, on a free port."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

START_DEADLINE_S = 120.0


@dataclass(frozen=True, slots=True)
class Served:
    """A running server: where it answers, the process started (its workers are children), its log."""

    address: str
    pid: int
    log: Path


class DidNotStartError(AssertionError):
    """The server ended or stayed silent; the text is what it printed."""


def clean_environment(**variables: str) -> dict[str, str]:
    """This process's environment without what could change the program under test, and with `variables`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "AGENTX_"))}
    return {**kept, "PYTHONDONTWRITEBYTECODE": "1", **variables}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@contextmanager
def serving(
    program: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[Served]:
    """`PROGRAM --port N`, started in `folder` (its log is written there) and stopped at the end."""
    port = free_port()
    log = folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*program, "--port", str(port)],
            cwd=folder,
            env=dict(environment or clean_environment()),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_until_healthy(address, process, log)
        yield Served(address, process.pid, log)
    finally:
        _stop(process)


def _wait_until_healthy(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_DEADLINE_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(f"{address}/healthz", timeout=5).close()
            return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.05)
    raise DidNotStartError(f"No answer from {address}/healthz:\n{log.read_text(errors='replace')}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
