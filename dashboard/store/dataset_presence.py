"""Whether a store holds a dataset that a point names: runs often replay one that nobody has ingested."""

from __future__ import annotations

from dashboard.store.connection import Store
from dashboard.store.datasets import is_slug


def holds_dataset(store: Store, slug: str | None) -> bool:
    """Whether there is a page for the dataset."""
    return (
        slug is not None
        and is_slug(slug)
        and (store.layout.root / "datasets" / slug / "dataset.json").is_file()
    )
