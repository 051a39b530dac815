"""The points of one stack and run beside each other: what tells them apart, which are on the frontier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dashboard.domain.columns import Columns, Mask, Numbers, length, numbers, texts, truths
from dashboard.domain.curves import AxisChoice, CurveRules, arrange, scene_columns
from dashboard.domain.fitness import drawable_values
from dashboard.domain.metrics import DEFAULT_STAT, DEFAULT_Y, PAIR, REGISTRY, Economics
from dashboard.domain.stacks import Naming

#: The frontier that the marks speak of: the first chart that the Curves page shows.
FRONTIER_RULES = CurveRules(
    panels=(AxisChoice(PAIR[0], DEFAULT_STAT),), y=AxisChoice(DEFAULT_Y, DEFAULT_STAT), runs="all"
)

#: What may tell neighbours of one concurrency apart, in the order of the words on a card.
_DISTINCTIONS = ("topology_label", "offload", "offload_backend", "spec_method", "dataset_slug")

#: Columns of the store that `standing` and `described_apart` read.
NEIGHBOUR_COLUMNS = tuple(
    dict.fromkeys(
        (*scene_columns(FRONTIER_RULES), *_DISTINCTIONS, "concurrency", "has_requests", "config_id")
    )
)


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One point beside the others: its load, what tells it apart, and its throughput per GPU in tok/s.

    `throughput` is None where it was not measured; `stored` says whether its requests are in the store.
    """

    point_id: str
    concurrency: int | None
    apart: tuple[str, ...]
    throughput: float | None
    on_frontier: bool
    stored: bool


def neighbours_of(columns: Columns, economics: Economics, naming: Naming) -> tuple[Neighbour, ...]:
    """The points of one stack and run, in the order of the columns."""
    rates = drawable_values(REGISTRY[DEFAULT_Y].values(columns, DEFAULT_STAT, economics))
    best = on_frontier(columns, economics)
    stored = truths(columns, "has_requests", missing=False)
    loads = numbers(columns, "concurrency")
    ids, apart = texts(columns, "point_id"), described_apart(columns, naming)
    return tuple(
        Neighbour(
            point_id=str(ids[row]),
            concurrency=None if np.isnan(loads[row]) else int(loads[row]),
            apart=apart[row],
            throughput=_number(rates, row),
            on_frontier=bool(best[row]),
            stored=bool(stored[row]),
        )
        for row in range(length(columns))
    )


def on_frontier(columns: Columns, economics: Economics) -> Mask:
    """Per row, whether it is on its curve's frontier of throughput per GPU against p90 interactivity."""
    if not length(columns):
        return np.zeros(0, dtype=np.bool_)
    return arrange(columns, FRONTIER_RULES, economics).on_frontier


def described_apart(columns: Columns, naming: Naming) -> list[tuple[str, ...]]:
    """Per row the words for what not all rows share: topology, offload, speculation; a count for repeats."""
    told = {name: texts(columns, name) for name in _DISTINCTIONS}
    differing = [name for name in _DISTINCTIONS if len(set(told[name])) > 1]
    several = len({backend for backend in told["offload_backend"] if backend}) > 1
    differing = [name for name in differing if name != "offload_backend" or several]
    if not several:
        told["offload_backend"] = [None] * length(columns)
    elif "offload" in differing:
        differing.remove("offload_backend")
    words = [
        tuple(_words(name, told[name][row], told, row, naming) for name in differing)
        for row in range(length(columns))
    ]
    return _numbered(words, numbers(columns, "concurrency").tolist())


def _words(
    kind: str, name: str | None, told: Mapping[str, Sequence[str | None]], row: int, naming: Naming
) -> str:
    if kind == "offload":
        return _offload(name, told["offload_backend"][row], naming)
    if name is None:
        return f"unknown {kind.removesuffix('_label').removesuffix('_slug').replace('_', ' ')}"
    if kind == "spec_method":
        return "no spec decoding" if name == "none" else naming(kind, name)
    return naming(kind, name) if kind == "offload_backend" else name


def _offload(kind: str | None, backend: str | None, naming: Naming) -> str:
    if kind is None:
        return "offload unknown"
    if kind == "none":
        return "no offload"
    return " ".join([naming("offload", kind), *([naming("offload_backend", backend)] if backend else [])])


def _numbered(words: Sequence[tuple[str, ...]], loads: Sequence[float]) -> list[tuple[str, ...]]:
    """The words with "no. 2" behind what would otherwise look like another row."""
    keys = list(zip(words, map(str, loads), strict=True))
    total, seen, told = Counter(keys), Counter[tuple[tuple[str, ...], str]](), []
    for key in keys:
        seen[key] += 1
        told.append((*key[0], f"no. {seen[key]}") if total[key] > 1 else key[0])
    return told


def _number(values: Numbers, row: int) -> float | None:
    return None if np.isnan(values[row]) else float(values[row])
