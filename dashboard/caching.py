"""Answers kept by what they follow from: one computation per key, shared by the workers of a server.

What flask-caching leaves to its users is done here: keys are plain scalars in one spelling, None is an answer
like any other, threads that miss together wait for one of them, and answers of other code are never read.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import Any, TypeVar, cast

from flask import Flask
from flask_caching import Cache

from dashboard.resources import catalog_dir

Scalar = str | int | float | bool | date | None
Answer = TypeVar("Answer")

#: Answers kept at most; beyond it the oldest go. A view of 10,000 points takes about 1 MB.
_CAPACITY = 500
#: Keys name the state they follow from, so that age makes no answer wrong: this only bounds what lies about.
_SECONDS = 24 * 3600
#: Steps kept in the memory of a process; the scene of 10,000 points takes about 1 MB, their rows 5 MB.
_NEWEST = 24
_CODE = (Path(__file__).parent, Path(__file__).parent.parent / "components")


class ViewCache:
    """Remembers answers under keys of scalars: in files that workers share, or in the memory of one process.

    `folder` (for "files") must be writable by nobody else, since answers are pickled; without one, a private
    folder among the temporary ones is used. `follows` are folders whose files every answer follows from,
    beside the program's own: the catalog.
    """

    def __init__(
        self,
        server: Flask,
        kind: str = "memory",
        folder: Path | None = None,
        follows: Iterable[Path] | None = None,
    ) -> None:
        self._cache = Cache(server, config=_configuration(kind, folder))
        self._locks = _KeyLocks()
        self._newest: OrderedDict[str, tuple[Any]] = OrderedDict()
        self._release = _release((*_CODE, *(follows if follows is not None else (catalog_dir(),))))

    def remember(self, key: Iterable[Scalar | tuple[Scalar, ...]], compute: Callable[[], Answer]) -> Answer:
        """The answer under a key; one caller computes it while others with the same key wait.

        The key must hold all that the answer follows from, the store's fingerprint included; TypeError for
        parts that are no scalars.
        """
        name = _name(self._release, *key)
        kept = self._cache.get(name)
        if kept is None:
            with self._locks.held(name):
                kept = self._cache.get(name)
                if kept is None:
                    kept = (compute(),)
                    self._cache.set(name, kept)
        return cast(Answer, kept[0])

    def recall(self, key: Iterable[Scalar | tuple[Scalar, ...]], compute: Callable[[], Answer]) -> Answer:
        """As `remember`, for the few newest answers of this process, which are handed out as they are.

        For steps on the way to an answer that is remembered: packing them would cost more than it saves.
        Nobody may change what is handed out.
        """
        name = _name(*key)
        with self._locks.held(name):
            kept = self._newest.pop(name, None) or (compute(),)
            self._newest[name] = kept
        with suppress(KeyError):  # another thread may have emptied it meanwhile
            while len(self._newest) > _NEWEST:
                self._newest.popitem(last=False)
        return cast(Answer, kept[0])


class _KeyLocks:
    """One lock per key in use."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._used: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def held(self, key: str) -> Iterator[None]:
        with self._guard:
            lock, users = self._used.get(key, (threading.Lock(), 0))
            self._used[key] = (lock, users + 1)
        try:
            with lock:
                yield
        finally:
            with self._guard:
                lock, users = self._used.pop(key)
                if users > 1:
                    self._used[key] = (lock, users - 1)


def _configuration(kind: str, folder: Path | None) -> dict[str, Any]:
    bounds = {"CACHE_THRESHOLD": _CAPACITY, "CACHE_DEFAULT_TIMEOUT": _SECONDS}
    if kind == "memory":
        return {"CACHE_TYPE": "SimpleCache", **bounds}
    if kind == "files":
        place = _given_folder(folder) if folder else _private_folder()
        return {"CACHE_TYPE": "FileSystemCache", "CACHE_DIR": str(place), **bounds}
    raise ValueError(f"cache is {kind!r}: write files or memory.")


def _given_folder(folder: Path) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _private_folder() -> Path:
    """This user's folder among the temporary ones, for all workers; a fresh one if others can write it."""
    folder = Path(tempfile.gettempdir()) / f"agentx-dashboard-cache-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077
    return folder if ours else Path(tempfile.mkdtemp(prefix="agentx-dashboard-cache-"))


def _release(folders: Iterable[Path]) -> str:
    """Names the code and data at hand, so that no answer of another version is taken for one of this."""
    files = sorted(
        path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".toml")
    )
    stamps = [(str(path), status.st_size, status.st_mtime_ns) for path in files for status in (path.stat(),)]
    return hashlib.sha256(repr(stamps).encode()).hexdigest()


def _name(*key: Scalar | tuple[Scalar, ...]) -> str:
    spelt = json.dumps([_plain(part) for part in key], separators=(",", ":"))
    return hashlib.sha256(spelt.encode()).hexdigest()


def _plain(part: object) -> object:
    """One spelling for equal scalars: numpy's like Python's, 1.0 like 1, lists like tuples."""
    if isinstance(part, (tuple, list)):
        return [_plain(item) for item in part]
    if isinstance(part, date):
        return {"date": part.isoformat()}
    item = getattr(part, "item", None)
    plain = item() if callable(item) and getattr(part, "shape", None) == () else part
    if isinstance(plain, float) and plain.is_integer():
        return int(plain)
    if plain is None or isinstance(plain, (str, bool, int, float)):
        return plain
    raise TypeError(f"A cache key holds scalars and tuples of them, not {type(part).__name__}.")
