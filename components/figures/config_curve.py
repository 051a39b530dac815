"""The small curve of one configuration over concurrency: its newest run in colour, earlier runs beside it
in grey.
"""

from __future__ import annotations

from typing import Any

from components.figures.pareto import Caption, Dressing, curves_figure
from dashboard.domain.scene import Scene
from dashboard.domain.stacks import Naming, plain_label


def config_curve(
    scene: Scene, caption: Caption, dressing: Dressing, naming: Naming = plain_label
) -> dict[str, Any]:
    """The figure of a scene whose only x axis is concurrency; no names at the ends, the page says whose it
    is.
    """
    figure = curves_figure(scene, caption, dressing, naming)
    layout = figure["layout"]
    words = [word for word in layout["annotations"] if not word.get("name", "").startswith("label:")]
    margin = layout["margin"] | {"r": 16}
    return figure | {"layout": layout | {"annotations": words, "margin": margin}}
