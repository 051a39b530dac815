"""Ingests in processes of their own, without the second that an interpreter takes to start.

As a program it imports everything once, and forks a child for each line `STORE<tab>SOURCE` that it reads; it
answers with the child's pid, and to the line `wait` with the status of the child once that has ended. Until
then the pid belongs to nobody else.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.serving import clean_environment

ROOT = Path(__file__).parents[2]


class Forked:
    """The test's side: starts ingests and waits for them."""

    def __init__(self, program: subprocess.Popen[str]) -> None:
        self._program = program

    def start(self, store: Path, source: Path) -> int:
        """Begins an ingest; gives its pid, which stays its own until `wait`."""
        return self._ask(f"{store}\t{source}")

    def wait(self) -> int:
        """Exit status of the ingest that was started last; negative for a signal."""
        return self._ask("wait")

    def _ask(self, line: str) -> int:
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.write(f"{line}\n")
        self._program.stdin.flush()
        return int(self._program.stdout.readline())


@contextmanager
def forked_ingests() -> Iterator[Forked]:
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.ingest.forked_ingests"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
        env=clean_environment(),
    )
    try:
        yield Forked(program)
    finally:
        program.stdin.close()  # type: ignore[union-attr]
        program.wait(timeout=30)


def main() -> None:
    import pandas  # noqa: F401 - pyarrow imports it on first use

    import dashboard.ingest.pipeline
    import dashboard.store.check  # noqa: F401
    from dashboard.cli import main as ingest

    child = 0
    for line in sys.stdin:
        if line == "wait\n":
            _, status = os.waitpid(child, 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        store, source = line.rstrip("\n").split("\t")
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os._exit(ingest(["ingest", "--store", store, source]))
        print(child, flush=True)


if __name__ == "__main__":
    main()
