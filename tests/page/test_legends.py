"""Numbers on boards have legends, for the pointer and for the keyboard."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.games import GAMES
from engine.history import History
from engine.views.page import page_html
from engine.views.perspective import Shown
from tests.page.test_accessible import violations
from tests.page.test_boards import played
from tests.support.web.browser import Witness, open_file

SENTENCE = re.compile(r"^[A-Z].+\.$", re.DOTALL)
# By table: the key of one number's legend, and a part of its sentence.
NUMBERS = {
    "talk of four": ("bank", "An item's importance, from 0 to 1."),
    "island of five": ("votes ", "From 0 to the number of voters."),
    "dilemma of four": ("points", "against the column, from 0 to 5."),
    "guest of four": ("agent 0", "Energy, from 0 to 1"),
    "discussion of four": ("wishes", "from 0 up. The highest speaks"),
}


def opened(browser: Browser, folder: Path, history: History) -> Witness:
    """Open the file of a game at its last event."""
    return open_file(browser, folder, page_html(history, Shown(game=GAMES[history.game])))


def leave(page: Page) -> None:
    page.mouse.move(0, 0)
    expect(page.get_by_role("tooltip")).to_be_hidden()


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_has_a_legend(browser: Browser, tmp_path: Path, name: str) -> None:
    key, sentence = NUMBERS[name]
    seen = opened(browser, tmp_path, played(name))
    page = seen.page
    number = page.locator(f'[data-legend^="{key}"]').first
    # Cells that can be picked are stops of their own, inside what has the legend.
    cells = number.locator("[data-pick]")
    stop = cells.first if cells.count() else number
    tip = page.get_by_role("tooltip")
    stop.locator("text").last.hover()
    expect(tip).to_contain_text(sentence)
    tip.hover()
    expect(tip).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    leave(page)
    stop.focus()
    expect(tip).to_contain_text(sentence)
    expect(tip).to_contain_text(stop.get_attribute("aria-label") or "no name")
    expect(stop).to_have_accessible_description(tip.locator("#legend").inner_text())
    assert violations(seen) == []
    page.locator(".feed input").focus()
    expect(tip).to_be_hidden()
    expect(stop).to_have_accessible_description("")
    assert seen.errors == []


@pytest.mark.parametrize("name", NUMBERS)
def test_every_stop_of_a_board_has_its_sentence(
    browser: Browser, tmp_path: Path, name: str
) -> None:
    stops = opened(browser, tmp_path, played(name)).page.locator("[data-legend][tabindex]")
    keys = stops.evaluate_all("stops => stops.map(stop => stop.dataset.legend)")
    assert len(keys) == len({*keys}) > 0
    for place in range(len(keys)):
        stops.nth(place).focus()
        expect(stops.nth(place)).to_have_accessible_description(SENTENCE)


def test_a_stop_keeps_the_focus_while_the_game_goes_on(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, played("discussion of four")).page
    page.locator('[data-legend="wishes"]').focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator('[data-legend="wishes"]')).to_be_focused()
    expect(page.get_by_role("tooltip")).to_be_visible()
