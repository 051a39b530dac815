"""The instrument of a point's page: window bar, statistics, panels, rail of requests in flight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash.development.base_component import Component

from components.stat_table import stat_tables
from dashboard.links import PointView
from dashboard.pages.point_statistics import point_statistics
from dashboard.services import services


def instrument_part(row: Mapping[str, Any], view: PointView) -> list[Component]:
    """Window bar, then statistics and panels at the left and the rail at the right."""
    return [*stat_tables(point_statistics(services().store, row))]
