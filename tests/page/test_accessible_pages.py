"""The pages of the real server keep WCAG 2.2 AA: light, dark, on a phone and at 200 %."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.page.test_accessible import violations
from tests.support.histories import small_history
from tests.support.web.browser import PHONE, WIDE, open_page, unfold
from tests.support.web.real_server import TOKEN, Served, serving, table_of

# A wide screen at 200 %.
ZOOMED = {"width": 640, "height": 430}


@dataclass(frozen=True)
class Arena:
    """A server with a game that is over, and two that wait for a person."""

    served: Served
    over: str
    talk: str
    live: str
    seat: str
    choice: str


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    with serving(tmp_path_factory.mktemp("logs"), token=TOKEN) as served:

        def begin(game: str, players: str, **settings: Any) -> Any:
            return served.begin(table_of(game, players, **settings))

        talk = {"length": 4, "voice": True}
        over = begin("conversation", "scripted:greedy,scripted:greedy", **talk)
        # Their thumbnails have what can be picked, and their transcripts what can be unfolded.
        begin("guest", "scripted:wait,scripted:wait,scripted:wait", max_steps=6)
        said = begin("talks", "scripted:fresh,scripted:fresh,scripted:fresh", topic="Bees")
        served.wait_for(said["name"])
        live = begin("conversation", "human,scripted:greedy", **talk)
        quiz = begin("dilemma", "human,scripted:tit_for_tat", quiz=True)
        place = served.origin + "/"
        seat = live["seats"]["Ada"].removeprefix(place)
        choice = quiz["seats"]["Ada"].removeprefix(place)
        folded = small_history()
        for event in folded.events:
            event.reasoning = "I think about bees and owls.\n" * 200
        (served.settings.logs_dir / "folded.json").write_text(folded.to_json(), encoding="utf-8")
        finished, talked, played = (f"#/game/{game['name']}" for game in (over, said, live))
        yield Arena(served, finished, talked, played, seat, choice)


def open_links(page: Page) -> None:
    page.get_by_text("Actions").click()
    page.get_by_role("button", name="Links…").click()
    page.get_by_role("dialog").wait_for()


def ask_bounds(page: Page) -> None:
    page.get_by_role("button", name="What could it cost?").click()
    page.get_by_role("table").wait_for()


def stay(page: Page) -> None:
    """Do nothing more."""


# What is opened there, what must be seen, and what is done before it is looked at.
Step = tuple[Callable[[Arena], str], str, Callable[[Page], None]]
PAGES: dict[str, Step] = {
    "list": (lambda _: "#/", ".tiny svg.glyph", stay),
    "filters": (lambda _: "#/?player=Ada", ".games li", stay),
    "nothing fits": (lambda _: "#/?q=zzzz", ".page", stay),
    "new": (lambda _: "#/new", "form", ask_bounds),
    "costs": (lambda _: "#/costs", "table", stay),
    "error": (lambda _: "#/game/nothing", ".notice", stay),
    "replay": (lambda arena: arena.over, "svg.board", stay),
    "folds": (lambda _: "#/game/folded", ".event details", stay),
    "talk": (lambda arena: arena.talk, "svg.board", stay),
    "live": (lambda arena: arena.live, "svg.board", open_links),
    "seat": (lambda arena: arena.seat, "form.question", stay),
    "choice": (lambda arena: arena.choice, "form.question", stay),
}


@pytest.mark.parametrize(
    ("theme", "size"),
    [("light", WIDE), ("dark", WIDE), ("dark", PHONE), ("light", ZOOMED)],
    ids=["light", "dark", "phone", "zoomed"],
)
def test_every_page_can_be_used_by_everybody(
    browser: Browser, arena: Arena, theme: str, size: dict[str, int]
) -> None:
    origin = arena.served.origin
    seen = open_page(browser, f"{origin}/#/?token={TOKEN}", viewport=size, color_scheme=theme)
    seen.page.locator(".games li").first.wait_for()
    found = {}
    for name, (place, shown, act) in PAGES.items():
        seen.page.goto(f"{origin}/{place(arena)}")
        seen.page.locator(shown).first.wait_for()
        act(seen.page)
        unfold(seen.page, "details:not(.menu)")
        seen.page.wait_for_timeout(500)
        found[name] = violations(seen)
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    seen.page.context.close()
    assert {name: told for name, told in found.items() if told} == {}
