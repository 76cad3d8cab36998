"""The sentences of scripted participants: a move in words, an idea, or what was said before."""

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.games.talks.archetypes import Move, PersonalityArchetype
from engine.games.talks.speech.asking import Seen

Phrases = tuple[str, ...]


class Idea(NamedTuple):
    """An aspect of a topic: its label, a sentence that claims something, one that goes on."""

    label: str
    claim: str
    more: str


@dataclass(frozen=True, slots=True)
class Repertoire:
    """All that scripts draw from, by place: the order of ideas and phrases matters.

    `ideas` are by depth level, 1 to 5. In a phrase {s} is the subject of the talk, {t} the
    target of the move, {p} a position, {l} and {k} aspects.
    """

    ideas: Mapping[int, tuple[Idea, ...]]
    openings: Mapping[PersonalityArchetype, Phrases]
    moves: Mapping[Move, Phrases]
    musings: Phrases
    again: Phrases
    host: Mapping[str, Any]


def repertoire_from(
    ideas: Mapping[int, Sequence[Mapping[str, str]]], phrases: Mapping[str, Any]
) -> Repertoire:
    """Return the repertoire in plain data; LookupError or TypeError if something is missing."""
    return Repertoire(
        ideas={level: tuple(Idea(**facts) for facts in own) for level, own in ideas.items()},
        openings={who: tuple(phrases["openings"][who]) for who in PersonalityArchetype},
        moves={move: tuple(phrases["moves"][move]) for move in Move},
        musings=tuple(phrases["musings"]),
        again=tuple(phrases["again"]),
        host=phrases["host"],
    )


STUBBORN = 0.15
QUOTED = 12


def move_sentence(seen: Seen, repertoire: Repertoire, rng: random.Random) -> str:
    """Return the move in words: what it takes up, and from whom."""
    labels = seen.labels
    named = labels[-1] if labels else seen.subject
    point = ""
    heard = [one for one in seen.exchanges if one.speaker == seen.move.target]
    if heard:
        named = heard[-1].aspects[0] if heard[-1].aspects else named
        point = quote(heard[-1].position or heard[-1].content)
    others = [label for label in labels if label != named]

    sentence: str = rng.choice(repertoire.moves[seen.move.type])
    return sentence.format(
        s=seen.subject,
        t=seen.move.target or "everybody",
        p=point or f"we all know {seen.subject}",
        l=named,
        k=rng.choice(others or ["what we set out from"]),
    )


def filler_sentence(
    seen: Seen, repertoire: Repertoire, rng: random.Random, *, repeats: bool
) -> str:
    """Return a sentence without a new idea: a position again (always if `repeats`), or a musing."""
    if seen.position and (repeats or rng.random() < STUBBORN):
        return str(rng.choice(repertoire.again)).format(p=clause(seen.position))

    musing: str = rng.choice(repertoire.musings)
    touched = sorted(seen.aspects) or [seen.subject]
    return musing.format(l=rng.choice(touched))


def position_after(seen: Seen, idea: Idea | None) -> str:
    """Return a position: the idea's claim, else the one held before."""
    if idea is not None:
        return idea.claim.format(s=seen.subject)
    if seen.own:
        return seen.position
    return f"{seen.subject.capitalize()} is still open."


def quote(position: str) -> str:
    """Return the beginning of a position, twelve words at most, to take up in a sentence."""
    head = re.split(r"[.,;:!?]", clause(position), maxsplit=1)[0]
    return " ".join(head.split()[:QUOTED])


def clause(sentence: str) -> str:
    """Return a sentence as it reads inside another."""
    bare = sentence.strip().rstrip(".!?")
    return bare[:1].lower() + bare[1:]
