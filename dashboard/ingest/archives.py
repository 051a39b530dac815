"""Unpacking of .zip and .tar archives and single .gz files from anywhere: nothing lands outside its folder.

An archive is refused as a whole when it tries to leave its folder, holds a device, grows past its budget, or
is damaged: half an archive would be half a run. A link is left out and told; its target may lie anywhere.
"""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, cast

from dashboard.ingest.naming import printable

ZIP_SUFFIXES = (".zip",)
TAR_SUFFIXES = (".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
GZ_SUFFIX = ".gz"
ARCHIVE_SUFFIXES = (*ZIP_SUFFIXES, *TAR_SUFFIXES)

#: A member may grow this many fold when unpacked, once it is larger than `_RATIO_FROM` bytes.
#: Real artifacts pack about 10 to 1, logs up to 60 to 1; deflate can do 1,032 to 1.
_MOST_GROWTH = 300
_RATIO_FROM = 32 << 20
_CHUNK = 1 << 20

#: What the readers of the standard library raise on bytes that are not what they should be.
_DAMAGE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)
_UNWRITABLE_NAMES = (
    errno.ENAMETOOLONG,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EEXIST,
    errno.EILSEQ,
    errno.EINVAL,
)


class RefusedError(Exception):
    """An artifact that is not read; the message is one sentence for a person."""


@dataclass(slots=True)
class Budget:
    """What unpacking may still cost over one whole ingest: goes down as members are written."""

    bytes_left: int = 64 << 30
    files_left: int = 200_000

    def keep_room(self, folder: Path) -> None:
        """Never plans to fill the disk that `folder` lies on: a tenth of what is free stays free."""
        self.bytes_left = min(self.bytes_left, int(shutil.disk_usage(folder).free * 0.9))

    def spend_file(self) -> None:
        """One more file; raises `RefusedError` when there are too many."""
        self.files_left -= 1
        if self.files_left < 0:
            raise RefusedError("holds too many files; unpack it yourself and ingest the folder")

    def spend_bytes(self, count: int) -> None:
        """`count` more bytes; raises `RefusedError` when there are too many."""
        self.bytes_left -= count
        if self.bytes_left < 0:
            raise RefusedError("unpacks to more than fits here; unpack it yourself and ingest the folder")


@dataclass(slots=True)
class _Sink:
    """Writes members below `folder` within `budget`; keeps the names of what it left out."""

    folder: Path
    budget: Budget
    left_out: list[str] = field(default_factory=list)

    def write(self, name: str, source: IO[bytes], packed: int | None) -> None:
        """Copies one member; `packed` is its packed size in bytes where that is known."""
        self.budget.spend_file()
        target = self.folder.joinpath(*inner_parts(name))
        target.parent.mkdir(parents=True, exist_ok=True)
        written = 0
        with target.open("wb") as out:
            while block := source.read(_CHUNK):
                written += len(block)
                self.budget.spend_bytes(len(block))
                if packed is not None and written > max(_RATIO_FROM, _MOST_GROWTH * packed):
                    raise RefusedError(
                        f"member '{printable(name, 120)}' grows more than {_MOST_GROWTH}-fold when unpacked; "
                        "that is no benchmark artifact"
                    )
                out.write(block)


def is_archive(name: str) -> bool:
    """Whether a file name says archive (.zip, .tar.gz, .tgz, .tar and their bz2 and xz kin)."""
    return name.lower().endswith(ARCHIVE_SUFFIXES)


