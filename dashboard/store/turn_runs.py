"""Which points replayed the turns of a conversation, and how each of them did on every turn."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from dashboard.store import requests
from dashboard.store.connection import Store

#: Points whose requests are looked through, newest first: each is a file of its own.
MOST_POINTS = 400
_COLUMNS = (
    "request_id",
    "phase",
    "source_trace",
    "source_outer",
    "source_inner",
    "isl",
    "cached_tokens",
    "ttft_s",
    "itl_s",
    "e2el_s",
    "failed",
    "cancelled",
)
_POINTS = """SELECT point_id FROM points WHERE dataset_slug = ? AND has_requests
    ORDER BY run_date DESC NULLS LAST, point_id"""
_TURNS = """
    SELECT point_id, source_outer AS "outer", source_inner AS "inner", count(*) AS n,
           count(*) FILTER (failed OR cancelled) AS failed,
           median(cached_tokens / nullif(isl, 0)) FILTER (ok) AS cached_share,
           median(cached_tokens) FILTER (ok) AS cached_tokens,
           median(ttft_s) FILTER (ok) AS ttft_s, median(itl_s) FILTER (ok) AS itl_s,
           median(e2el_s) FILTER (ok) AS e2el_s, arg_max(request_id, coalesce(ttft_s, -1)) AS request_id
    FROM (SELECT *, failed IS NOT TRUE AND cancelled IS NOT TRUE AS ok
          FROM replayed WHERE phase = 'profiling')
    GROUP BY ALL ORDER BY point_id, "outer", "inner" NULLS FIRST"""


def turn_runs(store: Store, slug: str, conversation_id: str) -> tuple[list[dict[str, Any]], int]:
    """A row per point and turn (medians over its replays; shares 0..1, seconds), and the points left out.

    `request_id` is the replay with the slowest first token. Only requests of the profiling phase count.
    """
    names = [str(name) for name in store.ask(_POINTS, [slug])["point_id"].to_pylist()]
    found = []
    for name in names[:MOST_POINTS]:
        table = requests.read(store, name, _COLUMNS)
        if table is None:
            continue
        own = table.filter(pc.equal(table["source_trace"], pa.scalar(conversation_id)))
        if own.num_rows:
            found.append(own.append_column("point_id", pa.array([name] * own.num_rows)))
    if not found:
        return [], max(len(names) - MOST_POINTS, 0)
    rows = store.ask(_TURNS, replayed=pa.concat_tables(found)).to_pylist()
    return rows, max(len(names) - MOST_POINTS, 0)
