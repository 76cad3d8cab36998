"""A game as one file, opened from disk in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from engine.views.page import page_html
from tests.support.browser import open_page
from tests.support.histories import small_history


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "game.html"
    path.write_text(page_html(small_history()), encoding="utf-8")
    return path


def test_a_file_shows_its_game_without_a_request(browser: Browser, file: Path) -> None:
    seen = open_page(browser, file.as_uri())
    seen.page.get_by_text("the tides and the bread").first.wait_for()
    assert seen.requests == [file.as_uri()]
    assert not seen.dialogs
    assert not seen.errors
