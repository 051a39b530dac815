"""store.json: what makes a folder a store, and which version of the format it has."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from dashboard.store import durable
from dashboard.store.layout import Layout, StoreError, plainly
from dashboard.store.schema import FORMAT_NAME, FORMAT_VERSION


@dataclass(frozen=True, slots=True)
class Manifest:
    """Contents of store.json; `product_version` is that of the program which made the store."""

    format_version: int
    created_at: datetime
    product_version: str


def read_manifest(layout: Layout) -> Manifest | None:
    """The manifest; None where there is nothing yet. StoreError for anything else, or for another format."""
    try:
        content = layout.manifest.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        if _is_vacant(layout.root):
            return None
        raise StoreError(
            f"{layout.root} is not a store: it holds other things and no {layout.manifest.name}. "
            "Name the folder of a store, or a new or empty folder for ingest."
        ) from None
    except OSError as error:
        raise StoreError(f"{layout.manifest} cannot be read: {error.strerror}.") from error
    return _parse(content, layout)


def write_manifest(layout: Layout, product_version: str, created: datetime | None = None) -> None:
    """Make a folder a store, created now unless another moment is given."""
    created = (created or datetime.now(UTC)).replace(microsecond=0)
    manifest = {
        "format": FORMAT_NAME,
        "format_version": FORMAT_VERSION,
        "created_at": created.isoformat(),
        "product_version": product_version,
    }
    durable.replace(layout.manifest, json.dumps(manifest, indent=2).encode() + b"\n")


def _is_vacant(folder: Path) -> bool:
    if not folder.exists():
        return True
    return folder.is_dir() and all(entry.name.startswith(".") for entry in folder.iterdir())


def _parse(content: bytes, layout: Layout) -> Manifest:
    try:
        fields = json.loads(content)
        name, version = fields["format"], int(fields["format_version"])
        created, product = datetime.fromisoformat(fields["created_at"]), str(fields["product_version"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise StoreError(
            f"{layout.manifest} is damaged ({plainly(error)}). "
            "Restore it from a backup, or ingest into a new folder."
        ) from error
    if name != FORMAT_NAME:
        raise StoreError(f"{layout.manifest}: format is {name!r}, this program reads {FORMAT_NAME!r}.")
    if version != FORMAT_VERSION:
        raise StoreError(
            f"{layout.manifest}: format_version is {version}, this program reads {FORMAT_VERSION}. "
            "Use the version of agentx-dashboard that wrote the store, or ingest the artifacts again."
        )
    return Manifest(version, created, product)
