"""speedscope's file: events of a profile nest in order of time, whatever turns overlap, and none is lost."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dashboard.domain.speedscope import speedscope_document

_TURNS = st.lists(
    st.tuples(
        st.sampled_from(["", "sa:a", "auxiliary:3"]),
        st.integers(0, 40),
        st.one_of(st.none(), st.integers(-2, 20)),
    ),
    max_size=40,
)


def turn(at: int, stream: str, start: int, lasts: int | None) -> dict[str, Any]:
    return {
        "outer": at,
        "inner": None,
        "stream": stream,
        "t_s": float(start),
        "end_s": None if lasts is None else float(start + lasts),
        "isl": 100,
        "osl": 5,
        "cached_prefix_tokens": 64,
        "model": "m",
    }


@given(_TURNS)
def test_every_turn_opens_and_closes_once_and_no_profile_overlaps(given_turns: list[Any]) -> None:
    ordered = sorted(given_turns, key=lambda one: one[1])
    turns = [turn(at, *one) for at, one in enumerate(ordered)]
    document = speedscope_document("c", turns, "test")
    frames = []
    for profile in document["profiles"]:
        events = profile["events"]
        assert [event["type"] for event in events] == ["O", "C"] * (len(events) // 2)
        assert [event["at"] for event in events] == sorted(event["at"] for event in events)
        assert (profile["startValue"], profile["endValue"]) == (events[0]["at"], events[-1]["at"])
        for opened, closed in zip(events[::2], events[1::2], strict=True):
            assert opened["frame"] == closed["frame"]
            _, start, lasts = ordered[opened["frame"]]
            assert (opened["at"], closed["at"]) == (start, start + max(lasts or 0, 0))
            frames.append(opened["frame"])
    assert sorted(frames) == list(range(len(turns)))


def test_turns_of_one_stream_that_overlap_go_to_a_further_profile() -> None:
    turns = [turn(0, "sa:a", 0, 10), turn(1, "sa:a", 4, 2), turn(2, "sa:a", 10, 1), turn(3, "", 0, None)]
    document = speedscope_document("c", turns, "test")
    held = {
        profile["name"]: [event["frame"] for event in profile["events"][::2]]
        for profile in document["profiles"]
    }
    assert held == {"sa:a": [0, 2], "sa:a (2)": [1], "main": [3]}
    assert document["shared"]["frames"][0]["name"] == "turn 0: 100 in (64 cached), 5 out, m"
