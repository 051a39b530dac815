"""A form whose answer is a view: submitting it leads to a URL with the fields added, as a link would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dash import dcc, html

from components.option import attributes

#: What a date field takes, and what a number field takes, as HTML patterns.
DATE = r"\d{4}-\d{2}-\d{2}"
NUMBER = r"\d+([.]\d+)?"


@dataclass(frozen=True, slots=True)
class Field:
    """One input. Fields with a `key` are written together as one parameter, `name=key:value,key:value`.

    `pattern` is what the browser accepts, `hint` the words shown when it does not, `suffix` the unit behind
    the input.
    """

    name: str
    label: str
    value: str
    key: str = ""
    placeholder: str = ""
    pattern: str | None = None
    hint: str = ""
    suffix: str = ""


def view_form(fields: Sequence[Field], base: str, submit: str) -> html.Form:
    """The form; `base` is the URL of the view without the fields. `assets/menus.js` turns its submit into a
    link.
    """
    button = html.Button(submit, type="submit", className="button")
    return html.Form(
        [*[_row(field) for field in fields], button], className="view-form", **attributes(data_base=base)
    )


def _row(field: Field) -> html.Label:
    box = dcc.Input(
        type="text",
        name=f"{field.name}.{field.key}" if field.key else field.name,
        value=field.value,
        placeholder=field.placeholder,
        pattern=field.pattern,
        inputMode="decimal" if field.pattern == NUMBER else "text",
        autoComplete="off",
        className="field",
    )
    words = html.Span(field.label, **attributes(title=field.hint or None))
    suffix = [html.Span(field.suffix, className="quiet")] if field.suffix else []
    return html.Label([words, box, *suffix], className="field-row")
