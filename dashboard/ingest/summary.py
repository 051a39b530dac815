"""What an ingest did, in numbers, in sentences for people and as JSON for scripts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field

from dashboard.domain.records import Finding
from dashboard.ingest.weka import DatasetOutcome

#: Refused files that are listed by name without `--verbose`, per reason.
_LISTED = 3


@dataclass(frozen=True, slots=True)
class IngestSummary:
    """The outcome of one ingest.

    `added`, `replaced`, `unchanged` count points of the store; `joined` rows and runs that turned out to be a
    point which another artifact had brought; `skipped` rows and runs without a point; `understood` files that
    were used or go with one that was. `refused` holds a finding for each artifact that was not.
    """

    store: str
    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    joined: int = 0
    skipped: int = 0
    understood: int = 0
    findings: tuple[Finding, ...] = ()
    datasets: tuple[DatasetOutcome, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def refused(self) -> tuple[Finding, ...]:
        """The findings that say why something was not used."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def doubts(self) -> tuple[Finding, ...]:
        """The findings on what was used with a doubt."""
        return tuple(finding for finding in self.findings if finding.severity == "warning")

    @property
    def exit_code(self) -> int:
        """0 when every artifact was understood, 1 when something was refused."""
        return 1 if self.refused else 0

    def as_json(self) -> Mapping[str, object]:
        """The summary for scripts; every finding is in it."""
        counts = ("added", "replaced", "unchanged", "joined", "skipped", "understood")
        return {
            "store": self.store,
            **{name: getattr(self, name) for name in counts},
            "datasets": [asdict(dataset) for dataset in self.datasets],
            "refused": len(self.refused),
            "exit_code": self.exit_code,
            "seconds": round(self.seconds, 3),
            "findings": [_as_json(finding) for finding in self.findings],
        }


def _as_json(finding: Finding) -> Mapping[str, object]:
    names = ("artifact", "severity", "code", "field", "detail", "point_id")
    return {name: getattr(finding, name) for name in names}


def lines_for_people(summary: IngestSummary, *, verbose: bool) -> Iterator[str]:
    """The summary as lines of text; `verbose` names every finding."""
    yield f"{_plural(summary.added + summary.replaced + summary.unchanged, 'point')} in {summary.store}: " + (
        f"{summary.added:,} added, {summary.replaced:,} replaced, {summary.unchanged:,} unchanged"
    )
    for dataset in summary.datasets:
        counts = f"{_plural(dataset.conversations, 'conversation')}, {_plural(dataset.requests, 'request')}"
        yield f"dataset {dataset.slug}: {counts}, {dataset.outcome}"
    if summary.joined:
        yield f"{_plural(summary.joined, 'row or run', 'rows or runs')} joined with a point already there"
    if summary.skipped:
        yield f"{_plural(summary.skipped, 'row or run', 'rows or runs')} gave no point"
    yield f"{_plural(summary.understood, 'file')} understood, {len(summary.refused):,} refused"
    yield from _grouped("Refused", summary.refused, verbose)
    yield from _grouped("Used with a doubt", summary.doubts, verbose)
    notes = [finding for finding in summary.findings if finding.severity == "info"]
    if verbose:
        yield from _grouped("Remarks", tuple(notes), verbose)
    elif summary.findings:
        yield "Every finding: --verbose, --json, or the store's table issues."


def _grouped(title: str, findings: tuple[Finding, ...], verbose: bool) -> Iterator[str]:
    """One line per kind of finding with its count, the largest first; names below it."""
    if not findings:
        return
    yield f"{title}:"
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.code, []).append(finding)
    for code, group in sorted(groups.items(), key=lambda item: -len(item[1])):
        alike = len({finding.detail for finding in group}) == 1
        yield f"  {len(group):>5,}  {group[0].detail if alike else code.replace('_', ' ')}"
        shown = group if verbose else group[:_LISTED]
        yield from (f"         {_where(finding) if alike else sentence(finding)}" for finding in shown)
        if len(shown) < len(group):
            yield f"         ... and {len(group) - len(shown):,} more"


def sentence(finding: Finding) -> str:
    """One finding on one line: where, what."""
    return f"{_where(finding)}: {finding.detail}"


def _where(finding: Finding) -> str:
    return f"{finding.artifact} [{finding.field}]" if finding.field else finding.artifact


def _plural(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"
