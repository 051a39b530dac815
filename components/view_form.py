"""A form whose answer is a view: submitting it leads to a URL with the fields added, as a link would."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from dash import html

from components.option import attributes


@dataclass(frozen=True, slots=True)
class Field:
    """One input. Fields with a `key` are written together as one parameter, `name=key:value,key:value`.

    `least` and `most` bound what the browser accepts, `suffix` is the unit behind the input.
    """

    name: str
    label: str
    value: str
    key: str = ""
    kind: Literal["date", "number"] = "number"
    placeholder: str = ""
    least: str = ""
    most: str = ""
    suffix: str = ""


def view_form(fields: Sequence[Field], base: str, submit: str) -> html.Form:
    """The form; `base` is the URL of the view without the fields, `submit` the word on the button.

    `assets/menus.js` makes the inputs when the menu around it opens, and a link of the answer. Dash has no
    plain input, and a dozen of its own would weigh on every change of the view.
    """
    described = json.dumps([asdict(field) for field in fields], ensure_ascii=False)
    return html.Form(
        className="view-form", **attributes(data_base=base, data_fields=described, data_submit=submit)
    )
