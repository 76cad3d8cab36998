"""Promises about a vote, found in players' words by a fixed rule, and whether they were kept.

The rule reads one sentence at a time and knows a few English forms in the first person: "I will not
vote for Ann", "I stand with Ann", "I will protect you", "I vote to eliminate Ben", "my vote goes to
Ben". "You" is the recipient of a private message. The rule misses promises in other phrases, with a
pronoun or a nickname, in a question, or in the plural ("we vote for Ben"). It counts conditional
promises ("if you spare me, I stand with you"), jokes and quotations as promises.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from engine.history import Event
from engine.round_phases.asking import without

Aim = Literal["spare", "name"]
Form = tuple[Aim, re.Pattern[str]]

SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
# The forms by aim; WHO is a player's name or, in a private talk, "you".
FORMS: dict[Aim, tuple[str, ...]] = {
    "spare": (
        r"\bI(?:'ll| will| shall| would|'m| am)? (?:not|never)(?: going to| ever)? "
        r"vote (?:for |against |to eliminate |out )?WHO",
        r"\bI (?:won't|wouldn't|can't|cannot|don't)(?: ever)? "
        r"vote (?:for |against |to eliminate |out )?WHO",
        r"\bI(?:'m| am|'ll| will)?(?: (?:always|still|fully|stand|standing|side|stick|stay|be))* "
        r"with WHO",
        r"\bI(?:'ll| will| shall)? (?:always )?(?:keep|protect|spare|save|back|support|defend) WHO",
        r"\bI(?:'ve| have)(?: got)? WHO's back",
        r"\bI(?:'ve| have)(?: got)? your back",
        r"WHO(?:'re| are| is) safe (?:with|from) me",
    ),
    "name": (
        r"\bI(?:'ll| will| shall|'m going to| am going to)? vote "
        r"(?:for |against |to eliminate |to remove |out )?WHO",
        r"\bI(?:'m| am) voting (?:for |against |to eliminate |out )?WHO",
        r"\bmy vote (?:is|goes|will go|will be) (?:for|against|to|on) WHO",
    ),
}


@dataclass(frozen=True, slots=True)
class Promise:
    """A player's promise about its vote in the round, made to one other player or to all.

    `aim` is "spare" (no vote against `about`) or "name" (a vote against `about`).
    """

    speaker: str
    aim: Aim
    about: str
    private: bool

    def kept_by(self, choice: str) -> bool:
        """Return whether a ballot for `choice` keeps the promise."""
        return (choice == self.about) == (self.aim == "name")

    def chance(self, candidates: int) -> float:
        """Return the probability that a uniformly random vote keeps the promise."""
        named = 1 / candidates
        return named if self.aim == "name" else 1 - named


def promises_in(
    text: str,
    names: Sequence[str],
    hearer: str | None = None,
) -> list[tuple[Aim, str]]:
    """Return the promises about `names` in a text, without duplicates; "you" means `hearer`.

    >>> promises_in("I stand with Ann. I will vote for Ben!", ["Ann", "Ben"])
    [('spare', 'Ann'), ('name', 'Ben')]
    """
    forms = forms_about(tuple(names), alone=hearer is not None)
    promises: dict[tuple[Aim, str], None] = {}
    for sentence in SENTENCE.findall(text.replace("\u2019", "'")):
        if not sentence.endswith("?"):
            promises |= dict.fromkeys(matches_in(sentence, forms, hearer))
    return [*promises]


def matches_in(
    sentence: str, forms: Iterable[Form], hearer: str | None
) -> Iterator[tuple[Aim, str]]:
    """Yield the aim of each promise in a sentence, and the player it is about."""
    for aim, form in forms:
        for match in form.finditer(sentence):
            named = match.groupdict().get("who", "you")
            about = hearer if named.casefold() == "you" else named
            if about is not None:
                yield aim, about


@lru_cache(maxsize=256)
def forms_about(names: tuple[str, ...], *, alone: bool) -> list[Form]:
    """Return the forms of promises about these names and, in a sidebar (`alone`), "you"."""
    longest_first = sorted(names, key=len, reverse=True)
    known = [re.escape(name) for name in longest_first]
    if alone:
        known.append("(?i:you)")
    who = rf"(?<!\w)(?P<who>{'|'.join(known)})(?!\w)"
    forms = []
    for aim, patterns in FORMS.items():
        for pattern in patterns:
            # Words match in any case, but names only as written: "will" is not Will.
            words = [f"(?i:{part})" for part in pattern.split("WHO")]
            forms.append((aim, re.compile(who.join(words))))
    return forms


def private_hearer(event: Event) -> str | None:
    """Return the recipient of a private message, or None for any other event."""
    # An answer to an invitation also has the partner in `to`.
    if event.kind != "sidebar" or "accepts" in event.data:
        return None
    return event.data.get("to")


def promises_among(events: Iterable[Event], names: Sequence[str]) -> tuple[Promise, ...]:
    """Return the promises in pitches and private messages, without duplicates."""
    promises: dict[Promise, None] = {}
    for event in events:
        hearer = private_hearer(event)
        speaker = event.player_id
        if speaker is None or event.fell_back or not (hearer or event.kind == "pitch"):
            continue
        for aim, about in promises_in(event.content, without(names, speaker), hearer):
            promises[Promise(speaker, aim, about, private=hearer is not None)] = None
    return tuple(promises)
