"""Described parts: one component, the same elements, text that stays text."""

from __future__ import annotations

import json

import pytest
from dash import dcc, html

from components.described import Element, described

SCRIPT = "<script>alert(1)</script>"


def tree(*children: object) -> object:
    return json.loads(described(children).to_plotly_json()["props"]["data-tree"])


def test_elements_keep_tag_attributes_and_children() -> None:
    link = html.A(["all ", html.B("three")], href="/?x=ttft", className="option", **{"data-view": "1"})
    attributes = {"href": "/?x=ttft", "class": "option", "data-view": "1"}
    assert tree(link) == [["a", attributes, "all ", ["b", {}, "three"]]]


def test_missing_children_and_attributes_are_left_out_and_lists_are_flattened() -> None:
    parts = [None, [html.I(title=None), "a"], 5]
    assert tree(*parts) == [["i", {}], "a", "5"]


def test_style_and_truth_are_written_as_html_has_them() -> None:
    assert tree(html.I(style={"width": "71.3%"}, hidden=True)) == [
        ["i", {"style": "width:71.3%", "hidden": ""}]
    ]


def test_an_element_without_a_dash_component_is_described_by_its_tag() -> None:
    assert tree(html.Label(Element("input", {"name": "since"}))) == [
        ["label", {}, ["input", {"name": "since"}]]
    ]


def test_text_is_never_markup() -> None:
    assert tree(html.P(SCRIPT)) == [["p", {}, SCRIPT]]


def test_a_component_with_behaviour_of_its_own_is_refused() -> None:
    with pytest.raises(TypeError, match="Graph is not an HTML element"):
        tree(dcc.Graph(id="g"))
