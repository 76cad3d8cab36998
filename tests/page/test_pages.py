"""The server's pages in a real browser, with answers made by hand: list, form, live game, seat."""

from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.support.web.browser import PHONE, Witness, open_page
from tests.support.web.canned_server import Canned, event_frame, frame, served
from tests.support.web.markup import PAYLOADS

NAMES = ["Ada", "Ben"]
QUESTION = {
    "number": 4,
    "kind": "vote",
    "question": "Whom do you vote for?",
    "fields": [
        {"name": "why_so", "label": "Why", "about": "", "choices": None, "words": 30, "notes": {}},
        {
            "name": "vote_for",
            "label": "Chance of \u202e<img src=x onerror=alert(1)>",
            "about": "",
            "choices": ["Ben", "Cleo"],
            "words": None,
            "notes": {},
        },
    ],
    "silence": None,
    "grid": [],
    "left": 57.2,
}


def event(index: int, content: str = "") -> dict[str, Any]:
    return {
        "index": index,
        "round": index // 4 + 1,
        "kind": "speech",
        "heading": "",
        "player_id": NAMES[index % 2],
        "content": content or f"words {index}",
        "visibility": NAMES,
        "data": {},
        "facts": {},
    }


def row(number: int, **more: Any) -> dict[str, Any]:
    return {
        "name": f"game_{number}",
        "game": "parley",
        "players": NAMES,
        "status": "finished",
        "rounds": 3,
        "events": 9,
        "began": "2026-01-01T12:00:00Z",
        "tokens": 0,
        "cost": 0.0,
        "summary": f"summary {number}",
        "reason": "",
    } | more


def about(**more: Any) -> dict[str, Any]:
    return {
        "name": "game_1",
        "game_id": "game_1",
        "game": "parley",
        "status": "running",
        "config": {"game": {"name": "parley"}},
        "players": [{"player_id": name, "provider": "human", "model": ""} for name in NAMES],
        "outcome": None,
        "charts": [],
        "views": ["", "*", *NAMES],
        "may": {"sit": []},
        "files": [{"name": "log.pdf", "title": "Document, PDF"}],
    } | more


@pytest.fixture
def canned() -> Iterator[Canned]:
    made = Canned()
    made.answers = {
        "POST /api/session": {},
        "GET /api/games": page_of_rows,
        "GET /api/offer": {"games": {"dilemma": {}, "parley": {}}},
        "GET /api/games/game_1": about(),
    }
    with served(made) as serving:
        yield serving


def page_of_rows(query: dict[str, str], body: Any) -> dict[str, Any]:
    """Answer with 50 of 1,000 games; one of them is played now."""
    if query.get("status") == "running":
        return {"games": [row(7, status="running")], "next": None}
    first = int(query.get("cursor", 0))
    return {"games": [row(number) for number in range(first, first + 50)], "next": str(first + 50)}


def content(seen: Witness) -> list[str]:
    found: list[str] = seen.page.locator(".event .text").all_inner_texts()
    return found


def test_a_token_is_traded_and_wiped(browser: Browser, canned: Canned) -> None:
    seen = open_page(browser, f"{canned.origin}/#token=abc")
    seen.page.locator(".games li").first.wait_for()
    assert seen.page.url == f"{canned.origin}/#/"
    assert canned.asked[0][:2] == ("POST", "/api/session")
    assert canned.headers[0]["Authorization"] == "Bearer abc"
    assert not any("abc" in url for url in seen.requests[1:])


def test_the_list_offers_the_games_of_the_server_to_filter_by(
    browser: Browser, canned: Canned
) -> None:
    seen = open_page(browser, f"{canned.origin}/#/?game=parley")
    only = seen.page.get_by_label("Only this game")
    expect(only).to_have_value("parley")
    assert only.locator("option").all_inner_texts() == ["any game", "dilemma", "parley"]
    only.select_option("dilemma")
    expect(seen.page.locator(".games li").first).to_be_visible()
    assert "game=dilemma" in seen.page.url
    assert not seen.errors


def test_the_actions_have_a_link_for_every_file_of_the_server(
    browser: Browser, canned: Canned
) -> None:
    seen = open_page(browser, f"{canned.origin}/#/game/game_1?as=Ada")
    seen.page.get_by_text("Actions").click()
    links = seen.page.locator(".menu a")
    expect(links).to_have_text(["Log, JSON", "Document, PDF"])
    assert links.last.get_attribute("href") == "/api/games/game_1/log.pdf?as=Ada"
    assert links.last.get_attribute("download") == "game_1.pdf"


