"""Repeated words: found in an utterance, described in a sentence, and cut."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from engine.games.talks.speech.answer import Utterance
from engine.games.talks.state import Exchange
from protocol.text import SENTENCE_END

# Twelve words in a row from an earlier utterance are a copy; a four-word phrase may occur twice.
RUN = 12
PHRASE = 4
TIMES = 3
WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
LOOSE_ENDS = " ,;:\u2013\u2014-(\"'\u201c"


class Repeat(NamedTuple):
    """A repetition: the position of its last repeated word, and why it is refused."""

    place: int
    fault: str


def find_repeat(text: str, exchanges: Sequence[Exchange]) -> Repeat | None:
    """Return the first repetition in `text`, or None.

    A repetition is "a run of 12 words of another" utterance in `exchanges`, or "one four-word
    phrase three times within itself".
    """
    first_said = _first_said(exchanges)
    counts: Counter[tuple[str, ...]] = Counter()
    words: list[str] = []
    for match in WORD.finditer(text):
        words.append(match.group().casefold())
        run, phrase = tuple(words[-RUN:]), tuple(words[-PHRASE:])
        counts[phrase] += len(phrase) == PHRASE
        source = first_said.get(run)
        if source is not None:
            fault = f"{' '.join(run)!r} was said by {source.speaker} in turn {source.turn}"
            return Repeat(match.start(), f"expected words of your own: got a copy: {fault}")
        if counts[phrase] == TIMES:
            often = f"{' '.join(phrase)!r} {TIMES} times"
            return Repeat(match.start(), f"expected words that do not repeat: got {often}")
    return None


def _first_said(exchanges: Sequence[Exchange]) -> dict[tuple[str, ...], Exchange]:
    """Return the first exchange with each run of twelve words, by run."""
    first_said: dict[tuple[str, ...], Exchange] = {}
    for exchange in exchanges:
        words = [match.group().casefold() for match in WORD.finditer(exchange.content)]
        for begin in range(len(words) - RUN + 1):
            first_said.setdefault(tuple(words[begin : begin + RUN]), exchange)
    return first_said


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
        ends = [match.end() for match in SENTENCE_END.finditer(kept)]
        begin = max((end for end in ends if end <= repeat.place), default=0)
        end = min((end for end in ends if end > repeat.place), default=len(kept))
        rest = f"{kept[:begin]}{kept[end:]}".strip()
        if not rest:
            return f"{kept[: repeat.place].rstrip(LOOSE_ENDS)}\u2026"
        kept = rest
    return kept
