"""Requests in lanes: one order whatever the file's, exact moments, contradictions clamped and counted."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.domain.timeline import FARTHEST_NS, Timeline, timeline
from dashboard.domain.timeline_filter import Chosen, chosen_rows
from dashboard.domain.timeline_payload import payload
from dashboard.domain.trace_events import trace_document
from dashboard.store.schema import REQUESTS
from dashboard.store.timeline import of_table

T0 = 1_787_300_400_123_456_789
S = 1_000_000_000


def request(number: int, **more: Any) -> dict[str, Any]:
    start = T0 + number * S
    row = dict.fromkeys(REQUESTS.names) | {
        "request_id": f"r{number:03}",
        "phase": "profiling",
        "lane_id": "lane-a",
        "conversation_id": "trace_1",
        "kind": "main",
        "source_trace": "trace_1",
        "turn_index": number,
        "credit_ns": start - S // 10,
        "start_ns": start,
        "first_token_ns": start + S // 4,
        "end_ns": start + S // 2,
        "isl": 1000 * (number + 1),
        "osl": 10,
        "cached_tokens": 500,
        "failed": False,
        "cancelled": False,
    }
    return row | more


def table(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, REQUESTS)


def laid(rows: list[dict[str, Any]]) -> Timeline:
    return timeline(of_table(table(rows)))


def ids(ordered: Timeline, rows: list[dict[str, Any]]) -> list[str]:
    return [rows[at]["request_id"] for at in ordered.rows.tolist()]


def test_one_conversation_replayed_in_two_lanes_is_two_lanes() -> None:
    rows = [request(0), request(1, lane_id="lane-b"), request(2), request(3, lane_id="lane-b")]
    ordered = laid(rows)
    assert ordered.streams.lanes == 2
    assert [ordered.streams.names[n] for n in range(2)] == ["trace_1", "trace_1"]
    assert ids(ordered, rows) == ["r000", "r002", "r001", "r003"]


def test_a_lane_holds_its_root_then_auxiliary_then_subagents_and_names_their_parents() -> None:
    rows = [
        request(1, conversation_id="trace_1::sa:b", kind="subagent"),
        request(2, conversation_id="trace_1::aux:000", kind="auxiliary"),
        request(3, conversation_id="trace_1::sa:b::sa:c", kind="subagent"),
        request(0),
    ]
    streams = laid(rows).streams
    assert streams.names == ("trace_1", "trace_1::aux:000", "trace_1::sa:b", "trace_1::sa:b::sa:c")
    assert streams.parent.tolist() == [0, 0, 0, 2]


@given(seed=st.integers(0, 10_000))
def test_shuffled_lines_give_the_identical_answer(seed: int) -> None:
    draws = random.Random(7)
    rows = [
        request(
            number,
            start_ns=T0 + draws.randrange(6) * S,
            credit_ns=None,
            lane_id=draws.choice(["a", "b"]),
            conversation_id=draws.choice(["trace_1", "trace_1::sa:x", "trace_2"]),
        )
        for number in range(40)
    ]
    shuffled = rows.copy()
    random.Random(seed).shuffle(shuffled)

    def told(given: list[dict[str, Any]]) -> tuple[list[str], list[float], tuple[str, ...]]:
        ordered = laid(given)
        return ids(ordered, given), ordered.begin.tolist(), ordered.streams.names

    assert told(shuffled) == told(rows)


def test_moments_are_exact_to_the_ns_far_beyond_2_to_the_53() -> None:
    rows = [request(0, credit_ns=None), request(1, start_ns=T0 + 3_600 * S + 1, credit_ns=None)]
    rows[1] |= {"first_token_ns": T0 + 3_600 * S + 2, "end_ns": T0 + 3_600 * S + 3}
    ordered = laid(rows)
    assert ordered.axis is not None
    zero = ordered.axis.zero_ns
    assert [zero + int(value) for value in ordered.start] == [row["start_ns"] for row in rows]
    assert [zero + int(value) for value in ordered.end] == [row["end_ns"] for row in rows]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"end_ns": T0 - S}, "end before start"),
        ({"end_ns": None}, "no end"),
        ({"first_token_ns": T0 + S}, "first token after the end"),
        ({"first_token_ns": T0 - S}, "first token before start"),
        ({"credit_ns": T0 + S}, "credit after start"),
        ({"end_ns": T0, "first_token_ns": None}, "zero length"),
    ],
)
def test_what_contradicts_itself_is_clamped_and_counted(more: dict[str, Any], problem: str) -> None:
    ordered = laid([request(0, **more), request(1)])
    assert problem in ordered.problem_counts()
    first = np.where(np.isfinite(ordered.first), ordered.first, ordered.start)
    assert np.all(ordered.begin <= ordered.start)
    assert np.all(ordered.start <= first) and np.all(first <= ordered.end)


def test_what_has_no_place_on_the_axis_is_set_aside_and_counted() -> None:
    far = T0 + 2 * FARTHEST_NS
    rows = [request(0), request(1, start_ns=None, credit_ns=None), request(2, end_ns=far)]
    ordered = laid(rows)
    assert ids(ordered, rows) == ["r000"]
    assert sum(ordered.set_aside.values()) == 2


ROWS = [
    request(0, phase="warmup"),
    request(1, failed=True, error_category="Timeout"),
    request(2, cancelled=True),
    request(3, conversation_id="trace_1::sa:b", kind="subagent", cached_tokens=None),
    request(4, conversation_id="trace_9", source_trace="trace_9", lane_id="z"),
]


@pytest.mark.parametrize(
    ("chosen", "kept"),
    [
        (Chosen(), {0, 1, 2, 3, 4}),
        (Chosen(phase=("warmup",)), {0}),
        (Chosen(status=("failed", "cancelled")), {1, 2}),
        (Chosen(status=("ok",), phase=("profiling",)), {3, 4}),
        (Chosen(kind=("subagent",)), {3}),
        (Chosen(search="TIMEOUT"), {1}),
        (Chosen(search="r004"), {4}),
        (Chosen(search="trace_9"), {4}),
        (Chosen(isl=(2000, 3000)), {1, 2}),
        (Chosen(cached=(0.2, 1.0)), {0, 1}),
        (Chosen(ttft=(0.3, 9.0)), set()),
        (Chosen(window=(0.0, 1.6)), {1, 2}),
    ],
)
def test_filters_choose_what_they_say(chosen: Chosen, kept: set[int]) -> None:
    requests = of_table(table(ROWS))
    ordered = timeline(requests)
    mask = chosen_rows(requests, ordered, chosen)
    assert {int(row) for row in ordered.rows[mask]} == kept


def test_trace_events_nest_in_every_thread_and_name_lanes_and_streams() -> None:
    rows = [*ROWS, ROWS[4] | {"request_id": "r005", "start_ns": T0 + 4 * S + S // 10}]
    requests = of_table(table(rows))
    ordered = timeline(requests)
    document = trace_document(requests, ordered, range(len(rows)), {"source": "simulated"})
    events = [event for event in document["traceEvents"] if event["ph"] == "X"]
    assert min(event["ts"] for event in events) == 0
    names = {event["args"]["name"] for event in document["traceEvents"] if event["name"] == "process_name"}
    assert names == {"lane 1, trace_1", "lane 2, trace_9"}
    threads: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for event in events:
        ends = threads.setdefault((event["pid"], event["tid"]), [])
        ends.append((event["ts"], event["ts"] + event["dur"]))
    for spans in threads.values():
        for begin, end in spans:
            for low, high in spans:
                apart = end <= low + 1e-6 or high <= begin + 1e-6
                inside = (low <= begin + 1e-6 and end <= high + 1e-6) or (
                    begin <= low + 1e-6 and high <= end + 1e-6
                )
                assert apart or inside
    starts = {event["args"]["id"]: event["args"]["start_ns"] for event in events if "args" in event}
    assert starts["r001"] == str(rows[1]["start_ns"])


def test_the_payload_keeps_every_column_at_a_multiple_of_its_size() -> None:
    requests = of_table(table(ROWS))
    body = payload(requests, timeline(requests), {})
    size = int.from_bytes(body[:4], "little")
    assert (4 + size) % 8 == 0
