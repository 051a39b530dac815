"""Which artifacts belong together: the job that wrote them and the run they were measured in, by place.

CI artifacts carry the job in their names (`bmk_agentic_X` beside `agentic_X`), sweeps of AIPerf in their
folders (`profile_runs/trial_0001/concurrency_8`). What lies under one parent was measured together, for want
of better knowledge.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from dashboard.domain.records import RunBasis
from dashboard.ingest.naming import Place, slug

#: Folders that wrap the files of one run without being one: none of them names what it holds.
WRAPPERS = ("aiperf_artifacts", "trace_replay")

_WRAPPER = re.compile(r"aiperf_artifacts|trace_replay|run_\d+|results|agentic|logs", re.IGNORECASE)
_JOB = re.compile(r"(?:bmk_agentic_|bmk_|agentic_)(.+)")
_COLLECTED = re.compile(r"results_bmk")
_CONCURRENCY = re.compile(r"(?:^|_)conc(?:urrency)?_?(\d+)(?:\.json)?$")
_TRIAL = re.compile(r"trial_?(\d+)", re.IGNORECASE)
#: Names that say nothing about what was measured; the folder above joins them.
_GENERIC = re.compile(
    r"runs?|results?|artifacts?|outputs?|out|data|downloads?|tmp|temp|benchmarks?|exports?|agg_bmk|rows?|profile_runs|\d{1,4}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Job:
    """One benchmark job: `name` is its RESULT_FILENAME, `concurrency` tells several points apart."""

    name: str
    concurrency: int | None = None


@dataclass(frozen=True, slots=True)
class RunHint:
    """The run that a folder's place suggests, and how: `attempt` is the trial of a repeated sweep."""

    run_id: str
    basis: RunBasis
    attempt: int | None = None


def job_of(place: Place) -> Job | None:
    """The benchmark job that a path belongs to by its names; None when no folder above is a CI artifact."""
    for part in reversed(place.home):
        found = _JOB.fullmatch(part)
        if found:
            return Job(found.group(1), _concurrency(place.home))
    return None


def in_job_tree(place: Place) -> bool:
    """Whether a file lies in the tree of a CI job, where logs and telemetry stand beside the results."""
    return any(_JOB.fullmatch(part) for part in place.home[:-1])


def run_of(place: Place, sweep: Place | None) -> RunHint:
    """The run of an AIPerf folder: the sweep it is a cell of, else what lies under the same parent."""
    if sweep is not None:
        return RunHint(run_name(sweep.home), "sweep", _trial(place.home[len(sweep.home) :]))
    return RunHint(run_name(_unwrapped(place.home)[:-1]), "folder")


def batch_of(place: Place, rows: int) -> str:
    """The run of result rows that name none: their file when it holds several, else the folder they lie in.

    Rows of CI artifacts that lie side by side, one folder each or collected in `results_bmk`, are one batch.
    """
    folder = place.home[:-1]
    if folder and (_JOB.fullmatch(folder[-1]) or _COLLECTED.fullmatch(folder[-1])):
        return run_name(folder[:-1])
    if rows > 1:
        return run_name((*folder, place.home[-1].split(".")[0]))
    return run_name(folder)


def run_name(home: tuple[str, ...]) -> str:
    """A run id from folder names: the last, with the one above it where the last says nothing by itself."""
    if not home:
        return "unnamed"
    name = home[-1]
    if _GENERIC.fullmatch(name) and len(home) > 1:
        return f"{slug(home[-2])}-{slug(name)}"
    return slug(name)


def _unwrapped(home: tuple[str, ...]) -> tuple[str, ...]:
    """`home` up to the folder that stands for the run: its CI artifact, else the last that is no wrapper."""
    for length in range(len(home), 0, -1):
        if _JOB.fullmatch(home[length - 1]):
            return home[:length]
    end = len(home)
    while end > 2 and _WRAPPER.fullmatch(home[end - 1]):
        end -= 1
    return home[:end]


def _concurrency(home: tuple[str, ...]) -> int | None:
    found = (_CONCURRENCY.search(part) for part in reversed(home))
    return next((int(match.group(1)) for match in found if match), None)


def _trial(inner: tuple[str, ...]) -> int | None:
    found = (_TRIAL.fullmatch(part) for part in inner)
    return next((int(match.group(1)) for match in found if match), None)
