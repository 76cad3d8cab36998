"""A game as one file, opened from disk in a real browser."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect

from engine.views.page import page_html
from engine.views.perspective import Shown
from tests.support.histories import small_history
from tests.support.web.browser import PHONE, Witness, open_file


def shown(browser: Browser, folder: Path, fragment: str = "", **context: Any) -> Witness:
    history = context.pop("history", small_history())
    text = page_html(history, Shown(prompts=True, reasoning=True))
    return open_file(browser, folder, text, fragment, **context)


def place(seen: Witness) -> str:
    return seen.page.locator(".count").first.inner_text()


def test_a_file_shows_its_game_without_a_request(browser: Browser, tmp_path: Path) -> None:
    seen = shown(browser, tmp_path)
    assert seen.page.get_by_text("the tides and the bread").first.is_visible()
    assert seen.requests == [(tmp_path / "game.html").as_uri()]
    assert not seen.dialogs
    assert not seen.errors


def test_keys_move_through_the_game(browser: Browser, tmp_path: Path) -> None:
    seen = shown(browser, tmp_path)
    moment = seen.page.locator(".moment")
    assert place(seen) == "10 / 10"
    for key, at, text in (
        ("Home", 1, "The game begins."),
        ("ArrowRight", 2, "You hold bees."),
        ("ArrowLeft", 1, "The game begins."),
        ("]", 8, "stays silent"),
        ("[", 1, "The game begins."),
        ("End", 10, "Ben wins."),
    ):
        seen.page.keyboard.press(key)
        expect(moment.locator(".text")).to_have_text(text)
        assert place(seen) == f"{at} / 10"
        expect(seen.page.get_by_role("status").first).to_contain_text(text)
    assert not seen.errors


def test_play_goes_on_by_itself_and_stops_at_the_end(browser: Browser, tmp_path: Path) -> None:
    seen = shown(browser, tmp_path, "#event=7")
    assert place(seen) == "8 / 10"
    seen.page.get_by_label("Speed").select_option("20")
    seen.page.keyboard.press(" ")
    expect(seen.page.locator(".count").first).to_have_text("10 / 10")
    expect(seen.page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_a_link_opens_at_its_event_and_view(browser: Browser, tmp_path: Path) -> None:
    seen = shown(browser, tmp_path, "#event=6&as=Ada")
    expect(seen.page.locator(".moment .text")).to_have_text("the tides and the bread")
    assert seen.page.get_by_label("View").input_value() == "Ada"
    text = seen.page.locator("main").inner_text()
    assert "bees" in text
    assert "owls" not in text
    seen.page.keyboard.press("ArrowLeft")
    expect(seen.page.locator(".moment .text")).to_have_text("You hold bees.")
    expect(seen.page).to_have_url(f"{tmp_path.as_uri()}/game.html#event=1&as=Ada")


def test_views_show_what_each_may_see(browser: Browser, tmp_path: Path) -> None:
    seen = shown(browser, tmp_path)
    seen.page.get_by_label("View").select_option("")
    expect(seen.page.locator(".count").first).to_have_text("4 / 4")
    seen.page.get_by_label("View").select_option("Ben")
    expect(seen.page.locator(".count").first).to_have_text("5 / 5")
    assert "bees" not in seen.page.locator("main").inner_text()


def test_a_players_file_holds_what_that_player_saw_alone(tmp_path: Path) -> None:
    history = small_history()
    whole = page_html(history, Shown(prompts=True, reasoning=True))
    own = page_html(history, Shown("Ada", prompts=True, reasoning=True))
    public = page_html(history, Shown("", prompts=True, reasoning=True))
    for secret in ("You hold owls.", "Secretly a baker", "would speak of owls", "greedy"):
        assert secret in whole
        assert secret not in own
        assert secret not in public
    assert "You hold bees." in own
    assert "You hold bees." not in public
    assert '"coherence":' not in own


def test_prompts_and_reasoning_are_in_the_file_only_if_asked_for() -> None:
    history = small_history()
    plain = page_html(history)
    assert "What now?" not in plain
    assert "RULES You are" not in plain
    assert "Bees are safe." not in plain
    assert "What now?" in page_html(history, Shown(prompts=True))
    assert "Bees are safe." in page_html(history, Shown(reasoning=True))


def test_what_stands_behind_an_event_unfolds(browser: Browser, tmp_path: Path) -> None:
    row = shown(browser, tmp_path).page.locator('[data-index="4"]')
    row.get_by_text("Reasoning").click()
    expect(row.get_by_text("Bees are safe.")).to_be_visible()
    row.get_by_text("Prompt").click()
    expect(row.locator("details[open] .behind").last).to_contain_text("What now?")


def test_filters_and_search_leave_what_fits(browser: Browser, tmp_path: Path) -> None:
    seen = shown(browser, tmp_path)
    rows = seen.page.locator(".event")
    seen.page.keyboard.press("/")
    seen.page.keyboard.type("OWLS")
    expect(rows).to_have_count(3)
    seen.page.get_by_label("Only this kind of event").select_option("speech")
    expect(rows).to_have_count(1)
    expect(seen.page.get_by_text("1 of 10")).to_be_visible()


def test_a_long_game_shows_two_hundred_rows(browser: Browser, tmp_path: Path) -> None:
    history = small_history()
    last = history.rounds[-1]
    line = last.events[-1]
    last.events += [replace(line, index=index) for index in range(10, 2000)]
    seen = shown(browser, tmp_path, history=history)
    rows = seen.page.locator(".event")
    assert place(seen) == "2000 / 2000"
    assert rows.count() == 200
    seen.page.get_by_role("button", name="1800 earlier").click()
    expect(rows.first).to_have_attribute("data-index", "1650")
    assert rows.count() == 200
    seen.page.get_by_role("button", name="150 later").click()
    expect(rows.last).to_have_attribute("data-index", "1999")


def test_a_phone_shows_it_in_one_column(browser: Browser, tmp_path: Path) -> None:
    seen = shown(browser, tmp_path, viewport=PHONE)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    small = seen.page.evaluate(
        "[...document.querySelectorAll('button, select, input, summary, a')]"
        ".filter(node => node.checkVisibility() && node.getBoundingClientRect().height < 40)"
        ".map(node => node.outerHTML)"
    )
    assert small == []
