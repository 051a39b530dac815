"""What is exported is what is shown: rows as CSV and Parquet, the chart as PNG and SVG."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from PIL import Image
from playwright.sync_api import Page

from tests.browser import chart, many_stacks
from tests.browser.visit import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group(__name__)]

VIEW = "/?stat=p75&precision=fp4"
IDENTITY = ("model", "scenario", "hardware", "engine", "precision", "config_id", "run_id", "topology_label")
KNOWN = {point.point_id: point for point in many_stacks.points()}


def download(page: Page, name: str, folder: Path) -> Path:
    """Click an export and keep its file."""
    with page.expect_download() as started:
        page.locator("#curves-export").get_by_text(name, exact=True).click()
    path = folder / started.value.suggested_filename
    started.value.save_as(path)
    return path


@pytest.fixture(scope="module")
def page(resident: Visitor) -> Page:
    """A view at rest, whose exports are taken."""
    page = resident.open(VIEW)
    chart.settle(page)
    return page


def test_csv_holds_x_y_and_identity_of_each_shown_point(page: Page, tmp_path: Path) -> None:
    expected = chart.marked(chart.picture(page))
    rows = list(csv.DictReader(io.StringIO(download(page, "CSV", tmp_path).read_text("utf-8-sig"))))
    by_id = {row["point_id"]: row for row in rows}
    assert expected.keys() <= by_id.keys()
    for point_id, (x_drawn, y_drawn) in expected.items():
        row, point = by_id[point_id], KNOWN[point_id]
        assert float(row["x"]) == pytest.approx(x_drawn, rel=1e-9)
        assert float(row["y"]) == pytest.approx(y_drawn, rel=1e-9)
        for name in IDENTITY:
            assert row[name] == str(getattr(point, name)), name
        assert row["concurrency"] == str(point.concurrency) and row["run_date"] == str(point.run_date)


def test_parquet_holds_the_same_rows_as_csv(page: Page, tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(download(page, "CSV", tmp_path).read_text("utf-8-sig"))))
    table = pq.read_table(download(page, "Parquet", tmp_path))
    assert table["point_id"].to_pylist() == [row["point_id"] for row in rows]
    assert set(table.column_names) == set(rows[0])


def test_svg_holds_title_units_source_date_ring_key_and_every_mark(
    page: Page, resident: Visitor, tmp_path: Path, artifacts: Path
) -> None:
    drawn = chart.picture(page)
    path = download(page, "SVG", tmp_path)
    text = path.read_text()
    (artifacts / "export.svg").write_text(text)
    words = re.sub(r"<[^>]+>", " ", text)
    for word in ("DeepSeek-V4-Pro", "p75", "TTFT", "tok/s", "KV offload", "2026"):
        assert word in words, word
    marks = sum(len(trace["x"]) for trace in drawn["traces"] if trace.get("role") in ("mark", "ring"))
    assert len(re.findall(r'class="point\b', text)) >= marks
    assert "stroke-dasharray" in text
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", text).replace(resident.address, "")


def test_png_is_a_picture_of_the_chart(page: Page, tmp_path: Path, artifacts: Path) -> None:
    path = download(page, "PNG", tmp_path)
    (artifacts / "export.png").write_bytes(path.read_bytes())
    picture = Image.open(path)
    box = page.locator(chart.GRAPH).bounding_box()
    assert box and picture.width >= box["width"] and picture.height > box["height"]
    colours = picture.convert("RGB").resize((200, 100)).getcolors(20_000)
    assert colours and len(colours) > 20


def test_a_picture_cuts_no_name_off_at_its_right_edge(page: Page, tmp_path: Path) -> None:
    svg = download(page, "SVG", tmp_path).read_text()
    page.context.new_page()
    frame = page.context.pages[-1]
    frame.set_content(svg)
    rights = frame.eval_on_selector_all(
        ".annotation-text", "names => names.map((name) => name.getBoundingClientRect().right)"
    )
    edge = frame.locator("svg").first.bounding_box()
    frame.close()
    assert edge and rights and max(rights) <= edge["x"] + edge["width"]


def test_an_export_of_unofficial_points_says_so(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.open("/?model=kimik3")
    chart.settle(page)
    words = re.sub(r"<[^>]+>", " ", download(page, "SVG", tmp_path).read_text())
    assert "UNOFFICIAL" in words.upper()
    rows = list(csv.DictReader(io.StringIO(download(page, "CSV", tmp_path).read_text("utf-8-sig"))))
    assert {row["official"].lower() for row in rows} == {"true", "false"}


def test_a_dark_export_is_dark(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.open("/", theme="dark")
    chart.settle(page)
    corner = Image.open(download(page, "PNG", tmp_path)).convert("RGB").getpixel((2, 2))
    assert max(corner) < 60
