"""The form of every game, as the real server offers it, can be sent as it stands."""

import pytest
from playwright.sync_api import Browser, expect

from engine.games import GAMES
from tests.support.web.browser import open_page
from tests.support.web.real_server import TOKEN, Served


@pytest.mark.parametrize("game", list(GAMES))
def test_a_game_can_be_begun_as_its_form_stands(
    browser: Browser, served: Served, game: str
) -> None:
    seen = open_page(browser, f"{served.origin}/#/new?token={TOKEN}")
    seen.page.locator(f"[data-game={game}]").click()
    seen.page.get_by_role("button", name="What could it cost?").click()
    # The first game of a library starts its worker, which imports the library.
    seen.page.locator("table, [role=alert]").wait_for(timeout=60_000)
    assert seen.page.get_by_role("alert").all_inner_texts() == []
    assert not seen.errors


def test_settings_are_basic_or_folded_and_have_labels_for_people(
    browser: Browser, served: Served
) -> None:
    page = open_page(browser, f"{served.origin}/#/new?token={TOKEN}").page
    page.locator("[data-game=dilemma]").click()
    basic = page.locator("form > .settings").first.locator(".label")
    assert {*basic.all_inner_texts()} == {"Turns of a game", "Maximum rounds"}
    folded = page.locator("details", has_text="Advanced settings")
    assert not folded.get_by_text("quiz", exact=True).is_visible()
    folded.locator("summary").click()
    expect(folded.get_by_text("quiz", exact=True)).to_be_visible()
    for name, one in served.get("/api/offer").json["games"].items():
        assert one["basic"], name
        assert {*one["basic"]} < {*one["settings"]["properties"]}, name


def test_a_newcomer_begins_with_a_game_that_reads_well(browser: Browser, served: Served) -> None:
    """It is a deliberation of scripts whose sentences fit what they do, and needs no model."""
    seen = open_page(browser, f"{served.origin}/#/new?token={TOKEN}")
    page = seen.page
    expect(page.get_by_label("Ready-made game")).to_have_value("first_island")
    tile = page.locator(".tiles [aria-pressed=true]")
    expect(tile).to_have_attribute("data-game", "deliberations")
    page.get_by_role("button", name="Start", exact=True).press("Enter")
    expect(page.locator("h1")).to_have_text("Ada, Ben, Cleo, Dan, Eva and Finn deliberate")
    expect(page.locator(".result h2")).to_contain_text("wins with", timeout=30_000)
    name = page.url.partition("/game/")[2].partition("?")[0]
    events = served.get(f"/api/games/{name}/events?as=*&limit=400", headers=served.bearer).json
    votes = [one for one in events["events"] if one["kind"] == "vote" and one["facts"].get("vote")]
    assert votes
    for vote in votes:
        verdict, _, reason = vote["content"].partition(": ")
        assert vote["facts"]["vote"] in verdict
        assert vote["facts"]["vote"] in reason
    assert seen.errors == []


def test_a_ready_made_talk_keeps_the_players_that_it_names(
    browser: Browser, served: Served
) -> None:
    seen = open_page(browser, f"{served.origin}/#/new?token={TOKEN}")
    seen.page.get_by_label("Ready-made game").select_option("kitchen_table")
    assert {one.input_value() for one in seen.page.get_by_label("Who plays").all()} == {"local"}
