"""Files that are whole or absent, and the lock that writers of one store share."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write(path: Path, content: bytes) -> None:
    """Write a file and wait until the disk has it. For files nobody reads yet: see `replace`."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def replace(path: Path, content: bytes) -> None:
    """Put a file in place, whole, whatever stood there: temporary file beside it, sync, rename."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        write(temporary, content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_file(path: Path) -> None:
    """Wait until the disk has a file that somebody else wrote."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


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
