"""A form whose answer is a view: submitting it leads to a URL with the fields added, as a link would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dash import html

from components.described import Element
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

    It stands in a described part; `assets/menus.js` makes a link of its answer.
    """
    button = html.Button(submit, className="button", type="submit")
    return html.Form(
        [*[_row(field) for field in fields], button], className="view-form", **attributes(data_base=base)
    )


def _row(field: Field) -> html.Label:
    box = {
        "type": field.kind,
        "name": f"{field.name}.{field.key}" if field.key else field.name,
        "value": field.value,
        "placeholder": field.placeholder,
        "min": field.least,
        "max": field.most,
        "step": "any" if field.kind == "number" else "",
        "class": "field",
    }
    told = {name: value for name, value in box.items() if value or name == "value"}
    return html.Label(
        [html.Span(field.label), Element("input", told), html.Span(field.suffix)], className="field-row"
    )
