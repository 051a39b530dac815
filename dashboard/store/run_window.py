"""A window of a run: which requests were in flight in it, and the statistics of those that started in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.domain.records import Distribution
from dashboard.domain.run_axis import RunAxis
from dashboard.store import requests
from dashboard.store.connection import Store
from dashboard.store.point_runs import axis_of

Span = tuple[float, float]

#: Requests that are listed one by one, slowest first token first.
LISTED = 200
_COLUMNS = (
    "request_id", "phase", "kind", "conversation_id", "turn_index", "source_trace", "source_outer",
    "source_inner", "credit_ns", "start_ns", "first_token_ns", "end_ns", "ttft_s", "itl_s", "e2el_s", "isl",
    "osl", "cached_tokens", "failed", "cancelled", "error_category",
)  # fmt: skip
_PHASE = "coalesce(phase, 'profiling')"
_STARTS = "start_ns >= $low AND start_ns < $high"
_TOUCHES = "(start_ns < $high AND coalesce(end_ns, start_ns) > $low OR start_ns = $low)"


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What a window tells of; `window` None is the whole phase, `trim` cuts seconds off its ends."""

    window: Span | None = None
    phase: str = "profiling"
    kind: str | None = None
    trim: Span | None = None


@dataclass(frozen=True, slots=True)
class RunWindow:
    """What a window holds: `span` in seconds on the run's axis, requests slowest first token first.

    `statistics` are of the successful requests that start in the span; `touching` were in flight in it.
    """

    span: Span
    statistics: Mapping[str, Distribution]
    starting: int
    touching: int
    conversations: int
    failed: int
    listed: tuple[Mapping[str, Any], ...]
    axis: RunAxis


def run_window(store: Store, point_id: str, narrowing: Narrowing) -> RunWindow | None:
    """The window of a point's run; None where no request of it has a time. StoreError for a damaged file."""
    table = requests.read(store, point_id, _COLUMNS)
    axis = axis_of(table) if table is not None and table.num_rows else None
    if table is None or axis is None:
        return None
    given: dict[str, Any] = {"phase": narrowing.phase, "kind": narrowing.kind}
    whole = f"""SELECT min(start_ns) AS low, max(coalesce(end_ns, start_ns)) + 1 AS high
        FROM requests WHERE $phase = 'all' OR {_PHASE} = $phase"""
    low, high = store.ask(whole, {"phase": narrowing.phase}, requests=table).to_pylist()[0].values()
    if low is None:
        return RunWindow((0.0, 0.0), {}, 0, 0, 0, 0, (), axis)
    if narrowing.trim:
        low, high = low + round(narrowing.trim[0] * 1e9), high - round(narrowing.trim[1] * 1e9)
    if narrowing.window:
        low = max(low, axis.moment_ns(narrowing.window[0]))
        high = min(high, axis.moment_ns(narrowing.window[1]))
    chosen = store.ask(
        f"""SELECT * FROM requests WHERE ($phase = 'all' OR {_PHASE} = $phase)
            AND ($kind IS NULL OR kind = $kind) AND {_TOUCHES}""",
        given | {"low": low, "high": high},
        requests=table,
    )
    return _told(store, chosen, axis, low, high)


def _told(store: Store, chosen: Any, axis: RunAxis, low: int, high: int) -> RunWindow:
    ends = {"low": low, "high": high}
    counted = store.ask(
        f"""SELECT count(*) AS touching, count(*) FILTER ({_STARTS}) AS starting,
            count(DISTINCT conversation_id) AS conversations, count(*) FILTER (failed) AS failed
            FROM requests""",
        ends,
        requests=chosen,
    ).to_pylist()[0]
    inside = store.ask(f"SELECT * FROM requests WHERE {_STARTS}", ends, requests=chosen)
    question = requests.statistics_question("'window'", "")
    rows = store.ask(question, requests=inside).to_pylist()
    listed = store.ask(
        f"SELECT * FROM requests ORDER BY ttft_s DESC NULLS LAST, start_ns, request_id LIMIT {LISTED}",
        requests=chosen,
    ).to_pylist()
    return RunWindow(
        span=(axis.second(low), axis.second(high)),
        statistics={row["quantity"]: requests.distribution(row) for row in rows},
        listed=tuple(listed),
        axis=axis,
        **counted,
    )
