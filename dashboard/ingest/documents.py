"""Reading of JSON files that come from anywhere: fast where it can be, lenient where it must.

`NaN`, `Infinity` and numbers beyond double precision come through as floats that are not finite; the reader
of the rows nulls and counts them. What is not JSON is refused with a sentence that says where.
"""

from __future__ import annotations

import codecs
import json
import math
import re
from pathlib import Path

import orjson

from dashboard.ingest.archives import RefusedError
from dashboard.ingest.naming import printable

#: The largest JSON file that is read as one document; formats that grow larger are streamed by their readers.
LARGEST_DOCUMENT = 256 << 20

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

#: Half of a surrogate pair, escaped: legal to some writers, not text that a table can hold.
_LONE_SURROGATE = re.compile(
    r"(?<!\\)((?:\\\\)*)\\u(?:d[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab]..\\u)d[c-f][0-9a-f]{2})",
    re.IGNORECASE,
)


def read_json(path: Path) -> object:
    """The one JSON document of a file; raises `RefusedError` with a sentence when there is none."""
    size = path.stat().st_size
    if size == 0:
        raise RefusedError("is empty")
    if size > LARGEST_DOCUMENT:
        raise RefusedError(
            f"is larger than {LARGEST_DOCUMENT >> 20} MB; split it, one array of rows per file"
        )
    return parse_json(path.read_bytes())


def read_lines(path: Path) -> list[object]:
    """The documents of a JSON-lines file of rows; raises `RefusedError` naming the first bad line."""
    if path.stat().st_size > LARGEST_DOCUMENT:
        raise RefusedError(f"is larger than {LARGEST_DOCUMENT >> 20} MB; split it")
    documents: list[object] = []
    for number, line in enumerate(_text(path.read_bytes()).splitlines(), start=1):
        if line.strip():
            try:
                documents.append(parse_json(line.encode()))
            except RefusedError as refusal:
                raise RefusedError(f"line {number} {refusal}") from None
    return documents


def first_line(path: Path, limit: int = 4 << 20) -> object:
    """The first JSON line of a file, or None when its first `limit` bytes hold none."""
    with path.open("rb") as lines:
        for line in iter(lambda: lines.readline(limit), b""):
            if line.strip():
                try:
                    return parse_json(line)
                except RefusedError:
                    return None
    return None


def parse_json(raw: bytes) -> object:
    """The document in `raw`; raises `RefusedError` with a sentence when there is none."""
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return _lenient(_text(raw))


def _text(raw: bytes) -> str:
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS if raw.startswith(mark)), "utf-8")
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise RefusedError(f"is not {encoding} text (byte {error.start}); save it as UTF-8") from None


def _lenient(text: str) -> object:
    if not text.strip("\x00 \t\r\n"):
        raise RefusedError("holds nothing but blanks")
    try:
        return json.loads(_LONE_SURROGATE.sub(r"\1\\ufffd", text), parse_int=_integer)
    except json.JSONDecodeError as error:
        raise RefusedError(_where(error, text)) from None
    except RecursionError:
        raise RefusedError("is nested too deeply to be a benchmark artifact") from None


def _integer(digits: str) -> int | float:
    """An integer; one that no counter can hold becomes a float that is not finite, and so missing."""
    if len(digits) > 20:
        return math.copysign(math.inf, -1.0 if digits.startswith("-") else 1.0)
    return int(digits)


def _where(error: json.JSONDecodeError, text: str) -> str:
    at_end = error.pos >= len(text.rstrip()) or "Unterminated" in error.msg
    kind = "is cut off" if at_end else "is not JSON"
    return f"{kind} (line {error.lineno}, column {error.colno}: {printable(error.msg, 80)})"


def looks_binary(head: bytes) -> bool:
    """Whether the first bytes of a file are not text in any encoding that is read here."""
    return b"\x00" in head and not any(head.startswith(mark) for mark, _ in _BYTE_ORDER_MARKS)


def looks_like_json(head: bytes) -> bool:
    """Whether a file that starts with `head` may hold JSON: an object or an array comes first."""
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS if head.startswith(mark)), "utf-8")
    return head.decode(encoding, "ignore").lstrip()[:1] in ("{", "[")
