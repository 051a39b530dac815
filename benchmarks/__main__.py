"""`python -m benchmarks [NAME...]`: run the benchmarks and print their table; exit 1 when a bar is missed."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import browsing, disk, ingesting, load, telemetry
from benchmarks.measure import Measure, table

RESULTS = Path(__file__).parent / "results"
Bench = Callable[[Path], Iterator[Measure]]

BENCHES: dict[str, Bench] = {
    "ingest": ingesting.request_records,
    "telemetry": telemetry.server_metrics,
    "disk": disk.points_on_disk,
    "start": load.first_answer,
    "browser": browsing.ten_thousand_in_the_store,
    "crowded": browsing.ten_thousand_in_view,
    "large": browsing.hundred_thousand_in_the_store,
    "load": load.fifty_clients,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*BENCHES, []], metavar="NAME", help=", ".join(BENCHES))
    chosen = parser.parse_args().names or list(BENCHES)
    measures: list[Measure] = []
    with tempfile.TemporaryDirectory(prefix="agentx-bench-") as folder:
        for name in chosen:
            place = Path(folder) / name
            place.mkdir()
            print(f"{name} ...", file=sys.stderr, flush=True)
            measures += BENCHES[name](place)
    text = table(measures)
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{time.strftime('%Y%m%d-%H%M%S')}.md").write_text(text + "\n")
    return 1 if any(measure.met is False for measure in measures) else 0


if __name__ == "__main__":
    sys.exit(main())
