"""What a browser fetches of the page before it shows the list, or a game: little of it, packed."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

from engine.games import GAMES
from tests.page.test_boards import BOARDED
from tests.support.web.browser import open_page
from tests.support.web.real_server import TOKEN, Served, table_of

MOST_BYTES = 80_000
MOST_PACKED = 30_000


def begin(served: Served, game: str) -> str:
    players = ",".join([f"scripted:{next(iter(GAMES[game].strategies))}"] * 3)
    name: str = served.begin(table_of(game, players))["name"]
    return name


def fetched(browser: Browser, served: Served, place: str, shown: str) -> set[str]:
    """Return the files of the page that are fetched until `shown` can be seen."""
    joint = "&" if "?" in place else "?"
    seen = open_page(browser, f"{served.origin}/#{place}{joint}token={TOKEN}")
    seen.page.locator(shown).first.wait_for()
    seen.page.wait_for_load_state("load")
    assert seen.errors == []
    seen.page.context.close()
    paths = {urlsplit(url).path for url in seen.requests if url.startswith(served.origin)}
    return {path.lstrip("/") or "index.html" for path in paths if not path.startswith("/api/")}


def assert_small(served: Served, files: set[str]) -> None:
    assert bytes_of(served, files, "identity") <= MOST_BYTES
    assert bytes_of(served, files, "gzip") <= MOST_PACKED


def bytes_of(served: Served, files: set[str], coding: str) -> int:
    sizes = 0
    for name in files:
        answer = served.get(f"/{name}", headers={"Accept-Encoding": coding})
        assert answer.status == 200
        sizes += len(answer.body)
    return sizes


@pytest.mark.parametrize("game", BOARDED)
def test_a_game_needs_its_own_board_alone(browser: Browser, served: Served, game: str) -> None:
    files = fetched(browser, served, f"/game/{begin(served, game)}", "svg.board")
    boards = {name for name in files if name in {f"boards/{one}.js" for one in BOARDED}}
    assert boards == {f"boards/{game}.js"}
    assert_small(served, files)


def test_the_list_draws_games_that_are_over_without_a_board(
    browser: Browser, served: Served
) -> None:
    served.wait_for(begin(served, "dilemma"))
    files = fetched(browser, served, "/?game=dilemma", ".games svg.glyph")
    assert "glyphs.js" in files
    assert not [name for name in files if name.startswith("boards/")]
    assert_small(served, files)
