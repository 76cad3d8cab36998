"""A person plays on the cells of boards of OpenSpiel and TextArena, with keys alone or clicks."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.web.browser import PHONE, open_page
from tests.support.web.by_keyboard import play
from tests.support.web.real_server import Served, table_of

OPPONENTS = {"openspiel": "random", "textarena": "numbers"}
GAMES = (
    ("openspiel", "tic_tac_toe"),
    ("openspiel", "connect_four"),
    ("textarena", "TicTacToe-v0"),
    ("textarena", "ConnectFour-v0"),
)
OPEN = ".grid .open"
TO_OPEN_CELL = """() => {
  const at = document.activeElement;
  const to = document.querySelector(".grid .open");
  const [y, x] = at.dataset.pick.split(",").map(Number);
  const [toY, toX] = to.dataset.pick.split(",").map(Number);
  return [toY - y, toX - x];
}"""


def seat_link(served: Served, game: str, word: str) -> str:
    config = table_of(game, f"human,scripted:{OPPONENTS[game]}", game=word)
    link: str = served.begin(config)["seats"]["Ada"]
    return link


def click_cell(page: Page) -> None:
    page.locator(OPEN).first.click()


def press_keys(page: Page) -> None:
    """Walk from the cell that has the focus to the first open one, and play it."""
    expect(page.locator(".grid :focus")).to_be_visible()
    down, right = page.evaluate(TO_OPEN_CELL)
    for steps, (ahead, back) in (
        (down, ("ArrowDown", "ArrowUp")),
        (right, ("ArrowRight", "ArrowLeft")),
    ):
        for _ in range(abs(steps)):
            page.keyboard.press(ahead if steps > 0 else back)
    assert page.evaluate(TO_OPEN_CELL) == [0, 0]
    page.keyboard.press("Enter")


@pytest.mark.parametrize("act", [click_cell, press_keys])
@pytest.mark.parametrize(("game", "word"), GAMES)
def test_a_person_plays_a_whole_game_on_the_board(
    browser: Browser, served: Served, game: str, word: str, act: Callable[[Page], None]
) -> None:
    def move(page: Page) -> None:
        number = page.locator(".extra").get_attribute("data-number")
        page.locator(OPEN).first.wait_for()
        act(page)
        page.locator(f'.extra[data-number="{number}"] form').wait_for(state="detached")

    seen = open_page(browser, seat_link(served, game, word), viewport=PHONE)
    assert play(seen.page, move) >= 3
    seen.page.keyboard.press("End")
    expect(seen.page.locator(OPEN)).to_have_count(0)
    assert seen.page.locator(".grid [role=gridcell]:not(:empty)").count() >= 5
    assert seen.errors == []


def box_of(page: Page, place: str) -> dict[str, float]:
    found: Any = page.locator(place).first.bounding_box()
    return dict(found)


def test_on_a_phone_the_whole_question_is_above_the_board(browser: Browser, served: Served) -> None:
    config = table_of("dilemma", "human,scripted:random", max_rounds=1)
    seen = open_page(browser, served.begin(config)["seats"]["Ada"], viewport=PHONE)
    seen.page.locator("form.question").wait_for()
    asked, board = box_of(seen.page, "form.question"), box_of(seen.page, "svg.board")
    assert asked["y"] + asked["height"] <= board["y"]
    cut = "node => node.scrollHeight > node.clientHeight + 1"
    assert not seen.page.locator(".extra").evaluate(cut)
    for field in seen.page.locator("fieldset").all():
        # C and D: letters alone stand in one row, each as wide as a finger.
        first, second = (label.bounding_box() for label in field.locator("label").all())
        assert first
        assert second
        assert first["y"] == second["y"]
        assert second["x"] < 200


def test_a_library_board_without_a_grid_is_monospaced(browser: Browser, served: Served) -> None:
    seen = open_page(browser, seat_link(served, "openspiel", "backgammon"), viewport=PHONE)
    text = seen.page.locator("form.question .text")
    text.wait_for()
    assert "monospace" in text.evaluate("node => getComputedStyle(node).fontFamily")
    assert seen.page.locator(".left > figure").is_hidden()


def test_a_piece_is_picked_up_before_it_is_set_down(browser: Browser, served: Served) -> None:
    """In chess a square may be reached by several pieces: a move needs both its squares."""
    seen = open_page(browser, seat_link(served, "openspiel", "chess"))
    page = seen.page
    page.locator("form.question").wait_for()
    page.get_by_label("b8: ♞, can be played").click()
    page.get_by_label("c6: empty, can be played").click()
    page.locator(".event .text", has_text="Nc6").wait_for()
    assert seen.errors == []
