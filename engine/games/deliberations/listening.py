"""How scripted players read other players' words: the allies and targets that they name."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engine.round_phases import RoundView
from engine.round_phases.asking import without

ALLY = "stand with"
# Public speeches before a vote.
SPEECHES = {"pitch", "statement"}


class Stance(NamedTuple):
    """The player that a script wants out, and the script's ally; either can be None."""

    against: str | None
    ally: str | None = None


def named_as_foes(text: str, names: Iterable[str]) -> set[str]:
    """Return the `names` in `text`, ignoring sentences in which the author names an ally.

    >>> words = "I stand with Ann. Ben should leave, and so should Cleo!"
    >>> sorted(named_as_foes(words, ["Ann", "Ben", "Cleo"]))
    ['Ben', 'Cleo']
    """
    foes = set()
    for sentence in re.split(r"[.!?]", text):
        if ALLY not in sentence:
            foes |= {name for name in names if mentions(sentence, name)}
    return foes


def mentions(text: str, name: str) -> bool:
    """Return whether `text` contains `name` as a whole word."""
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def last_ally(seen: RoundView, names: Sequence[str]) -> str | None:
    """Return the last of `names` that the player called its ally, or None."""
    for line in reversed(seen.lines):
        if line.player_id == seen.player_id:
            for name in reversed(names):
                if mentions(line.text, f"{ALLY} {name}"):
                    return name
    return None


def last_foe(
    seen: RoundView,
    speaker: str | None,
    names: Sequence[str],
) -> str | None:
    """Return the last of `names` that `speaker` spoke against, or None."""
    for line in reversed(seen.lines):
        if line.player_id == speaker:
            foes = named_as_foes(line.text, names)
            for name in reversed(names):
                if name in foes:
                    return name
    return None


def count_attacks(seen: RoundView) -> Counter[str]:
    """Count the speeches against each option since the last result."""
    counts = Counter(dict.fromkeys(seen.options, 0))
    for line in reversed(seen.lines):
        if line.kind == "result":
            break
        if line.kind in SPEECHES:
            others = without(seen.options, line.player_id)
            counts.update(named_as_foes(line.text, others))
    return counts


def pick(names: Sequence[str], rng: random.Random) -> str | None:
    """Return a random name, or None if `names` is empty."""
    return rng.choice(names) if names else None
