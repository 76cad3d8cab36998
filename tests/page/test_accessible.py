"""The page keeps WCAG 2.2 AA as far as axe can tell, in both themes, wide and on a phone."""

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser

from engine.games import GAMES
from engine.views.page import page_html
from engine.views.perspective import Shown
from tests.page.test_boards import BOARDED, TABLES, played
from tests.support.histories import small_history
from tests.support.web.browser import PHONE, WIDE, Witness, open_file, unfold

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def violations(seen: Witness) -> list[str]:
    found: Any = Axe().run(seen.page, options=RULES).response
    told = []
    for rule in found["violations"]:
        for node in rule["nodes"]:
            told.append(f"{rule['id']}: {node['html'][:200]} {node['failureSummary'][:300]}")
    return told


# Names of players as long as a line leave a chart no room; the board is looked at here.
@pytest.mark.filterwarnings("ignore:constrained_layout not applied")
@pytest.mark.parametrize("game", BOARDED)
def test_boards_can_be_used_by_everybody(browser: Browser, tmp_path: Path, game: str) -> None:
    name = next(name for name, (own, *_) in TABLES.items() if own == game and "harsh" in name)
    history = played(name)
    theme, size = [("light", WIDE), ("dark", PHONE)][BOARDED.index(game) % 2]
    text = page_html(history, Shown(game=GAMES[game]))
    seen = open_file(browser, tmp_path, text, viewport=size, color_scheme=theme)
    seen.page.locator("svg.board").wait_for()
    assert violations(seen) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_file_can_be_used_by_everybody(
    browser: Browser, tmp_path: Path, theme: str, size: dict[str, int]
) -> None:
    text = page_html(small_history(), Shown(prompts=True, reasoning=True))
    seen = open_file(browser, tmp_path, text, viewport=size, color_scheme=theme)
    unfold(seen.page)
    assert violations(seen) == []
    seen.page.keyboard.press("?")
    seen.page.get_by_role("dialog").wait_for()
    assert violations(seen) == []
