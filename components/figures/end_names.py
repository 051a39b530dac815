"""What stands behind the accelerator at a curve's end: as few words as tell the coloured curves apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from components.cells import text_cell
from components.figures.frame import Arrangement
from dashboard.domain.scene import Scene, Series
from dashboard.domain.stacks import Naming

#: Letters that have room beside two charts, and below each other on a phone.
_MOST: Mapping[Arrangement, int] = {"wide": 20, "stacked": 12}


def end_names(scene: Scene, naming: Naming, arrangement: Arrangement) -> Mapping[str, str]:
    """By series key: the engine's family, or the engine, the precision, the qualifiers where shorter is not
    enough. A name that would push the chart aside is cut; the legend has it in full.
    """
    coloured = [one for one in scene.series if one.coloured]
    offers = {one.key: _offers(one, _family(one, scene, naming)) for one in coloured}
    taken = Counter((one.hardware_label, words) for one in coloured for words in set(offers[one.key]))
    mixed = any(one.provenance == "official" for one in scene.series)
    names = {one.key: _shortest(one, offers[one.key], taken) for one in coloured}
    marks = {one.key: one.provenance if mixed and one.provenance != "official" else "" for one in coloured}
    return {key: _marked(words, marks[key], _MOST[arrangement]) for key, words in names.items()}


def _family(series: Series, scene: Scene, naming: Naming) -> str:
    family = text_cell(scene.columns, "engine_family", int(series.rows[0]))
    return naming("engine", family) if family else series.engine_label


def _offers(series: Series, family: str) -> list[str]:
    """The candidates from short to long; the last one is as unique as the curve."""
    engine, precision = series.engine_label, series.precision_label
    full = " ".join(part for part in (engine, precision, series.qualifiers) if part)
    return [family, engine, f"{family} {precision}", f"{engine} {precision}", full]


def _shortest(series: Series, offers: Sequence[str], taken: Mapping[tuple[str, str], int]) -> str:
    return next((words for words in offers if taken[series.hardware_label, words] == 1), offers[-1])


def _marked(words: str, mark: str, most: int) -> str:
    """The name with its origin behind it, which is never cut: beside official curves it is what counts."""
    if not mark:
        return _cut(words, most)
    room, bare = most - len(mark) - 1, words.replace(mark, "").rstrip(" ·")
    return f"{_cut(bare, room)} {mark}" if room >= 4 else mark


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else words[: most - 1].rstrip(" ·") + "…"
