"""Files that are whole or absent, and the lock that writers of one store share."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

_SYNCS_AT_ONCE = 16


def replace(path: Path, content: bytes) -> None:
    """Put a file in place, whole, whatever stood there: temporary file beside it, sync, rename."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        temporary.write_bytes(content)
        sync_file(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_file(path: Path) -> None:
    """Wait until the disk has the content of a file."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sync_files(paths: Iterable[Path]) -> None:
    """Wait for many files at once: the disk takes what threads ask together as one piece of work."""
    with ThreadPoolExecutor(_SYNCS_AT_ONCE) as pool:
        for _ in pool.map(sync_file, paths):
            pass


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names in a folder (a rename survives a power cut only then)."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold a folder's lock, waiting for it. The kernel drops that of a killed process; readers never ask."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def hold(folder: Path) -> int:
    """Lock a folder until the returned handle is closed: how a running ingest shows that it lives."""
    handle = os.open(folder, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


def is_held(folder: Path) -> bool:
    """Whether a living process holds the folder's lock."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
