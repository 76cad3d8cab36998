"""Measured models on the page: bars with intervals, each of which leads to its games."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support.measured import serving_measured
from tests.support.web.browser import PHONE, WIDE, open_page
from tests.support.web.real_server import TOKEN, Served


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving_measured(tmp_path_factory.mktemp("measured") / "logs", token=TOKEN) as server:
        yield server


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_bar_leads_to_its_games(browser: Browser, measured: Served, size: dict[str, int]) -> None:
    seen = open_page(browser, f"{measured.origin}/#/measured?token={TOKEN}", viewport=size)
    page = seen.page
    page.locator("article").first.wait_for()
    assert page.locator("h3").all_inner_texts() == ["scripted:greedy", "scripted:random"]
    # Floor and ceiling, and a bar with its interval.
    bar = page.locator(".measured svg").first
    assert bar.locator(".edge").count() == 2
    reach = bar.locator(".reach").bounding_box()
    assert reach is not None
    assert reach["width"] > 2
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    bar.click()
    page.get_by_role("heading", name="Games of teamwork").wait_for()
    with page.expect_download() as kept:
        page.get_by_role("link", name="game 2").click()
    assert kept.value.suggested_filename == "teamwork_000001.html"
    page.get_by_role("link", name="All measured models").click()
    page.locator("article").first.wait_for()
    assert seen.errors == []


def test_without_any_the_command_is_told(browser: Browser, served: Served) -> None:
    seen = open_page(browser, f"{served.origin}/#/measured?token={TOKEN}")
    seen.page.get_by_text("uv run tournament.py measure scripted:greedy").wait_for()
    assert seen.errors == []
