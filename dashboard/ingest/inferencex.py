"""Result rows of the InferenceX harness, all generations, and of the public API (data-contracts 2, 8.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from dashboard.domain.catalog import Catalog
from dashboard.domain.identity import Measurement, RawIdentity, assemble_point, scenario_of
from dashboard.domain.records import Finding, Point, Source
from dashboard.ingest import row_checks
from dashboard.ingest.flat_rows import Figures, read_flat
from dashboard.ingest.nested_rows import Requests, read_nested, read_requests
from dashboard.ingest.row_fields import Fields
from dashboard.ingest.row_identity import (
    api_identity,
    completed,
    harness_identity,
    run_identity,
)
from dashboard.ingest.row_merge import natural_key, richer, same_measurement
from dashboard.ingest.row_notes import dataset_slug, notes_of, unpublishable
from dashboard.ingest.row_power import read_power

__all__ = ["Generation", "RowContext", "natural_key", "read_rows", "recognise", "richer", "same_measurement"]

Generation = Literal["v3", "flat", "api"]

#: Keys that only agentic rows of the flat generations carry.
_AGENTIC_KEYS = (
    "users", "offload_mode", "offloading", "num_requests_total", "mean_input_tokens",
    "mean_full_response_itl",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RowContext:
    """What rows do not say: the catalog, the run's name (`--run`), the batch (their file), `--set` values."""

    catalog: Catalog
    run_name: str | None
    batch: str
    identity: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class _Parts:
    """A row taken apart; `power` is the object that holds power keys, `lengths` is None for agentic rows."""

    said: RawIdentity
    figures: Figures
    requests: Requests
    power: Fields
    lengths: tuple[int, int] | None
    source: Source


class _RowRefusedError(Exception):
    """A row that gives no point; the message follows "the row"."""


def recognise(document: object) -> Generation | None:
    """The generation of a row, or of the first row of an array; None if nothing in it is a row."""
    if isinstance(document, Mapping):
        return _generation(document)
    if isinstance(document, list | tuple):
        kinds = (_generation(item) for item in document if isinstance(item, Mapping))
        return next(filter(None, kinds), None)
    return None


def _generation(row: Mapping[str, object]) -> Generation | None:
    """Told by the keys: evaluation rows share many of them, but name a `task`."""
    if "task" in row:
        return None
    if "hw" in row and isinstance(row.get("request_metrics"), Mapping):
        return "v3"
    if "hardware" in row and "framework" in row and isinstance(row.get("metrics"), Mapping):
        return "api"
    named = "model" in row or "infmax_model_prefix" in row or "framework" in row
    return "flat" if "hw" in row and named and ("conc" in row or "users" in row) else None


def read_rows(
    document: object, artifact: str, context: RowContext
) -> Iterator[tuple[Point | None, list[Finding]]]:
    """Each row as a point, or None where it gives none, with what there is to say about it.

    Rows that give no point have a finding of severity error that names the row and the reason. A row that
    repeats an identity is yielded as well; `richer` decides which of the two stands.
    """
    in_array = isinstance(document, list | tuple)
    seen = _Seen()
    for number, values in enumerate(document if isinstance(document, list | tuple) else (document,)):
        place = f"records[{number}]" if in_array else ""
        row = Fields(values if isinstance(values, Mapping) else {}, artifact, place, [])
        point = seen.judge(row, _read_row(row, context))
        yield point, _distinct(row.findings, point)


def _read_row(row: Fields, context: RowContext) -> Point | None:
    generation = _generation(row.values)
    if generation is None:
        row.report("not_a_row", "error", "is not a result row of a known kind; left out")
        return None
    try:
        return _read_api(row, context) if generation == "api" else _read_harness(row, context, generation)
    except _RowRefusedError as refusal:
        row.report("row_refused", "error", f"gives no point: {refusal}")
        return None


def _distinct(findings: list[Finding], point: Point | None) -> list[Finding]:
    """One finding per code and field, with the point it is about."""
    first = {(finding.code, finding.field): finding for finding in reversed(findings)}
    return [
        replace(finding, point_id=point.point_id if point else None) for finding in reversed(first.values())
    ]


@dataclass(slots=True)
class _Seen:
    """What earlier rows of one document were, to name repetitions and runs with two datasets."""

    points: dict[str, tuple[str, Point]] = field(default_factory=dict)
    datasets: dict[tuple[str, int | None], str] = field(default_factory=dict)

    def judge(self, row: Fields, point: Point | None) -> Point | None:
        """The point, or None when its CI run has replayed another dataset before."""
        if point is None:
            return None
        if point.run_basis == "ci" and point.dataset_slug:
            first = self.datasets.setdefault((point.run_id, point.run_attempt), point.dataset_slug)
            if first != point.dataset_slug:
                row.report(
                    "two_datasets", "error", f"replays {point.dataset_slug}, its run {first}; left out"
                )
                return None
        self._name_repetition(row, point)
        return point

    def _name_repetition(self, row: Fields, point: Point) -> None:
        place, earlier = self.points.get(natural_key(point), ("", None))
        self.points[natural_key(point)] = row.place, point
        if earlier is None:
            return
        if same_measurement(earlier, point):
            row.report("row_repeated", "info", f"is {place} once more; the row with more figures is kept")
        else:
            kept = "this one" if richer(earlier, point) is point else place
            row.report(
                "measured_again", "warning", f"measures the point of {place} again in one run; {kept} is kept"
            )


