"""A real Chromium, and what a page did in it: requests, dialogs and errors."""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, sync_playwright

CHROMIUM = shutil.which("chromium")
OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
)
PHONE = {"width": 390, "height": 844}
WIDE = {"width": 1280, "height": 860}


@dataclass
class Witness:
    """A page, and what it did since it was opened."""

    page: Page
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Note every request, dialog and error from now on."""
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", self._dismiss)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._hear)

    def _dismiss(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def _hear(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.errors.append(message.text)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start the machine's Chromium; without one the test is skipped, and fails in CI.

    Its event loop runs in this thread, so `asyncio.run` cannot be used meanwhile. Therefore each
    test module starts its own browser.
    """
    if CHROMIUM is None:
        reason = "no chromium on this machine: apt-get install chromium"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with chromium() as found:
        yield found


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=[*OPTIONS])
        yield found
        found.close()


def open_page(browser: Browser, url: str, **context: Any) -> Witness:
    """Open `url` in a context of its own, as `browser.new_context` takes it, and watch the page."""
    page = browser.new_context(**({"viewport": WIDE} | context)).new_page()
    page.set_default_timeout(10_000)
    witness = Witness(page)
    witness.watch()
    page.goto(url)
    return witness


def open_file(
    browser: Browser, folder: Path, text: str, fragment: str = "", **context: Any
) -> Witness:
    """Open the file of a game from disk, and return it as soon as it shows an event."""
    path = folder / "game.html"
    path.write_text(text, encoding="utf-8")
    seen = open_page(browser, path.as_uri() + fragment, **context)
    seen.page.locator(".event").first.wait_for()
    return seen


def unfold(page: Page, what: str = "details") -> None:
    page.locator(what).evaluate_all("nodes => nodes.forEach(node => { node.open = true })")


def elements_at_rest(page: Page) -> int:
    """Return how many elements there are once their number has stayed the same for a while.

    There is an option for each kind of event, so options are not counted.
    """
    before, now = -1, 0
    while before != now:
        page.wait_for_timeout(200)
        before, now = now, page.evaluate("document.querySelectorAll('*:not(option)').length")
    return now


def walk(page: Page) -> Iterator[int]:
    """Unfold all events, window by window, and yield how many elements each has."""
    while True:
        unfold(page)
        yield elements_at_rest(page)
        earlier = page.get_by_role("button", name=re.compile(r"^\d+ earlier$"))
        if not earlier.count():
            return
        earlier.click()
