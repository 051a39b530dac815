"""The yardstick of page loads: an empty Dash page with the same assets, served the same way."""

from __future__ import annotations

import argparse
import os
import sys

import dash
from dash import html
from flask import Flask

from dashboard.resources import assets_dir
from dashboard.routes.compression import compress
from dashboard.routes.headers import secure
from dashboard.server import default_workers

#: What the page shows when it is there.
READY = "ready"


def create_server() -> Flask:
    """The empty page as gunicorn runs it."""
    app = dash.Dash(__name__, assets_folder=str(assets_dir()))
    app.layout = html.Div("ready", id=READY)
    app.server.add_url_rule("/healthz", view_func=lambda: "ok")
    secure(app)
    compress(app.server)
    server: Flask = app.server
    return server


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    address = f"127.0.0.1:{parser.parse_args().port}"
    workers = ["--workers", str(default_workers()), "--worker-class", "gthread", "--threads", "8"]
    command = ["-m", "gunicorn", "--bind", address, *workers, "--keep-alive", "15"]
    os.execv(sys.executable, [sys.executable, *command, f"{__spec__.parent}.empty_page:create_server()"])


if __name__ == "__main__":
    main()
