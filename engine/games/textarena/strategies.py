"""The scripted players, and the answer form of all players."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from player import Script
from protocol.answer import Reason
from protocol.text import clean
from protocol.turn import A, Turn

LONGEST_ACTION = 2000
BRACKETS = re.compile(r"\[[^\[\]\n]{1,40}\]")
NAMES = re.compile(r"\[(?:GAME|Player.*)\]", re.IGNORECASE)
HIGHEST = 9


class TextAnswer(BaseModel):
    """A move in the player's own words, in the form that the game's rules require."""

    rationale: Reason = ""
    action: Annotated[
        str,
        BeforeValidator(partial(clean, limit=LONGEST_ACTION)),
        Field(
            max_length=LONGEST_ACTION,
            description="your move, in the form that the game asks for",
        ),
    ]


@dataclass(frozen=True, slots=True)
class TextQuestion:
    """A question as a script sees it: the player's number, and the texts shown to that player."""

    player: int
    texts: tuple[str, ...]


def words_to_try(texts: Sequence[str], draws: random.Random) -> list[str]:
    """Return moves to try, shuffled: bracketed words from the texts, numbers and number pairs."""
    numbers = [str(number) for number in range(HIGHEST + 1)]
    pairs = [f"{first} {second}" for first in numbers for second in numbers]
    shown = {words for text in texts for words in BRACKETS.findall(text)}
    words = {f"[{digits}]" for digits in (*numbers, *pairs)} | shown
    return draws.sample(sorted(words), len(words))


def play_brackets(turn: Turn[A], rng: random.Random) -> A:
    """Play a random bracketed text from the last message that has one: often a legal move."""
    question: TextQuestion = turn.observation
    for text in reversed(question.texts):
        options = [words for words in BRACKETS.findall(text) if not NAMES.fullmatch(words)]
        if options:
            return turn.answer(action=rng.choice(options))
    return play_numbers(turn, rng)


def play_numbers(turn: Turn[A], rng: random.Random) -> A:
    """Play a random number from 0 to 9 in brackets: often a legal cell, column or bid."""
    return turn.answer(action=f"[{rng.randint(0, HIGHEST)}]")


STRATEGIES: Mapping[str, Script] = {"brackets": play_brackets, "numbers": play_numbers}
