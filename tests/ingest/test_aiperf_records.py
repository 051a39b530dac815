"""Request records of `profile_export.jsonl` as rows: fields, units, phases, lanes; and broken files."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.ingest.run_files import open_lines
from dashboard.store.schema import REQUESTS
from tests.ingest.aiperf_runs import (
    EPOCH_NS,
    codes,
    failed,
    jsonl,
    ms,
    read,
    record,
    row,
    rows,
    table,
    tokens,
    warmup,
)


def test_the_table_has_the_stores_own_schema() -> None:
    assert table(record()).schema.equals(REQUESTS)


def test_epoch_nanoseconds_stay_exact() -> None:
    start = EPOCH_NS
    found = row(record(0, {"request_end_ns": start + 1_234_567_891}))
    assert (found["credit_ns"], found["start_ns"]) == (start - 2_000_000, start)
    assert found["end_ns"] == start + 1_234_567_891
    assert float(start) != start, "the time must be one that a float cannot hold"


def test_the_first_token_comes_ttft_after_the_start_to_the_nanosecond() -> None:
    found = row(record(0, metrics={"time_to_first_token": ms(695.928754)}))
    assert found["first_token_ns"] == EPOCH_NS + 695_928_754


def test_rows_are_sorted_by_start_whatever_the_order_of_completion() -> None:
    found = rows(record(5), record(1), record(3))
    assert [r["request_id"] for r in found] == ["request-0001", "request-0003", "request-0005"]


def test_the_long_list_of_gaps_between_chunks_changes_nothing() -> None:
    short = record(0, without=["inter_chunk_latency"])
    long = record(0, metrics={"inter_chunk_latency": ms([1.5] * 5000)})
    spaced = json.dumps(long)
    assert row(short) == row(long) == row(spaced)


def test_gaps_named_inside_an_error_message_are_left_alone() -> None:
    text = 'no "inter_chunk_latency":{"value":[ here'
    assert row(failed(0, {"type": "Odd", "message": text}))["error_message"] == text


@pytest.mark.parametrize(
    ("value", "unit", "seconds"),
    [
        (1500.0, "ms", 1.5),
        (1.5, "s", 1.5),
        (1.5, "sec", 1.5),
        (1_500_000, "us", 1.5),
        (1_500_000_000, "ns", 1.5),
    ],
)
def test_latencies_are_converted_by_their_unit(value: float, unit: str, seconds: float) -> None:
    found = row(record(0, metrics={"request_latency": {"value": value, "unit": unit}}))
    assert found["e2el_s"] == pytest.approx(seconds, rel=1e-12)


def test_a_bare_number_is_read_in_the_unit_that_aiperf_writes() -> None:
    found = row(record(0, metrics={"request_latency": 1500.0, "output_sequence_length": 77}))
    assert (found["e2el_s"], found["osl"]) == (pytest.approx(1.5), 77)


def test_an_unknown_unit_is_left_blank_and_named() -> None:
    reading = read(record(0), record(1, metrics={"request_latency": {"value": 3, "unit": "fortnights"}}))
    assert reading.table is not None
    assert reading.table["e2el_s"].to_pylist() == [pytest.approx(1.5), None]
    assert [(f.code, f.field) for f in reading.findings] == [("unreadable_values", "metrics.request_latency")]
    assert "fortnights" in reading.findings[0].detail


def test_mixed_units_in_one_file_are_each_converted() -> None:
    latencies = [ms(1000.0), {"value": 2, "unit": "s"}, {"value": 3e6, "unit": "us"}]
    found = rows(*(record(n, metrics={"request_latency": one}) for n, one in enumerate(latencies)))
    assert [r["e2el_s"] for r in found] == pytest.approx([1.0, 2.0, 3.0])


def test_the_latency_over_the_full_response_is_preferred_where_it_is_present() -> None:
    full = record(0, metrics={"full_response_inter_token_latency": ms(12.0)})
    assert [r["itl_s"] for r in rows(full, record(1))] == pytest.approx([0.012, 0.0101])


def test_itl_needs_two_output_tokens() -> None:
    for count in (0, 1):
        assert row(record(0, metrics={"output_sequence_length": tokens(count)}))["itl_s"] is None


def test_a_latency_of_zero_is_no_measurement_and_the_request_stays() -> None:
    reading = read(record(0, metrics={"inter_token_latency": ms(0.0)}), record(1))
    assert reading.table is not None
    assert reading.table["itl_s"].to_pylist() == [None, pytest.approx(0.0101)]
    assert [(f.code, f.severity) for f in reading.findings] == [("no_latency", "info")]


def test_a_ttft_beyond_the_latency_blanks_the_latencies_and_is_named() -> None:
    reading = read(record(0, metrics={"time_to_first_token": ms(2000.0)}))
    assert reading.table is not None
    found = reading.table.to_pylist()[0]
    assert (found["ttft_s"], found["itl_s"], found["e2el_s"], found["first_token_ns"]) == (None,) * 4
    assert (found["isl"], found["start_ns"]) == (1000, EPOCH_NS)
    assert codes(reading.findings) == ["ttft_beyond_latency"]


def test_a_one_token_request_ends_with_its_first_token() -> None:
    found = row(record(0, metrics={"time_to_first_token": ms(700.0), "request_latency": ms(700.0)}))
    assert found["ttft_s"] == found["e2el_s"] == pytest.approx(0.7)


def test_an_end_before_the_start_blanks_the_latencies_and_is_named() -> None:
    reading = read(record(0, {"request_end_ns": EPOCH_NS - 1}))
    assert reading.table is not None
    assert reading.table["e2el_s"].to_pylist() == [None]
    assert codes(reading.findings) == ["end_before_start"]


def test_a_missing_phase_is_profiling_and_an_unknown_one_stays_what_it_is() -> None:
    found = rows(
        record(0, without=["benchmark_phase"]), record(1, {"benchmark_phase": "cooldown"}), warmup(2)
    )
    assert [r["phase"] for r in found] == ["profiling", "cooldown", "warmup"]


def test_client_and_server_fields_land_in_their_columns() -> None:
    found = row(record(6, {"source_inner_idx": 3}))
    assert (found["turn_index"], found["source_outer"], found["source_inner"]) == (1, 1, 3)
    assert (found["worker_id"], found["isl"], found["osl"], found["cached_tokens"]) == (
        "worker_1",
        1006,
        101,
        800,
    )
    assert found["theoretical_cached_tokens"] is None


def test_what_a_record_does_not_say_is_missing_not_zero() -> None:
    bare = {"metadata": {"request_start_ns": EPOCH_NS}, "metrics": {}}
    found = row(bare)
    assert found.pop("start_ns") == EPOCH_NS
    assert (found.pop("phase"), found.pop("kind")) == ("profiling", "main")
    assert (found.pop("failed"), found.pop("cancelled"), found.pop("depth")) == (False, False, 0)
    assert set(found.values()) == {None}


# Lanes, kinds, depths


@pytest.mark.parametrize(
    ("conversation", "depth", "kind"),
    [
        ("trace_0042", 0, "main"),
        ("trace_0042::sa:explore_003", 1, "subagent"),
        ("trace_0042::fa:000", 1, "subagent"),
        ("trace_0042::wg:001_002", 1, "subagent"),
        ("trace_0042::aux:001", 1, "auxiliary"),
        ("trace_0042::aux:red:001", 1, "auxiliary"),
        ("trace_0042::sa:explore_003:fa:000", 2, "subagent"),
        ("trace_0042::sa:explore_003:aux:001", 2, "auxiliary"),
    ],
)
def test_the_kind_of_a_stream_is_told_by_its_conversation(conversation: str, depth: int, kind: str) -> None:
    told = row(record(0, {"conversation_id": conversation, "agent_depth": depth}))
    untold = row(record(0, {"conversation_id": conversation}, without=["agent_depth"]))
    assert (told["kind"], told["depth"]) == (untold["kind"], untold["depth"]) == (kind, depth)


def test_without_a_suffix_the_depth_tells_a_subagent() -> None:
    assert row(record(0, {"conversation_id": "0275949f", "agent_depth": 1}))["kind"] == "subagent"


def test_a_name_that_contains_aux_is_no_auxiliary_stream() -> None:
    assert row(record(0, {"conversation_id": "t::sa:aux_helper", "agent_depth": 1}))["kind"] == "subagent"


def test_the_dataset_conversation_is_what_stands_before_the_suffix() -> None:
    found = row(record(0, {"conversation_id": "trace_0042::sa:x:fa:000"}, without=["source_trace_id"]))
    assert found["source_trace"] == "trace_0042"


def test_the_lane_is_the_root_of_the_tree() -> None:
    child = {"x_correlation_id": "c", "parent_correlation_id": "b", "root_correlation_id": "a"}
    found = row(record(0, child))
    assert (found["lane_id"], found["parent_lane_id"]) == ("a", "b")


def test_older_records_find_their_lane_by_climbing_from_child_to_parent() -> None:
    def old(number: int, own: str, parent: str | None) -> dict[str, Any]:
        ids = {"x_correlation_id": own, "parent_correlation_id": parent}
        return record(number, ids, without=["root_correlation_id"])

    found = rows(
        old(0, "a", None), old(1, "b", "a"), old(2, "c", "b"), old(3, "e", "never-seen"), old(4, "f", None)
    )
    assert [r["lane_id"] for r in found] == ["a", "a", "a", "never-seen", "f"]


def test_parents_that_run_in_a_circle_end_somewhere() -> None:
    circle = [("a", "b"), ("b", "c"), ("c", "a")]
    found = rows(
        *(
            record(
                n, {"x_correlation_id": own, "parent_correlation_id": parent}, without=["root_correlation_id"]
            )
            for n, (own, parent) in enumerate(circle)
        )
    )
    assert all(r["lane_id"] in ("a", "b", "c") for r in found)


def test_one_trace_replayed_twice_is_two_lanes() -> None:
    first = record(0, {"conversation_id": "trace_1", "x_correlation_id": "a", "root_correlation_id": "a"})
    second = record(1, {"conversation_id": "trace_1", "x_correlation_id": "b", "root_correlation_id": "b"})
    assert [r["lane_id"] for r in rows(first, second)] == ["a", "b"]


# Errors and cancellation


@pytest.mark.parametrize(
    ("error", "category"),
    [
        ({"code": 500, "type": "Internal Server Error", "message": "x"}, "Internal Server Error"),
        ({"error_type": "Timeout"}, "Timeout"),
        ({"code": 503}, "503"),
        ({"status": "gone", "type": "  "}, "gone"),
        ({"message": "ConnectionReset: by peer\nTraceback"}, "ConnectionReset"),
        ("ValueError: bad", "ValueError"),
        ({"message": "x" * 300}, "x" * 120),
        ({"cause": "nothing said"}, "unknown"),
        ([1, 2], "[1, 2]"),
    ],
)
def test_an_error_has_a_category(error: Any, category: str) -> None:
    found = row(failed(0, error))
    assert (found["failed"], found["error_category"]) == (True, category)


def test_an_error_message_is_cut_to_500_characters() -> None:
    assert row(failed(0, {"type": "T", "message": "é" * 900}))["error_message"] == "é" * 500


@pytest.mark.parametrize("nothing", [None, {}, ""])
def test_an_empty_error_is_none(nothing: Any) -> None:
    assert row(record(0, error=nothing))["failed"] is False


def test_a_cancelled_request_is_told_from_a_failed_one() -> None:
    by_client = {"code": 499, "type": "RequestCancellationError", "message": "after 0.25 s"}
    found = rows(failed(0, by_client), failed(1), record(2, {"was_cancelled": True}))
    assert [(r["failed"], r["cancelled"]) for r in found] == [(True, True), (True, False), (False, True)]


def test_a_failed_request_keeps_the_tokens_it_sent() -> None:
    lost = failed(0) | {"metrics": {"error_isl": tokens(505)}}
    assert (row(lost)["isl"], row(lost)["osl"]) == (505, None)


def test_a_success_without_usage_among_others_that_have_it_is_suspected() -> None:
    silent = record(3, without=["usage_total_tokens"])
    found = rows(record(0), record(1), record(2), silent)
    assert [r["error_category"] for r in found] == [None, None, None, "suspected stream error"]
    assert [r["failed"] for r in found] == [False] * 4


def test_a_run_whose_server_never_reports_usage_is_not_suspected() -> None:
    without = [record(n, without=["usage_total_tokens"]) for n in range(4)]
    assert {r["error_category"] for r in rows(*without, record(5))} == {None}


def test_a_failure_without_usage_is_no_suspect() -> None:
    assert [r["error_category"] for r in rows(record(0), record(1), failed(2))][2] == "Internal Server Error"


# What is wrong with files


def test_a_torn_last_line_is_left_out_and_named_however_short_the_file() -> None:
    torn = jsonl([record(0)]) + jsonl([record(1)])[:-200]
    reading = read(raw=torn)
    assert reading.table is not None and reading.table.num_rows == 1
    assert [(f.code, f.field) for f in reading.findings] == [("torn_record", "line 2")]


def test_a_complete_last_line_needs_no_newline() -> None:
    reading = read(raw=jsonl([record(0), record(1)]).rstrip(b"\n"))
    assert reading.table is not None and reading.table.num_rows == 2
    assert reading.findings == ()


def test_one_broken_line_in_two_hundred_is_skipped_and_named() -> None:
    reading = read(*(record(n) for n in range(199)), '{"metadata": {')
    assert reading.table is not None and reading.table.num_rows == 199
    assert [(f.code, f.severity, f.field) for f in reading.findings] == [
        ("malformed_records", "warning", "line 200")
    ]


def test_more_than_one_percent_of_broken_lines_refuses_the_file() -> None:
    reading = read(*(record(n) for n in range(98)), "not json", "nor this")
    assert reading.table is None
    assert [(f.code, f.severity, f.field) for f in reading.findings] == [
        ("malformed_records", "error", "line 99")
    ]
    assert "2 of 100" in reading.findings[0].detail


@pytest.mark.parametrize("raw", [b"", b"\n\n  \n", b"\xef\xbb\xbf"])
def test_a_file_without_records_is_refused_with_one_line(raw: bytes) -> None:
    assert [(f.code, f.severity) for f in read(raw=raw).findings] == [("no_records", "error")]


def test_a_file_that_was_joined_twice_counts_each_request_once() -> None:
    reading = read(record(1), record(0), record(1), record(0), record(2))
    assert reading.table is not None
    assert reading.table["request_id"].to_pylist() == ["request-0000", "request-0001", "request-0002"]
    assert [(f.code, f.severity) for f in reading.findings] == [("repeated_records", "warning")]
    assert reading.findings[0].detail.startswith("2 requests")


def test_records_without_an_id_are_not_taken_for_one_another() -> None:
    assert len(rows(*(record(n, without=["x_request_id"]) for n in range(3)))) == 3


def test_blank_lines_and_a_byte_order_mark_are_passed_over() -> None:
    reading = read(raw=b"\xef\xbb\xbf" + jsonl([record(0)]) + b"\n  \n" + jsonl([record(1)]))
    assert reading.table is not None and reading.table.num_rows == 2
    assert reading.findings == ()


def test_not_a_number_and_infinity_are_blank_and_the_rest_of_the_record_is_kept() -> None:
    line = json.dumps(record(0)).replace('"value": 500.0', '"value": NaN').replace("1500.0", "Infinity", 1)
    reading = read(line)
    assert reading.table is not None
    found = reading.table.to_pylist()[0]
    assert (found["ttft_s"], found["e2el_s"], found["isl"]) == (None, None, 1000)
    assert {f.field for f in reading.findings} == {"metrics.time_to_first_token", "metrics.request_latency"}


@pytest.mark.parametrize("number", ["1e999", "-1e999", "9" * 400, "1e308", "-5", "0.5"])
def test_numbers_that_count_no_tokens_are_blank(number: str) -> None:
    line = json.dumps(record(0)).replace('"value": 101,', f'"value": {number},')
    reading = read(line)
    assert reading.table is not None
    assert reading.table["osl"].to_pylist() == [None]
    assert [f.field for f in reading.findings] == ["metrics.output_sequence_length"]


@pytest.mark.parametrize("start", ["null", '"1796028229237092725"', "1.5", "-1", "9" * 30, "true", "[]"])
def test_a_record_without_a_start_is_no_record(start: str) -> None:
    line = json.dumps(record(0)).replace(f'"request_start_ns": {EPOCH_NS}', f'"request_start_ns": {start}')
    assert codes(read(line).findings) == ["malformed_records"]


@pytest.mark.parametrize(
    "line",
    ["[]", "3", '"text"', "null", "{}", '{"metadata": []}', '{"metadata": null, "metrics": {}}', "[" * 3000],
)
def test_json_that_is_no_record_is_malformed(line: str) -> None:
    assert codes(read(line).findings) == ["malformed_records"]


def test_wrong_types_are_blank_or_spelled_out_and_counted() -> None:
    odd = record(
        0,
        {"turn_index": "seven", "worker_id": {"id": 1}, "conversation_id": 42, "was_cancelled": "true"},
        {"request_latency": ms("fast"), "output_sequence_length": [1], "time_to_first_token": "soon"},
    )
    reading = read(odd, record(1))
    assert reading.table is not None
    found = reading.table.to_pylist()[0]
    assert (found["turn_index"], found["worker_id"], found["e2el_s"], found["osl"], found["ttft_s"]) == (
        None,
    ) * 5
    assert (found["conversation_id"], found["cancelled"]) == ("42", True)
    assert {f.field for f in reading.findings} == {
        "metadata.turn_index",
        "metadata.worker_id",
        "metrics.request_latency",
        "metrics.output_sequence_length",
        "metrics.time_to_first_token",
    }


def test_text_that_is_no_unicode_is_kept_readable() -> None:
    line = json.dumps(record(0, {"conversation_id": "a\ud800b"}))
    assert "\ud800" not in str(row(line)["conversation_id"])


def test_markup_in_names_is_data() -> None:
    name = "<script>alert(1)</script>"
    assert row(record(0, {"conversation_id": name, "worker_id": name}))["worker_id"] == name


def test_gzip_is_told_by_its_first_bytes(tmp_path: Path) -> None:
    packed = tmp_path / "profile_export.jsonl"
    packed.write_bytes(gzip.compress(jsonl([record(0)])))
    with open_lines(packed) as lines:
        assert lines.read() == jsonl([record(0)])


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def _flip(data: bytes, rng: random.Random) -> bytes:
    broken = bytearray(data)
    for _ in range(rng.randrange(1, 30)):
        broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
    return bytes(broken)


def _swap(data: bytes, rng: random.Random) -> bytes:
    old = rng.choice([b"500.0", b'"ms"', b"null", b"false", b"101", b"{", b'"unit"', b'"request_end_ns"'])
    new = rng.choice(
        [b"NaN", b"-Infinity", b"1e999", b"[]", b"{}", b'"\\ud800"', b"9" * 50, b"\xff\xfe", b"\x00"]
    )
    return data.replace(old, new, rng.randrange(1, 9))


@pytest.mark.parametrize("damage", [_cut, _flip, _swap])
def test_damaged_files_never_raise(damage: Callable[[bytes, random.Random], bytes]) -> None:
    rng = random.Random(20260801)
    sound = jsonl([record(0), failed(1), warmup(2), record(3)] * 3)
    for _ in range(80):
        reading = read(raw=damage(sound, rng))
        assert reading.table is not None or any(f.severity == "error" for f in reading.findings)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
_field = st.sampled_from(sorted(record()["metadata"]))
_metric = st.sampled_from(sorted(record()["metrics"]))


@settings(max_examples=75, deadline=None)
@given(st.dictionaries(_field, _json), st.dictionaries(_metric, _json), _json)
def test_any_value_in_any_field_never_raises(metadata: Any, metrics: Any, error: Any) -> None:
    reading = read(record(0), record(1, metadata, metrics, error=error))
    assert reading.table is None or reading.table.schema.equals(REQUESTS)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0.001, 1e6), min_size=1, max_size=30), st.integers(0, 40))
def test_a_mixed_column_reads_like_a_uniform_one(latencies: list[float], odd: int) -> None:
    """One record in another unit must not change how the others are read."""
    records = [record(n, metrics={"request_latency": ms(v + 1e7)}) for n, v in enumerate(latencies)]
    uniform = [r["e2el_s"] for r in rows(*records)]
    position = odd % len(records)
    seconds = {"value": (latencies[position] + 1e7) / 1e3, "unit": "s"}
    records[position] = record(position, metrics={"request_latency": seconds})
    assert [r["e2el_s"] for r in rows(*records)] == pytest.approx(uniform, rel=1e-12)
