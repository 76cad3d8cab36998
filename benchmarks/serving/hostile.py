"""Words that try to be more than words, live, in a replay, in the list and in a file."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.serving.house import House, Inside, stage
from tests.support.hostile import STRINGS
from tests.support.web.browser import chromium, open_page
from tests.support.web.markup import PAYLOADS

# Half a pair of surrogates is in no log: no encoding has it.
ALL = tuple(text.encode("utf-8", "replace").decode() for text in (*STRINGS, *PAYLOADS))
ROWS = 40
COUNT = "document.querySelectorAll('*:not(option)').length"
Found = tuple[int, list[str]]


def hostile_breaches() -> dict[str, Found]:
    """Return for each place how many strings were shown there, and what was wrong."""
    with chromium() as browser:
        return {
            "live": compared(browser, live),
            "replay": compared(browser, replay),
            "list": compared(browser, rows),
            "file": compared(browser, file),
        }


def compared(browser: Any, show: Any) -> Found:
    """Show hostile words and as many plain ones; as many elements must be there."""
    plain = [f"plain words {number}" for number in range(len(ALL))]
    bad: list[str] = []
    counts = []
    for texts in (ALL, plain):
        with tempfile.TemporaryDirectory() as folder:
            counts.append([*show(browser, Path(folder), texts, bad)])
    bad += [f"{one} elements, {other} for plain words" for one, other in zip(*counts, strict=True)
            if one != other]  # fmt: skip
    return len(ALL), bad


def look(seen: Any, bad: list[str], origin: str) -> int:
    """Return how many elements a page has; add what it did to `bad`."""
    seen.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    seen.page.wait_for_timeout(200)
    bad += [f"asked for {url}" for url in seen.requests if not url.startswith(origin)]
    bad += [f"opened {words}" for words in seen.dialogs]
    bad += [f"said {words}" for words in seen.errors if "favicon" not in words]
    return int(seen.page.evaluate(COUNT))


def live(browser: Any, folder: Path, texts: Sequence[str], bad: list[str]) -> Iterator[int]:
    """Let a live game tell the words while a page follows."""
    with House(folder) as house:
        name = house.call(stage)
        seen = open_page(browser, f"{house.origin}/#/game/{name}?as=*&token={house.token}")
        seen.page.locator(".event").first.wait_for()
        house.call(post_texts, name, [*texts])
        before = time.monotonic()
        while str(len(texts)) not in seen.page.locator(".count").first.inner_text():
            seen.page.keyboard.press("End")
            seen.page.wait_for_timeout(200)
            if time.monotonic() - before > 60 or seen.page.locator(".count").count() == 0:
                break
            if int(seen.page.locator(".count").first.inner_text().split("/")[-1]) >= len(texts):
                break
        seen.page.keyboard.press("End")
        yield look(seen, bad, house.origin)
        seen.page.close()


def post_texts(inside: Inside, name: str, texts: list[str]) -> None:
    """Let a live game tell events in which every text is one of `texts`."""
    from engine.history import Event

    game = inside.hall.games[name]
    ids = tuple(game.engine.config.player_ids)
    for place, text in enumerate(texts):
        event = Event(
            1000 + place, "speech", text, "player Ada", ids[0], text, ids, {"rationale": text}, "",
            reasoning=text,
        )  # fmt: skip
        game.feed.post(event, 1)


def spoiled(texts: Sequence[str], name: str, first: int = 0) -> Any:
    """Return a game in which the texts, names of players, settings and the summary are hostile."""
    from tests.page.test_hostile_page import spoiled as spoil

    return replace(spoil(tuple(texts), first), game_id=name)


def replay(browser: Any, folder: Path, texts: Sequence[str], bad: list[str]) -> Iterator[int]:
    """Replay a game of the folder."""
    name = "gameplay_20260101_120000_00000001"
    (folder / f"{name}.json").write_text(spoiled(texts, name).to_json(), encoding="utf-8")
    with House(folder) as house:
        seen = open_page(browser, f"{house.origin}/#/game/{name}?as=*&token={house.token}")
        seen.page.locator(".event").first.wait_for()
        seen.page.wait_for_timeout(1000)
        seen.page.keyboard.press("Home")
        yield look(seen, bad, house.origin)
        seen.page.keyboard.press("End")
        yield look(seen, bad, house.origin)
        seen.page.close()


def rows(browser: Any, folder: Path, texts: Sequence[str], bad: list[str]) -> Iterator[int]:
    """List games whose names, players and summaries are hostile."""
    for first in range(0, len(texts), ROWS):
        name = f"gameplay_20260101_120000_{first:08x}"
        log = spoiled(texts, name, first)
        (folder / f"{name}.json").write_text(log.to_json(), encoding="utf-8")
    with House(folder) as house:
        seen = open_page(browser, f"{house.origin}/#/?token={house.token}")
        seen.page.locator(".games li").first.wait_for()
        yield look(seen, bad, house.origin)
        seen.page.close()


def file(browser: Any, folder: Path, texts: Sequence[str], bad: list[str]) -> Iterator[int]:
    """Open a game's own file."""
    from engine.views.page import page_html
    from engine.views.perspective import Shown

    path = folder / "game.html"
    text = page_html(spoiled(texts, "game"), Shown(prompts=True, reasoning=True))
    path.write_text(text, encoding="utf-8")
    seen = open_page(browser, path.as_uri())
    seen.page.locator(".event").first.wait_for()
    yield look(seen, bad, path.as_uri())
    seen.page.close()
