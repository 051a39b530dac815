"""dash-ag-grid without its weight on the first page load: 1.3 MB that are fetched after the charts are
painted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dash_ag_grid
from dash.fingerprint import build_fingerprint

_BUNDLE = "dash_ag_grid.min.js"


def keep_out_of_page_head() -> None:
    """Tell Dash to serve the bundle but not to put it into every page; `assets/curves.js` loads it when a
    table comes.
    """
    resources: list[dict[str, Any]] = dash_ag_grid._js_dist
    for resource in resources:
        if resource.get("relative_package_path") == _BUNDLE:
            resource["dynamic"] = True


def grid_script() -> str:
    """Path of the bundle with Dash's fingerprint, so that browsers keep it for a year."""
    modified = int((Path(dash_ag_grid.__file__).parent / _BUNDLE).stat().st_mtime)
    fingerprint = build_fingerprint(_BUNDLE, dash_ag_grid.__version__, modified)
    return f"/_dash-component-suites/dash_ag_grid/{fingerprint}"


keep_out_of_page_head()
