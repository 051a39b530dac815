"""Reading what components send to the browser, described parts included."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dash._utils import to_json


@dataclass(frozen=True, slots=True)
class Element:
    """One element as the browser gets it."""

    tag: str
    attributes: dict[str, Any]
    words: str

    @property
    def classes(self) -> list[str]:
        return str(self.attributes.get("class", "")).split()


def elements(components: Any) -> list[Element]:
    """Every element, in the order of the document."""
    return [element for node in _nodes(json.loads(to_json(components))) for element in _walk(node)]


def links(components: Any, having: str = "") -> list[Element]:
    """The links, where asked for only those of one class."""
    found = [one for one in elements(components) if one.tag == "a"]
    return [one for one in found if not having or having in one.classes]


def words(components: Any) -> str:
    return " ".join(_words(node) for node in _nodes(json.loads(to_json(components)))).strip()


def _nodes(value: Any) -> Iterator[Any]:
    """Dash's JSON as nodes: a text, or [tag, attributes, child ...]."""
    if value is None:
        return
    if isinstance(value, list):
        for item in value:
            yield from _nodes(item)
    elif isinstance(value, dict):
        props = dict(value["props"])
        if "data-tree" in props:
            yield from json.loads(props["data-tree"])
            return
        children = props.pop("children", None)
        props["class"] = props.pop("className", "")
        yield [value["type"].lower(), props, *_nodes(children)]
    else:
        yield str(value)


def _walk(node: Any) -> Iterator[Element]:
    if isinstance(node, list):
        yield Element(node[0], node[1], _words(node))
        for child in node[2:]:
            yield from _walk(child)


def _words(node: Any) -> str:
    if isinstance(node, str):
        return node
    return " ".join(filter(None, (_words(child).strip() for child in node[2:])))
