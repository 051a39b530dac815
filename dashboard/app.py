"""Wiring: server, Dash application, pages, routes. Opens nothing: the store opens at its first question."""

from __future__ import annotations

import logging
import re

import dash
import pandas  # noqa: F401  whole before the first thread: pyarrow imports it late, plotly then meets half of it
from dash import html
from flask import Flask, request

from dashboard import routes
from dashboard.caching import ViewCache
from dashboard.domain.catalog import load_catalog
from dashboard.links import CURVES
from dashboard.pages import (
    configuration,
    conversation,
    curves,
    dataset,
    datasets,
    method,
    not_found_404,
    point,
    point_timeline,
)
from dashboard.pages.frame import theme_of
from dashboard.resources import assets_dir
from dashboard.services import Services, install
from dashboard.settings import Settings
from dashboard.store.connection import Store

_PAGES = (
    curves,
    point_timeline,
    point,
    configuration,
    datasets,
    conversation,
    dataset,
    method,
    not_found_404,
)

_INDEX = """<!DOCTYPE html>
<html lang="en" data-bs-theme="{theme}">
  <head>
    {metas}
    {early}
    <meta name="color-scheme" content="light dark">
    <title>{title}</title>
    {favicon}
    {css}
  </head>
  <body>
    {app_entry}
    <footer>
      {config}
      {scripts}
      {renderer}
    </footer>
  </body>
</html>
"""


#: What Dash asks for once its scripts run, on every page; the browser asks while it still loads them.
_EARLY = ("/_dash-layout", "/_dash-dependencies")
_GRAPH = "/_dash-component-suites/dash/dcc/async-graph.js"


#: Scripts that Dash puts on every page and ours have no use for: see docs/decisions/0014.
_UNUSED = re.compile(r'<script src="[^"]*/(?:deps/polyfill@|dash_table/bundle)[^"]*"></script>\s*')


def _early(path: str) -> str:
    """Preloads: they take three round trips out of the time to the first curve."""
    tags = [f'<link rel="preload" as="fetch" crossorigin="anonymous" href="{address}">' for address in _EARLY]
    if path == CURVES or path.startswith("/config/"):
        tags.append(f'<link rel="preload" as="script" href="{_GRAPH}">')
    return "".join(tags)


class _Application(dash.Dash):  # type: ignore[misc]  # Dash comes without types
    """Dash with our document: its language, and the reader's theme before any script runs."""

    def interpolate_index(self, scripts: str = "", **parts: str) -> str:
        """The HTML document around Dash's parts."""
        needed = _UNUSED.sub("", scripts)
        return _INDEX.format(theme=theme_of(None), early=_early(request.path), scripts=needed, **parts)


def create_app(settings: Settings) -> dash.Dash:
    """The application over one store; `create_app(settings).server` is the WSGI callable."""
    server = Flask("agentx")
    install(
        server,
        Services(
            settings=settings,
            store=Store(settings.store, settings.memory_limit, settings.query_threads, settings.deadline_s),
            catalog=load_catalog(settings.catalog),
            cache=ViewCache(server, settings.cache, settings.cache_dir),
        ),
    )
    app = _Application(
        "dashboard",
        server=server,
        use_pages=True,
        pages_folder="",
        assets_folder=str(assets_dir()),
        assets_path_ignore=["^modules$"],  # ES modules of single pages: see routes/modules.py
        include_pages_meta=False,
        suppress_callback_exceptions=True,
        title="agentx",
        update_title=None,
    )
    logging.getLogger("dash").setLevel(logging.WARNING)
    app.layout = html.Div(dash.page_container)
    for page in _PAGES:
        page.register(app)
    routes.register(app)
    return app
