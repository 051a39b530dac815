"""A conversation of the bundled sample in Chromium: bars at known pixels, folding, links, keys, exports."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pyarrow.parquet as pq
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from dashboard.resources import sample_store_dir
from tests.browser.visit import PHONE, Visitor, address

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group(__name__)]

SLUG, NAME = "simulated-agentic-393", "sim_0218"
PATH = f"/datasets/{SLUG}/conversations/{NAME}"


@pytest.fixture
def visitor(sample_visitor: Visitor) -> Visitor:
    return sample_visitor


def opened(visitor: Visitor, query: str = "", **more: object) -> Page:
    page = visitor.open(PATH + query, **more)  # type: ignore[arg-type]
    page.wait_for_selector("#conversation[data-complete]")
    page.wait_for_timeout(100)
    return page


def colours_at(page: Page, row: int, shares: list[float]) -> list[str]:
    """Colours in the middle of a row's bar, at shares of the plot's width."""
    found: list[str] = page.evaluate(
        """([row, shares]) => {
          const canvas = document.querySelector(".lanes-canvas");
          const copy = new OffscreenCanvas(canvas.width, canvas.height);
          const ctx = copy.getContext("2d", { willReadFrequently: true });
          ctx.drawImage(canvas, 0, 0);
          const topOf = (one) => one.getBoundingClientRect().top;
          const rows = [...document.querySelectorAll(".lanes-row:not([hidden])")];
          rows.sort((a, b) => topOf(a) - topOf(b));
          const box = rows[row].getBoundingClientRect();
          const top = document.querySelector(".lanes-plot").getBoundingClientRect().top;
          const y = Math.round(box.top - top + box.height / 2);
          return shares.map((share) => {
            const [r, g, b] = ctx.getImageData(Math.round(share * canvas.width), y, 1, 1).data;
            return "#" + [r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("");
          });
        }""",
        [row, shares],
    )
    return found


def texts(page: Page) -> list[str]:
    """Labels of the rows in view."""
    return page.locator(".lanes-row:visible .lanes-text").all_inner_texts()


def token(page: Page, name: str) -> str:
    value: str = page.evaluate(
        "(n) => getComputedStyle(document.documentElement).getPropertyValue(n).trim()", name
    )
    return value


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_turns_bar_is_cached_uncached_output_in_their_lengths_and_colours(
    visitor: Visitor, theme: str
) -> None:
    path = sample_store_dir() / "datasets" / SLUG / "turns.parquet"
    turns = pq.read_table(path, filters=[("conversation_id", "=", NAME)]).to_pylist()
    largest = max(row["isl"] + row["osl"] for row in turns)
    turn = next(row for row in turns if row["outer"] == 10)
    page = opened(visitor, theme=theme)
    labels = page.locator(".lanes-row:visible .lanes-text").all_inner_texts()
    row = next(n for n, label in enumerate(labels) if label.strip() == "Turn 10")
    cached, isl = turn["cached_prefix_tokens"] / largest, turn["isl"] / largest
    shown = colours_at(page, row, [cached / 2, (cached + isl) / 2, 0.97])
    assert shown[:2] == [token(page, "--flame-cached"), token(page, "--flame-uncached")]
    assert shown[2] in (token(page, "--bg"), token(page, "--grid"))
    findings = [
        rule for rule in Axe().run(page).response["violations"] if rule["impact"] in ("serious", "critical")
    ]
    assert not findings, [(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in findings]


def test_a_link_opens_a_turn_inside_a_folded_subagent_and_keys_walk_on(visitor: Visitor) -> None:
    edges = pq.read_table(
        sample_store_dir() / "datasets" / SLUG / "turns.parquet", filters=[("conversation_id", "=", NAME)]
    )
    inside = next(row for row in edges.to_pylist() if row["inner"] == 1)
    page = opened(visitor, f"?turn={inside['outer']}.1")
    assert page.locator("[data-part='turn'] h2").inner_text() == f"Turn {inside['outer']}.1"
    query = parse_qs(urlsplit(address(page)).query)
    assert query["unfold"] == [inside["stream"]]
    page.locator(".lanes-plot").focus()
    page.keyboard.press("ArrowDown")
    after = parse_qs(urlsplit(address(page)).query)["turn"][0]
    assert after != f"{inside['outer']}.1"
    assert page.locator("[data-part='turn'] h2").inner_text() == f"Turn {after}"


def test_folding_layout_and_run_are_in_the_address_and_files_can_be_taken(visitor: Visitor) -> None:
    page = opened(visitor)
    rows = page.locator(".lanes-row:visible").count()
    page.locator(".lanes-fold:visible[aria-expanded='false']").first.click()
    assert "unfold" in parse_qs(urlsplit(address(page)).query)
    page.get_by_role("button", name="Unfold all").click()
    assert parse_qs(urlsplit(address(page)).query)["unfold"] == ["all"]
    page.get_by_role("button", name="Fold all", exact=True).click()
    assert page.locator(".lanes-row:visible").count() == rows
    page.locator("label", has_text="Measured in").locator("select").select_option(index=1)
    run = parse_qs(urlsplit(address(page)).query)["run"][0]
    assert page.locator(".lanes-row:visible .lanes-right").filter(has_text="%").count() > 3
    page.get_by_role("button", name="By time").click()
    assert parse_qs(urlsplit(address(page)).query) == {"run": [run], "layout": ["time"]}
    again = opened(visitor, "?" + urlsplit(address(page)).query)
    assert texts(again) == texts(page)
    for name, ending in (("SVG", ".svg"), ("PNG", ".png"), ("speedscope", ".speedscope.json")):
        with page.expect_download() as started:
            page.locator(".window-bar").get_by_text(name, exact=True).click()
        assert started.value.suggested_filename == NAME + ending


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_dataset_page_is_sound_and_its_list_is_searched_and_sorted_in_the_address(
    visitor: Visitor, theme: str
) -> None:
    page = visitor.open(f"/datasets/{SLUG}", theme=theme)  # type: ignore[arg-type]
    page.wait_for_selector(".conversations tbody tr")
    findings = [
        rule for rule in Axe().run(page).response["violations"] if rule["impact"] in ("serious", "critical")
    ]
    assert not findings, [(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in findings]
    page.get_by_label("Search by id").fill("sim_02")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**q=sim_02**")
    page.wait_for_selector(".conversations tbody tr")
    ids = page.locator(".conversations tbody th").all_inner_texts()
    assert ids and all(name.startswith("sim_02") for name in ids)
    page.locator(".conversations thead a", has_text="Requests").click()
    page.wait_for_url("**sort=**")
    page.wait_for_selector("th[aria-sort='descending']")
    counts = [
        int(cell.replace("\u202f", ""))
        for cell in page.locator(".conversations td:nth-child(3)").all_inner_texts()
    ]
    assert counts == sorted(counts, reverse=True)
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def test_a_turn_leads_to_the_requests_that_replayed_it_and_a_phone_shows_it(visitor: Visitor) -> None:
    page = opened(visitor, "?turn=40", size=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    links = page.locator("[data-part='turn'] tbody a")
    assert links.count() > 0
    href = links.first.get_attribute("href") or ""
    linked = visitor.open(href)
    linked.wait_for_selector("#timeline[data-complete]")
    request = parse_qs(urlsplit(href).query)["request"][0]
    assert request in linked.locator(".timeline-card").inner_text()