def inner_parts(name: str) -> tuple[str, ...]:
    """A member name as path parts below the folder; raises `RefusedError` when it points elsewhere."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    drive = bool(parts) and len(parts[0]) == 2 and parts[0][1] == ":"
    if ".." in parts or parts[:1] in (("/",), ("//",)) or drive or "\x00" in name:
        raise RefusedError(
            f"member '{printable(name, 120)}' points outside the archive; nothing was unpacked"
        )
    return parts


def unpack(archive: Path, folder: Path, budget: Budget) -> list[str]:
    """Unpacks `archive` into the empty `folder`; gives the names of links that were left out.

    Raises `RefusedError` and leaves `folder` empty when the archive is hostile, damaged or too large.
    """
    sink = _Sink(folder, budget)
    budget.keep_room(folder)
    with _emptied_on_failure(folder):
        if archive.name.lower().endswith(ZIP_SUFFIXES):
            _unpack_zip(archive, sink)
        else:
            _unpack_tar(archive, sink)
    return sink.left_out


def gunzip(packed: Path, folder: Path, name: str, budget: Budget) -> Path:
    """Unpacks one .gz file to `folder / name`; one that is not gzip at all (misnamed) is copied as it is.

    Raises `RefusedError` and leaves `folder` empty when the file is damaged or too large.
    """
    size = packed.stat().st_size
    budget.keep_room(folder)
    with _emptied_on_failure(folder), packed.open("rb") as raw:
        plain = _unpressed(raw)
        _Sink(folder, budget).write(name, plain, None if plain is raw else size)
    return folder / name


@contextmanager
def _emptied_on_failure(folder: Path) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        if isinstance(error, _DAMAGE):
            raise RefusedError(_reason(error)) from None
        raise


def _reason(error: BaseException) -> str:
    """One sentence on why an archive could not be unpacked."""
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return "does not fit into the temporary folder; set TMPDIR to a larger one"
    if isinstance(error, OSError) and error.errno in _UNWRITABLE_NAMES:
        return "holds a file name that cannot be written here; unpack it yourself and ingest the folder"
    if isinstance(error, NotImplementedError):
        return "uses a packing method that cannot be read here; pack it again or ingest the folder"
    if isinstance(error, RuntimeError) and "password" in str(error):
        return "is encrypted; unpack it yourself and ingest the folder"
    reason = printable(str(error).strip().rstrip("."), 160) or type(error).__name__
    return f"is cut off or damaged ({reason}); fetch it again"


def _unpack_zip(archive: Path, sink: _Sink) -> None:
    with zipfile.ZipFile(archive) as packed:
        for member in packed.infolist():
            kind = stat.S_IFMT(member.external_attr >> 16)
            if member.is_dir():
                inner_parts(member.filename)
            elif kind == stat.S_IFLNK:
                sink.left_out.append(printable(member.filename))
            elif kind not in (0, stat.S_IFREG):
                raise RefusedError(_special(member.filename))
            else:
                with packed.open(member) as source:
                    sink.write(member.filename, source, member.compress_size)


def _unpack_tar(archive: Path, sink: _Sink) -> None:
    # A tar member has no packed size of its own: the archive's stands in, which no member may outgrow either.
    packed_size = archive.stat().st_size
    with archive.open("rb") as raw, _unpressed(raw) as plain:
        with tarfile.open(fileobj=plain, mode="r|") as packed:
            for member in packed:
                _take(packed, member, packed_size, sink)
        while plain.read(_CHUNK):  # on to the end, where the checksum is
            pass


def _unpressed(raw: IO[bytes]) -> IO[bytes]:
    """What `raw` holds once unpressed, told by its first bytes and not by its name."""
    magic = raw.read(2)
    raw.seek(0)
    if magic == b"\x1f\x8b":
        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    if magic == b"BZ":
        return cast("IO[bytes]", bz2.BZ2File(raw))
    if magic == b"\xfd7":
        return cast("IO[bytes]", lzma.LZMAFile(raw))
    return raw


def _take(packed: tarfile.TarFile, member: tarfile.TarInfo, packed_size: int, sink: _Sink) -> None:
    if member.isdir():
        inner_parts(member.name)
    elif member.issym() or member.islnk():
        sink.left_out.append(printable(member.name))
    elif not member.isreg():
        raise RefusedError(_special(member.name))
    elif (source := packed.extractfile(member)) is not None:
        sink.write(member.name, source, packed_size)


def _special(name: str) -> str:
    return f"member '{printable(name, 120)}' is a device or pipe; nothing of the archive was unpacked"
