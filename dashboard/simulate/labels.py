"""What names a simulated run in its artifacts: identity, clock, and the marker that it is simulated."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from dashboard.simulate.deployment import Deployment
from dashboard.simulate.lanes import Load

#: Said in the metadata of every artifact, so that nobody takes its figures for measurements.
SIMULATED_NOTE = "Simulated by agentx-dashboard; no hardware, model or engine was measured."


@dataclass(frozen=True, slots=True)
class Labels:
    """The names of one point: its deployment and load, and what only labels it.

    `offload_backend`, `router` and `kv_transfer` are names as the harness writes them, or None.
    """

    deployment: Deployment
    load: Load
    day: date
    dataset: str
    spec_method: str = "none"
    offload_backend: tuple[str, str] | None = None
    router: tuple[str, str] | None = None
    kv_transfer: str | None = None
    repeat: int = 0

    @property
    def slug(self) -> str:
        """A file-name part that tells the points of one run apart."""
        plan = self.deployment
        stack = f"{plan.model.key}_{plan.accelerator.key}_{plan.engine.key}_{plan.precision}"
        shape = f"g{plan.gpus}r{plan.ranks}p{plan.prefill_gpus}_{self.spec_method}_{plan.offload}"
        again = f"_again{self.repeat}" if self.repeat else ""
        return f"{stack}_{shape}{again}_conc{self.load.concurrency}"

    @property
    def benchmark_id(self) -> str:
        """Twelve hexadecimal digits, the same in all files of the run."""
        return hashlib.sha256(f"{self.day}:{self.slug}:{self.load.seed}".encode()).hexdigest()[:12]

    @property
    def epoch_ns(self) -> int:
        """The wall clock at the start of the simulation: morning of its day, apart for each point."""
        midnight = datetime.combine(self.day, time(6), UTC)
        apart = int(self.benchmark_id[:6], 16) % 36_000
        return (int(midnight.timestamp()) + apart) * 1_000_000_000

    def at_ns(self, seconds: float) -> int:
        """A time of the simulation as epoch nanoseconds."""
        return self.epoch_ns + round(seconds * 1e9)

    @property
    def tensor_parallel(self) -> int:
        """GPUs that share the attention of one rank (of the decoding role)."""
        plan = self.deployment
        return (plan.gpus - plan.prefill_gpus) // plan.ranks
