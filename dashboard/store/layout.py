"""Where each thing of a store lies; the one place that forms a path from an id."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: Ids are ten lower-case hex digits: nothing else ever becomes part of a path.
_ID = re.compile(r"[0-9a-f]{10}")
#: Folders with one file per point (or per ingest), in the order in which an ingest publishes them.
TABLES = ("requests", "series", "points", "issues")
_STAGING_PREFIX = ".ingest-"
_SUFFIX = ".parquet"


class StoreError(Exception):
    """The store cannot be used; the message is a sentence for people that says what to do."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths inside one store folder, or inside the staging folder of one ingest, which has the same form."""

    root: Path

    @property
    def manifest(self) -> Path:
        """store.json: format, creation time, product version."""
        return self.root / "store.json"

    @property
    def index(self) -> Path:
        """points.parquet: all rows of points/ in one file."""
        return self.root / "points.parquet"

    @property
    def commit(self) -> Path:
        """In a staging folder: the ids it publishes, written once everything else is on disk."""
        return self.root / "commit.json"

    def table(self, name: str) -> Path:
        """The folder of one of `TABLES`."""
        return self.root / name

    def part(self, name: str, part_id: str) -> Path:
        """The file of one point (or ingest) in a table. ValueError for anything but an id."""
        if not is_id(part_id):
            raise ValueError(f"{part_id!r} is not an id: ten digits 0-9 a-f are expected.")
        return self.root / name / f"{part_id}{_SUFFIX}"

    def part_ids(self, name: str) -> set[str]:
        """Ids with a file in a table; an absent table has none."""
        try:
            with os.scandir(self.table(name)) as entries:
                stems = [
                    entry.name.removesuffix(_SUFFIX) for entry in entries if entry.name.endswith(_SUFFIX)
                ]
        except FileNotFoundError:
            return set()
        return {stem for stem in stems if is_id(stem)}

    def staging_folders(self) -> Iterator[Layout]:
        """Folders in which ingests prepare their files, running or killed."""
        for path in sorted(self.root.iterdir()):
            if path.name.startswith(_STAGING_PREFIX) and path.is_dir():
                yield Layout(path)

    def new_staging(self) -> Layout:
        """An empty staging folder of this process."""
        staging = Layout(self.root / f"{_STAGING_PREFIX}{os.getpid()}-{os.urandom(4).hex()}")
        for name in TABLES:
            staging.table(name).mkdir(parents=True)
        return staging


def plainly(error: Exception) -> str:
    """What a library says, on one line."""
    return " ".join(str(error).split()).rstrip(".")


def is_id(text: str) -> bool:
    """Whether a text has the form of a point, configuration or ingest id."""
    return _ID.fullmatch(text) is not None
