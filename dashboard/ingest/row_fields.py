"""Typed reading of one JSON object of unknown quality: a wrong value becomes a finding and None, never 0."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime

from dashboard.domain.records import Finding, Severity
from dashboard.ingest.naming import printable

#: Longer texts are cut: a name is shown, not archived.
LONGEST_TEXT = 500
#: More GPUs, workers, lanes or nominal tokens than any deployment has: a typing error.
LARGEST_DEGREE = 10_000_000
_LARGEST_COUNT = 2**63 - 1
_TRUE, _FALSE = ("true", "1", "yes"), ("false", "0", "no")


class Fields:
    """One JSON object with the place it stands at, and the list its findings go to."""

    def __init__(
        self, values: Mapping[str, object], artifact: str, place: str, findings: list[Finding]
    ) -> None:
        self.values = values
        self.artifact = artifact
        self.place = place
        self.findings = findings

    def __contains__(self, key: str) -> bool:
        return self.values.get(key) is not None

    def at(self, key: str) -> str:
        """Where a key stands in the artifact: `records[17].metrics.p90_ttft`."""
        return f"{self.place}.{key}" if self.place and key else self.place or key

    def report(self, code: str, severity: Severity, detail: str, key: str = "") -> None:
        """Add a finding about this object, or about one of its keys."""
        self.findings.append(Finding(self.artifact, code, severity, detail, self.at(key) or None))

    def inside(self, key: str) -> Fields:
        """The object under a key; an empty one where there is none."""
        value = self.values.get(key)
        if value is not None and not isinstance(value, Mapping):
            self._wrong(key, "an object")
        values = value if isinstance(value, Mapping) else {}
        return Fields(values, self.artifact, self.at(key), self.findings)

    def text(self, *keys: str) -> str | None:
        """The first of the keys that holds text; blanks are cut off and an empty text is none."""
        for key in keys:
            value = self.values.get(key)
            if value is not None and not isinstance(value, str):
                self._wrong(key, "text")
            elif value and (clean := printable(value.strip(), LONGEST_TEXT)):
                return clean
        return None

    def number(self, *keys: str) -> float | None:
        """The first of the keys that holds a finite number."""
        for key in keys:
            value = self.values.get(key)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float):
                self._wrong(key, "a number")
            elif (number := _finite(value)) is None:
                self.report("not_finite", "warning", "is not a finite number; read as missing", key)
            else:
                return number
        return None

    def positive(self, *keys: str) -> float | None:
        """The first of the keys that holds a number above 0: latencies, rates, durations."""
        return self._within(keys, lambda number: number > 0, "is not above 0")

    def not_negative(self, *keys: str) -> float | None:
        """The first of the keys that holds a number of 0 or more: deviations, counts per window, energies."""
        return self._within(keys, lambda number: number >= 0, "is below 0")

    def share(self, *keys: str) -> float | None:
        """The first of the keys that holds a share, 0 to 1; a hit rate above 1 says nothing."""
        return self._within(keys, lambda number: 0 <= number <= 1, "is not a share between 0 and 1")

    def count(self, *keys: str) -> int | None:
        """The first of the keys that holds a whole number of 0 or more; JSON may write it as 8.0."""
        number = self._within(keys, lambda value: value >= 0 and value == int(value), "is not a whole count")
        return None if number is None or number > _LARGEST_COUNT else int(number)

    def total(self, *keys: str) -> float | None:
        """A count that is kept as a figure: tokens."""
        count = self.count(*keys)
        return None if count is None else float(count)

    def degree(self, *keys: str) -> int | None:
        """A count of 1 up to the largest that makes sense; 0 is how rows write "does not apply"."""
        number = self._within(
            keys,
            lambda value: 0 <= value <= LARGEST_DEGREE and value == int(value),
            "is not a whole count that makes sense",
        )
        return int(number) if number else None

    def flag(self, *keys: str) -> bool | None:
        """The first of the keys that holds a truth value, also written `"true"`, `"True"`, 1 or `"1"`."""
        for key in keys:
            value = self.values.get(key)
            is_word = isinstance(value, bool | str) or value in (0, 1)
            word = str(value).strip().lower() if is_word else None
            if word in _TRUE or word in _FALSE:
                return word in _TRUE
            if value is not None and word != "":
                self._wrong(key, "true or false")
        return None

    def day(self, key: str) -> date | None:
        """A calendar day, `2026-08-20`, also at the start of a time."""
        text = self.text(key)
        try:
            return date.fromisoformat(text[:10]) if text else None
        except ValueError:
            self._wrong(key, "a day such as 2026-08-20")
            return None

    def moment(self, key: str) -> datetime | None:
        """A time with its zone, as UTC; a time without a zone cannot be placed and is none."""
        text = self.text(key)
        try:
            moment = datetime.fromisoformat(text) if text else None
            return moment.astimezone(UTC) if moment and moment.tzinfo else None
        except (ValueError, OverflowError):
            self._wrong(key, "a time such as 2026-08-20T09:00:00Z")
            return None

    def _within(self, keys: tuple[str, ...], holds: Callable[[float], bool], detail: str) -> float | None:
        for key in keys:
            number = self.number(key)
            if number is not None and holds(number):
                return number
            if number is not None:
                self.report("out_of_range", "warning", f"{number:.6g} {detail}; read as missing", key)
        return None

    def _wrong(self, key: str, wanted: str) -> None:
        held = _shown(self.values.get(key))
        self.report("wrong_type", "warning", f"holds {held}, not {wanted}; read as missing", key)


def _finite(value: int | float) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _shown(value: object) -> str:
    """A value in a sentence: text and small numbers as they are, anything else by its kind."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and not -_LARGEST_COUNT <= value <= _LARGEST_COUNT:
        return "an endless number"
    return printable(repr(value), 60)
