"""Reading a tree of Dash components as the browser receives it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from dash._utils import to_json


def plain(component: Any) -> Any:
    """A component as plain JSON values."""
    return json.loads(to_json(component))


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
