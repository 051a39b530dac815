"""Plain HTTP: the data twins of the pages, health, and what every response carries."""

from __future__ import annotations

import dash

from dashboard.routes import (
    callbacks,
    compression,
    datasets_api,
    errors,
    headers,
    health,
    modules,
    point_api,
    points_api,
    scatter_api,
    timeline_api,
)


def register(app: dash.Dash) -> None:
    """Add every route to the application's server."""
    points_api.register(app.server)
    datasets_api.register(app.server)
    point_api.register(app.server)
    scatter_api.register(app.server)
    timeline_api.register(app.server)
    health.register(app.server)
    modules.register(app.server)
    errors.register(app.server)
    callbacks.keep(app.server)
    headers.secure(app)
    compression.compress(app.server)
