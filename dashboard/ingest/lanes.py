"""Who sent a request: the lane, the kind of stream and its depth, from conversation ids and correlations.

A lane is one replay of one conversation tree; records of older harnesses do not name it, and it is found by
climbing from child to parent (data-contracts 3.4).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

#: Between the dataset conversation and the chains below it: `trace_0042::sa:explore_003:aux:001`.
CHILD = "::"

_AUXILIARY = re.compile(r"(?:^|:)aux:")
_CHAIN = re.compile(r"(?:^|:)(?:sa|fa|wg|aux):")


def kind_of(conversation_id: str | None, depth: int | None) -> str:
    """`main`, `subagent` or `auxiliary`; without a suffix the depth decides."""
    suffix = (conversation_id or "").partition(CHILD)[2]
    if _AUXILIARY.search(suffix):
        return "auxiliary"
    return "subagent" if suffix or (depth or 0) > 0 else "main"


def depth_of(conversation_id: str | None) -> int:
    """Chains below the root, by the suffix: 0 for the root, 1 for `::sa:x`, 2 for `::sa:x:fa:000`."""
    return len(_CHAIN.findall((conversation_id or "").partition(CHILD)[2]))


def dataset_conversation(conversation_id: str | None) -> str | None:
    """The dataset's own id: what stands before the first `::`."""
    return conversation_id.partition(CHILD)[0] if conversation_id else None


def kinds(conversations: pa.Array[Any], depths: pa.Array[Any]) -> pa.Array[Any]:
    """`kind_of` for columns of equal length."""
    at_root = per_distinct(conversations, lambda conversation: kind_of(conversation, 0), pa.string())
    below = per_distinct(conversations, lambda conversation: kind_of(conversation, 1), pa.string())
    deeper: Any = depths.fill_null(0).to_numpy(zero_copy_only=False) > 0
    chosen: pa.Array[Any] = pc.if_else(pa.array(deeper), below, at_root)
    return chosen


def depths(conversations: pa.Array[Any], recorded: pa.Array[Any]) -> pa.Array[Any]:
    """The recorded depth, or the one that the conversation's suffix shows (older records have none)."""
    if not recorded.null_count:
        return recorded.cast(pa.int32(), safe=False)
    shown = per_distinct(conversations, depth_of, pa.int64())
    return pc.coalesce(recorded, shown).cast(pa.int32(), safe=False)


def per_distinct(
    column: pa.Array[Any], function: Callable[[str | None], object], kind: pa.DataType
) -> pa.Array[Any]:
    """`function` of each value of a text column, called once for each distinct value."""
    coded = column.dictionary_encode(null_encoding="encode")
    made = pa.array([function(value) for value in coded.dictionary.to_pylist()], kind)
    return made.take(coded.indices)


def lanes(own: pa.Array[Any], parents: pa.Array[Any], roots: pa.Array[Any]) -> pa.Array[Any]:
    """The lane of each request: its root, else the top of its line of parents, else its own id."""
    if not roots.null_count:
        return roots
    known = dict(zip(own.to_pylist(), parents.to_pylist(), strict=True))
    tops = per_distinct(own, lambda correlation: _top(correlation, known), pa.string())
    return pc.coalesce(roots, tops)


def _top(correlation: str | None, parents: dict[str | None, str | None]) -> str | None:
    """The last of the line of parents; a line that runs in a circle ends where it would begin again."""
    seen = {correlation}
    while (parent := parents.get(correlation)) is not None and parent not in seen:
        seen.add(parent)
        correlation = parent
    return correlation
