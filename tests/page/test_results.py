"""The end of a game: who won, where it turned, and what to do next."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from engine.games import GAMES
from engine.views.page import page_html
from engine.views.perspective import PUBLIC, Shown
from tests.support.tables import run_game
from tests.support.web.browser import PHONE, open_file, open_page
from tests.support.web.real_server import TOKEN, Served, table_of

SEATS = {"Ada": "loyal", "Ben": "grudge", "Cleo": "bandwagon", "Dan": "loyal", "Eva": "random"}


@pytest.fixture(scope="module")
def over(served: Served) -> dict[str, Any]:
    players = ",".join(f"{name}=scripted:{strategy}" for name, strategy in SEATS.items())
    begun = served.begin(table_of("deliberations", players))
    about: dict[str, Any] = served.wait_for(begun["name"])
    return about


def opened(browser: Browser, served: Served, over: dict[str, Any], **more: Any) -> Page:
    seen = open_page(browser, f"{served.origin}/#/game/{over['name']}?token={TOKEN}", **more)
    seen.page.locator(".result h2").wait_for()
    assert seen.errors == []
    return seen.page


def test_the_card_says_who_won_and_where_it_turned(
    browser: Browser, served: Served, over: dict[str, Any]
) -> None:
    page = opened(browser, served, over)
    expect(page).to_have_title(f"{over['title']} · Arena")
    assert over["title"] == "Ada, Ben, Cleo, Dan and Eva deliberate"
    expect(page.locator("h1")).to_have_text(over["title"])
    expect(page.locator(".result h2")).to_have_text(over["result"])
    expect(page.locator(".result tbody tr")).to_have_count(len(SEATS))
    (turn,) = over["turns"]
    page.get_by_role("button", name=f"Closest vote {turn['text']}").press("Enter")
    expect(page.locator(".event[aria-current]")).to_have_attribute("data-index", str(turn["event"]))
    # On the way to the end nothing gives it away.
    expect(page.locator(".result")).to_be_hidden()
    expect(page.locator(".facts")).not_to_contain_text("wins")


def test_after_the_end_come_a_replay_a_fork_and_the_same_with_other_seats(
    browser: Browser, served: Served, over: dict[str, Any]
) -> None:
    page = opened(browser, served, over, viewport=PHONE)
    page.get_by_role("button", name=f"Fork at event {over['turns'][0]['event']}…").click()
    heading = f"Fork after event {over['turns'][0]['event']}"
    expect(page.get_by_role("dialog").get_by_role("heading")).to_have_text(heading)
    page.keyboard.press("Escape")
    page.locator(".result").get_by_role("button", name="Replay").click()
    expect(page.locator(".count")).to_contain_text("1 /")
    page.keyboard.press("End")
    page.get_by_role("link", name="Again with other seats").click()
    expect(page.locator(".seat input[aria-label=Name]")).to_have_count(len(SEATS))
    names = page.locator(".seat input[aria-label=Name]")
    assert [one.input_value() for one in names.all()] == [*SEATS]
    assert [one.input_value() for one in page.get_by_label("Strategy").all()] == [*SEATS.values()]
    tile = page.locator(".tiles [aria-pressed=true]")
    expect(tile).to_have_attribute("data-game", "deliberations")


def test_a_file_has_its_result_and_the_public_no_turning_points(
    browser: Browser, tmp_path: Path
) -> None:
    history = run_game("deliberations", seed=7)
    for view, count in (("*", 1), (PUBLIC, 0)):
        shown = Shown(view, game=GAMES["deliberations"])
        seen = open_file(browser, tmp_path, page_html(history, shown))
        expect(seen.page.locator(".result h2")).to_have_text(shown.result_of(history))
        expect(seen.page).to_have_title("Ada, Ben, Cleo and Dan deliberate")
        expect(seen.page.locator(".result .turn")).to_have_count(count)
        assert seen.errors == []
