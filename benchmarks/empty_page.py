"""The yardstick of page loads: an empty Dash page with the same assets, served the same way."""

from __future__ import annotations

import argparse
from dataclasses import replace

import dash
from dash import html

from dashboard.cli import run_server
from dashboard.resources import assets_dir
from dashboard.routes.headers import compress, secure
from dashboard.settings import Settings

#: What the page shows when it is there.
READY = "ready"


def create_app(settings: Settings) -> dash.Dash:
    app = dash.Dash(__name__, assets_folder=str(assets_dir()), serve_locally=True)
    app.layout = html.Div("ready", id=READY)
    app.server.add_url_rule("/healthz", view_func=lambda: "ok")
    compress(app.server)
    secure(app)
    return app


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    run_server(create_app, replace(Settings(), port=parser.parse_args().port))


if __name__ == "__main__":
    main()
