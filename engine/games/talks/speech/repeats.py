"""Find repeated words in an utterance, describe the repetition in a sentence, and cut it."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from engine.games.talks.speech.answer import Utterance
from engine.games.talks.state import Exchange
from protocol.text import SENTENCE_END

# Twelve words in a row from an earlier utterance are a copy; a four-word phrase may occur twice.
RUN = 12
PHRASE = 4
TIMES = 3
WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
Words = tuple[str, ...]
LOOSE_ENDS = " ,;:\u2013\u2014-(\"'\u201c"


class Repeat(NamedTuple):
    """A repetition: the position of its last repeated word, and why it is refused."""

    place: int
    fault: str


def find_repeat(text: str, exchanges: Sequence[Exchange]) -> Repeat | None:
    """Return the first repetition in `text`, or None if there is none.

    A repetition is "a run of 12 words of another" utterance in `exchanges`, or "one four-word
    phrase three times within itself".
    """
    words, starts = _words_in(text)
    sources = _sources_of(text, exchanges)
    counts: dict[Words, int] = {}
    for end in range(PHRASE, len(words) + 1):
        phrase = words[end - PHRASE : end]
        counts[phrase] = counts.get(phrase, 0) + 1
        run = words[max(0, end - RUN) : end] if sources else ()
        source = sources.get(run)
        if source is not None:
            fault = f"{' '.join(run)!r} was said by {source.speaker} in turn {source.turn}"
            return Repeat(starts[end - 1], f"expected words of your own: got a copy: {fault}")
        if counts[phrase] == TIMES:
            often = f"{' '.join(phrase)!r} {TIMES} times"
            return Repeat(starts[end - 1], f"expected words that do not repeat: got {often}")
    return None


def _sources_of(text: str, exchanges: Sequence[Exchange]) -> dict[Words, Exchange]:
    """Return the first exchange that contains each copied run of twelve words, by run."""
    sources: dict[Words, Exchange] = {}
    runs = _runs_in(text)
    if not runs:
        return sources
    for exchange in exchanges:
        for run in runs & _runs_in(exchange.content):
            sources.setdefault(run, exchange)
    return sources


# Each utterance is compared many times, so both functions are cached.
@lru_cache(maxsize=256)
def _words_in(text: str) -> tuple[Words, tuple[int, ...]]:
    """Return a text's words, in lower case, and their positions."""
    matches = [*WORD.finditer(text)]
    return tuple(m.group().casefold() for m in matches), tuple(m.start() for m in matches)


@lru_cache(maxsize=256)
def _runs_in(text: str) -> frozenset[Words]:
    """Return a text's runs of twelve words."""
    words, _ = _words_in(text)
    return frozenset(words[begin : begin + RUN] for begin in range(len(words) - RUN + 1))


def doubt_repeat(answer: Utterance, exchanges: Sequence[Exchange]) -> str:
    """Return why an answer must be reworded, or "" if it repeats nothing."""
    repeat = find_repeat(answer.spoken()[0], exchanges)
    return "" if repeat is None else repeat.fault


def without_copies(text: str, exchanges: Sequence[Exchange]) -> str:
    """Return `text` without the sentences that complete a repetition.

    If no sentence would be left, the last sentence is instead cut before its repetition is
    complete, and ends in "…".
    """
    kept = text
    while repeat := find_repeat(kept, exchanges):
        ends = [0, *(match.end() for match in SENTENCE_END.finditer(kept)), len(kept)]
        place = bisect_right(ends, repeat.place)
        rest = f"{kept[: ends[place - 1]]}{kept[ends[place] :]}".strip()
        if not rest:
            return f"{kept[: repeat.place].rstrip(LOOSE_ENDS)}\u2026"
        kept = rest
    return kept