def test_the_list_has_live_games_first_and_only_rows_that_can_be_seen(
    browser: Browser, canned: Canned
) -> None:
    seen = open_page(browser, canned.origin)
    rows = seen.page.locator(".games li")
    expect(rows.first).to_contain_text("running")
    for _ in range(12):
        seen.page.mouse.wheel(0, 3000)
        seen.page.wait_for_timeout(60)
    expect(seen.page.locator(".page > .quiet")).to_contain_text("1 live")
    pages = [path for _, path, _ in canned.asked if "cursor=" in path]
    assert len(pages) >= 3
    assert rows.count() < 60
    assert not seen.errors


def test_filters_are_in_the_address(browser: Browser, canned: Canned) -> None:
    seen = open_page(browser, canned.origin)
    seen.page.locator(".games li").first.wait_for()
    seen.page.keyboard.press("/")
    seen.page.keyboard.type("bees")
    expect(seen.page).to_have_url(f"{canned.origin}/#/?q=bees")
    expect(seen.page.locator(".games li").first).to_be_visible()
    seen.page.wait_for_timeout(300)
    assert any("q=bees" in path for _, path, _ in canned.asked)


def test_more_filters_are_folded_and_in_the_address(browser: Browser, canned: Canned) -> None:
    seen = open_page(browser, canned.origin)
    page = seen.page
    page.get_by_label("Player").wait_for(state="hidden")
    page.get_by_text("More filters").click()
    page.get_by_label("Player").fill("Ada Lovelace")
    page.get_by_label("Model").fill("groq")
    page.get_by_label("Begun on or after").fill("2026-01-02")
    page.get_by_label("Begun on or before").fill("2026-02-03")
    told = "player=Ada+Lovelace&model=groq&since=2026-01-02&until=2026-02-03"
    expect(page).to_have_url(f"{canned.origin}/#/?{told}")
    page.wait_for_timeout(300)
    assert any(told in path for _, path, _ in canned.asked)
    page.reload()
    expect(page.get_by_label("Player")).to_have_value("Ada Lovelace")
    assert not seen.errors


def test_each_row_asks_once_and_draws_its_players_or_its_glyph(
    browser: Browser, canned: Canned
) -> None:
    live = row(7, status="running", game="dilemma")
    over = row(1, game="dilemma", title="Two strategies", result="Ada wins", who="Ada and Ben (m)")
    canned.answers["GET /api/games"] = lambda query, body: {
        "games": [live] if query.get("status") == "running" else [over, live],
        "next": None,
    }
    told = {"active": NAMES, "out": {}, "table": {"Ada": 7, "Ben": 4}, "dropped": []}
    standing = event(3) | {"kind": "standing", "player_id": None, "facts": told}
    played = {"moves": {"Ada": "CD", "Ben": "DD"}, "points": {"Ada": 1, "Ben": 6}}
    match = event(2) | {"kind": "match", "player_id": None, "facts": played}
    canned.answers["GET /api/games/game_7/events"] = {"events": [match, standing], "next": None}
    seen = open_page(browser, canned.origin)
    seen.page.locator(".tiny svg.glyph").wait_for()
    rows = seen.page.locator(".games li")
    assert [one.locator(".tiny > .mark").count() for one in rows.all()] == [0, 2]
    assert rows.first.locator(".tiny text").count() == 0
    expect(rows.first).to_contain_text("Round 1: Ada 7, Ben 4; nobody out.")
    lines = rows.last.locator(".what > *")
    expect(lines).to_have_text(["Two strategies", "Ada wins", "Ada and Ben (m)"])
    seen.page.wait_for_timeout(600)
    asked = {path.split("?")[0] for _, path, _ in canned.asked if "/games/" in path}
    assert asked == {"/api/games/game_1/events", "/api/games/game_7/events"}


