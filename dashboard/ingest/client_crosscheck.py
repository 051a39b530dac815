"""Where a client's summary, its records and the server disagree: said, never averaged away (truth rule 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from dashboard.domain.records import Distribution, Finding
from dashboard.ingest.client_summary import ClientSummary
from dashboard.ingest.run_statistics import Counts

#: Relative difference up to which two figures agree: five significant digits.
AGREEMENT = 1e-5
#: Relative difference of two throughputs above which their windows are called different.
WINDOW_DIFFERENCE = 0.03
#: Server tokens over client tokens outside which the two count different things (data-contracts 12, row 42).
TOKEN_RATIO = (0.9, 1.1)


def compare_counts(summary: ClientSummary, counted: Counts, artifact: str) -> Iterator[Finding]:
    """Successes and errors: the client's counts against the records."""
    lost = counted.failed + counted.cancelled
    for name, records in (("request_count", counted.ok), ("error_request_count", lost)):
        client = summary.count(name) or 0
        if client != records:
            detail = f"the client counts {client}, its records {records}; the records are shown"
            yield Finding(artifact, "client_disagrees", "warning", detail, name)


def compare_statistics(
    summary: ClientSummary, statistics: Mapping[str, Distribution], artifact: str
) -> Iterator[Finding]:
    """Means, percentiles, deviations: one finding a quantity, about the statistic that is furthest off."""
    for quantity, client in summary.statistics().items():
        records = asdict(statistics[quantity])
        gaps = {
            name: _gap(figure, records[name])
            for name, figure in asdict(client).items()
            if name != "n" and figure is not None and records[name] is not None
        }
        worst = max(gaps, key=lambda name: gaps[name], default=None)
        if worst is not None and gaps[worst] > AGREEMENT:
            theirs, ours = asdict(client)[worst], records[worst]
            detail = (
                f"{worst} of {quantity} is {theirs:.6g} by the client (n = {client.n}) and {ours:.6g} by its "
                f"records (n = {records['n']}); the records are shown"
            )
            yield Finding(artifact, "client_disagrees", "warning", detail, quantity)


def throughput_window(
    summary: ClientSummary, scalars: Mapping[str, float | None], artifact: str
) -> Iterator[Finding]:
    """A client throughput over another span of time than the requests take (aiperf.md 13, pitfall 4)."""
    client, ours = summary.value("output_token_throughput"), scalars.get("tput_output")
    duration = scalars.get("duration_s")
    if client and ours and duration and _gap(client, ours) > WINDOW_DIFFERENCE:
        window = ours * duration / client
        detail = (
            f"the client reports {client:.1f} output tok/s over its phase of {window:.1f} s; from the first "
            f"start to the last end of a request it is {ours:.1f} tok/s over {duration:.1f} s, as shown"
        )
        yield Finding(artifact, "throughput_window", "info", detail, "output_token_throughput")


def compare_tokens(scalars: Mapping[str, float | None], artifact: str) -> Iterator[Finding]:
    """Prompt and generated tokens: what the server processed against what the client's requests held."""
    for name in ("prompt_tokens", "generated_tokens"):
        client, server = scalars.get(f"{name}_client"), scalars.get(f"{name}_server")
        if client and server is not None and not TOKEN_RATIO[0] <= server / client <= TOKEN_RATIO[1]:
            detail = (
                f"the server counts {server / client:.3g} x the client's {name.replace('_', ' ')} "
                f"({server:,.0f} against {client:,.0f} of successful requests); both are kept"
            )
            yield Finding(artifact, "token_counts_differ", "warning", detail, name)


def _gap(one: float, other: float) -> float:
    largest = max(abs(one), abs(other))
    return abs(one - other) / largest if largest else 0.0
