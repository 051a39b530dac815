"""Which requests of a timeline a reader has chosen: the same rules as `assets/modules/timeline-filter.js`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dashboard.domain.timeline import Requests, Timeline, names_of

Span = tuple[float, float]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Filters of a timeline. Empty tuples and None choose all; spans are seconds, tokens, a share 0..1.

    `window` is in seconds on the run's axis and keeps what touches it; `search` is part of a request's,
    conversation's or trace's id, or of an error.
    """

    search: str | None = None
    phase: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    duration: Span | None = None
    ttft: Span | None = None
    isl: Span | None = None
    cached: Span | None = None
    window: Span | None = None


def chosen_rows(requests: Requests, ordered: Timeline, chosen: Chosen) -> Mask:
    """A mask over the requests in the order of the timeline."""
    rows = ordered.rows
    keep = np.ones(len(rows), np.bool_)
    seconds = (ordered.end - ordered.start) / 1e9
    isl = np.where(requests.known["isl"][rows], requests.values["isl"][rows], np.nan)
    cached = np.where(requests.known["cached_tokens"][rows], requests.values["cached_tokens"][rows], np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = cached / isl
    measured = (
        (chosen.duration, seconds),
        (chosen.ttft, (ordered.first - ordered.start) / 1e9),
        (chosen.isl, isl),
        (chosen.cached, share),
    )
    for span, values in measured:
        if span is not None:
            keep &= (values >= span[0]) & (values <= span[1])
    if chosen.window is not None:
        keep &= (ordered.end >= chosen.window[0] * 1e9) & (ordered.begin <= chosen.window[1] * 1e9)
    keep &= _named(requests, ordered, chosen)
    return keep & _found(requests, ordered, chosen.search)


def _named(requests: Requests, ordered: Timeline, chosen: Chosen) -> Mask:
    rows = ordered.rows
    keep = np.ones(len(rows), np.bool_)
    if chosen.phase:
        phases = np.array([phase_word(name) for name in names_of(requests.texts["phase"], rows)], object)
        keep &= np.isin(phases, chosen.phase)
    if chosen.kind:
        kinds = np.array(["main", "auxiliary", "subagent"], object)[stream_kinds(ordered)]
        keep &= np.isin(kinds, chosen.kind)
    if chosen.status:
        cancelled, failed = requests.cancelled[rows], requests.failed[rows]
        status = np.where(cancelled, "cancelled", np.where(failed, "failed", "ok"))
        keep &= np.isin(status, chosen.status)
    return keep


def phase_word(phase: str | None) -> str:
    """A phase as the filters name it: whatever is neither warm-up nor profiling is `other`."""
    return phase if phase in ("warmup", "profiling") else "other"


def stream_kinds(ordered: Timeline) -> NDArray[np.uint8]:
    """The kind of each request's stream, as an index into `KINDS`."""
    kinds: NDArray[np.uint8] = np.repeat(ordered.streams.kind, np.diff(ordered.streams.bounds))
    return kinds


def _found(requests: Requests, ordered: Timeline, search: str | None) -> Mask:
    """Requests whose id, conversation, trace or error holds the words, whatever their case."""
    keep = np.ones(len(ordered.rows), np.bool_)
    if not search:
        return keep
    wanted = search.casefold()
    sizes = np.diff(ordered.streams.bounds)
    streams = [
        wanted in name.casefold() or wanted in trace.casefold()
        for name, trace in zip(ordered.streams.names, ordered.streams.traces, strict=True)
    ]
    by_stream = np.repeat(np.array(streams, np.bool_), sizes)
    ids = [wanted in (name or "").casefold() for name in requests.ids.take(ordered.rows).to_pylist()]
    errors = names_of(requests.texts["error_category"], ordered.rows)
    by_error = [wanted in (name or "").casefold() for name in errors]
    return np.asarray(by_stream | np.array(ids, np.bool_) | np.array(by_error, np.bool_))
