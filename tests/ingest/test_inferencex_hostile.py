"""Rows of any shape: never an exception, never a figure that was not there, always a row a table can hold."""

from __future__ import annotations

import json
import math
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.domain.catalog import Catalog
from dashboard.domain.records import Point
from dashboard.store.schema import POINTS, point_row
from tests.ingest.inferencex_rows import Row, api, early_agentic, fixed, nested, read

ROWS = (nested(), early_agentic(), fixed(), api())

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=20)
    | st.sampled_from(
        [10**400, 2**63, 2**62, 1e308, 5e-324, math.inf, math.nan, "", "true", "\ud800", "<script>"]
    )
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def _paths(row: Row, parents: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = [(*parents, key) for key in row]
    for key, value in row.items():
        if isinstance(value, dict):
            found += _paths(value, (*parents, key))
    return found


def _replaced(row: Row, path: tuple[str, ...], value: Any) -> Row:
    if len(path) == 1:
        return {**row, path[0]: value}
    return {**row, path[0]: _replaced(row[path[0]], path[1:], value)}


@st.composite
def damaged_rows(draw: st.DrawFn) -> Row:
    row = draw(st.sampled_from(ROWS))
    for _ in range(draw(st.integers(1, 4))):
        row = _replaced(row, draw(st.sampled_from(_paths(row))), draw(ANYTHING))
    return row


def _holds_in_a_table(points: list[Point | None]) -> None:
    rows = [point_row(point) for point in points if point is not None]
    table = pa.Table.from_pylist(rows, POINTS)
    for column in table.itercolumns():
        if pa.types.is_floating(column.type):
            assert all(value is None or math.isfinite(value) for value in column.to_pylist())


@settings(max_examples=300, deadline=None)
@given(row=damaged_rows())
def test_a_damaged_row_gives_a_point_a_table_can_hold_or_a_finding(catalog: Catalog, row: Row) -> None:
    points, findings = read([row], catalog)
    _holds_in_a_table(points)
    assert points[0] is not None or any(finding.severity == "error" for finding in findings)
    for finding in findings:
        assert finding.artifact == "rows.json"
        finding.detail.encode()


@settings(max_examples=200, deadline=None)
@given(document=ANYTHING)
def test_a_document_of_any_shape_is_read_without_an_exception(catalog: Catalog, document: object) -> None:
    points, findings = read(document, catalog)
    _holds_in_a_table(points)
    assert all(point is None for point in points)
    assert len(findings) == len(points)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_a_missing_value_is_never_a_figure(catalog: Catalog, data: st.DataObject) -> None:
    """Removing a key can only remove figures: none appears, none turns into 0."""
    row = data.draw(st.sampled_from(ROWS))
    path = data.draw(st.sampled_from(_paths(row)))
    (whole,), _ = read(row, catalog)
    (part,), _ = read(json.loads(json.dumps(_replaced(row, path, None))), catalog)
    if whole is None or part is None:
        return
    for name, value in part.scalars.items():
        assert value is None or value != 0 or whole.scalars[name] == 0, f"{name} turned into 0 without {path}"
    for name, found in part.statistics.items():
        assert (
            found.mean is None
            or name not in whole.statistics
            or found.mean != 0
            or whole.statistics[name].mean == 0
        )


def test_numbers_at_the_edges_of_their_type_overflow_nowhere(catalog: Catalog) -> None:
    edges = (1e308, 5e-324, 2**62, 2**63, 10**400, -1e308)
    for row in ROWS:
        for path in _paths(row):
            _holds_in_a_table(read([_replaced(row, path, edge) for edge in edges], catalog)[0])
    rates = {"input": {"tokens_per_second": 1e308}, "duration_seconds": 1e308, "output": {}, "total": {}}
    _holds_in_a_table(read(nested({"request_metrics/throughput": rates}), catalog)[0])
    huge = {"tp": 2**62, "pp": 2**62, "ep": 2**62, "conc": 10**7}
    _holds_in_a_table(read(fixed(huge), catalog)[0])
    url = {"run_url": f"https://github.com/a/b/actions/runs/{'9' * 40}/attempts/{'9' * 40}"}
    _holds_in_a_table(read(api(url), catalog)[0])


def test_unknown_keys_do_not_matter(catalog: Catalog) -> None:
    for row in ROWS:
        assert read({**row, "new_key": {"deep": [1, {"x": None}]}}, catalog) == read(row, catalog)


def test_deep_nesting_is_no_danger(catalog: Catalog) -> None:
    deep: Any = 1
    for _ in range(5_000):
        deep = {"request_metrics": deep}
    points, findings = read({**nested(), "request_metrics": deep}, catalog)
    assert points[0] is not None
    assert not points[0].statistics
    for key in nested():
        read({**nested(), key: deep}, catalog)
        read({**nested(), key: 10**5_000}, catalog)
    assert all(len(finding.detail) < 300 for finding in findings)
