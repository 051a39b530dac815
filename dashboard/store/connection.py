"""A store as the pages ask it: opened on first use, a cursor and a deadline per question, one generation."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from dashboard.store import generation
from dashboard.store.generation import Generation, Scope, StoreInfo
from dashboard.store.layout import Layout, StoreError

__all__ = ["Store", "StoreError", "StoreInfo"]

_log = logging.getLogger(__name__)


class Store:
    """Reads one store folder. Nothing is opened before the first question: make it before a fork if you like.

    A replaced index is noticed at the next question; `reading()` keeps several questions on one generation.
    StoreError, a sentence for people, when the store is damaged or a question takes longer than `deadline_s`
    seconds or more than `memory_limit`.
    """

    def __init__(
        self, path: Path, memory_limit: str = "1GB", threads: int = 2, deadline_s: float = 10.0
    ) -> None:
        self.layout = Layout(path)
        self._memory_limit = memory_limit
        self._threads = threads
        self._deadline_s = deadline_s
        self._lock = threading.Lock()
        self._newest: Generation | None = None
        self._forsaken: list[Generation] = []
        self._refused = ""
        self._pinned: ContextVar[Generation | None] = ContextVar("pinned", default=None)

    def fingerprint(self) -> str:
        """Names the present state of the store for cache keys and ETags; equal while answers are equal."""
        return self._generation().stamp

    def info(self) -> StoreInfo:
        """What the store holds; an absent or empty folder is a store of 0 points."""
        return self._generation().info

    def scopes(self) -> tuple[Scope, ...]:
        """Every model and scenario with its counts."""
        return self._generation().scopes

    @contextmanager
    def reading(self) -> Iterator[str]:
        """One generation answers all questions of this thread inside the block; yields its fingerprint."""
        pinned = self._generation()
        token = self._pinned.set(pinned)
        try:
            yield pinned.stamp
        finally:
            self._pinned.reset(token)

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A cursor of its own for one caller; close it."""
        return self._generation().connection.cursor()

    def ask(
        self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = (), **tables: pa.Table
    ) -> pa.Table:
        """Run one statement and fetch all of it; `tables` can be named in it, beside those in memory."""
        cursor = self.cursor()
        alarm = threading.Timer(self._deadline_s, _interrupt, (cursor,))
        alarm.daemon = True
        alarm.start()
        try:
            for name, table in tables.items():
                cursor.register(name, table)
            given = parameters if isinstance(parameters, Mapping) else list(parameters)
            answer: pa.Table = cursor.sql(sql, params=given).to_arrow_table()
            return answer
        except duckdb.InterruptException as error:
            raise StoreError(
                f"The store took longer than {self._deadline_s:g} s to answer. "
                "Narrow the selection, or try again later."
            ) from error
        except duckdb.OutOfMemoryException as error:
            raise StoreError(
                f"The answer does not fit into the memory limit of {self._memory_limit}. "
                "Narrow the selection, or raise the limit."
            ) from error
        finally:
            alarm.cancel()
            cursor.close()

    def _generation(self) -> Generation:
        pinned = self._pinned.get()
        if pinned is not None and pinned.pid == os.getpid():
            return pinned
        current = self._newest
        usable = current if current is not None and current.pid == os.getpid() else None
        # While one thread reads a new state, the others go on with the one they have.
        if usable and (self._is_known(usable, generation.stamp(self.layout)) or self._lock.locked()):
            return usable
        with self._lock:
            return self._renew()

    def _is_known(self, current: Generation, present: str) -> bool:
        return present in (current.stamp, self._refused)

    def _renew(self) -> Generation:
        current, present = self._newest, generation.stamp(self.layout)
        if current is not None and current.pid != os.getpid():
            self._forsaken.append(current)  # inherited by a fork: even closing it would hang
            current = None
        if current is not None and self._is_known(current, present):
            return current
        try:
            self._newest = generation.load(self.layout, self._memory_limit, self._threads)
        except StoreError as error:
            if current is None:
                raise
            _log.warning("The store keeps its last good state: %s", error)
            self._refused = present
            return current
        return self._newest


def _interrupt(cursor: duckdb.DuckDBPyConnection) -> None:
    with suppress(duckdb.Error):
        cursor.interrupt()
