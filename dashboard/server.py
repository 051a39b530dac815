"""The web server: gunicorn with threads, each worker with an application and a store of its own.

Nothing is loaded before the fork: a DuckDB that was open in the parent hangs in its children. Where gunicorn
cannot run (Windows), werkzeug's threaded server takes its place.
"""

from __future__ import annotations

import gc
import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

from dashboard.settings import Settings

#: Enough threads for a page's parallel requests; one slow question must not hold up the others.
_THREADS = 8
_MOST_WORKERS = 4
#: Where workers show that they live; a disk that is slow or read-only must not make them look dead.
_SHARED_MEMORY = "/dev/shm"


class AddressError(OSError):
    """The address cannot be listened on; the text says what to do."""


def default_workers() -> int:
    """One worker per core, up to four."""
    return min(_MOST_WORKERS, os.cpu_count() or 1)


def check_address(settings: Settings) -> None:
    """Raises `AddressError` with a sentence when nothing can listen on host and port."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise AddressError(
            f"Cannot listen on {settings.host} port {settings.port}: {error.strerror}. "
            "Choose another with --host and --port."
        ) from error


def serve(settings: Settings, workers: int) -> None:
    """Serves until it is told to stop."""
    if sys.platform == "win32":
        _serve_with_werkzeug(settings)
    else:
        _serve_with_gunicorn(settings, workers)


def _serve_with_gunicorn(settings: Settings, workers: int) -> None:
    from gunicorn.app.base import BaseApplication  # type: ignore[import-untyped, unused-ignore]

    class Application(BaseApplication):  # type: ignore[misc, unused-ignore]
        """The dashboard as gunicorn runs it."""

        def load_config(self) -> None:
            for name, value in _gunicorn_options(settings, workers).items():
                self.cfg.set(name, value)

        def load(self) -> object:
            from dashboard.app import create_app

            return create_app(settings).server

    Application().run()


def _gunicorn_options(settings: Settings, workers: int) -> Mapping[str, object]:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return {
        "bind": [f"{host}:{settings.port}"],
        "workers": workers,
        "worker_class": "gthread",
        "threads": _THREADS,
        "timeout": 60,
        "graceful_timeout": 5,
        "keepalive": 15,
        "preload_app": False,
        "post_worker_init": _settled,
        "limit_request_line": 8190,  # a view with many prices and filters is one long line
        "control_socket_disable": True,  # it would lie in the home folder, which may be read-only or shared
        "loglevel": "warning",
        "worker_tmp_dir": _SHARED_MEMORY if Path(_SHARED_MEMORY).is_dir() else None,
        "proc_name": "agentx-dashboard",
    }


def _settled(worker: object) -> None:
    """What a worker has loaded stays: the collector need not look through it after every view."""
    gc.collect()
    gc.freeze()


def _serve_with_werkzeug(settings: Settings) -> None:
    from werkzeug.serving import run_simple

    from dashboard.app import create_app

    application = create_app(settings).server
    run_simple(
        settings.host, settings.port, application, threaded=True, use_debugger=False, use_reloader=False
    )
