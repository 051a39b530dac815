"""Reading a tree of Dash components as the browser receives it, described parts included."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from dash._utils import to_json


def plain(component: Any) -> Any:
    """A component as plain JSON values; a described part is unfolded to the elements that it describes."""
    return _unfolded(json.loads(to_json(component)))


def parts(tree: Any) -> Iterator[dict[str, Any]]:
    """Every component of a tree, as its properties with its type."""
    if isinstance(tree, list):
        for item in tree:
            yield from parts(item)
    elif isinstance(tree, dict) and "props" in tree:
        yield {"type": tree["type"], **tree["props"]}
        yield from parts(tree["props"].get("children"))


def text(tree: Any) -> str:
    """The words of a tree."""
    if isinstance(tree, dict):
        return text(tree.get("props", {}).get("children"))
    return " ".join(text(item) for item in tree) if isinstance(tree, list) else str(tree or "")


def words(component: Any) -> str:
    """The words of a component."""
    return text(plain(component))


def _unfolded(tree: Any) -> Any:
    if isinstance(tree, list):
        return [_unfolded(item) for item in tree]
    if not isinstance(tree, dict):
        return tree
    if "data-tree" in tree.get("props", {}):
        nodes = json.loads(tree["props"]["data-tree"])
        return {**tree, "props": {**tree["props"], "children": [_element(node) for node in nodes]}}
    return {key: _unfolded(value) for key, value in tree.items()}


def _element(node: str | list[Any]) -> Any:
    """A described node, `[tag, attributes, child ...]` or a text, in the form of a component."""
    if isinstance(node, str):
        return node
    tag, attributes, *children = node
    return {"type": tag, "props": {**attributes, "children": [_element(child) for child in children]}}
