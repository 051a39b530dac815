"""The figure of a Curves view with what an exported picture must say about itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from components.figures.pareto import Caption, Dressing, curves_figure
from dashboard import __version__
from dashboard.domain.comparison import Comparison
from dashboard.domain.scene import Scene
from dashboard.pages.curves_controls import x_words
from dashboard.pages.curves_view import Answer
from dashboard.pages.frame import arrangement, theme_of
from dashboard.pages.wording import FACET_WORDS, Wording

_NOTICES = {
    frozenset({"simulated"}): "Simulated sample, not measured",
    frozenset({"unofficial"}): "UNOFFICIAL",
    frozenset({"simulated", "unofficial"}): "UNOFFICIAL and simulated",
}


def picture(answer: Answer, pins: Sequence[Comparison], words: Wording) -> dict[str, Any]:
    """The figure in the browser's theme and width."""
    view = answer.asked
    dressing = Dressing(
        theme=theme_of(view.theme),
        arrangement=arrangement(),
        labels=view.labels,
        zoom=view.zoom,
        notice=notice_of(answer.scene),
    )
    return curves_figure(answer.scene, caption(answer, words), dressing, words.label, pins)


def notice_of(scene: Scene) -> str | None:
    """What stands inside the charts when nothing there is official; a mixture is labelled by series."""
    return _NOTICES.get(frozenset(one.provenance for one in scene.series))


def labels_of(scene: Scene) -> tuple[str, ...]:
    """What the page's title must say about the origin of the series shown."""
    origins = {one.provenance for one in scene.series}
    return tuple(name.upper() for name in ("unofficial", "simulated") if name in origins)


def caption(answer: Answer, words: Wording) -> Caption:
    """Title, what is shown, source and date for exported pictures."""
    scene, choice = answer.scene, answer.asked.choice
    against = " and ".join(axis.title.quantity for axis in scene.panels)
    parts = [f"{scene.y.title.quantity} against {against}", *_filters(answer, words)]
    if scene.y.metric.reading.needs_hardware:
        parts.append(answer.price_note)
    if labels := labels_of(scene):
        parts.append(f"with {' and '.join(labels)} results")
    newest = answer.info.newest_run_date
    return Caption(
        title=f"{words.optional('model', choice.model)} · {words.optional('scenario', choice.scenario)}",
        subtitle=" · ".join(parts),
        source=f"{answer.info.name}, agentx-dashboard {__version__}",
        date=f"newest run {newest.isoformat()}" if newest else "no run date",
    )


def _filters(answer: Answer, words: Wording) -> list[str]:
    """The filters in words: "Precision FP4, FP8"."""
    found = []
    for facet, word in FACET_WORDS.items():
        chosen: tuple[str, ...] = getattr(answer.applied, facet)
        if chosen:
            found.append(f"{word} {', '.join(words.label(facet, name) for name in chosen)}")
    return found


def tab_title(answer: Answer, words: Wording) -> str:
    """What the browser's tab says of the view."""
    choice = answer.asked.choice
    model = words.optional("model", choice.model)
    return f"{model}: {answer.scene.y.title.quantity} against {x_words(answer.asked)}"
