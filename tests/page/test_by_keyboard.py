"""A person plays every game to its end in a browser, by keyboard alone."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.support.web.browser import open_page
from tests.support.web.by_keyboard import play
from tests.support.web.real_server import TOKEN, Served, table_of

# Short games: a row of settings, and who plays beside the person.
GAMES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "conversation": ({"length": 6, "bank_size": 3, "subjects": 4, "voice": True}, ("greedy",)),
    "deliberations": ({"exchanges": 1}, ("loyal", "grudge", "bandwagon")),
    "talks": ({"depth": 1, "max_iterations": 4, "turns": "round_robin"}, ("terse", "fresh")),
    "dilemma": ({"max_rounds": 2, "game_length": [2, 2], "quiz": True}, ("tit_for_tat",)),
    "guest": ({"max_steps": 4, "every": 2}, ("leader",)),
}


def seat_link(served: Served, game: str) -> str:
    settings, others = GAMES[game]
    players = ",".join(["human", *(f"scripted:{other}" for other in others)])
    link: str = served.begin(table_of(game, players, **settings))["seats"]["Ada"]
    return link


@pytest.mark.parametrize("game", GAMES)
def test_a_person_plays_to_the_end_by_keyboard(browser: Browser, served: Served, game: str) -> None:
    seen = open_page(browser, seat_link(served, game), reduced_motion="reduce")
    page = seen.page
    assert play(page) > 0
    # While the last form is there, keys are what one writes in it.
    page.locator("form.question").wait_for(state="detached")
    # The end is read the same way: to the first event, on by one, and what the result says.
    page.keyboard.press("Home")
    page.get_by_label("Timeline").get_by_text("1", exact=True).wait_for()
    page.keyboard.press("End")
    page.locator(".card.result h2").wait_for()
    assert seen.errors == []
    assert seen.dialogs == []


def test_the_menu_keeps_the_focus_and_stays_open_when_the_game_ends(
    browser: Browser, served: Served
) -> None:
    seat = open_page(browser, seat_link(served, "dilemma"), reduced_motion="reduce").page
    name = urlsplit(seat.url).fragment.split("/")[2]
    watcher = open_page(browser, f"{served.origin}/#/game/{name}?token={TOKEN}&as=*").page
    menu = watcher.get_by_text("Actions")
    menu.press("Enter")
    stop = watcher.get_by_role("button", name="Stop")
    stop.wait_for()
    play(seat)
    watcher.locator(".card.result h2").wait_for()
    expect(stop).not_to_be_visible()
    expect(watcher.get_by_role("button", name="Fork from here…")).to_be_visible()
    expect(menu).to_be_focused()
