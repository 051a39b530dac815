"""Panels that are made from server telemetry, with what requests tell beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from dashboard.domain.columns import Numbers
from dashboard.domain.downsample import Span, broken_line, extremes, gaps, usual_interval
from dashboard.domain.panel import Line, Panel, Reference, Tone
from dashboard.domain.point_run import PointRun, RunRequests
from dashboard.domain.request_panels import Detail, in_flight_line
from dashboard.domain.source_grid import Source, averaged, grid_of, ratio_of_sums, summed

NO_SERIES = (
    "No server metrics came with this run. AIPerf writes server_metrics_export.json when it is told the "
    "engine's metrics address."
)
#: Seconds over which shares of tokens are formed.
SHARE_S = 60.0
#: Sources of prompt tokens, in their order in the stack, with their names and colours.
_SOURCES: tuple[tuple[str, str, Tone], ...] = (
    ("computed", "computed", "second"),
    ("external", "external", "third"),
    ("nvme_hit", "NVMe", "fourth"),
    ("cpu_hit", "CPU", "quiet"),
    ("hbm_hit", "HBM", "first"),
)
_PREFIX = "prompt_source_tps."
_OTHER_TONES: tuple[Tone, ...] = ("third", "fourth", "quiet")


def lacking(run: PointRun, what: str, names: str) -> str:
    """Why a panel has nothing to draw: no telemetry at all, or not of this kind."""
    if run.series is None:
        return NO_SERIES
    engine = f" ({run.engine})" if run.engine else ""
    return f"The server metrics of this run{engine} hold no {what}: none of {names} was reported."


def _drawn(label: str, t: Numbers, v: Numbers, detail: Detail, tone: Tone = "ink", **more: object) -> Line:
    shown_t, shown_v = broken_line(t, v, detail.cells, detail.span)
    return Line(label, shown_t, shown_v, tone=tone, **more)  # type: ignore[arg-type]


def _by_request(label: str, t: Numbers, v: Numbers, detail: Detail, tone: Tone, dash: bool = False) -> Line:
    """A line through requests: they come when they come, a pause between two is no gap."""
    keep = extremes(t, v, detail.cells, detail.span)
    return Line(label, t[keep], v[keep], tone=tone, dash=dash)


def _on_grid(
    label: str, grid: Numbers, v: Numbers, detail: Detail, tone: Tone = "ink", dash: bool = False
) -> Line:
    """A line on a uniform grid, whose NaN are its gaps."""
    keep = extremes(grid, v, detail.cells, detail.span)
    holes = np.flatnonzero(np.isnan(v))
    first = holes[np.diff(holes, prepend=-2) > 1] if len(holes) else holes
    keep = np.union1d(keep, first).astype(np.intp)
    return Line(label, grid[keep], v[keep], tone=tone, dash=dash)


def scrape_gaps(sources: Iterable[Source]) -> tuple[Span, ...]:
    """Stretches in which no source was sampled, though some were before and after."""
    times = [source.t for source in sources if len(source.t)]
    if not times:
        return ()
    interval = min((usual_interval(t) for t in times if len(t) > 1), default=float("nan"))
    return tuple(gaps(np.unique(np.concatenate(times)), interval))


def kv_usage_panel(run: PointRun, detail: Detail) -> Panel:
    """Each rank thin, their mean heavy, the host pool dashed."""
    ranks, host = run.sources("kv_usage"), run.sources("kv_usage_host")
    if not ranks and not host:
        return Panel("kv_usage", missing=lacking(run, "KV-cache utilisation", "the engine's KV usage gauges"))
    many = f"{len(ranks)} ranks"
    lines = [
        _drawn(source.name, source.t, source.v, detail, "first", weight="thin", group=many)
        for source in ranks
        if len(ranks) > 1
    ]
    if ranks:
        grid = grid_of(ranks)
        name = "mean" if len(ranks) > 1 else "KV pool"
        lines.append(
            Line(name, *_pair(_on_grid(name, grid, averaged(ranks, grid), detail)), weight="heavy")
            if len(ranks) > 1
            else _drawn(name, ranks[0].t, ranks[0].v, detail, weight="heavy")
        )
    if host:
        grid = grid_of(host)
        lines.append(_on_grid("host pool", grid, averaged(host, grid), detail, "second", dash=True))
    notes = () if host else ("Host pool: not reported.",)
    return Panel("kv_usage", lines=tuple(lines), gaps=scrape_gaps((*ranks, *host)), notes=notes)


def _pair(line: Line) -> tuple[Numbers, Numbers]:
    return line.t, line.v


def queue_panel(run: PointRun, requests: RunRequests | None, detail: Detail) -> Panel:
    """Running, waiting and their total over ranks; in flight at the client."""
    running, waiting = run.sources("running"), run.sources("waiting")
    client = [in_flight_line(requests, detail)] if requests is not None and len(requests) else []
    if not running and not waiting and not client:
        return Panel("queue_depth", missing=lacking(run, "queue depth", "the running and waiting gauges"))
    lines = list(client)
    grid = grid_of((*running, *waiting))
    sums = {
        name: summed(found, grid) for name, found in (("running", running), ("waiting", waiting)) if found
    }
    if len(sums) == 2:
        lines.append(_on_grid("total", grid, sums["running"] + sums["waiting"], detail, "quiet"))
    tones: dict[str, Tone] = {"running": "first", "waiting": "second"}
    lines += [_on_grid(name, grid, total, detail, tones[name]) for name, total in sums.items()]
    absent = [name for name in ("running", "waiting") if name not in sums]
    notes = (f"Server {' and '.join(absent)}: {_why(run)}",) if absent else ()
    level = (Reference(f"concurrency {run.concurrency}", float(run.concurrency)),) if run.concurrency else ()
    return Panel("queue_depth", lines=tuple(lines), references=level, notes=notes,
                 gaps=scrape_gaps((*running, *waiting)))  # fmt: skip


def _why(run: PointRun) -> str:
    return "no server metrics came with this run." if run.series is None else "not reported by this engine."


def throughput_panel(run: PointRun, detail: Detail) -> Panel:
    """Prompt and generated tokens per second over all ranks; a disaggregated run counts each once."""
    parts: tuple[tuple[str, str, str, Tone], ...] = (
        ("prompt_tps", "prefill", "input (with cached)", "first"),
        ("generation_tps", "decode", "decode", "third"),
    )
    lines, used = [], []
    for metric, role, label, tone in parts:
        sources = of_role(run, metric, role)
        if sources:
            grid = grid_of(sources)
            lines.append(_on_grid(label, grid, _positive(summed(sources, grid)), detail, tone))
            used += list(sources)
    if not lines:
        return Panel("throughput", missing=lacking(run, "token rates", "the token counters"))
    return Panel("throughput", lines=tuple(lines), gaps=scrape_gaps(used))


def _positive(v: Numbers) -> Numbers:
    """A log axis has no place for zero: an idle second breaks the line."""
    return np.where(v > 0, v, np.nan)


def of_role(run: PointRun, metric: str, role: str) -> tuple[Source, ...]:
    """The sources of a metric in the role that does this work, where roles are told apart; else all."""
    sources = run.sources(metric)
    own = tuple(source for source in sources if run.roles.get(source.name) == role)
    return own or sources


def hit_rate_panel(run: PointRun, requests: RunRequests | None, detail: Detail) -> Panel:
    """HBM, offload and both from the servers; what the client was told; what an endless cache could have."""
    lines, used, notes = _server_hits(run, detail)
    lines += _client_hits(requests, detail)
    if not lines:
        return Panel("hit_rate", missing=lacking(run, "cache counts", "the prefix-cache counters")
                     + " No request carries cached tokens either.")  # fmt: skip
    over = [line.label for line in lines if np.any(line.v[np.isfinite(line.v)] > 1.0005)]
    if over:
        notes.append(f"Above 100 % ({', '.join(over)}): the sources count differently.")
    return Panel("hit_rate", lines=tuple(lines), gaps=scrape_gaps(used), notes=tuple(notes))


def _server_hits(run: PointRun, detail: Detail) -> tuple[list[Line], list[Source], list[str]]:
    queries = of_role(run, "prefix_query_tps", "prefill")
    hits, offload = of_role(run, "prefix_hit_tps", "prefill"), of_role(run, "offload_hit_tps", "prefill")
    if not queries or not (hits or offload):
        return [], [], [f"HBM and offload: {_why(run)}"]
    grid = grid_of((*queries, *hits, *offload))
    ticks = max(round(SHARE_S / max(usual_interval(grid), 1e-9)), 1) if len(grid) > 1 else 1
    whole = summed(queries, grid)
    lines = []
    if hits and offload:
        both = summed(hits, grid) + summed(offload, grid)
        lines.append(_on_grid("all", grid, ratio_of_sums(both, whole, ticks), detail))
    if hits:
        lines.append(_on_grid("HBM", grid, ratio_of_sums(summed(hits, grid), whole, ticks), detail, "first"))
    if offload:
        share = ratio_of_sums(summed(offload, grid), whole, ticks)
        lines.append(_on_grid("offload", grid, share, detail, "second"))
    return lines, [*queries, *hits, *offload], [] if offload else ["Offload: not reported."]


def _client_hits(requests: RunRequests | None, detail: Detail) -> list[Line]:
    if requests is None:
        return []
    parts: tuple[tuple[str, str, Tone, bool], ...] = (
        ("cached", "told to the client", "third", False),
        ("theoretical", "theory", "quiet", True),
    )
    lines = []
    for name, label, tone, dash in parts:
        part = getattr(requests, name)
        known = requests.ok & np.isfinite(part) & np.isfinite(requests.isl) & (requests.isl > 0)
        if known.any():
            t, share = _share_over_time(requests.start[known], part[known], requests.isl[known])
            line = _by_request(label, t, share, detail, tone, dash)
            lines.append(_paused(line, t))
    return lines


def _paused(line: Line, starts: Numbers) -> Line:
    """The line broken where no request started for so long that the share is of none."""
    silent = starts[:-1][np.diff(starts) > SHARE_S] + SHARE_S
    places = np.searchsorted(line.t, silent)
    return replace(line, t=np.insert(line.t, places, silent), v=np.insert(line.v, places, np.nan))


def _share_over_time(t: Numbers, part: Numbers, whole: Numbers) -> tuple[Numbers, Numbers]:
    """Part over whole of the requests started in the last `SHARE_S` seconds, at each request's start."""
    first = np.searchsorted(t, t - SHARE_S, "right")
    over, under = (np.concatenate(([0.0], np.cumsum(values))) for values in (part, whole))
    place = np.arange(1, len(t) + 1)
    return t, (over[place] - over[first]) / (under[place] - under[first])


