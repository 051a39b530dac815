"""What several pages show of a dataset: where it is from, its figures, its distributions."""

from __future__ import annotations

from dash import html

from components.distribution_card import Distribution
from components.figure_row import BigFigure
from components.navbar import badge
from components.point_description import safe_url
from dashboard.domain.trace_distributions import QUANTITIES, spreads
from dashboard.domain.units import count, percent, tokens
from dashboard.services import services
from dashboard.store import dataset_questions as questions
from dashboard.store.dataset_questions import DatasetInfo


def source_line(one: DatasetInfo) -> html.P:
    """Source and licence where they are known, and whether it is simulated."""
    source, licence = safe_url(one.about.get("source")), one.about.get("licence")
    parts: list[object] = [badge("SIMULATED"), " "] if one.simulated else []
    if source:
        parts.append(html.A("source", href=source, rel="noopener", target="_blank"))
    elif one.about.get("source"):
        parts.append(str(one.about["source"]))
    elif not one.simulated:
        parts.append("source not stated")
    parts += [" · " if len(parts) > 0 else "", f"licence {licence}" if licence else "licence not stated"]
    if one.about.get("note"):
        parts += [" · ", str(one.about["note"])]
    return html.P(parts, className="quiet")


def figures(one: DatasetInfo) -> tuple[BigFigure, ...]:
    """The figures read first; a session that repeats another one counts once."""
    totals = one.totals
    share = totals["cached_tokens"] / totals["input_tokens"] if totals["input_tokens"] else None
    repeated = totals["duplicates"]
    note = f"{count(repeated)} more repeat one of them" if repeated else ""
    main = totals["turns"] - totals["subagent_turns"]
    return (
        BigFigure("Conversations", count(totals["conversations"]), "", note),
        BigFigure("Requests", count(totals["turns"]), "", f"median {tokens(totals['median_turns'])} each"),
        BigFigure("Main requests", count(main), "", f"{count(totals['auxiliary'])} auxiliary streams"),
        BigFigure(
            "Subagents", count(totals["subagents"]), "", f"{count(totals['subagent_turns'])} requests in them"
        ),
        BigFigure("Input", tokens(totals["input_tokens"]), "tokens", "cached prefix included"),
        BigFigure(
            "Cached prefix",
            percent(share),
            "",
            "theoretical: an endless cache in each conversation",
            explanation="Leading 64-token blocks that an earlier request of the conversation had brought.",
        ),
        BigFigure("Output", tokens(totals["output_tokens"]), "tokens", ""),
        BigFigure("Largest input", tokens(totals["isl_max"]), "tokens", "of one request"),
    )


def distributions(slugs: tuple[str, ...]) -> tuple[Distribution, ...]:
    """The distributions of datasets on shared axes; quantities that none of them has are left out."""
    found = services()

    def compute() -> tuple[Distribution, ...]:
        every = {slug: questions.values(found.store, slug) for slug in slugs}
        together = ((quantity, spreads(quantity, every)) for quantity in QUANTITIES)
        return tuple(Distribution(quantity, *one) for quantity, one in together if one is not None)

    with found.store.reading() as fingerprint:
        return found.cache.remember(("distributions", fingerprint, slugs), compute)
