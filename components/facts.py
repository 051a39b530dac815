"""Facts as definition lists, shares as bars: the parts of which panel and point page are made."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from components.option import attributes
from components.point_description import Fact, Share, cache_note, cache_shares
from components.point_row import Row
from dashboard.domain.units import percent


def fact_group(title: str, facts: Sequence[Fact], *, long: bool = False) -> list[Component]:
    """A titled list of facts, two pairs a line or, for long values, one; nothing when there are none."""
    if not facts:
        return []
    return [html.Section([html.H3(title), fact_list(facts, long=long)], className="point-group")]


def fact_list(facts: Sequence[Fact], *, long: bool = False) -> html.Dl:
    """The list alone."""
    pairs = [part for fact in facts for part in (html.Dt(fact.label), _value(fact))]
    return html.Dl(pairs, className="facts facts-long" if long else "facts")


def _value(fact: Fact) -> html.Dd:
    value: Component | str = html.Span(fact.value, className="mono") if fact.code else fact.value
    if fact.href:
        value = html.A(value, href=fact.href, rel="noopener", target="_blank")
    note = [" ", html.Span(fact.note, className="quiet")] if fact.note else []
    return html.Dd([value, *note], className=fact.tone or None)


def cache_section(row: Row) -> list[Component]:
    """Prefix-cache hit rates as bars with what they are based on; nothing when the source has none."""
    shares = cache_shares(row)
    if not shares:
        return []
    note = cache_note(row)
    words = [html.P(note, className="share-note")] if note else []
    return [
        html.Section(
            [html.H3("Prefix cache, share of prompt tokens"), share_bars(shares), *words],
            className="point-group",
        )
    ]


def share_bars(shares: Sequence[Share]) -> html.Div:
    """One bar per share of prompt tokens; the theoretical one is hollow, one above 100 % is a conflict."""
    return html.Div([part for share in shares for part in _share(share)], className="shares")


def _share(share: Share) -> list[Component]:
    filled = html.I(style={"width": f"{min(max(share.share, 0.0), 1.0):.1%}"})
    over = share.share > 1
    bar = html.Span(filled, className="share-bar hollow" if share.theoretical else "share-bar")
    return [
        html.Span(share.label, className="quiet"),
        html.Span(bar, **attributes(aria_hidden="true")),
        html.Span(
            percent(share.share),
            className="conflict" if over else None,
            **attributes(title="above 100 %: the sources count differently" if over else None),
        ),
    ]