def test_hostile_rows_stay_words(browser: Browser, canned: Canned) -> None:
    counts = []
    for texts in (PAYLOADS[:20], ["plain"] * 20):
        rows = []
        for number, text in enumerate(texts):
            told = dict.fromkeys(("game", "title", "result", "who", "status"), text)
            rows.append(row(number, players=[text], **told))
        canned.answers["GET /api/games"] = {"games": rows, "next": None}
        seen = open_page(browser, canned.origin)
        seen.page.locator(".games li").first.wait_for()
        counts.append(seen.page.evaluate("document.querySelectorAll('*').length"))
        assert all(url.startswith(canned.origin) for url in seen.requests)
        assert not seen.dialogs
        assert not seen.errors
    assert counts[0] == counts[1]


def test_a_cut_stream_goes_on_where_it_was(browser: Browser, canned: Canned) -> None:
    def three_more(last: int) -> list[str]:
        hello = frame("hello", {"events": 12})
        events = [event_frame(index, event(index)) for index in range(last + 1, last + 4)]
        return [hello, *events] if last < 11 else [frame("end", {"status": "finished"})]

    canned.streams["/api/games/game_1/events"] = three_more
    seen = open_page(browser, f"{canned.origin}/#/game/game_1")
    expect(seen.page.locator(".event")).to_have_count(12)
    assert content(seen) == [f"words {index}" for index in range(12)]
    assert [last for kind, _, last in canned.asked if kind == "STREAM"] == [-1, 2, 5, 8, 11]


def test_a_reset_shows_the_game_anew(browser: Browser, canned: Canned) -> None:
    def shorter(last: int) -> list[str]:
        events = [event_frame(index, event(index, f"anew {index}")) for index in range(2)]
        return [frame("reset", {}), *events, frame("end", {"status": "finished"})]

    old = [event_frame(index, event(index)) for index in range(5)]
    canned.streams["/api/games/game_1/events"] = lambda last: old if last < 0 else shorter(last)
    seen = open_page(browser, f"{canned.origin}/#/game/game_1")
    expect(seen.page.locator(".count").first).to_have_text("2 / 2")
    assert content(seen) == ["anew 0", "anew 1"]


def test_a_seat_is_played_by_keyboard_alone(browser: Browser, canned: Canned) -> None:
    given = []

    def answer(query: dict[str, str], body: Any) -> dict[str, Any]:
        given.append(body)
        return {"detail": "expected other words"} if len(given) == 1 else {"answered": 4}

    canned.streams["/api/games/game_1/events"] = lambda last: (
        [event_frame(0, event(0)), frame("question", QUESTION)] if last < 0 else []
    )
    canned.answers["POST /api/games/game_1/seats/Ada"] = answer
    seen = open_page(browser, f"{canned.origin}/#/seat/game_1/Ada?key=k")
    expect(seen.page.get_by_label("Why")).to_be_focused()
    legend = seen.page.locator(".question legend")
    expect(legend).to_have_text("Chance of ⟦202E⟧<img src=x onerror=alert(1)>")
    assert "key" not in seen.page.url
    seen.page.keyboard.type("Ben is kind.")
    expect(seen.page.locator(".question")).to_contain_text("18 characters left")
    expect(seen.page.locator(".question")).to_contain_text("s left")
    seen.page.keyboard.press("Tab")
    seen.page.keyboard.press("ArrowDown")
    seen.page.keyboard.press("Control+Enter")
    expect(seen.page.get_by_role("alert")).to_have_text("expected other words")
    seen.page.keyboard.press("Control+Enter")
    expect(seen.page.get_by_text("No question for you right now.")).to_be_visible()
    assert given == [{"number": 4, "values": {"why_so": "Ben is kind.", "vote_for": "Cleo"}}] * 2


