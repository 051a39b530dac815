"""Build the sample: simulate every planned point, write its artifacts, ingest them all."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

from dashboard import __version__
from dashboard.domain.catalog import Catalog
from dashboard.ingest.pipeline import IngestOptions, Progress, ingest, silently
from dashboard.ingest.summary import IngestSummary
from dashboard.simulate.artifacts import write_run
from dashboard.simulate.conversations import Conversation
from dashboard.simulate.dataset_tables import write_conversations
from dashboard.simulate.generator import make_conversations
from dashboard.simulate.plan import DATASET, PlannedPoint, plan
from dashboard.simulate.replay import replay
from dashboard.store.layout import Layout
from dashboard.store.manifest import write_manifest

#: Folder below the artifacts that holds the runs; ingest names artifacts from here on.
RUNS = "simulated"


@dataclass(frozen=True, slots=True)
class SampleOptions:
    """Where a sample goes: `store`, and `artifacts` where its files are to stay; None: they are temporary."""

    store: Path
    catalog: Catalog
    seed: int = 42
    artifacts: Path | None = None
    processes: int = 2


def build_sample(options: SampleOptions, progress: Progress = silently) -> IngestSummary:
    """Simulate the whole plan into a store, by way of artifacts and `ingest`.

    Raises:
        StoreError: the folder is no store or cannot be written.
    """
    points = plan(options.catalog, options.seed)
    if options.artifacts is not None:
        return _build(points, options.artifacts, options, progress)
    with tempfile.TemporaryDirectory(prefix="agentx-sample-") as scratch:
        return _build(points, Path(scratch), options, progress)


def _build(
    points: Sequence[PlannedPoint], artifacts: Path, options: SampleOptions, progress: Progress
) -> IngestSummary:
    runs = artifacts / RUNS
    for _ in progress(_simulated(points, runs, options), "simulating", len(points)):
        pass
    summary = ingest([runs], IngestOptions(options.store, options.catalog), progress)
    write_conversations(options.store, DATASET, make_conversations(options.seed), options.seed)
    _date(options.store)
    return summary


def _date(store: Path) -> None:
    """Let the store be as old as the newest run that it simulates: the same seed gives the same bytes."""
    layout = Layout(store)
    measured = pq.read_table(layout.index, columns=["measured_at"])["measured_at"]
    write_manifest(layout, __version__, pc.max(measured).as_py())


def _simulated(points: Sequence[PlannedPoint], runs: Path, options: SampleOptions) -> Iterator[str]:
    """Each point's name once its artifacts are there; the largest first, so that processes end together."""
    ordered = sorted(points, key=lambda planned: -planned.labels.load.concurrency)
    if options.processes == 1:
        yield from (simulate_point(planned, runs, options.seed) for planned in ordered)
        return
    with ProcessPoolExecutor(options.processes) as pool:
        work = [pool.submit(simulate_point, planned, runs, options.seed) for planned in ordered]
        for done in as_completed(work):
            yield done.result()


def simulate_point(planned: PlannedPoint, runs: Path, seed: int) -> str:
    """Replay one planned point and write its artifacts; gives its name."""
    labels = planned.labels
    trace = replay(corpus(seed, labels.deployment.model.token_ratio), labels.deployment, labels.load)
    write_run(runs / planned.run, trace, labels, with_server=planned.with_server, with_row=planned.with_row)
    return labels.slug


@cache
def corpus(seed: int, ratio: float) -> tuple[Conversation, ...]:
    """The sample's conversations in the tokens of one model."""
    return tuple(one.in_tokens_of(ratio) for one in make_conversations(seed))