def prompt_sources_panel(run: PointRun, detail: Detail) -> Panel:
    """Shares of the sources of prompt tokens, stacked."""
    told = [name.removeprefix(_PREFIX) for name in (run.series or {}) if name.startswith(_PREFIX)]
    found = {name: of_role(run, _PREFIX + name, "prefill") for name in told}
    if not found:
        return Panel("prompt_sources", missing=lacking(run, "prompt-token sources", "the source counters"))
    used = [source for sources in found.values() for source in sources]
    grid = grid_of(used)
    ticks = max(round(SHARE_S / max(usual_interval(grid), 1e-9)), 1) if len(grid) > 1 else 1
    sums = {name: summed(sources, grid) for name, sources in found.items()}
    whole = np.sum([np.nan_to_num(values) for values in sums.values()], axis=0)
    whole = np.where(np.isfinite(np.vstack(list(sums.values()))).any(axis=0), whole, np.nan)
    named: list[tuple[str, str, Tone]] = [one for one in _SOURCES if one[0] in sums]
    rest = sorted(name for name in sums if name not in {key for key, _, _ in _SOURCES})
    named += [(name, name.replace("_", " "), _OTHER_TONES[place % 3]) for place, name in enumerate(rest)]
    places = _cell_ends(grid, detail)
    lines = tuple(
        Line(label, grid[places], ratio_of_sums(np.nan_to_num(sums[name]), whole, ticks)[places], tone=tone)
        for name, label, tone in named
    )
    absent = [label for name, label, _ in _SOURCES if name not in sums]
    notes = (f"{', '.join(absent)}: not reported.",) if absent else ()
    return Panel("prompt_sources", lines=lines, stacked=True, gaps=scrape_gaps(used), notes=notes)


