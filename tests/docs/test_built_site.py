"""The built site holds together: each link leads somewhere, and a browser fetches nothing else.

It needs Zensical: `uv run --group dev --group docs pytest tests/docs/test_built_site.py`.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.support.paths import ROOT, copy_project
from tests.support.web.browser import PHONE, WIDE, browser, open_page

pytest.importorskip("zensical", reason="the group docs is not installed: uv run --group docs")
__all__ = ["browser"]

ADDRESSES = {"a": "href", "link": "href", "img": "src", "script": "src", "iframe": "src"}


class Addresses(HTMLParser):
    """What a page links to and fetches, and the places in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.places.add(values.get("id") or "")
        address = values.get(ADDRESSES.get(tag, ""))
        if address:
            self.found.append((tag, address))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site, built from a copy of the tree so that this one stays as it is."""
    tree = tmp_path_factory.mktemp("built") / "tree"
    copy_project(tree, ".cache")
    for words in (["docs/make_replay.py"], ["-m", "zensical", "build", "--strict"]):
        command = [sys.executable, *words]
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return tree / "site"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def serving(site: Path) -> Iterator[str]:
    """Serve the site on this machine, and yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def pages_of(site: Path) -> list[str]:
    """Return the addresses of all pages within the site."""
    pages = [page.relative_to(site).as_posix() for page in site.rglob("index.html")]
    return sorted(page.removesuffix("index.html") for page in pages)


@cache
def addresses(page: Path) -> Addresses:
    return Addresses(page.read_text(encoding="utf-8"))


def file_at(site: Path, path: str) -> Path:
    """Return the file that a path of the site is served from."""
    found = site / unquote(path).lstrip("/")
    return found / "index.html" if found.is_dir() else found


def test_the_site_has_every_page_and_no_program(site: Path) -> None:
    sources = (ROOT / "docs").rglob("*.md")
    expected = {page.relative_to(ROOT / "docs").with_suffix("").as_posix() for page in sources}
    assert {page.rstrip("/") or "index" for page in pages_of(site)} == expected
    assert not [*site.rglob("*.py")]


def test_each_link_leads_somewhere(site: Path) -> None:
    broken = []
    for page in pages_of(site):
        for tag, address in addresses(file_at(site, page)).found:
            whole, place = urldefrag(urljoin(f"http://site/{page}", address))
            if urlsplit(whole).netloc != "site":
                assert (tag, urlsplit(whole).scheme) == ("a", "https"), (page, address)
                continue
            target = file_at(site, urlsplit(whole).path)
            if not target.is_file() or not is_there(target, place):
                broken.append((page, address))
    assert broken == []


def is_there(target: Path, place: str) -> bool:
    """Return whether a page has a place; "" and the state of a replay are no places."""
    if not place or target.name == "replay.html":
        return True
    return unquote(place) in addresses(target).places


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "dark"), (WIDE, "light")])
def test_a_browser_fetches_from_here_alone(
    browser: Browser, site: Path, size: dict[str, int], scheme: str
) -> None:
    with serving(site) as address:
        seen = open_page(browser, address, viewport=size, color_scheme=scheme)
        for page in pages_of(site):
            seen.page.goto(address + page, wait_until="networkidle")
            foreign = [url for url in seen.requests if not url.startswith((address, "data:"))]
            assert (page, foreign, seen.errors) == (page, [], [])
            assert seen.page.evaluate("document.documentElement.scrollWidth") <= size["width"], page
        seen.page.context.close()


def test_the_front_page_replays_a_game(browser: Browser, site: Path) -> None:
    with serving(site) as address:
        seen = open_page(browser, address)
        replay = seen.page.frame_locator("iframe.replay")
        expect(replay.locator(".count").first).to_have_text("13 / 41")
        replay.locator("h1").click()
        seen.page.keyboard.press("ArrowRight")
        expect(replay.locator(".count").first).to_have_text("14 / 41")
        assert not seen.errors
        seen.page.context.close()


def test_the_search_opens_a_page(browser: Browser, site: Path) -> None:
    """What it finds stands in a closed shadow, so the test takes the first as a reader would."""
    with serving(site) as address:
        seen = open_page(browser, address)
        for wait in (1_000, 3_000, 9_000):
            seen.page.goto(address, wait_until="networkidle")
            seen.page.get_by_role("button", name="Search").first.click()
            seen.page.wait_for_function("document.activeElement.tagName === 'DIV'")
            seen.page.keyboard.type("phase_pitches")
            seen.page.wait_for_timeout(wait)
            seen.page.keyboard.press("Enter")
            seen.page.wait_for_timeout(wait)
            if seen.page.url != address:
                break
        assert seen.page.url.endswith("#engine.round_phases.phase_pitches")
        assert all(url.startswith((address, "data:", "blob:")) for url in seen.requests)
        seen.page.context.close()
