"""Colours, line styles and marks: what the palette fixes, once for light and once for dark.

A colour belongs to an accelerator for ever: it is looked up by key, never computed from what is shown.
`assets/20-tokens.css` holds the same values as CSS variables (`--hw-b300`, `--hw-b300-text`, `--bg`); a
test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Theme = Literal["light", "dark"]

#: An accelerator that the palette does not know, or a point that does not say.
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Palette:
    """The hex colours of one theme, by key without the leading dashes of the CSS variable.

    `accelerator` paints marks and lines (3:1 on the background), `accelerator_text` names (4.5:1): text
    never uses the first.
    """

    accelerator: Mapping[str, str]
    accelerator_text: Mapping[str, str]
    token: Mapping[str, str]
    status: Mapping[str, str]
    flame: Mapping[str, str]

    def hardware(self, key: str | None) -> str:
        """Colour of an accelerator's marks and lines."""
        return self.accelerator.get(key or OTHER, self.accelerator[OTHER])

    def hardware_text(self, key: str | None) -> str:
        """Colour of an accelerator's name."""
        return self.accelerator_text.get(key or OTHER, self.accelerator_text[OTHER])


LIGHT = Palette(
    accelerator={
        "vr200": "#034d58",
        "gb300": "#0e748d",
        "gb200": "#108fb0",
        "b300": "#117d62",
        "b200": "#22a07f",
        "h200": "#276252",
        "h100": "#102f2d",
        "rtx6000pro": "#668664",
        "mi455x": "#982d1b",
        "mi355x": "#c02d0c",
        "mi325x": "#b95d20",
        "mi300x": "#5e3101",
        "tpuv7": "#2f58e6",
        "jalapeno": "#6f2cb3",
        "other": "#b88600",
    },
    accelerator_text={
        "vr200": "#034d58",
        "gb300": "#0e748d",
        "gb200": "#037d9b",
        "b300": "#117d62",
        "b200": "#048366",
        "h200": "#276252",
        "h100": "#102f2d",
        "rtx6000pro": "#5c7b5a",
        "mi455x": "#982d1b",
        "mi355x": "#c02d0c",
        "mi325x": "#b5591b",
        "mi300x": "#5e3101",
        "tpuv7": "#2f58e6",
        "jalapeno": "#6f2cb3",
        "other": "#956c04",
    },
    token={
        "bg": "#fbfbfa",
        "raised": "#ffffff",
        "sunk": "#f3f4f3",
        "border": "#e2e4e4",
        "border-strong": "#c4c8cb",
        "grid": "#eceeed",
        "axis": "#8c9298",
        "text": "#1b1f23",
        "text-2": "#555c63",
        "text-3": "#687077",
        "mute": "#8c9298",
        "accent": "#2c5c9c",
        "accent-tint": "#e8eff7",
    },
    status={
        "ok": "#555c63",
        "failed": "#ad1a68",
        "cancelled": "#6b6580",
        "warmup": "#7d8790",
        "conflict": "#6e5f00",
        "badge": "#6d5a1c",
    },
    flame={"cached": "#c3ccd4", "cached-edge": "#818d98", "uncached": "#2f4b8f", "output": "#c07a12"},
)

DARK = Palette(
    accelerator={
        "vr200": "#79e4ee",
        "gb300": "#2dc1ea",
        "gb200": "#208194",
        "b300": "#61f3be",
        "b200": "#26cf9c",
        "h200": "#1e9566",
        "h100": "#89aba7",
        "rtx6000pro": "#bee199",
        "mi455x": "#f39864",
        "mi355x": "#fe5e1a",
        "mi325x": "#ca5c0c",
        "mi300x": "#ab4d2b",
        "tpuv7": "#518ffe",
        "jalapeno": "#8d58d8",
        "other": "#f0c240",
    },
    accelerator_text={
        "vr200": "#79e4ee",
        "gb300": "#2dc1ea",
        "gb200": "#3390a3",
        "b300": "#61f3be",
        "b200": "#26cf9c",
        "h200": "#229768",
        "h100": "#89aba7",
        "rtx6000pro": "#bee199",
        "mi455x": "#f39864",
        "mi355x": "#fe5e1a",
        "mi325x": "#d4651c",
        "mi300x": "#cb6a48",
        "tpuv7": "#518ffe",
        "jalapeno": "#9e6aeb",
        "other": "#f0c240",
    },
    token={
        "bg": "#121416",
        "raised": "#1a1d20",
        "sunk": "#0d0f10",
        "border": "#2a2e32",
        "border-strong": "#454b51",
        "grid": "#1f2326",
        "axis": "#6b7279",
        "text": "#e8eaec",
        "text-2": "#a9b0b7",
        "text-3": "#8d949b",
        "mute": "#6d747b",
        "accent": "#8fb8ea",
        "accent-tint": "#1c2a3a",
    },
    status={
        "ok": "#a9b0b7",
        "failed": "#f587bd",
        "cancelled": "#a79fc4",
        "warmup": "#8b96a1",
        "conflict": "#cbb96a",
        "badge": "#d6bd74",
    },
    flame={"cached": "#3a444e", "cached-edge": "#67737f", "uncached": "#8fb1f2", "output": "#bd7f22"},
)

PALETTES: Mapping[Theme, Palette] = {"light": LIGHT, "dark": DARK}

#: Line style by engine family, in pixels; any other engine is dotted.
DASHES: Mapping[str, str] = {
    "vllm": "solid",
    "sglang": "10px,4px",
    "trt": "4px,3px",
    "atom": "9px,3px,2px,3px",
}
OTHER_DASH = "1.5px,3px"

#: Mark by precision; any other precision is a cross.
SYMBOLS: Mapping[str, str] = {
    "fp4": "circle",
    "fp8": "square",
    "bf16": "triangle-up",
    "int4": "diamond",
    "fp4fp8": "hexagon",
}
OTHER_SYMBOL = "cross"

#: The system's own type; no web font.
FONT = (
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", '
    "Arial, sans-serif"
)


def dash_of(engine_family: str | None) -> str:
    """Plotly's dash for an engine family: vLLM solid, SGLang long, TensorRT-LLM short, ATOM dash-dot,
    others dotted.
    """
    return DASHES.get(engine_family or "", OTHER_DASH)


def symbol_of(precision: str | None) -> str:
    """Plotly's marker symbol for a precision."""
    return SYMBOLS.get(precision or "", OTHER_SYMBOL)


def template(theme: Theme) -> dict[str, Any]:
    """Our small layout template: what every figure of a theme has in common (about 0.6 kB)."""
    token = PALETTES[theme].token
    axis = {
        "gridcolor": token["grid"],
        "linecolor": token["axis"],
        "tickcolor": token["axis"],
        "tickfont": {"color": token["text-2"], "size": 12},
        "zeroline": False,
        "showgrid": True,
        "automargin": False,
    }
    return {
        "layout": {
            "paper_bgcolor": token["bg"],
            "plot_bgcolor": token["bg"],
            "font": {"family": FONT, "size": 12, "color": token["text-2"]},
            "hovermode": False,
            "showlegend": False,
            "dragmode": "zoom",
            "modebar": {"remove": ["sendChartToCloud"]},
            "xaxis": axis,
            "yaxis": axis,
            "annotationdefaults": {"showarrow": False, "font": {"size": 12}},
        }
    }
