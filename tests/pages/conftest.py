"""One process over the small store: its services, and its Flask server for pages that read a request."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask

from dashboard.app import create_app
from dashboard.caching import ViewCache
from dashboard.domain.catalog import Catalog
from dashboard.pages.wording import Wording
from dashboard.services import Services
from dashboard.settings import Settings
from dashboard.store.connection import Store


@pytest.fixture(scope="session")
def services(tiny_store: Path, catalog: Catalog) -> Services:
    settings = Settings(store=tiny_store, cache="memory")
    return Services(settings, Store(tiny_store), catalog, ViewCache(Flask("test"), "memory"))


@pytest.fixture(scope="session")
def server(tiny_store: Path) -> Flask:
    return create_app(Settings(store=tiny_store, cache="memory")).server


@pytest.fixture(scope="session")
def words(catalog: Catalog) -> Wording:
    return Wording(catalog)
