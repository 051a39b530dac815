"""Pages of the datasets: the list of them, one dataset with its conversations, one conversation at a turn."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args
from urllib.parse import quote

from dashboard.links.query import THEME, Query, Theme, address, encode, fields_of, parse, written
from dashboard.parameters import (
    Notice,
    Parameter,
    UnusableError,
    identifier,
    interval,
    name,
    one_of,
    write_interval,
)

DATASETS = "/datasets"
DATASETS_API = "/api/v1/datasets"
MAX_COMPARED = 4

Layout = Literal["tokens", "time"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
#: Orders of the list of conversations; a hyphen before the name turns it round.
SORTS = ("input", "cached", "output", "turns", "subagents", "isl", "span", "id")
SORT_CHOICES = tuple(text for key in SORTS for text in (f"-{key}", key))
SUBAGENTS = ("with", "without")
#: All streams unfolded, whatever they are called.
ALL = "all"


@dataclass(frozen=True, slots=True)
class DatasetsView:
    """The list of datasets; `compare` names those whose distributions stand on the same axes."""

    compare: tuple[str, ...] = ()
    theme: Theme | None = None


@dataclass(frozen=True, slots=True)
class DatasetView:
    """One dataset: what its list of conversations is narrowed to, its order and page (from 1)."""

    search: str | None = None
    model: tuple[str, ...] = ()
    subagents: str | None = None
    turns: tuple[float, float] | None = None
    isl: tuple[float, float] | None = None
    sort: str = "-input"
    page: int = 1
    theme: Theme | None = None


@dataclass(frozen=True, slots=True)
class ConversationView:
    """One conversation: `turn` is OUTER or OUTER.INNER, `unfold` stream names (or `all`), `run` a point."""

    turn: str | None = None
    layout: Layout = "tokens"
    unfold: tuple[str, ...] = ()
    run: str | None = None
    theme: Theme | None = None


def _turn(text: str) -> str:
    if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text, re.ASCII):
        raise UnusableError("write a turn as 12, or as 12.3 inside a subagent")
    return text


def _page(text: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,6}", text, re.ASCII):
        raise UnusableError("write the number of a page, from 1")
    return int(text)


def _slug(text: str) -> str:
    if not is_slug(text):
        raise UnusableError("a dataset's name has small letters, digits, dots and hyphens")
    return text


DATASETS_PARAMETERS: tuple[Parameter, ...] = (Parameter("compare", "compare", _slug, many=True), THEME)
DATASET_PARAMETERS: tuple[Parameter, ...] = (
    Parameter("q", "search", name),
    Parameter("model", "model", name, many=True),
    Parameter("subagents", "subagents", one_of(SUBAGENTS)),
    Parameter("turns", "turns", interval, write_interval),
    Parameter("isl", "isl", interval, write_interval),
    Parameter("sort", "sort", one_of(SORT_CHOICES)),
    Parameter("page", "page", _page),
    THEME,
)
CONVERSATION_PARAMETERS: tuple[Parameter, ...] = (
    Parameter("turn", "turn", _turn),
    Parameter("layout", "layout", one_of(LAYOUTS)),
    Parameter("unfold", "unfold", name, many=True),
    Parameter("run", "run", identifier),
    THEME,
)


def is_slug(text: str) -> bool:
    """Whether a text has the form of a dataset's slug, which is a folder name in the store."""
    return re.fullmatch(r"[a-z0-9][a-z0-9.-]{0,99}", text, re.ASCII) is not None


def turn_text(outer: int, inner: int | None = None) -> str:
    """A turn as it stands in a URL: its place in the trace, and inside its subagent."""
    return f"{outer}" if inner is None else f"{outer}.{inner}"


def datasets_url(view: DatasetsView = DatasetsView()) -> str:
    """The list of datasets, or some of them compared."""
    return _url(DATASETS, view, DatasetsView(), DATASETS_PARAMETERS)


def dataset_url(slug: str, view: DatasetView = DatasetView()) -> str:
    """One dataset."""
    return _url(f"{DATASETS}/{_quoted(slug)}", view, DatasetView(), DATASET_PARAMETERS)


def conversation_url(
    slug: str, conversation_id: str, turn: str | None = None, view: ConversationView = ConversationView()
) -> str:
    """One conversation of a dataset, at a turn ("12", or "12.3" inside a subagent) where one is named."""
    path = f"{DATASETS}/{_quoted(slug)}/conversations/{_quoted(conversation_id)}"
    shown = view if turn is None else replace(view, turn=turn)
    return _url(path, shown, ConversationView(), CONVERSATION_PARAMETERS)


def dataset_conversations_api_url(slug: str, view: DatasetView = DatasetView()) -> str:
    """The same page of the list of conversations as JSON."""
    pairs = written(fields_of(view), fields_of(DatasetView()), DATASET_PARAMETERS)
    return address(f"{DATASETS_API}/{_quoted(slug)}/conversations", encode(pairs))


def conversation_api_url(slug: str, conversation_id: str, part: str = "", **said: str) -> str:
    """The data of a conversation's page: its turns as JSON, or a part such as `runs` or `speedscope`."""
    path = f"{DATASETS_API}/{_quoted(slug)}/conversations/{_quoted(conversation_id)}"
    return address(f"{path}/{part}" if part else path, encode(sorted(said.items())))


def parse_datasets(query: Query) -> tuple[DatasetsView, tuple[Notice, ...]]:
    """What the list of datasets takes from its query string."""
    values, notices = parse(query, DATASETS_PARAMETERS)
    compare = values.get("compare", ())
    if len(compare) > MAX_COMPARED:
        values["compare"] = compare[:MAX_COMPARED]
        detail = f"at most {MAX_COMPARED} datasets are compared"
        notices = (*notices, Notice("compare", compare[MAX_COMPARED], detail))
    return DatasetsView(**values), notices


def parse_dataset(query: Query) -> tuple[DatasetView, tuple[Notice, ...]]:
    """What the page of a dataset takes from its query string."""
    values, notices = parse(query, DATASET_PARAMETERS)
    return DatasetView(**values), notices


def parse_conversation(query: Query) -> tuple[ConversationView, tuple[Notice, ...]]:
    """What the page of a conversation takes from its query string."""
    values, notices = parse(query, CONVERSATION_PARAMETERS)
    return ConversationView(**values), notices


def _quoted(text: str) -> str:
    return quote(text, safe="")


def _url(path: str, view: Any, first: Any, parameters: tuple[Parameter, ...]) -> str:
    return address(path, encode(written(fields_of(view), fields_of(first), parameters)))
