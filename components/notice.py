"""What a page has to say about itself: ignored parameters, and states in which there is nothing to draw."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from components.option import Option, attributes, option_link


def notices(sentences: Sequence[str]) -> list[Component]:
    """One quiet line per sentence, announced to screen readers; nothing when there is nothing to say."""
    if not sentences:
        return []
    lines = html.Ul([html.Li(sentence) for sentence in sentences], className="notices")
    return [html.Div(lines, role="status")]


def empty_state(title: str, why: str, actions: Sequence[Option] = (), command: str = "") -> html.Section:
    """What is missing, why, and the click or command that helps."""
    helps: list[Component] = []
    if actions:
        helps.append(
            html.Div([option_link(action, "button") for action in actions], className="empty-actions")
        )
    if command:
        helps.append(html.Pre(html.Code(command), className="command", tabIndex="0"))
    return html.Section(
        [html.H2(title), html.P(why), *helps], className="empty-state", **attributes(aria_label=title)
    )