def _read_harness(row: Fields, context: RowContext, generation: Generation) -> Point:
    lengths = _lengths(row, agentic=generation == "v3" or _says_agentic(row))
    raw = harness_identity(row)
    if generation == "v3":
        point = _point(
            row, _Parts(raw, read_nested(row), read_requests(row), row, lengths, "inferencex"), context
        )
        row_checks.check_prompt_sources(row)
        rates = row.inside("request_metrics").inside("latency").inside("intvty")
        row_checks.check_interactivity(rates, point, {"p50": "p50", "p90": "p90"})
        return point
    succeeded = row.count("num_requests_successful", "total_requests_completed")
    requests = Requests(row.count("num_requests_total"), succeeded)
    figures = read_flat(row, agentic=lengths is None)
    return _point(row, _Parts(raw, figures, requests, row, lengths, "inferencex"), context)


def _read_api(row: Fields, context: RowContext) -> Point:
    metrics = row.inside("metrics")
    lengths = _lengths(row, agentic=_says_agentic(row))
    requests = Requests(metrics.count("num_requests_total"), metrics.count("total_requests_completed"))
    figures = read_flat(metrics, agentic=lengths is None)
    point = _point(row, _Parts(api_identity(row), figures, requests, metrics, lengths, "api"), context)
    row_checks.check_interactivity(metrics, point, {"p50": "median_intvty", "p90": "p90_intvty"})
    return point


def _says_agentic(row: Fields) -> bool:
    """What a row says of its scenario; if nothing, it is agentic with agentic keys and without lengths."""
    said = row.text("scenario_type", "benchmark_type")
    if said is not None:
        return "agentic" in said.lower()
    return "isl" not in row and "osl" not in row and any(key in row.values for key in _AGENTIC_KEYS)


def _lengths(row: Fields, *, agentic: bool) -> tuple[int, int] | None:
    """Nominal lengths in tokens, None for an agentic row, whatever numbers it carries."""
    if agentic:
        return None
    isl, osl = row.degree("isl"), row.degree("osl")
    if isl is None or osl is None:
        raise _RowRefusedError("a fixed-sequence row needs isl and osl, both above 0")
    return isl, osl


def _concurrency(row: Fields, agentic: bool) -> int:
    """In-flight requests; of an agentic row the session trees, which its first rows call `users`."""
    concurrency = row.degree("users", "conc") if agentic else row.degree("conc")
    if concurrency is None:
        raise _RowRefusedError("its concurrency (conc) is not above 0")
    return concurrency


def _point(row: Fields, parts: _Parts, context: RowContext) -> Point:
    raw, filled = completed(parts.said, context.identity)
    isl, osl = parts.lengths or (None, None)
    point = assemble_point(
        context.catalog,
        raw,
        run_identity(row, context.run_name, context.batch),
        _measurement(row, replace(parts, said=raw), filled),
        source="simulated" if row.values.get("simulated") is True else parts.source,
        concurrency=_concurrency(row, agentic=parts.lengths is None),
        scenario=scenario_of(*parts.lengths) if parts.lengths else "agentic",
        isl=isl,
        osl=osl,
    )
    row_checks.check_point(row, context.catalog, raw, point)
    return point


def _measurement(row: Fields, parts: _Parts, filled: tuple[str, ...]) -> Measurement:
    figures, requests = parts.figures, parts.requests
    power, power_valid = read_power(parts.power)
    agentic = parts.lengths is None
    return Measurement(
        requests_total=requests.total,
        requests_ok=requests.ok,
        requests_failed=requests.failed,
        requests_cancelled=requests.cancelled,
        requests_warmup=requests.warmup,
        error_categories=MappingProxyType(dict(requests.categories or {})),
        publishable=unpublishable(row, requests) is None,
        dataset_slug=dataset_slug(row),
        statistics=MappingProxyType(dict(figures.statistics)),
        scalars=MappingProxyType({**figures.scalars, **power}),
        hit_rate_basis=figures.hit_rate_basis,
        power_valid=power_valid,
        notes=notes_of(row, parts.said, figures, requests, agentic=agentic, filled=filled),
        artifacts=(row.artifact,),
    )
