"""Which points belong to one curve, and what the curve is called."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dashboard.domain.columns import Columns, Rows, groups, length, texts, truths
from dashboard.domain.runs import run_codes
from dashboard.domain.scene import Provenance

#: The label of a canonical name: kind ("hardware", "engine", "precision", "spec_method", "offload"), name.
Naming = Callable[[str, str], str]

#: Columns that tell curves apart.
STACK_COLUMNS = (
    "model", "scenario", "hardware", "vendor", "engine", "precision", "spec_method", "deployment", "offload",
    "dataset_slug", "official", "source",
)  # fmt: skip

_DEPLOYMENTS = {"multi_node": "multi-node", "disaggregated": "disaggregated"}


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """What all points of one curve have in common: the scope in which a newer run replaces an older one.

    In fixed-sequence scenarios speculative method, deployment and offload tell curves apart; in agentic
    ones they are properties of a point and None here. Official, unofficial and simulated results never
    share a curve, so that a run of one's own lies over the official curve and does not displace it.
    Compared by identity.
    """

    hardware: str | None
    engine: str | None
    precision: str | None
    provenance: Provenance
    dataset: str | None
    fixed: bool
    spec_method: str | None = None
    deployment: str | None = None
    offload: str | None = None

    @property
    def key(self) -> str:
        """A stable, URL-safe name: "b300.vllm.fp4", "h200.dynamo-trt.fp8.mtp.disaggregated.unofficial"."""
        parts = [_slug(self.hardware), _slug(self.engine), _slug(self.precision)]
        if self.dataset is not None:
            parts.append(_slug(self.dataset))
        if self.fixed:
            parts += self._fixed_sequence_parts()
        if self.provenance != "official":
            parts.append(self.provenance)
        return ".".join(parts)

    def _fixed_sequence_parts(self) -> Iterator[str]:
        """What differs from the usual: no speculation, one node, and an offload that nobody mentions."""
        if self.spec_method != "none":
            yield _slug(self.spec_method) if self.spec_method else "unknown-spec"
        if self.deployment != "single_node":
            yield _slug(self.deployment) if self.deployment else "unknown-deployment"
        if self.offload is not None:
            yield "no-offload" if self.offload == "none" else _slug(self.offload)


def plain_label(kind: str, name: str) -> str:
    """A label without a catalog: engines as they are, all else in capitals."""
    return name.upper() if kind in ("hardware", "precision", "spec_method", "offload") else name


def label_or_unknown(naming: Naming, kind: str, name: str | None) -> str:
    """The label of a canonical name, or that it is unknown: "unknown engine"."""
    return naming(kind, name) if name else f"unknown {kind}"


@dataclass(frozen=True, slots=True)
class StackNames:
    """Names of curves, telling dataset and provenance only where curves of one name differ in them."""

    naming: Naming
    several_datasets: frozenset[str]
    tell_provenance: bool

    def label(self, stack: Stack) -> str:
        """The curve's name for a legend: "B300 vLLM FP4"."""
        named = (("hardware", stack.hardware), ("engine", stack.engine), ("precision", stack.precision))
        return " ".join(self.part(kind, name) for kind, name in named)

    def part(self, kind: str, name: str | None) -> str:
        """The label of a name, or that it is unknown: "unknown engine"."""
        return label_or_unknown(self.naming, kind, name)

    def qualifiers(self, stack: Stack) -> str:
        """What else tells the curve apart: "MTP · disaggregated · DRAM offload · unofficial"."""
        parts = list(self._fixed_sequence_parts(stack)) if stack.fixed else []
        if self.label(stack) in self.several_datasets:
            parts.append(f"dataset {_tail(stack.dataset)}" if stack.dataset else "dataset unknown")
        if self.tell_provenance and stack.provenance != "official":
            parts.append(stack.provenance)
        return " · ".join(parts)

    def _fixed_sequence_parts(self, stack: Stack) -> Iterator[str]:
        if stack.spec_method not in (None, "none"):
            yield self.naming("spec_method", str(stack.spec_method))
        if stack.deployment in _DEPLOYMENTS:
            yield _DEPLOYMENTS[str(stack.deployment)]
        if stack.offload not in (None, "none"):
            yield f"{self.naming('offload', str(stack.offload))} offload"


