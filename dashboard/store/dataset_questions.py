"""What pages ask about datasets: which there are, their totals, distributions, and their conversations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dashboard.domain.columns import Columns, Numbers
from dashboard.store import dataset_staging
from dashboard.store.columns import to_columns
from dashboard.store.connection import Store
from dashboard.store.datasets import LATER, TABLES, completed, is_slug
from dashboard.store.layout import StoreError, plainly

#: Rows of one page of the list of conversations.
PAGE_ROWS = 50

#: Values of the distributions, as SQL over turns that no duplicate repeats; `c` is the conversation.
_TURN_VALUES = {
    "isl": "isl",
    "osl": "osl",
    "uncached": "uncached_tokens",
    "cached_share": "cached_prefix_tokens / nullif(isl, 0)",
    "delay_s": "delay_s",
}
_VALUE_COLUMNS = (
    "conversation_id", "outer", "kind", "isl", "osl", "uncached_tokens", "cached_prefix_tokens", "delay_s",
    "t_s", "end_s",
)  # fmt: skip
_SUBAGENT_VALUES = {"subagent_isl": "isl", "subagent_osl": "osl"}
_SORTS = {
    "input": "input_tokens",
    "cached": "cached_tokens / nullif(input_tokens, 0)",
    "output": "output_tokens",
    "turns": "turns",
    "subagents": "subagents",
    "isl": "isl_max",
    "span": "span_s",
    "id": "conversation_id",
}


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """A dataset in a line: what `dataset.json` says, and totals in which a duplicate session counts once."""

    slug: str
    about: Mapping[str, Any]
    totals: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name for people."""
        return str(self.about.get("name") or self.slug)

    @property
    def simulated(self) -> bool:
        """Whether no recorded session stands behind it."""
        return bool(self.about.get("simulated"))


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What a list of conversations is narrowed to, and its order; `turns` and `isl` are least and most."""

    search: str | None = None
    models: tuple[str, ...] = ()
    subagents: str | None = None
    turns: tuple[float, float] | None = None
    isl: tuple[float, float] | None = None
    sort: str = "-input"
    page: int = 1


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """One page of a list: rows of `CONVERSATIONS`, how many fit the narrowing, and how many there are."""

    rows: tuple[Mapping[str, Any], ...]
    fitting: int
    total: int


def slugs(store: Store) -> tuple[str, ...]:
    """Names of the datasets, sorted."""
    return tuple(slug for slug in dataset_staging.slugs(store.layout) if is_slug(slug))


def info(store: Store, slug: str) -> DatasetInfo | None:
    """One dataset; None for a name that the store does not have."""
    about = _about(store, slug)
    if about is None:
        return None
    conversations, turns = read(store, slug, "conversations"), read(store, slug, "turns", ("kind", "inner"))
    sums = (
        "turns",
        "subagents",
        "subagent_turns",
        "auxiliary",
        "input_tokens",
        "cached_tokens",
        "output_tokens",
    )
    question = f"""
        SELECT count(*) AS conversations, median(turns) AS median_turns, max(isl_max) AS isl_max,
               {", ".join(f"coalesce(sum({name}), 0)::BIGINT AS {name}" for name in sums)},
               (SELECT count(*) FROM conversations WHERE duplicate_of IS NOT NULL) AS duplicates
        FROM conversations WHERE duplicate_of IS NULL"""
    totals = store.ask(question, conversations=conversations).to_pylist()[0]
    return DatasetInfo(slug, about, totals | {"requests": turns.num_rows})


def models(store: Store, slug: str) -> tuple[tuple[str, int, int], ...]:
    """Model, requests and input tokens of a dataset, most requests first; a duplicate session counts once."""
    question = f"""
        SELECT model, count(*) AS requests, sum(isl)::BIGINT AS tokens FROM turns
        WHERE {_ONCE} GROUP BY model ORDER BY requests DESC, model"""
    found = _ask(store, slug, question, ("conversation_id", "model", "isl")).to_pylist()
    return tuple((row["model"], row["requests"], row["tokens"]) for row in found)


_ONCE = "conversation_id IN (SELECT conversation_id FROM conversations WHERE duplicate_of IS NULL)"


def values(store: Store, slug: str) -> Columns:
    """The values of each distribution, in no order: tokens, shares 0..1, seconds and counts."""
    tables = {
        "turns": read(store, slug, "turns", _VALUE_COLUMNS),
        "conversations": read(store, slug, "conversations"),
    }
    found: dict[str, Numbers] = {}
    for condition, asked in (("true", _TURN_VALUES), ("kind = 'subagent'", _SUBAGENT_VALUES)):
        said = ", ".join(f"({value})::DOUBLE AS {name}" for name, value in asked.items())
        question = f"SELECT {said} FROM turns WHERE {_ONCE} AND {condition}"
        found |= to_columns(store.ask(question, (), **tables))
    wall = f"""SELECT max(coalesce(end_s, t_s)) - min(t_s) AS subagent_s FROM turns
        WHERE kind = 'subagent' AND {_ONCE} GROUP BY conversation_id, "outer" """
    found |= to_columns(store.ask(wall, (), **tables))
    counts = """SELECT turns::DOUBLE AS turns, subagents::DOUBLE AS subagents FROM conversations
        WHERE duplicate_of IS NULL"""
    found |= to_columns(store.ask(counts, (), **tables))
    return found


def conversations(store: Store, slug: str, narrowing: Narrowing) -> ConversationPage:
    """One page of the conversations that fit; a page beyond the last is empty."""
    where, parameters = _conditions(narrowing)
    order = f"{_SORTS[narrowing.sort.lstrip('-')]} {'DESC' if narrowing.sort[0] == '-' else 'ASC'} NULLS LAST"
    question = f"""
        SELECT *, count(*) OVER () AS fitting FROM conversations WHERE {where}
        ORDER BY {order}, conversation_id LIMIT {PAGE_ROWS} OFFSET {PAGE_ROWS * (narrowing.page - 1)}"""
    table = read(store, slug, "conversations")
    rows = store.ask(question, parameters, conversations=table).to_pylist()
    if rows:
        return ConversationPage(tuple(rows), rows[0]["fitting"], table.num_rows)
    counted = store.ask(
        f"SELECT count(*) AS n FROM conversations WHERE {where}", parameters, conversations=table
    )
    return ConversationPage((), counted["n"][0].as_py(), table.num_rows)


def _conditions(narrowing: Narrowing) -> tuple[str, list[Any]]:
    conditions = ["true"]
    parameters: list[Any] = []
    if narrowing.search:
        conditions.append("contains(lower(conversation_id), lower(?))")
        parameters.append(narrowing.search)
    if narrowing.models:
        conditions.append("list_has_any(models, ?::VARCHAR[])")
        parameters.append(list(narrowing.models))
    if narrowing.subagents:
        conditions.append("subagents > 0" if narrowing.subagents == "with" else "subagents = 0")
    for column, ends in (("turns", narrowing.turns), ("isl_max", narrowing.isl)):
        if ends is not None:
            conditions.append(f"{column} BETWEEN ? AND ?")
            parameters += ends
    return " AND ".join(conditions), parameters


@dataclass(frozen=True, slots=True)
class ConversationTables:
    """One conversation: its row, turns by their start, edges, and the ids before and after it by id."""

    row: Mapping[str, Any]
    turns: pa.Table
    edges: pa.Table
    before: str | None
    after: str | None


def conversation(store: Store, slug: str, conversation_id: str) -> ConversationTables | None:
    """All of one conversation; None where dataset or conversation are unknown."""
    if _about(store, slug) is None:
        return None
    table = read(store, slug, "conversations")
    ids = sorted(str(one) for one in table["conversation_id"].to_pylist())
    if conversation_id not in ids:
        return None
    place = ids.index(conversation_id)
    chosen = store.ask(
        "SELECT * FROM conversations WHERE conversation_id = ?", [conversation_id], conversations=table
    )
    only = pc.field("conversation_id") == conversation_id
    return ConversationTables(
        chosen.to_pylist()[0],
        _read(store, slug, "turns", None, only).sort_by(
            [("t_s", "ascending"), ("outer", "ascending"), ("inner", "ascending")]
        ),
        _read(store, slug, "edges", None, only),
        ids[place - 1] if place else None,
        ids[place + 1] if place + 1 < len(ids) else None,
    )


def read(store: Store, slug: str, name: str, columns: Sequence[str] | None = None) -> pa.Table:
    """A table of a dataset, whole or some columns of it. StoreError where it cannot be read."""
    return _read(store, slug, name, columns, None)


def _read(
    store: Store, slug: str, name: str, columns: Sequence[str] | None, only: pc.Expression | None
) -> pa.Table:
    path = dataset_staging.folder(store.layout, slug) / f"{name}.parquet"
    schema = TABLES[name]
    wanted = schema if columns is None else pa.schema([schema.field(column) for column in columns])
    try:
        there = set(pq.read_schema(path).names)
        asked = [column for column in wanted.names if column in there or column not in LATER]
        table = pq.read_table(path, columns=asked, filters=only, page_checksum_verification=True)
        return completed(table, wanted)
    except (OSError, pa.ArrowException, KeyError) as error:
        raise StoreError(f"The dataset {slug} cannot be read ({plainly(error)}). Ingest it again.") from error


def _ask(store: Store, slug: str, question: str, columns: Sequence[str]) -> pa.Table:
    tables = {
        "turns": read(store, slug, "turns", columns),
        "conversations": read(store, slug, "conversations"),
    }
    return store.ask(question, (), **tables)


def _about(store: Store, slug: str) -> Mapping[str, Any] | None:
    if not is_slug(slug):
        return None
    try:
        about = json.loads((dataset_staging.folder(store.layout, slug) / "dataset.json").read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise StoreError(f"The dataset {slug} cannot be read ({plainly(error)}). Ingest it again.") from error
    return about if isinstance(about, dict) else {}
