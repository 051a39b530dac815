"""What a scatter of single requests can have on its axes: names, definitions, and values from the columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from dashboard.domain.columns import Columns, Numbers, numbers
from dashboard.domain.in_flight import in_flight_at_start
from dashboard.domain.metrics import REGISTRY

#: Columns of stored requests that the quantities read; moments are whole ns after the run's first one.
REQUEST_COLUMNS = (
    "ttft_s",
    "itl_s",
    "e2el_s",
    "isl",
    "osl",
    "cached_tokens",
    "turn_index",
    "depth",
    "credit_ns",
    "start_ns",
    "end_ns",
)


@dataclass(frozen=True, slots=True)
class RequestQuantity:
    """One figure of a single request: `read` gives one per row, NaN where the request does not have it."""

    key: str
    label: str
    unit: str
    explanation: str
    read: Callable[[Columns], Numbers]


def _stored(name: str) -> Callable[[Columns], Numbers]:
    return lambda columns: numbers(columns, name)


def _registered(key: str, metric: str, read: Callable[[Columns], Numbers]) -> RequestQuantity:
    """A quantity whose statistics the registry already defines."""
    known = REGISTRY[metric]
    return RequestQuantity(key, known.label, known.unit, known.explanation, read)


def _uncached(columns: Columns) -> Numbers:
    return numbers(columns, "isl") - numbers(columns, "cached_tokens")


def _cached_share(columns: Columns) -> Numbers:
    return _ratio(numbers(columns, "cached_tokens") * 100, numbers(columns, "isl"))


def _rate(columns: Columns) -> Numbers:
    return _ratio(np.ones(len(numbers(columns, "itl_s"))), numbers(columns, "itl_s"))


def _e2e_rate(columns: Columns) -> Numbers:
    return _ratio(numbers(columns, "osl"), numbers(columns, "e2el_s"))


def _queue_wait(columns: Columns) -> Numbers:
    return (numbers(columns, "start_ns") - numbers(columns, "credit_ns")) / 1e9


def _in_flight(columns: Columns) -> Numbers:
    start, end = numbers(columns, "start_ns"), numbers(columns, "end_ns")
    known = np.isfinite(start) & np.isfinite(end)
    return in_flight_at_start(_whole(start), _whole(end), known)


def _whole(moments: Numbers) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.nan_to_num(moments).astype(np.int64)


def _ratio(upper: Numbers, lower: Numbers) -> Numbers:
    return np.asarray(upper / np.where(lower > 0, lower, np.nan), dtype=np.float64)


_ALL = (
    _registered("ttft_s", "ttft", _stored("ttft_s")),
    _registered("itl_s", "itl", _stored("itl_s")),
    RequestQuantity(
        "interactivity",
        "Interactivity",
        "tok/s/user",
        "1 / ITL of the request: how fast its tokens came once they flowed.",
        _rate,
    ),
    _registered("e2el_s", "e2el", _stored("e2el_s")),
    RequestQuantity(
        "e2e_interactivity",
        "E2E-normalised interactivity",
        "tok/s/user",
        "OSL / E2EL of the request, the wait for the first token included.",
        _e2e_rate,
    ),
    _registered("isl", "isl", _stored("isl")),
    _registered("uncached_isl", "uncached_isl", _uncached),
    RequestQuantity(
        "cached_share",
        "Cached share",
        "%",
        "Cached tokens / ISL, as the server reported them for the request.",
        _cached_share,
    ),
    _registered("osl", "osl", _stored("osl")),
    RequestQuantity(
        "in_flight",
        "In flight at start",
        "requests",
        "Requests of any phase that had started and not yet ended when this one started, itself included.",
        _in_flight,
    ),
    RequestQuantity(
        "queue_wait_s",
        "Queue wait",
        "s",
        "From the credit of the replay to the start of the request: the wait inside the client.",
        _queue_wait,
    ),
    RequestQuantity(
        "turn_index", "Turn", "", "Place of the request in its lane, from 0.", _stored("turn_index")
    ),
    RequestQuantity(
        "depth", "Depth", "", "How deep the request's agent is nested: 0 is the main one.", _stored("depth")
    ),
)

#: The quantities by key, in the order of their menus.
QUANTITIES: Mapping[str, RequestQuantity] = MappingProxyType({one.key: one for one in _ALL})

#: Pairs (y, x) that answer the usual questions, each with its question.
USUAL_PAIRS = (
    ("ttft_s", "isl", "Do long prompts wait longer?"),
    ("ttft_s", "uncached_isl", "Does the work that no cache saved explain the wait?"),
    ("itl_s", "in_flight", "Do more requests at once slow each other down?"),
    ("ttft_s", "in_flight", "Does the load explain the wait?"),
    ("e2el_s", "osl", "Do long answers explain the long requests?"),
)