def _cell_ends(grid: Numbers, detail: Detail) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
    """The same moments for all layers of a stack; shares over 60 s have no spike of one sample."""
    inside = np.flatnonzero((grid >= detail.span[0] - 1) & (grid <= detail.span[1] + 1))
    step = max(len(inside) // (2 * detail.cells), 1)
    return np.asarray(inside[::step])


def unique_tokens_panel(run: PointRun, requests: RunRequests | None, detail: Detail) -> Panel:
    """Prompt tokens computed so far: by the servers' count and by what the client was told."""
    lines, notes = [], []
    computed = of_role(run, f"{_PREFIX}computed", "prefill")
    if computed:
        grid = grid_of(computed)
        step = usual_interval(grid)
        total = np.cumsum(np.nan_to_num(summed(computed, grid)) * (step if step > 0 else 0.0))
        lines.append(_on_grid("servers", grid, total, detail, "first"))
        notes += ["The servers' count stands still in scrape gaps."] if scrape_gaps(computed) else []
    else:
        notes.append(f"Servers: {_why(run)}")
    if requests is not None:
        known = (
            requests.ok & np.isfinite(requests.cached) & np.isfinite(requests.isl) & np.isfinite(requests.end)
        )
        if known.any():
            order = np.argsort(requests.end[known], kind="stable")
            uncached = (requests.isl - requests.cached)[known][order]
            ends = requests.end[known][order]
            lines.append(_by_request("client", ends, np.cumsum(uncached), detail, "second"))
        else:
            notes.append("Client: the engine's usage carries no cached-token count.")
    if not lines:
        return Panel("unique_tokens", missing=" ".join(notes))
    return Panel("unique_tokens", lines=tuple(lines), gaps=scrape_gaps(computed), notes=tuple(notes))


def summed_panel(
    key: str, run: PointRun, parts: Sequence[tuple[str, str, Tone]], what: str, detail: Detail
) -> Panel:
    """Rates that are summed over ranks, one line a metric."""
    lines, used = [], []
    for metric, label, tone in parts:
        sources = run.sources(metric)
        if sources:
            grid = grid_of(sources)
            lines.append(_on_grid(label, grid, summed(sources, grid), detail, tone))
            used += list(sources)
    if not lines:
        return Panel(key, missing=lacking(run, what, "its counters"))
    return Panel(key, lines=tuple(lines), gaps=scrape_gaps(used))


def power_panel(run: PointRun, detail: Detail) -> Panel:
    """Each GPU thin and their mean, where the source does not call its figures invalid."""
    gpus = run.sources("power_w")
    if gpus and run.power_valid is False:
        return Panel("power", missing="Power was recorded, but its source marks the figures as not valid.")
    if not gpus:
        reason = "No power was recorded: no power CSV and no GPU telemetry came with this run."
        return Panel("power", missing=reason)
    group = f"{len(gpus)} GPUs"
    lines = [_drawn(gpu.name, gpu.t, gpu.v, detail, "first", weight="thin", group=group) for gpu in gpus]
    grid = grid_of(gpus)
    lines.append(_on_grid("mean", grid, averaged(gpus, grid), detail))
    return Panel("power", lines=tuple(lines), gaps=scrape_gaps(gpus))
