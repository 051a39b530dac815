"""What is said about a file of request records: lines, values and latencies that were left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dashboard.domain.records import Finding, Severity
from dashboard.ingest.latency_checks import Doubt
from dashboard.ingest.record_columns import Misfits
from dashboard.ingest.record_lines import LineTally
from dashboard.ingest.wording import number_of

#: Share of malformed lines above which a file is refused (data-contracts 12, row 11).
LARGEST_MALFORMED_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class RecordReport:
    """Findings about one record file, in sentences."""

    artifact: str

    def refusal(self, tally: LineTally) -> Finding | None:
        """The reason not to use the file at all, if there is one."""
        lines = tally.records + tally.malformed
        if tally.malformed > LARGEST_MALFORMED_SHARE * lines:
            detail = (
                f"{tally.malformed} of {lines} lines are no request records, more than 1 %: the file is not "
                f"read. The first is line {tally.first_malformed}, which {tally.first_reason}. Export the "
                "run again, or remove these lines"
            )
            return self._finding("malformed_records", "error", detail, f"line {tally.first_malformed}")
        if not tally.records:
            return self._finding("no_records", "error", "the file holds no request record")
        return None

    def lines(self, tally: LineTally) -> Iterator[Finding]:
        """Lines that were skipped."""
        if tally.malformed:
            where = f"line {tally.first_malformed}"
            detail = f"{number_of(tally.malformed, 'line')} skipped; the first {tally.first_reason}"
            yield self._finding("malformed_records", "warning", detail, where)
        if tally.torn_line is not None:
            detail = "the last line is torn, its request lost; the run probably did not end by itself"
            yield self._finding("torn_record", "warning", detail, f"line {tally.torn_line}")

    def misfits(self, misfits: Misfits) -> Iterator[Finding]:
        """Values that were left blank."""
        for name, count in misfits.counts.items():
            first = misfits.examples[name]
            blanks = number_of(count, "value")
            detail = f"{blanks} left blank, not of the expected type or unit; the first: {first}"
            yield self._finding("unreadable_values", "warning", detail, name)

    def doubts(self, doubts: Sequence[Doubt]) -> Iterator[Finding]:
        """Latencies that contradict themselves."""
        for doubt in doubts:
            detail = f"{number_of(doubt.count, 'request')} with {doubt.detail}; left out"
            yield self._finding(doubt.code, doubt.severity, detail, doubt.field)

    def _finding(self, code: str, severity: Severity, detail: str, field: str | None = None) -> Finding:
        return Finding(self.artifact, code, severity, detail, field)
