"""One application over the small store, asked through Flask's test client."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from dashboard.app import create_app
from dashboard.settings import Settings


@pytest.fixture(scope="session")
def server(tiny_store: Path) -> Flask:
    return create_app(Settings(store=tiny_store, cache="memory")).server


@pytest.fixture
def client(server: Flask) -> FlaskClient:
    return server.test_client()
