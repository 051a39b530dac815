"""What a reader waits for, in headless Chromium on loopback: cold load, a change of view, hover."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks import empty_page
from benchmarks.measure import RUNS, Measure, median
from benchmarks.stores import make_store
from tests.browser.ensure_chromium import ADVICE, find_chromium
from tests.conftest import CHROMIUM_FLAGS
from tests.serving import serving

CURVE = "#curves-graph .scatterlayer .trace .points path"
VIEWPORT = {"width": 1440, "height": 900}

WATCH = (Path(__file__).parent / "watch.js").read_text()


@dataclass(frozen=True, slots=True)
class Load:
    """One cold load: ms until painted and in long tasks; compressed bytes in all and of the view's data."""

    painted_ms: float
    long_ms: float
    bytes_all: float
    bytes_data: float
    outside: int


def ten_thousand_in_the_store(folder: Path) -> Iterator[Measure]:
    """The ordinary case: ten models, a thousand points each."""
    store = make_store(folder / "store", 10_000)
    with chromium() as browser, dashboard(store, folder) as address, yardstick(folder) as empty:
        yield from cold_load(browser, address, empty)
        yield from change_of_view(browser, address, "10,000 points in the store", 300)
        yield from hover(browser, address)


def ten_thousand_in_view(folder: Path) -> Iterator[Measure]:
    """All points in one model and scenario."""
    store = make_store(folder / "store", 10_000, models=1)
    with chromium() as browser, dashboard(store, folder) as address:
        loads = [cold(browser, address, CURVE) for _ in range(RUNS)]
        name = "cold load, 10,000 points in the view"
        yield Measure(name, median([load.painted_ms for load in loads]), "ms", 1500)
        yield Measure(f"{name}: data", median([load.bytes_data for load in loads]) / 1e3, "kB", 200)
        yield Measure(f"{name}: long tasks", median([load.long_ms for load in loads]), "ms", 1000)
        yield from change_of_view(browser, address, "10,000 points in the view", 500)


def hundred_thousand_in_the_store(folder: Path) -> Iterator[Measure]:
    """A store ten times the size: what is not in the view must not cost."""
    store = make_store(folder / "store", 100_000, models=100)
    with chromium() as browser, dashboard(store, folder) as address:
        yield from change_of_view(browser, address, "100,000 points in the store", 300)


