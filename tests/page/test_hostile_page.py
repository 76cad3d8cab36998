"""Words that try to be more than words, in every text of a game's file: they stay words.

A page with them asks for nothing, opens nothing, reports nothing, and has as many elements as one
with plain words.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from engine.history import History, Outcome, PromptRef, RoundLog, Seat
from engine.views.page import page_html
from engine.views.perspective import Shown
from providers import Usage
from tests.support.hostile import STRINGS, spoiled_event
from tests.support.web.browser import Witness, open_file, walk
from tests.support.web.markup import PAYLOADS

ALL = (*STRINGS, *PAYLOADS)
SEATS = 8
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)


def spoiled(texts: tuple[str, ...], first: int) -> History:
    """Return a game in which every text is one of `texts`, players' names from place `first`."""
    names = tuple(f"{number} {texts[(first + number) % len(texts)]}" for number in range(SEATS))
    seats = [
        Seat(name, text, text, text, {}, text) for name, text in zip(names, texts, strict=False)
    ]
    log = RoundLog(1, False, names, ())
    for index, text in enumerate(texts):
        name = names[index % SEATS]
        seen_by = names if index % 3 else (name,)
        more = {"prompt": PromptRef(index, text, ""), "usage": Usage(10, 0, 5)}
        log.events.append(spoiled_event(index, text, name, seen_by, **more))
    spoken = texts[first % len(texts)]
    figures = {names[0]: {f"g{spoken}": 1.0}}
    outcome = Outcome(dict.fromkeys(names, 1), {names[0]: 1.0}, figures, {spoken: 1.0}, spoken)
    config = {"game": {"name": "parley", "topic": spoken, f"s{spoken}": [spoken]}}
    return History(
        spoken, 1, f"n{spoken}", 7, config, seats, [log], outcome, status="finished", reason=spoken
    )


def plain_words() -> tuple[str, ...]:
    return tuple(f"plain words {number}" for number in range(len(ALL)))


def page_of(history: History) -> str:
    return page_html(history, Shown(prompts=True, reasoning=True))


def walked(seen: Witness) -> tuple[list[int], dict[int, str]]:
    """Return how many elements each window of rows has, and the words of every event."""
    counts = []
    words: dict[int, str] = {}
    for count in walk(seen.page):
        counts.append(count)
        rows = seen.page.evaluate(
            "[...document.querySelectorAll('.event')].map(row => "
            "[Number(row.dataset.index), row.querySelector('.text').textContent])"
        )
        words |= dict(rows)
    return counts, words


@pytest.mark.parametrize("first", [0, len(STRINGS)])
def test_hostile_words_stay_words(browser: Browser, tmp_path: Path, first: int) -> None:
    seen = open_file(browser, tmp_path, page_of(spoiled(ALL, first)))
    counts, words = walked(seen)
    plain = open_file(browser, tmp_path, page_of(spoiled(plain_words(), first)))
    assert counts == walked(plain)[0]
    assert len(ALL) >= 540
    assert len(words) == len(ALL)
    for index, text in enumerate(ALL):
        if text.isprintable() and text.isascii():
            assert words[index] == f"c{text}"
        assert not UNSEEN.search(words[index])

    assert len(seen.requests) == 1
    assert seen.dialogs == []
    assert seen.errors == []
    assert seen.page.url.startswith("file:")


def test_the_file_has_no_markup_out_of_the_log() -> None:
    text, plain = page_of(spoiled(ALL, 0)), page_of(spoiled(plain_words(), 0))
    assert text.count("<") == plain.count("<")
    assert text.count(">") == plain.count(">")
    assert not UNSEEN.search(text)


def test_a_player_in_no_game_has_no_file() -> None:
    history = replace(spoiled(plain_words(), 0), players=[Seat("Ada", "", "")])
    with pytest.raises(ValueError, match="expected one of the players Ada: 'Eve'"):
        page_html(history, Shown("Eve"))
