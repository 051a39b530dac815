"""The palette: every figure that palette.md claims, computed again from the hex values."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest

from components.theme import DARK, LIGHT, PALETTES, Palette, dash_of, symbol_of, template
from dashboard.resources import assets_dir

THEMES = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])

VENDOR = {
    **dict.fromkeys(("vr200", "gb300", "gb200", "b300", "b200", "h200", "h100", "rtx6000pro"), "NVIDIA"),
    **dict.fromkeys(("mi455x", "mi355x", "mi325x", "mi300x"), "AMD"),
    "tpuv7": "Google",
    "jalapeno": "OpenAI",
    "other": "other",
}

#: Colour-vision deficiency on linear RGB: Machado 2009 at severity 1.0, and Viénot 1999.
SIMULATIONS = {
    "deuteranopia, Machado": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia, Machado": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia, Viénot": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
    "protanopia, Viénot": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
}
_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def linear(colour: str) -> np.ndarray:
    """The colour in linear RGB, 0..1."""
    srgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """Contrast ratio by WCAG 2."""
    high, low = sorted((float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def distance(one: str, other: str, simulation: str | None = None) -> float:
    """Euclidean distance in OKLab x 100, as seen with a colour-vision deficiency where one is named."""
    return float(np.linalg.norm(oklab(one, simulation) - oklab(other, simulation))) * 100


def oklab(colour: str, simulation: str | None) -> np.ndarray:
    rgb = linear(colour)
    if simulation is not None:
        rgb = np.clip(np.array(SIMULATIONS[simulation]) @ rgb, 0, 1)
    return np.asarray(_LAB @ np.cbrt(_LMS @ rgb))


@THEMES
def test_any_two_accelerators_are_seven_apart(palette: Palette) -> None:
    pairs = combinations(palette.accelerator.items(), 2)
    too_near = [(a, b) for (a, x), (b, y) in pairs if distance(x, y) < 7.0]
    assert not too_near


@THEMES
@pytest.mark.parametrize("simulation", SIMULATIONS)
def test_vendors_stay_apart_for_red_green_deficiencies(palette: Palette, simulation: str) -> None:
    pairs = combinations(palette.accelerator.items(), 2)
    between = [(a, b, distance(x, y, simulation)) for (a, x), (b, y) in pairs if VENDOR[a] != VENDOR[b]]
    assert not [pair for pair in between if pair[2] < 7.0]


@THEMES
def test_marks_stand_out_from_both_surfaces(palette: Palette) -> None:
    for colour in palette.accelerator.values():
        assert min(contrast(colour, palette.token[ground]) for ground in ("bg", "raised")) >= 3.0
    for token in ("axis", "mute"):
        assert contrast(palette.token[token], palette.token["bg"]) >= 3.0


@THEMES
def test_text_is_legible_on_both_surfaces(palette: Palette) -> None:
    words = [palette.token[name] for name in ("text", "text-2", "text-3", "accent")]
    words += [palette.status[name] for name in ("ok", "failed", "cancelled", "conflict", "badge")]
    for colour in (*words, *palette.accelerator_text.values()):
        assert min(contrast(colour, palette.token[ground]) for ground in ("bg", "raised")) >= 4.5


@THEMES
@pytest.mark.parametrize("simulation", [None, *SIMULATIONS])
def test_the_flame_trio_is_told_apart_in_every_simulation(palette: Palette, simulation: str | None) -> None:
    trio = [palette.flame[name] for name in ("cached", "uncached", "output")]
    assert min(distance(a, b, simulation) for a, b in combinations(trio, 2)) >= 15


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_stylesheet_holds_the_same_colours(theme: str) -> None:
    css = (assets_dir() / "20-tokens.css").read_text()
    block = re.search(rf'\[data-bs-theme="{theme}"\] {{(.*?)\n}}', css, re.DOTALL)
    assert block
    found = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block[1]))
    palette = PALETTES[theme]  # type: ignore[index]
    assert found == {
        **palette.token,
        **palette.status,
        **{f"flame-{name}": colour for name, colour in palette.flame.items()},
        **{f"hw-{name}": colour for name, colour in palette.accelerator.items()},
        **{f"hw-{name}-text": colour for name, colour in palette.accelerator_text.items()},
    }


@THEMES
def test_an_accelerator_that_is_not_in_the_table_gets_the_colour_of_others(palette: Palette) -> None:
    assert palette.hardware("abacus") == palette.hardware(None) == palette.accelerator["other"]
    assert palette.hardware_text("abacus") == palette.accelerator_text["other"]


def test_engine_families_and_precisions_differ_without_colour() -> None:
    dashes = [dash_of(family) for family in ("vllm", "sglang", "trt", "atom", "abacus")]
    assert len(set(dashes)) == 5 and dashes[0] == "solid" and dash_of(None) == dashes[-1]
    shapes = [symbol_of(precision) for precision in ("fp4", "fp8", "bf16", "int4", "fp12")]
    assert shapes[:4] == ["circle", "square", "triangle-up", "diamond"] and len(set(shapes)) == 5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_template_is_small_and_offers_no_upload(theme: str) -> None:
    made = template(theme)  # type: ignore[arg-type]
    assert len(str(made)) < 1500
    assert made["layout"]["modebar"]["remove"] == ["sendChartToCloud"]
