"""What must be true of a process before its first request."""

from __future__ import annotations

import subprocess
import sys


def test_pandas_is_whole_before_two_threads_can_meet_half_of_it() -> None:
    ask = "import dashboard.app, sys; print(hasattr(sys.modules.get('pandas'), 'NaT'))"
    answer = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "True"
