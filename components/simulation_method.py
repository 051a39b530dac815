"""What a simulated point is: the simulator's model and its limits, for the method page."""

from __future__ import annotations

from dash import html

_MODEL = (
    (
        "Conversations",
        "Generated with the published shape of the agentic corpus: log-normal input and output "
        "lengths, pauses with a median of 3.84 s of which a tenth lasts over a minute, contexts "
        "that grow and are sometimes compacted, groups of subagents that fork and are joined. A "
        "prompt is a chain of 64-token blocks.",
    ),
    (
        "Replay",
        "Closed loop over lanes: each lane enters a conversation at 25 to 75 %, primes the "
        "cache, and sends a turn when the one before it has ended, its pause is over and the "
        "subagents it joins are done. A lane that has finished draws another conversation, of "
        "which nothing is cached.",
    ),
    (
        "Engines",
        "A step takes the larger of compute and memory time by the accelerator's data sheet, "
        "and a fixed cost. Prompts are computed in chunks, which delays decoding. Prefixes are "
        "cached in HBM, least recently used out first, and written through to DRAM where that "
        "tier exists. Speculative decoding is an acceptance length; split roles hand the KV "
        "cache over.",
    ),
)
_LIMITS = (
    "KV bytes per token, the shares of the peaks that are reached and the fixed cost of a step "
    "are assumptions; engines differ in little else. There are no kernels, no network between "
    "nodes, no preemption and no failures but those drawn at random. The figures show how load, "
    "cache and latency hang together. They say nothing about how fast a product is, and no "
    "comparison of products follows from them."
)


def simulation_method() -> html.Section:
    """The section of the method page about simulated points; its id is `simulated`."""
    parts = [part for term, text in _MODEL for part in (html.Dt(term), html.Dd(text))]
    return html.Section(
        [
            html.H2("Simulated points"),
            html.P(
                "Points with the source simulated were measured nowhere. A simulator made their "
                "artifacts, and the same ingest read them as it reads real ones."
            ),
            html.Dl([*parts, html.Dt("Limits"), html.Dd(_LIMITS)], className="facts facts-long"),
        ],
        id="simulated",
        className="method-group",
    )
