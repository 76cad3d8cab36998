"""A real Chromium, and what a page did in it: requests, dialogs and errors."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
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
    """Run the machine's Chromium while the block runs."""
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
