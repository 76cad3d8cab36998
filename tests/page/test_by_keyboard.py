"""A person plays every game to its end in a browser, by keyboard alone."""

from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.support.web.browser import Witness, open_page
from tests.support.web.by_keyboard import answer_question
from tests.support.web.real_server import Served

# Short games: a row of settings, and who plays beside the person.
GAMES: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "conversation": ({"length": 6, "bank_size": 3, "subjects": 4, "voice": True}, ("greedy",)),
    "deliberations": ({"exchanges": 1}, ("loyal", "grudge", "bandwagon")),
    "talks": ({"depth": 1, "max_iterations": 4, "turns": "round_robin"}, ("terse", "fresh")),
    "dilemma": ({"max_rounds": 2, "game_length": [2, 2], "quiz": True}, ("tit_for_tat",)),
    "guest": ({"max_steps": 4, "every": 2}, ("leader",)),
}
NAMES = ("Ada", "Ben", "Cleo", "Dan")
MOST_QUESTIONS = 40


def seat_link(served: Served, game: str) -> str:
    """Begin a game, and return the link to Ada's seat."""
    settings, others = GAMES[game]
    seats = [{"player_id": "Ada", "provider": "human"}]
    for name, model in zip(NAMES[1:], others, strict=False):
        seats.append({"player_id": name, "provider": "scripted", "model": model})
    config = {"game": {"name": game, **settings}, "seed": 7, "player_configs": seats}
    link: str = served.begin(config)["seats"]["Ada"]
    return link


def play(seen: Witness) -> int:
    """Answer until the game is over; return how many questions there were."""
    page = seen.page
    over = page.locator(".status.finished")
    form = page.locator("form.question")
    for asked in range(MOST_QUESTIONS):
        form.or_(over).first.wait_for()
        if over.count():
            return asked
        answer_question(page)
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("game", GAMES)
def test_a_person_plays_to_the_end_by_keyboard(browser: Browser, served: Served, game: str) -> None:
    seen = open_page(browser, seat_link(served, game), reduced_motion="reduce")
    assert play(seen) > 0
    page = seen.page
    # While the last form is there, keys are what one writes in it.
    page.locator("form.question").wait_for(state="detached")
    # The end is read the same way: to the first event, on by one, and what the result says.
    page.keyboard.press("Home")
    page.get_by_label("Timeline").get_by_text("1", exact=True).wait_for()
    page.keyboard.press("End")
    page.locator(".card.result h2").wait_for()
    assert seen.errors == []
    assert seen.dialogs == []
