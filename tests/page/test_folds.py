"""What an event is based on folds under it, in words; prompts and attempts are for who sees all."""

import re
from pathlib import Path

from playwright.sync_api import Browser, expect

from engine.games import GAMES
from engine.views.page import page_html
from engine.views.perspective import Shown
from tests.page.test_accessible import violations
from tests.page.test_boards import played
from tests.support.histories import small_history
from tests.support.web.browser import open_file, unfold

MOVES = "DEEPEN|CHALLENGE|SUPPORT|QUESTION|SYNTHESIZE|CONCLUDE"


def test_why_a_player_spoke_folds_under_its_words(browser: Browser, tmp_path: Path) -> None:
    history = played("discussion of four")
    seen = open_file(browser, tmp_path, page_html(history, Shown(game=GAMES["talks"])))
    page = seen.page
    said = [event for event in history.events if event.kind == "utterance"]
    first = said[0]
    row = page.locator(f'.event[data-index="{first.index}"]')
    row.get_by_text(f"Why {first.player_id} spoke").click()
    expect(row.get_by_role("table")).to_have_count(2)
    # Neither a choice nor a check has a row of its own, nor a kind in the filter.
    kinds = {"selection", "check"}
    own = {event.index for event in history.events if event.kind in kinds}
    rows = page.locator(".event").evaluate_all("rows => rows.map(row => Number(row.dataset.index))")
    assert own
    assert not own & {*rows}
    options = page.get_by_label("Only this kind of event").locator("option")
    assert not kinds & {*options.all_inner_texts()}
    unfold(page)
    expect(page.locator(".behind", has_text="…")).to_have_count(0)
    assert re.findall(f".*(?:{MOVES}).*", page.locator("main").inner_text()) == []
    targeted = next(event for event in said if event.data["move"] == "CHALLENGE")
    heading = page.locator(f'.event[data-index="{targeted.index}"] .heading')
    expect(heading).to_have_text(f"challenges {targeted.data['target']}")
    assert violations(seen) == []
    page.get_by_label("View").select_option("Ada")
    expect(page.locator(".event").first).to_be_visible()
    assert page.get_by_text("Why Ada spoke").count() == 0
    assert seen.errors == []


def test_prompts_and_attempts_are_in_the_view_of_everything_alone(
    browser: Browser, tmp_path: Path
) -> None:
    text = page_html(small_history(), Shown(prompts=True, reasoning=True))
    page = open_file(browser, tmp_path, text).page
    assert page.get_by_text("Prompt", exact=True).count() >= 1
    assert page.get_by_text("Attempts", exact=True).count() >= 1
    page.get_by_label("View").select_option("Ada")
    assert page.get_by_text("Prompt", exact=True).count() == 0
    assert page.get_by_text("Attempts", exact=True).count() == 0
    own = page_html(small_history(), Shown("Ada", prompts=True, reasoning=True))
    assert '"attempts":[]' in own
    assert '"fault":' not in own
    assert "What now?" not in own


def test_a_plan_folds_under_what_was_said(browser: Browser, tmp_path: Path) -> None:
    """The view of everything shows it, even if it was said word for word; other views do not."""
    history = played("island of five")
    pitch = next(event for event in history.events if event.kind == "pitch")
    pitch.data["plan"] = pitch.content
    text = page_html(history, Shown(game=GAMES["deliberations"]))
    page = open_file(browser, tmp_path, text).page
    row = page.locator(f'.event[data-index="{pitch.index}"]')
    row.get_by_text("Plan", exact=True).click()
    expect(row.get_by_role("group", name="Plan")).to_have_text(pitch.content)
    page.get_by_label("View").select_option(pitch.player_id)
    expect(page.locator(".event").first).to_be_visible()
    expect(page.get_by_text("Plan", exact=True)).to_have_count(0)
