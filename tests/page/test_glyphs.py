"""Glyphs of real games: without words, within their box, and large enough to be seen."""

import json
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from engine.views.page import joined_modules
from tests.page.test_boards import HOSTILE, TABLES, frames_of, game_of, played
from tests.support.tables import run_game
from tests.support.web.browser import open_page

# What is wrong with a glyph of 104 by 72 pixels.
LOOK = """
(words) => {
  const [game, frames] = JSON.parse(words);
  const glyph = glyphOf(game, frames);
  if (!glyph) return null;
  glyph.style.width = "104px";
  document.body.replaceChildren(glyph);
  const outer = glyph.getBoundingClientRect();
  const nodes = [...glyph.querySelectorAll("*")];
  const spills = nodes.filter((node) => {
    const box = node.getBoundingClientRect();
    const [wide, high] = [outer.right + 2 - box.right, outer.bottom + 2 - box.bottom];
    return Math.min(wide, high, box.left - outer.left + 2, box.top - outer.top + 2) < 0;
  });
  const small = nodes.filter((node) => node.tagName === "circle" && node.r.baseVal.value < 2);
  const nan = glyph.outerHTML.includes("NaN");
  const tags = [...new Set(nodes.map((node) => node.tagName))].sort();
  return { size: [outer.width, outer.height], faults: [...spills, ...small].length, nan,
    words: glyph.textContent, tags, nodes: nodes.length };
}
"""
SEEN = [name for name in TABLES if name not in ("no talk",) and "guest" not in name]
TAGS = {"circle", "ellipse", "path", "rect"}


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Page:
    """Open a page that has glyphs and nothing else."""
    script = f"{joined_modules('glyphs.js', '')}window.glyphOf = glyphOf;"
    file = tmp_path_factory.mktemp("glyphs") / "page.html"
    head = '<!doctype html><meta charset="utf-8"><body></body>'
    file.write_text(f'{head}<script type="module">{script}</script>', encoding="utf-8")
    return open_page(browser, file.as_uri()).page


def glyph_of(page: Page, game: dict[str, Any], frames: list[dict[str, Any]]) -> Any:
    return page.evaluate(LOOK, json.dumps([game, frames]))


def assert_legible(found: Any) -> None:
    assert found["size"] == [104, 72]
    assert (found["faults"], found["nan"], found["words"]) == (0, False, "")
    assert set(found["tags"]) <= TAGS
    assert 3 <= found["nodes"] <= 700


@pytest.mark.parametrize("name", SEEN)
def test_the_public_sees_a_glyph_without_words(page: Page, name: str) -> None:
    history = played(name)
    frames = frames_of(history, "*" if history.game == "dilemma" else "")
    assert_legible(glyph_of(page, game_of(history, ""), frames))


@pytest.mark.parametrize("name", ["guest of one", "guest of four", "guest of ten"])
def test_a_room_that_the_public_does_not_see_is_drawn_for_the_host(page: Page, name: str) -> None:
    history = played(name)
    unseen = glyph_of(page, game_of(history, ""), frames_of(history, ""))
    assert (unseen is None) == (len(history.players) > 1)
    assert_legible(glyph_of(page, game_of(history, "*"), frames_of(history, "*")))


@pytest.mark.parametrize("kind", ["tic_tac_toe", "connect_four", "kuhn_poker", "hex(board_size=5)"])
def test_moves_of_a_library_are_cells_of_a_grid(page: Page, kind: str) -> None:
    pytest.importorskip("pyspiel")
    seats = "scripted:random,scripted:random"
    history = run_game("openspiel", seats, settings={"game": kind}, seed=3)
    found = glyph_of(page, game_of(history, "*") | {"kind": kind}, frames_of(history, "*"))
    assert_legible(found)
    assert found["tags"] == ["rect"]


def test_a_hostile_name_is_drawn_as_any_other(page: Page) -> None:
    history = played("island of five")
    plain = json.dumps([game_of(history, ""), frames_of(history, "")])
    hostile = plain.replace("Ada", json.dumps(HOSTILE)[1:-1])
    calm, found = (glyph_of(page, *json.loads(text)) for text in (plain, hostile))
    assert (found["nodes"], found["tags"]) == (calm["nodes"], calm["tags"])
