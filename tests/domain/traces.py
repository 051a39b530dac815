"""Trace documents for tests: calls, subagents, whole traces, with what matters spelt out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def call(
    t: float,
    blocks: Sequence[int],
    isl: int | None = None,
    osl: int = 10,
    *,
    api: float | None = None,
    model: str = "m",
    **more: Any,
) -> dict[str, Any]:
    """A call at `t`; its prompt fills its blocks of 64 tokens where `isl` is not given."""
    tokens = 64 * len(blocks) if isl is None else isl
    said = {"t": t, "type": "n", "model": model, "in": tokens, "out": osl, "hash_ids": list(blocks), **more}
    return said if api is None else said | {"api_time": api}


def subagent(t: float, *calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A recorded subagent."""
    return {
        "t": t,
        "type": "subagent",
        "agent_id": "a_001",
        "status": "completed",
        "requests": list(calls),
    } | more


def trace(*entries: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A whole trace."""
    return {"id": "t", "block_size": 64, "hash_id_scope": "local", "requests": list(entries)} | more
