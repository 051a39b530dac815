"""A reader's browser window: opens pages of the server under test and notes whatever goes wrong on them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, Response

Theme = Literal["light", "dark"]
DESKTOP = (1440, 900)
PHONE = (390, 844)
#: Said of a file that is used all right, but later than Chromium thinks proper.
_SLOW_MACHINE = re.compile("was preloaded using link preload but not used within a few seconds")
#: How long an element may take to appear on a busy machine.
PATIENCE_MS = 15_000
PROBE = Path(__file__).with_name("probe.js")

#: Chromium's own words about the status of a page that was asked for and rightly not found.
_STATUS_NOISE = re.compile(r"^Failed to load resource: the server responded with a status of (\d{3})")


def plain(text: str) -> str:
    """Text without the narrow spaces that group digits and stand before units."""
    return text.replace("\u2009", "").replace("\u202f", "").replace("\xa0", " ")


class Visitor:
    """Opens pages, each in a context of its own, as a new reader would.

    `faults` collects console errors and warnings, uncaught exceptions, failed requests, answers of 400 and
    above, and requests to any other host. `expected` statuses are no fault. `callbacks` holds the
    bodies of the requests to the server's callbacks.
    """

    def __init__(self, browser: Browser, address: str) -> None:
        self._browser = browser
        self.address = address
        self.faults: list[str] = []
        self.expected: set[int] = set()
        self.callbacks: list[str] = []
        self._contexts: list[BrowserContext] = []

    def open(self, path: str = "/", size: tuple[int, int] = DESKTOP, theme: Theme = "light") -> Page:
        """A new reader's page at `path`, loaded; `chart.settle` waits for its chart."""
        context = self._browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            device_scale_factor=1,
            color_scheme=theme,
            reduced_motion="reduce",
            has_touch=size[0] < 768,
            accept_downloads=True,
        )
        context.set_default_timeout(PATIENCE_MS)
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=self.address)
        context.add_init_script(path=PROBE)
        self._contexts.append(context)
        page = context.new_page()
        self._watch(page)
        page.goto(self.address + path)
        return page

    def leave(self) -> None:
        for context in self._contexts:
            context.close()

    def _watch(self, page: Page) -> None:
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.faults.append(f"uncaught: {error}"))
        page.on("request", self._asked)
        page.on("requestfailed", self._failed)
        page.on("response", self._answered)

    def _heard(self, message: ConsoleMessage) -> None:
        noise = _STATUS_NOISE.match(message.text)
        if noise and int(noise[1]) in self.expected:
            return
        if message.type in ("error", "warning") and not _SLOW_MACHINE.search(message.text):
            self.faults.append(f"console {message.type}: {message.text}")

    def _asked(self, request: Request) -> None:
        if "/_dash-update-component" in request.url:
            self.callbacks.append(request.post_data or "")
        if not request.url.startswith((self.address, "data:", "blob:")):
            self.faults.append(f"a request left the host: {request.url}")

    def _failed(self, request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # a navigation away ends what was still loading
            self.faults.append(f"failed request: {request.url} ({request.failure})")

    def _answered(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self.expected:
            self.faults.append(f"status {response.status}: {response.url}")


def address(page: Page) -> str:
    """The address as the page has it: `page.url` learns of `history.replaceState` a little later."""
    href: str = page.evaluate("location.href")
    return href
