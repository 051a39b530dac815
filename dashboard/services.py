"""What pages and routes share in one process: the settings, the store, the catalog and the cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from flask import Flask, current_app

from dashboard.caching import ViewCache
from dashboard.domain.catalog import Catalog
from dashboard.settings import Settings
from dashboard.store.connection import Store

_KEY = "agentx"


@dataclass(frozen=True, slots=True)
class Services:
    """One of each for the process; the store opens itself at its first question, after the fork."""

    settings: Settings
    store: Store
    catalog: Catalog
    cache: ViewCache


def install(server: Flask, services: Services) -> None:
    """Put the services where a request finds them."""
    server.extensions[_KEY] = services


def services() -> Services:
    """The services of the application that handles the current request."""
    return cast(Services, current_app.extensions[_KEY])
