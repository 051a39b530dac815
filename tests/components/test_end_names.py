"""The words at a curve's end: short, unlike each other, and honest about where the figures come from."""

from __future__ import annotations

from dataclasses import replace

from components.figures.end_names import end_names
from tests.components.scenes import STACKS, naming, points, scene_of


def names(official: tuple[bool, ...], arrangement: str = "wide") -> list[str]:
    """The end names of as many stacks, official or not."""
    stacks = [replace(stack, official=one) for stack, one in zip(STACKS, official, strict=False)]
    return list(end_names(scene_of(points(stacks)), naming, arrangement).values())  # type: ignore[arg-type]


def test_an_unofficial_curve_beside_an_official_one_says_so_at_its_end() -> None:
    assert sum("unofficial" in words for words in names((True, False, True, False))) == 2
    assert sum("unofficial" in words for words in names((True, False), "stacked")) == 1


def test_where_all_are_alike_in_origin_the_chart_says_it_once() -> None:
    assert not any("unofficial" in words for words in names((False, False, False)))
    assert not any("official" in words for words in names((True, True, True)))
