"""A server that is killed while a person plays: the person's page goes on where it was."""

from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, expect

from tests.support.web.browser import open_page
from tests.support.web.by_keyboard import answer_question, play
from tests.support.web.real_server import TOKEN, table_of
from tests.support.web.started import ask, started

CONFIG = table_of("conversation", "human,scripted:greedy", length=6, bank_size=3)


def indices(page: Page) -> list[int]:
    rows = page.locator(".event").evaluate_all("rows => rows.map(row => row.dataset.index)")
    return [int(index) for index in rows]


def test_a_person_goes_on_in_the_same_page(browser: Browser, tmp_path: Path) -> None:
    with started(tmp_path, ARENA_TOKEN=TOKEN) as (server, link):
        begun = ask(link, "/api/games", {"config": CONFIG})["games"][0]
        seen = open_page(browser, begun["seats"]["Ada"])
        page = seen.page
        form = page.locator("form.question")
        for _ in range(2):
            form.wait_for()
            answer_question(page)
        form.wait_for()
        before = indices(page)
        asked = page.locator(".question .text").inner_text()
        server.kill()
    with started(tmp_path, "--port", str(urlsplit(link).port), ARENA_TOKEN=TOKEN) as (_, again):
        host = open_page(browser, again).page
        host.locator(".games li").filter(has_text="unfinished").get_by_role("link").click()
        host.get_by_text("Actions").click()
        host.get_by_role("button", name="Resume…").click()
        host.get_by_role("dialog").get_by_role("button", name="Resume").click()
        expect(host.locator(".status.running")).to_be_visible()
        expect(page.locator(".status.running")).to_be_visible()
        # The third question was open, and is asked again.
        page.locator('.extra[data-number="3"] form').wait_for()
        assert page.locator(".question .text").inner_text() == asked
        play(page)
        log = ask(again, f"/api/games/{begun['name']}/log?as=Ada")
    events = [event["index"] for one in log["rounds"] for event in one["events"]]
    page.keyboard.press("End")
    expect(page.locator(".count").first).to_have_text(f"{len(events)} / {len(events)}")
    assert indices(page) == events
    assert events[: len(before)] == before
    assert not seen.dialogs
