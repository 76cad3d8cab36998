"""Words that try to be more than words, live from the real server, in its list and its costs."""

from collections.abc import Sequence

from playwright.sync_api import Browser, expect

from tests.support.hostile import STRINGS, spoiled_event
from tests.support.web.browser import Witness, elements_at_rest, open_page, walk
from tests.support.web.markup import PAYLOADS
from tests.support.web.real_server import TOKEN, Served, config_of

# Half a pair of UTF-16 is replaced where words are read, before there is an event.
ALL = tuple(text.encode(errors="replace").decode() for text in (*STRINGS, *PAYLOADS))
HOSTILE_NAMES = ("__proto__", "&lt;img src=x onerror=alert&gt;")
PLAIN_NAMES = ("Plain words number one", "Plain words two")
TURNS = 40


def begin(served: Served, names: Sequence[str], subject: str) -> str:
    person, script = names
    game = {"name": "conversation", "length": TURNS, "bank_size": TURNS, "voice": True}
    game["subjects"] = [subject, f"{subject} again", "bread"]
    seats = [
        {"player_id": person, "provider": "human", "character_prompt": subject},
        {"player_id": script, "provider": "scripted", "model": "silent"},
    ]
    name: str = served.begin(config_of(*seats, game=game, seed=7))["name"]
    return name


def say_all(served: Served, name: str, person: str, texts: Sequence[str]) -> None:
    """Answer every question of a seat, each time with the next of `texts`."""
    seat = served.hall.seats(name)[person]
    told = 0
    while name in served.hall.games:
        question = seat.question
        if question is None:
            continue
        values = {}
        for blank in question["fields"]:
            text = texts[told % len(texts)]
            choices = blank["choices"]
            values[blank["name"]] = choices[0] if choices else text[: blank["words"] or 1000]
        told += 1
        seat.answer(question["number"], values)
    assert told >= TURNS


def quiet(seen: Witness, served: Served) -> None:
    """Nothing was asked of anybody else, nothing was opened, nothing went wrong."""
    assert all(url.startswith(served.origin) for url in seen.requests)
    assert seen.dialogs == []
    assert seen.errors == []


def counts_of(browser: Browser, served: Served, names: Sequence[str], hostile: bool) -> list[int]:
    """Play a game in front of a browser; return how many elements each page has."""
    texts = ALL[:: len(ALL) // TURNS] if hostile else tuple(f"words {n}" for n in range(TURNS))
    name = begin(served, names, "<b onclick=alert(1)>x" if hostile else "plain words x")
    seen = open_page(browser, f"{served.origin}/#/game/{name}?as=*&token={TOKEN}")
    page = seen.page
    page.locator(".event").first.wait_for()
    say_all(served, name, names[0], texts)
    expect(page.locator(".status.finished")).to_be_visible()
    page.keyboard.press("End")
    log = served.get(f"/api/games/{name}/log?as=*").json
    events = [event for one in log["rounds"] for event in one["events"]]
    expect(page.locator(".count").first).to_have_text(f"{len(events)} / {len(events)}")
    page.locator(".result h2").wait_for()
    counts = [elements_at_rest(page)]
    places = {
        f"game/{name}?as=public": ".event",
        f"?q={name}": ".games svg.glyph",
        "costs": "table",
    }
    for place, shown in places.items():
        page.goto(f"{served.origin}/#/{place}")
        page.locator(shown).first.wait_for()
        counts.append(elements_at_rest(page))
    quiet(seen, served)
    page.context.close()
    return counts


def test_hostile_words_of_players_stay_words(browser: Browser, served: Served) -> None:
    hostile = counts_of(browser, served, HOSTILE_NAMES, True)
    assert hostile[:3] == counts_of(browser, served, PLAIN_NAMES, False)[:3]


def test_hostile_events_stay_words_live(browser: Browser, served: Served) -> None:
    windows: list[list[int]] = []
    for names, texts in (
        (("Ada", "Ben"), ALL),
        (("Ada", "Ben"), [f"plain words {number}" for number in range(len(ALL))]),
    ):
        name = begin(served, names, "bees")
        seen = open_page(browser, f"{served.origin}/#/game/{name}?as=*&token={TOKEN}")
        page = seen.page
        page.locator(".event").first.wait_for()
        feed = served.hall.games[name].feed
        first = len(feed.page("*", -1, 1000))
        for index, text in enumerate(texts, first):
            feed.post(spoiled_event(index, text, names[index % 2], names), 1)
        total = first + len(texts)
        expect(page.locator(".count").first).to_contain_text(f"/ {total}")
        page.keyboard.press("End")
        expect(page.locator(".count").first).to_have_text(f"{total} / {total}")
        windows.append([*walk(page)])
        quiet(seen, served)
        page.context.close()
    assert windows[0] == windows[1]
    assert len(ALL) >= 540
