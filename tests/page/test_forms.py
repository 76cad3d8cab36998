"""The form of every game, as the real server offers it, can be sent as it stands."""

import pytest
from playwright.sync_api import Browser

from engine.games import GAMES
from tests.support.web.browser import open_page
from tests.support.web.real_server import TOKEN, Served


@pytest.mark.parametrize("game", list(GAMES))
def test_a_game_can_be_begun_as_its_form_stands(
    browser: Browser, served: Served, game: str
) -> None:
    seen = open_page(browser, f"{served.origin}/#/new?token={TOKEN}")
    seen.page.locator(f"[data-game={game}]").click()
    seen.page.get_by_role("button", name="What may it take?").click()
    # The first game of a library starts its worker, which imports the library.
    seen.page.locator("table, [role=alert]").wait_for(timeout=60_000)
    assert seen.page.get_by_role("alert").all_inner_texts() == []
    assert not seen.errors
