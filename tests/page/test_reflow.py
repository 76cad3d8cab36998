"""Every page at 320 CSS pixels, which is 1280 at 400 %: nothing leaves it to the side."""

import pytest
from playwright.sync_api import Browser, Page

from engine.games import GAMES
from tests.support.web.browser import Witness, open_page, unfold
from tests.support.web.real_server import TOKEN, Served, table_of

NARROW = {"width": 320, "height": 640}
# What stands beyond the right or left edge. A table may be scrolled in its own box, and what is
# drawn is no text that flows.
BEYOND = """() => {
  const width = document.documentElement.clientWidth;
  const free = [...document.querySelectorAll("body *")].filter((node) =>
    node.checkVisibility() && !node.closest(".hidden, select") &&
    !node.parentNode.closest("svg, .scroll"));
  const boxes = free.map((node) => [node, node.getBoundingClientRect()]);
  const beyond = boxes.filter(([, box]) => box.width && (box.right > width + 1 || box.left < -1));
  const wide = document.documentElement.scrollWidth > width ? ["the page can be scrolled"] : [];
  return [...wide, ...beyond.map(([node]) => node.outerHTML.slice(0, 120))];
}"""


def begin(served: Served, game: str, *, person: bool) -> tuple[str, dict[str, str]]:
    """Begin a game of three, one of them a person if asked for; return its name and its seats."""
    script = f"scripted:{next(iter(GAMES[game].strategies))}"
    first = "human" if person else script
    players = f"Maximiliana of Wolfenstein={first},Ben={script},Cleo={script}"
    begun = served.begin(table_of(game, players))
    return begun["name"], begun["seats"]


def narrow(browser: Browser, served: Served, place: str) -> Witness:
    separator = "&" if "?" in place else "?"
    return open_page(browser, f"{served.origin}/#{place}{separator}token={TOKEN}", viewport=NARROW)


def assert_fits(page: Page) -> None:
    page.wait_for_timeout(150)
    assert page.evaluate(BEYOND) == []


@pytest.mark.parametrize("game", GAMES)
def test_a_game_fits(browser: Browser, served: Served, game: str) -> None:
    name, _ = begin(served, game, person=False)
    seen = narrow(browser, served, f"/game/{name}")
    seen.page.locator(".event").first.wait_for()
    assert_fits(seen.page)
    unfold(seen.page)
    seen.page.get_by_text("Log, JSON").wait_for()
    assert_fits(seen.page)
    assert seen.errors == []


@pytest.mark.parametrize("game", GAMES)
def test_a_seat_fits(browser: Browser, served: Served, game: str) -> None:
    _, links = begin(served, game, person=True)
    (link,) = links.values()
    seen = open_page(browser, link, viewport=NARROW)
    seen.page.locator("form.question").wait_for()
    seen.page.locator(".live").wait_for()
    assert_fits(seen.page)
    assert seen.errors == []


@pytest.mark.parametrize(
    ("place", "shown"), [("/", ".games li"), ("/new", ".seat"), ("/costs", "table")]
)
def test_other_pages_fit(browser: Browser, served: Served, place: str, shown: str) -> None:
    begin(served, "dilemma", person=False)
    seen = narrow(browser, served, place)
    seen.page.locator(shown).first.wait_for()
    unfold(seen.page)
    assert_fits(seen.page)
    seen.page.keyboard.press("?")
    seen.page.get_by_role("dialog").wait_for()
    assert_fits(seen.page)
    assert seen.errors == []


@pytest.mark.parametrize("deed", ["Fork from here…", "Check the rules"])
def test_dialogs_fit(browser: Browser, served: Served, deed: str) -> None:
    name, _ = begin(served, "deliberations", person=False)
    served.wait_for(name)
    seen = narrow(browser, served, f"/game/{name}")
    seen.page.get_by_text("Actions").click()
    seen.page.get_by_role("button", name=deed).click()
    seen.page.get_by_role("dialog").wait_for()
    assert_fits(seen.page)
    assert seen.errors == []