def test_a_game_is_begun_from_its_settings(browser: Browser, canned: Canned) -> None:
    settings = {
        "length": {"type": "integer", "default": 20, "minimum": 0, "description": "turns"},
        "voice": {"type": "boolean", "default": False},
        "advice": {"type": "string", "enum": ["none", "deltas"], "default": "none"},
        "rounds": {"type": "object", "default": {}, "examples": [{"3": {"words": 80}}]},
    }
    strategies = {"greedy": "Take most.", "silent": "Say nothing."}
    game = {"about": "Talk.", "settings": {"properties": settings}, "strategies": strategies}
    game["basic"] = [*settings]
    canned.answers["GET /api/offer"] = {
        "games": {"parley": game},
        "providers": [{"name": name, "default_model": ""} for name in ("scripted", "human")],
        "configs": [],
        "max_cost": 10,
        "read_only": False,
    }
    bound = {"calls": 40, "prompt_tokens": 8000, "completion_tokens": 900, "cost": None}
    canned.answers["POST /api/games"] = lambda query, body: (
        {"seats": {"Ada": bound}, "all": bound, "events": 12}
        if query.get("dry_run")
        else {"games": [{"name": "game_1", "seats": {"Ada": "http://x/#/seat/game_1/Ada?key=k"}}]}
    )
    seen = open_page(browser, f"{canned.origin}/#/new")
    seen.page.get_by_label("length").fill("7")
    expect(seen.page.get_by_label("rounds")).to_have_attribute("placeholder", '{"3":{"words":80}}')
    seen.page.get_by_label("rounds").fill('{"2": {"phases": ["votes"]}}')
    seen.page.get_by_label("Who plays").first.select_option("human")
    seen.page.get_by_role("button", name="What could it cost?").click()
    expect(seen.page.get_by_role("table")).to_contain_text("unknown")
    seen.page.get_by_role("button", name="Start").click()
    link = seen.page.get_by_role("link", name="Sit down")
    expect(link).to_have_attribute("href", "#/seat/game_1/Ada?key=k")
    config = canned.asked[-1][2]["config"]
    assert config["game"] == {"name": "parley", "length": 7, "rounds": {"2": {"phases": ["votes"]}}}
    assert config["player_configs"][0] == {"player_id": "Ada", "provider": "human"}
    assert not seen.errors


def test_a_refusal_is_shown_as_the_server_says_it(browser: Browser, canned: Canned) -> None:
    canned.answers["GET /api/costs"] = {"detail": "expected by to be one of day, game"}
    seen = open_page(browser, f"{canned.origin}/#/costs")
    expect(seen.page.get_by_role("alert")).to_have_text("expected by to be one of day, game")


def test_a_phone_has_no_page_that_is_too_wide(browser: Browser, canned: Canned) -> None:
    canned.streams["/api/games/game_1/events"] = lambda last: (
        [event_frame(0, event(0, "long" * 100)), frame("question", QUESTION)] if last < 0 else []
    )
    for place in ("", "#/seat/game_1/Ada"):
        seen = open_page(browser, f"{canned.origin}/{place}", viewport=PHONE)
        seen.page.locator(".games li, .event").first.wait_for()
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_page_that_comes_late_is_not_drawn_over_the_one_after_it(
    browser: Browser, canned: Canned
) -> None:
    """A game, or its refusal, takes longer than the list that was opened meanwhile."""
    for answer in (about(), {"detail": "expected patience"}):
        held = Event()

        def late(query: dict[str, str], body: Any, held: Event = held, answer: Any = answer) -> Any:
            held.wait(10)
            return answer

        canned.answers["GET /api/games/game_1"] = late
        seen = open_page(browser, f"{canned.origin}/#/game/game_1")
        seen.page.locator(".wait").wait_for()
        with seen.page.expect_response("**/api/games/game_1"):
            seen.page.evaluate("location.hash = '#/'")
            seen.page.locator(".games li").first.wait_for()
            held.set()
        seen.page.wait_for_timeout(200)
        expect(seen.page.get_by_role("heading", level=1)).to_have_text("Games")
        expect(seen.page.locator("main")).to_have_count(1)
        expect(seen.page.locator("[aria-current=page]")).to_have_text("Games")
        assert seen.page.title() == "Arena"


def test_a_list_that_is_refused_does_not_say_that_there_is_no_game(
    browser: Browser, canned: Canned
) -> None:
    canned.answers["GET /api/games"] = {"detail": "expected another order"}
    seen = open_page(browser, canned.origin)
    expect(seen.page.get_by_role("alert")).to_have_text("expected another order")
    expect(seen.page.locator(".page > .quiet")).to_have_text("")


def test_a_list_says_that_there_is_no_game_only_once_it_knows(
    browser: Browser, canned: Canned
) -> None:
    """However often it is drawn before the answer comes."""
    held = Event()

    def late(query: dict[str, str], body: Any) -> Any:
        held.wait(10)
        return {"games": [], "next": None}

    canned.answers["GET /api/games"] = late
    seen = open_page(browser, canned.origin)
    count = seen.page.locator(".page > .quiet")
    count.wait_for(state="attached")
    seen.page.evaluate("dispatchEvent(new Event('resize'))")
    expect(count).to_have_text("")
    held.set()
    expect(count).to_have_text("No games yet. Start one with New game.")
