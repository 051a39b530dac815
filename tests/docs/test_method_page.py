"""`/method` is generated from the one metric registry and leaves nothing out, simulated points included."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dashboard.app import create_app
from dashboard.domain.metrics import REGISTRY
from dashboard.pages.method import layout
from dashboard.settings import Settings


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> str:
    app = create_app(Settings(store=Path(tmp_path_factory.mktemp("empty")), cache="memory"))
    with app.server.test_request_context("/method"):
        page = layout().to_plotly_json()
    return json.dumps(page, default=lambda part: part.to_plotly_json(), ensure_ascii=False)


def test_the_page_says_what_a_simulated_point_is_and_what_it_is_not(words: str) -> None:
    assert "measured nowhere" in words
    assert "no comparison of products follows" in words


@pytest.mark.parametrize("key", REGISTRY)
def test_each_metric_has_its_definition_on_the_method_page(words: str, key: str) -> None:
    metric = REGISTRY[key]
    for text in (metric.label, metric.formula, metric.explanation):
        assert json.dumps(text, ensure_ascii=False)[1:-1] in words