def stack_names(stacks: Collection[Stack], naming: Naming) -> StackNames:
    """The names for these curves."""
    named = StackNames(naming, frozenset(), tell_provenance=False)
    datasets: dict[str, set[str | None]] = {}
    for stack in stacks:
        datasets.setdefault(named.label(stack), set()).add(stack.dataset)
    return StackNames(
        naming,
        several_datasets=frozenset(label for label, found in datasets.items() if len(found) > 1),
        tell_provenance=len({stack.provenance for stack in stacks}) > 1,
    )


def group_by_stack(columns: Columns) -> dict[Stack, Rows]:
    """All rows by the curve they belong to; the rows must be of one model and one scenario."""
    fixed = not (_only(columns, "scenario") or "agentic").startswith("agentic")
    _only(columns, "model")
    split = ("spec_method", "deployment", "offload") if fixed else ()
    names = ("hardware", "engine", "precision", *split)
    stacks = list(zip(_provenance(columns), *(texts(columns, name) for name in names), strict=True))
    datasets = [None] * length(columns) if fixed else _datasets(columns, stacks)
    return {
        Stack(hardware, engine, precision, provenance, dataset, fixed, *rest): rows
        for ((provenance, hardware, engine, precision, *rest), dataset), rows in groups(
            [stacks, datasets]
        ).items()
    }


def _datasets(columns: Columns, stacks: Sequence[Hashable]) -> list[str | None]:
    """The data set of each row; rows that name none take the only one of their run, else of their stack.

    A run replays one data set; and silence is no sign of another one than the stack's other runs replayed.
    """
    of_run = _completed(texts(columns, "dataset_slug"), run_codes(columns).tolist())
    return _completed(of_run, stacks)


def _completed(names: Sequence[str | None], owners: Sequence[Hashable]) -> list[str | None]:
    """The names, with None replaced by the only name that the same owner has elsewhere."""
    found: dict[Hashable, set[str]] = {}
    for owner, name in zip(owners, names, strict=True):
        found.setdefault(owner, set()).update([name] if name else [])
    only = {owner: next(iter(of_owner)) for owner, of_owner in found.items() if len(of_owner) == 1}
    return [name or only.get(owner) for owner, name in zip(owners, names, strict=True)]


def _tail(name: str, most: int = 14) -> str:
    """The last words of a long name, which is where the versions and dates of data sets stand."""
    words = re.split(r"([-_])", name)
    kept = words.pop()
    while words and len(kept) + len(words[-1]) + len(words[-2]) <= most:
        kept = words.pop(-2) + words.pop() + kept
    return kept


def _only(columns: Columns, name: str) -> str | None:
    values = set(texts(columns, name))
    if len(values) > 1:
        raise ValueError(f"curves are of one {name}, got {', '.join(sorted(map(str, values)))}")
    return next(iter(values), None)


def _provenance(columns: Columns) -> list[Provenance]:
    official = truths(columns, "official", missing=False).tolist()
    return [
        "simulated" if source == "simulated" else "official" if is_official else "unofficial"
        for source, is_official in zip(texts(columns, "source"), official, strict=True)
    ]


def matching(keys: Iterable[str], token: str) -> set[str]:
    """The series that a token of the URL means: the one with this key, else all whose key begins with it."""
    known = set(keys)
    return {token} if token in known else {key for key in known if key.startswith(f"{token}.")}


@lru_cache(maxsize=4096)
def _slug(name: str | None) -> str:
    """A name in URL-safe characters; a hash is added when characters had to go, so that names stay apart."""
    if name is None:
        return "unknown"
    slug = re.sub(r"[^a-z0-9_-]+", "-", name.lower()).strip("-")
    if slug == name:
        return slug
    return f"{slug}-{hashlib.sha256(name.encode()).hexdigest()[:4]}".lstrip("-")
