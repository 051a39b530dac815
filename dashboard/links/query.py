"""Query strings: parsed against a page's parameters with named notices, and built back.

A default is left out of the URL and the order of the parameters is fixed: equal views have equal URLs. When a
default changes, `VERSION` rises and old links, which carry no `v` or a lower one, keep the old default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache, lru_cache
from typing import Any, Literal, get_args
from urllib.parse import parse_qs, quote

from dashboard.parameters import Notice, Parameter, UnusableError, one_of, shortened

VERSION = "1"
MAX_NOTICES = 12
Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = get_args(Theme)
THEME = Parameter("theme", "theme", one_of(THEMES))
Query = Mapping[str, str | Sequence[str]]


def parse_query(text: str) -> dict[str, str | list[str]]:
    """A query string, with or without its question mark, as Dash hands it on: a text or a list per name."""
    found = parse_qs(text.removeprefix("?"), keep_blank_values=True, max_num_fields=None, errors="replace")
    return {key: values[0] if len(values) == 1 else values for key, values in found.items()}


def encode(pairs: Sequence[tuple[str, str]]) -> str:
    """Pairs as a query string that stays readable: commas, colons and slashes are kept as they are."""
    return "&".join(f"{_quoted(name)}={_quoted(text)}" for name, text in pairs)


@lru_cache(4096)  # a page holds a hundred links that differ in one pair
def _quoted(text: str) -> str:
    return quote(text, safe=",:/~@")


def address(path: str, query: str) -> str:
    """A path with a query string, where there is one."""
    return f"{path}?{query}" if query else path


def parse(query: Query, parameters: Sequence[Parameter]) -> tuple[dict[str, Any], tuple[Notice, ...]]:
    """Values by field, and a notice for each parameter or value that had to be ignored."""
    by_name = {parameter.name: parameter for parameter in (*parameters, Parameter("v", "v", _version))}
    values: dict[str, Any] = {}
    notices: list[Notice] = []
    for key, raw in query.items():
        parameter = by_name.get(key)
        if parameter is None:
            notices.append(_unknown(key, raw))
            continue
        value, found = parameter.parse(texts(raw))
        notices.extend(found)
        if value is not None and parameter.name != "v":
            values[parameter.field] = value
    return values, _bounded(notices)


def _bounded(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    """At most `MAX_NOTICES`; the last one counts the rest."""
    if len(notices) <= MAX_NOTICES:
        return tuple(notices)
    rest = len(notices) - MAX_NOTICES + 1
    return (*notices[: MAX_NOTICES - 1], Notice("…", f"{rest} more", "could not be used either"))


def _unknown(key: str, raw: object) -> Notice:
    return Notice(shortened(key), shortened(", ".join(texts(raw))), "this page has no such parameter")


def texts(raw: object) -> list[str]:
    """The texts of one parameter as Dash hands it on."""
    return [raw] if isinstance(raw, str) else [str(text) for text in raw] if isinstance(raw, Sequence) else []


def _version(text: str) -> str:
    if text != VERSION:
        raise UnusableError(
            f"this program reads links of version {VERSION}; the link may show something else here"
        )
    return text


def fields_of(view: Any) -> dict[str, Any]:
    """The fields of a view by name."""
    return {name: getattr(view, name) for name in _field_names(view.__class__)}


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def written(
    values: Mapping[str, Any], defaults: Mapping[str, Any], parameters: Sequence[Parameter]
) -> list[tuple[str, str]]:
    """Names and texts of the values that differ from their defaults; what is None is left out."""
    return [
        (parameter.name, parameter.text(value))
        for parameter in parameters
        if (value := values[parameter.field]) != defaults[parameter.field] and value is not None
    ]
