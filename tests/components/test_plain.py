"""Plain parts: the same JSON as Dash makes of components, and nothing left that needs a second pass."""

from __future__ import annotations

import json

import numpy as np
import orjson
from dash import html
from plotly.io.json import to_json_plotly

from components.plain import plain


def test_plain_parts_are_the_same_json() -> None:
    parts = [
        html.Div([html.A("b300", href="/?a=1"), "text", None], id="x"),
        {"y": np.array([1.5, np.nan])},
        7,
    ]
    direct = orjson.dumps(plain(parts), option=orjson.OPT_SERIALIZE_NUMPY)
    assert json.loads(direct) == json.loads(to_json_plotly(parts))
    assert plain([html.Hr()]) == [
        {"type": "Hr", "namespace": "dash_html_components", "props": {"children": None}}
    ]
