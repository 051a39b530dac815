"""One URL parameter: how its text is read, checked and written. `links` lists which parameters there are.

Several values of one parameter are separated by commas; a comma or backslash inside a name is written with a
backslash before it. `Parameter.parse` never raises: what it cannot use is named in a `Notice` and left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from dashboard.domain.ids import identifier_of

MAX_VALUES = 64
MAX_LENGTH = 200


@dataclass(frozen=True, slots=True)
class Notice:
    """What a page could not use of its URL: the parameter, the value as written (shortened), and why."""

    parameter: str
    value: str
    detail: str


class UnusableError(ValueError):
    """A value that a parameter does not take; the text is the reason, for people."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """`name` in the URL for `field` of the view; `read` turns one text into a value or raises
    `UnusableError`.

    A `many` parameter holds a tuple of such values, without repeats, in the order of the URL.
    """

    name: str
    field: str
    read: Callable[[str], Any]
    write: Callable[[Any], str] = str
    many: bool = False

    def parse(self, texts: Sequence[str]) -> tuple[Any, tuple[Notice, ...]]:
        """The value (None when nothing usable was written) and a notice for each text that was ignored."""
        return self._parse_many(texts) if self.many else self._parse_one(texts)

    def text(self, value: Any) -> str:
        """The value as it stands in a URL, before percent-encoding."""
        return ",".join(escape(self.write(item)) for item in value) if self.many else self.write(value)

    def _parse_one(self, texts: Sequence[str]) -> tuple[Any, tuple[Notice, ...]]:
        given = [text for text in texts if text]
        if not given:
            return None, ()
        extra = tuple(
            self._notice(text, f"{self.name} takes one value; the first is used") for text in given[1:2]
        )
        try:
            return self._read(given[0]), extra
        except UnusableError as reason:
            return None, (self._notice(given[0], str(reason)), *extra)

    def _parse_many(self, texts: Sequence[str]) -> tuple[Any, tuple[Notice, ...]]:
        values: dict[Any, None] = {}
        notices = []
        pieces = [piece for text in texts for piece in split(text) if piece]
        for piece in pieces[:MAX_VALUES]:
            try:
                values[self._read(piece)] = None
            except UnusableError as reason:
                notices.append(self._notice(piece, str(reason)))
        if len(pieces) > MAX_VALUES:
            notices.append(self._notice(pieces[MAX_VALUES], f"only the first {MAX_VALUES} values are used"))
        return tuple(values) or None, tuple(notices)

    def _read(self, text: str) -> Any:
        if len(text) > MAX_LENGTH:
            raise UnusableError(f"longer than {MAX_LENGTH} characters")
        return self.read(text)

    def _notice(self, text: str, detail: str) -> Notice:
        return Notice(self.name, shortened(text), detail)


def shortened(text: str, limit: int = 60) -> str:
    """A text as a notice quotes it: printable, and cut where it would push the sentence off the screen."""
    printable = "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text
    )
    return printable if len(printable) <= limit else printable[: limit - 1] + "…"


def escape(text: str) -> str:
    """A name as one item of a comma-separated value."""
    return text.replace("\\", "\\\\").replace(",", "\\,")


def split(text: str) -> list[str]:
    """The items of a comma-separated value, the inverse of joining `escape`d names with commas."""
    items, item, characters = [], "", iter(text)
    for character in characters:
        if character == "\\":
            item += next(characters, "\\")
        elif character == ",":
            items.append(item)
            item = ""
        else:
            item += character
    return [*items, item]


def one_of(allowed: Sequence[str]) -> Callable[[str], str]:
    """A reader that takes exactly the listed words."""

    def read(text: str) -> str:
        if text not in allowed:
            raise UnusableError("choose one of " + ", ".join(allowed))
        return text

    return read


def name(text: str) -> str:
    """A name from an artifact: any printable text. Whether the store knows it is the page's question."""
    if not text.isprintable() or not text.strip():
        raise UnusableError("not a name")
    return text


def flag(text: str) -> bool:
    """`1` or `0`."""
    if text not in ("0", "1"):
        raise UnusableError("write 1 for yes or 0 for no")
    return text == "1"


def write_flag(value: bool) -> str:
    """`1` or `0`."""
    return "1" if value else "0"


def day(text: str) -> date:
    """An ISO date such as 2026-07-15."""
    try:
        if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
            raise ValueError
        return date.fromisoformat(text)
    except ValueError:
        raise UnusableError("write a date as 2026-07-15") from None


def interval(text: str) -> tuple[float, float]:
    """A stretch of an axis in its own unit, low end first, such as 20..140."""
    low, separator, high = text.partition("..")
    ends = (_number(low), _number(high)) if separator else (math.nan, math.nan)
    if not ends[0] < ends[1]:
        raise UnusableError("write a range as 20..140, low end first")
    return ends


def write_interval(value: tuple[float, float]) -> str:
    """The inverse of `interval`, exact to the last bit."""
    return f"{write_number(value[0])}..{write_number(value[1])}"


def price(text: str) -> tuple[str, float]:
    """An hourly price of one accelerator, such as b300:2.5 (US dollars per GPU hour)."""
    hardware, separator, amount = text.rpartition(":")
    value = _number(amount)
    if not separator or not hardware.strip() or not hardware.isprintable() or not 0 < value <= 1e6:
        raise UnusableError("write a price as b300:2.50, in US dollars per GPU hour")
    return hardware, value


def write_price(value: tuple[str, float]) -> str:
    """The inverse of `price`."""
    return f"{value[0]}:{write_number(value[1])}"


def identifier(text: str) -> str:
    """The ten hexadecimal digits of a point or configuration; a readable prefix before them is dropped."""
    found = identifier_of(text)
    if found is None:
        raise UnusableError("an id ends in ten hexadecimal digits, such as b300-vllm-fp4-3f9a1c07b2")
    return found


def write_number(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _number(text: str) -> float:
    """A finite decimal number; NaN for anything else, so that every comparison with it fails."""
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", text, re.ASCII):
        return math.nan
    value = float(text)
    return value if math.isfinite(value) else math.nan
