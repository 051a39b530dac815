"""Parts of a page as one component each, whatever they contain.

Dash keeps a React component and a store subscription for every element, and a change of the view replaces
some 1,500 of them: 1.5 s of work in the browser. A described part travels as one attribute instead, and
`assets/parts.js` brings the page's elements in line with it, keeping those that stay (open menus, focus,
scroll). What is described is still written with Dash's html components, or with `Element` for tags that
Dash does not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
from dash import html
from dash.development.base_component import Component


@dataclass(frozen=True, slots=True)
class Element:
    """An element by its tag and HTML attributes, for what `dash.html` lacks (input, the name of a select)."""

    tag: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    children: Sequence[Any] = ()


#: Dash's spelling of attributes, where HTML's is another.
_SPELLING = {"className": "class", "htmlFor": "for", "rowSpan": "rowspan", "colSpan": "colspan"}

Node = str | list[Any]


def described(children: Sequence[Any], media: str | None = None) -> html.Div:
    """The children as one component; with `media` they are drawn only where the media query matches."""
    tree = orjson.dumps([node for child in children for node in _nodes(child)]).decode()
    only = {"data-media": media} if media else {}
    return html.Div(className="part", **{"data-tree": tree}, **only)


def _nodes(child: Any) -> list[Node]:
    """A child as nodes: a text, or [tag, attributes, child, child ...]."""
    if child is None:
        return []
    if isinstance(child, (list, tuple)):
        return [node for one in child for node in _nodes(one)]
    if isinstance(child, Element):
        return [[child.tag, dict(child.attributes), *_nodes(child.children)]]
    return [_node(child)] if isinstance(child, Component) else [str(child)]


def _node(component: Component) -> Node:
    told = component.to_plotly_json()
    if told["namespace"] != "dash_html_components":
        raise TypeError(f"{told['type']} is not an HTML element and cannot be described")
    props = told["props"]
    attributes = {
        _SPELLING.get(name, name): _value(name, value) for name, value in props.items() if _told(name, value)
    }
    return [told["type"].lower(), attributes, *_nodes(props.get("children"))]


def _told(name: str, value: Any) -> bool:
    return name != "children" and value is not None and value is not False


def _value(name: str, value: Any) -> str:
    if name == "style":
        return ";".join(f"{key}:{style}" for key, style in value.items())
    return "" if value is True else str(value)
