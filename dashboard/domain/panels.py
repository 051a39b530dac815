"""All panels of a point, in the order of `PANELS`."""

from __future__ import annotations

from collections.abc import Callable

from dashboard.domain import request_panels as by_request
from dashboard.domain import server_panels as by_server
from dashboard.domain.panel import Panel
from dashboard.domain.panel_specs import PANELS
from dashboard.domain.point_run import PointRun, RunRequests
from dashboard.domain.request_panels import Detail

_Made = Callable[[PointRun, RunRequests | None, Detail], Panel]


def _needs_requests(key: str, make: Callable[[PointRun, RunRequests, Detail], Panel]) -> _Made:
    def made(run: PointRun, requests: RunRequests | None, detail: Detail) -> Panel:
        if requests is None or not len(requests):
            why = by_request.NO_REQUESTS if run.requests is None else "The run has no request of this kind."
            return Panel(key, missing=why)
        return make(run, requests, detail)

    return made


def _latency(key: str, quantity: str) -> _Made:
    return _needs_requests(
        key, lambda _, found, detail: by_request.latency_panel(key, found, quantity, detail)
    )


def _histogram(key: str) -> _Made:
    return _needs_requests(key, lambda _, found, detail: by_request.histogram_panel(key, found))


_MAKERS: dict[str, _Made] = {
    "isl": _histogram("isl"),
    "osl": _histogram("osl"),
    "ttft_over_time": _latency("ttft_over_time", "ttft_s"),
    "interactivity_over_time": _latency("interactivity_over_time", "itl_s"),
    "e2el_over_time": _latency("e2el_over_time", "e2el_s"),
    "kv_usage": lambda run, _, detail: by_server.kv_usage_panel(run, detail),
    "queue_depth": by_server.queue_panel,
    "completed": _needs_requests("completed", lambda _, found, d: by_request.completed_panel(found, d)),
    "hit_rate": by_server.hit_rate_panel,
    "throughput": lambda run, _, detail: by_server.throughput_panel(run, detail),
    "prompt_sources": lambda run, _, detail: by_server.prompt_sources_panel(run, detail),
    "tokens_in_flight": _needs_requests("tokens_in_flight", by_request.tokens_in_flight_panel),
    "unique_tokens": by_server.unique_tokens_panel,
    "preemptions": lambda run, _, detail: by_server.summed_panel(
        "preemptions", run, (("preemptions", "preemptions", "second"),), "preemptions", detail
    ),
    "offload_traffic": lambda run, _, detail: by_server.summed_panel(
        "offload_traffic",
        run,
        (("offload_bytes_out", "GPU to host", "first"), ("offload_bytes_in", "host to GPU", "second")),
        "offload traffic",
        detail,
    ),
    "power": lambda run, _, detail: by_server.power_panel(run, detail),
    "errors": _needs_requests("errors", lambda _, found, d: by_request.errors_panel(found, d)),
}


def panel(key: str, run: PointRun, kind: str | None, detail: Detail) -> Panel:
    """One panel; `kind` restricts what comes from requests, never what comes from servers."""
    requests = run.requests.of_kind(kind) if run.requests is not None else None
    return _MAKERS[key](run, requests, detail)


def panels(run: PointRun, kind: str | None, detail: Detail) -> tuple[Panel, ...]:
    """All panels, the missing ones with their reasons."""
    return tuple(panel(key, run, kind, detail) for key in PANELS)
