"""JSON from anywhere: what producers really write is read, what is no JSON is refused with its place."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.ingest.archives import RefusedError
from dashboard.ingest.documents import first_line, parse_json, read_json, read_lines

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_proper_json_reads_as_the_standard_library_reads_it(value: object) -> None:
    assert parse_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 5_000])
def test_a_number_that_no_double_holds_is_not_finite(token: str) -> None:
    document = parse_json(f'{{"median_ttft": {token}}}'.encode())
    assert isinstance(document, dict)
    assert not math.isfinite(document["median_ttft"])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le"])
def test_byte_order_marks_are_understood(encoding: str) -> None:
    text = '{"image": "größe"}'
    raw = text.encode(encoding)
    if encoding == "utf-16-le":
        raw = b"\xff\xfe" + raw
    assert parse_json(raw) == {"image": "größe"}


def test_latin_1_is_refused_with_the_byte() -> None:
    with pytest.raises(RefusedError, match=r"not utf-8 text \(byte 13\)"):
        parse_json('{"image": "größe"}'.encode("latin-1"))


def test_half_of_a_surrogate_pair_becomes_a_replacement_mark() -> None:
    raw = rb'{"a": "\ud800", "b": "\ud83d\ude00", "c": ["\udc00"], "d": "\\ud800"}'
    assert parse_json(raw) == {"a": "�", "b": "😀", "c": ["�"], "d": "\\ud800"}


@pytest.mark.parametrize("raw", [b"[" * 100_000, b'{"a":' * 50_000, b"[" * 5_000 + b"]" * 5_000])
def test_deep_nesting_is_refused(raw: bytes) -> None:
    with pytest.raises(RefusedError, match=r"nested too deeply|cut off"):
        parse_json(raw)


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b'{"hw": "b300", "conc', "is cut off (line 1"),
        (b'{"hw": "b300",\n "conc" 4}', "is not JSON (line 2, column 9"),
        (b"   \n", "holds nothing but blanks"),
        (b"\x00\x00\x00", "holds nothing but blanks"),
    ],
)
def test_what_is_no_json_says_where(raw: bytes, sentence: str) -> None:
    with pytest.raises(RefusedError) as refusal:
        parse_json(raw)
    assert sentence in str(refusal.value)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.json").touch()
    with pytest.raises(RefusedError, match="is empty"):
        read_json(tmp_path / "empty.json")


def test_json_lines_name_the_line_that_is_damaged(tmp_path: Path) -> None:
    lines = tmp_path / "rows.jsonl"
    lines.write_bytes(b'{"a": 1}\n\n{"a": 2}\n{"a":')
    assert first_line(lines) == {"a": 1}
    with pytest.raises(RefusedError, match="line 4 is cut off"):
        read_lines(lines)
    lines.write_bytes(b'{"a": 1}\n\n{"a": 2}\n')
    assert read_lines(lines) == [{"a": 1}, {"a": 2}]


@given(st.binary(max_size=200))
def test_any_bytes_are_a_document_or_a_sentence(raw: bytes) -> None:
    try:
        parse_json(raw)
    except RefusedError as refusal:
        assert str(refusal).isprintable()