@contextmanager
def chromium() -> Iterator[Browser]:
    executable = find_chromium()
    if executable is None:
        sys.exit(ADVICE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@contextmanager
def dashboard(store: Path, folder: Path) -> Iterator[str]:
    program = [str(Path(sys.executable).with_name("agentx-dashboard")), "serve", "--store", str(store)]
    with serving(program, folder) as served:
        yield served.address


@contextmanager
def yardstick(folder: Path) -> Iterator[str]:
    place = folder / "empty"
    place.mkdir()
    with serving([sys.executable, "-m", "benchmarks.empty_page"], place) as served:
        yield served.address


def cold_load(browser: Browser, address: str, empty: str) -> Iterator[Measure]:
    """Ours and the empty page in turn, so that a noisy minute hits both."""
    pairs = [
        (cold(browser, address, CURVE), cold(browser, empty, f"#{empty_page.READY}")) for _ in range(RUNS)
    ]
    ours = median([mine.painted_ms for mine, _ in pairs])
    theirs = median([yard.painted_ms for _, yard in pairs])
    yield Measure("cold load until the first curve", ours, "ms", 1200)
    yield Measure("the same against an empty page", ours / theirs, "x", 1.3, note=f"empty: {theirs:.0f} ms")
    yield Measure("cold load: compressed", median([mine.bytes_all for mine, _ in pairs]) / 1e3, "kB", 950)
    yield Measure(
        "cold load: data of the view", median([mine.bytes_data for mine, _ in pairs]) / 1e3, "kB", 100
    )
    yield Measure("cold load: long tasks", median([mine.long_ms for mine, _ in pairs]), "ms")
    yield Measure("cold load: requests to other hosts", max(mine.outside for mine, _ in pairs), "", 0)


def cold(browser: Browser, address: str, selector: str) -> Load:
    """A first visit with an empty cache."""
    context = browser.new_context(viewport=VIEWPORT)
    page = context.new_page()
    page.add_init_script(f"{WATCH}\nbench.watchLoad({json.dumps(selector)});")
    traffic = Traffic(page)
    page.goto(address)
    found = page.evaluate("bench.whenPainted()")
    load = Load(
        found["painted"], found["long"], traffic.bytes(), traffic.bytes("/_dash-"), traffic.outside(address)
    )
    context.close()
    return load


class Traffic:
    """Compressed bytes of a page's answers, as the browser's own network log counts them."""

    def __init__(self, page: Page) -> None:
        self._urls: dict[str, str] = {}
        self._bytes: dict[str, float] = {}
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.requestWillBeSent", self._asked)
        session.on("Network.loadingFinished", self._finished)

    def bytes(self, part: str = "") -> float:
        """Of all answers whose address contains `part`; Dash's component scripts are no data."""
        wanted = {
            key for key, url in self._urls.items() if part in url and not (part and "component-suites" in url)
        }
        return sum(count for key, count in self._bytes.items() if key in wanted)

    def outside(self, address: str) -> int:
        return sum(not url.startswith((address, "data:", "blob:")) for url in self._urls.values())

    def _asked(self, event: Mapping[str, Any]) -> None:
        self._urls[event["requestId"]] = event["request"]["url"]

    def _finished(self, event: Mapping[str, Any]) -> None:
        self._bytes[event["requestId"]] = event["encodedDataLength"]


def opened(browser: Browser, address: str) -> Page:
    """A page with its chart drawn, and with `watch.js` in it."""
    page = browser.new_context(viewport=VIEWPORT).new_page()
    page.add_init_script(WATCH)
    page.goto(address)
    page.wait_for_selector(CURVE, state="attached")
    return page


#: What a reader changes, as the query parameter that the link sets, and values that are asked for once each.
CHANGES: Mapping[str, tuple[str, ...]] = {
    "stat": ("p75", "p99", "p50", "p95", "mean"),
    "y": ("cost_total", "tokens_per_usd", "tput_output", "tput_per_mw", "cost_output"),
    "model": ("model-01", "model-02", "model-03", "model-04", "model-05"),
    "hardware": ("b200", "mi355x", "mi325x", "b300"),
}
WORDS = {"stat": "percentile", "y": "metric", "model": "model", "hardware": "filter"}


def change_of_view(browser: Browser, address: str, store: str, bar_ms: float) -> Iterator[Measure]:
    """Each value for the first time, so that no cache of a view helps."""
    page = opened(browser, address)
    for parameter, values in CHANGES.items():
        times = [time for value in values if (time := change(page, parameter, value)) is not None]
        if times:
            name = f"change of {WORDS[parameter]}, {store}"
            yield Measure(
                name, median([time["rest"] for time in times]), "ms", bar_ms, note=chart_note(times)
            )
    page.context.close()


def chart_note(times: list[dict[str, float]]) -> str:
    return f"chart alone {median([time['drawn'] for time in times]):.0f} ms"


def change(page: Page, parameter: str, value: str) -> dict[str, float] | None:
    """Follow the link that sets `parameter` to `value`; None where the page has no such link."""
    page.wait_for_timeout(500)
    hrefs = page.eval_on_selector_all("a[data-view]", "links => links.map(a => a.getAttribute('href'))")
    wanted = [href for href in hrefs if f"{parameter}={value}" in href.replace("?", "&").split("&")]
    if not wanted:
        return None
    measured: dict[str, float] = page.evaluate("(href) => bench.change(href)", wanted[0])
    return measured


def hover(browser: Browser, address: str) -> Iterator[Measure]:
    """From the mouse event to the tip in the page."""
    page = opened(browser, address)
    page.wait_for_timeout(1500)
    page.evaluate("bench.watchHover()")
    boxes = [mark.bounding_box() for mark in page.query_selector_all(CURVE)[: 3 * RUNS : 3]]
    for box in (box for box in boxes if box):
        page.mouse.move(5, 5)
        page.wait_for_timeout(200)
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.wait_for_timeout(200)
    yield Measure("hover to tip", median(page.evaluate("bench.hovered")), "ms", 33)
    page.context.close()
