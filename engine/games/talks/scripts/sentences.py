"""The sentences of scripted participants: a move in words, an idea, or a quotation."""

import random
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from engine.games.talks.speech.asking import Seen
from engine.games.talks.state import Exchange

# Phrases by kind of sentence. Their order matters, since scripts draw them by index. In a phrase,
# {s} is the talk's subject, {t} the move's target, {p} a position, and {l} and {k} are aspects.
Phrases = Mapping[str, Any]


class Idea(NamedTuple):
    """An aspect of a topic: a label, a sentence that makes a claim, and its follow-up."""

    label: str
    claim: str
    more: str


STUBBORN = 0.15
QUOTED = 9


def move_sentence(seen: Seen, phrases: Phrases, rng: random.Random) -> str:
    """Return a sentence that makes the move, naming the target and quoting the target's point."""
    named, point = aspect_and_point(seen)
    others = [label for label in seen.labels if label != named]

    sentence: str = rng.choice(phrases["moves"][seen.move.type])
    return sentence.format(
        s=seen.subject,
        t=seen.move.target or "everybody",
        p=point or f"we all know {seen.subject}",
        l=named,
        k=rng.choice(others or ["what we set out from"]),
    )


def answer_sentence(asked: Exchange, subject: str, phrases: Phrases, rng: random.Random) -> str:
    """Return a sentence that takes up an unanswered question."""
    label = asked.aspects[0] if asked.aspects else subject
    sentence: str = rng.choice(phrases["answers"])
    return sentence.format(a=asked.speaker, n=asked.turn, l=label)


def aspect_and_point(seen: Seen) -> tuple[str, str]:
    """Return the aspect that a move takes up, and a quotation of its target ("" if none)."""
    named = seen.labels[-1] if seen.labels else seen.subject
    heard = [exchange for exchange in seen.exchanges if exchange.speaker == seen.move.target]
    if not heard:
        return named, ""
    last = heard[-1]
    return last.aspects[0] if last.aspects else named, quote(last.position or last.content)


def filler_sentence(seen: Seen, phrases: Phrases, rng: random.Random, *, repeats: bool) -> str:
    """Return a sentence without a new idea: an old position (always if `repeats`), or a musing."""
    if seen.position and (repeats or rng.random() < STUBBORN):
        return str(rng.choice(phrases["again"])).format(p=quote(seen.position))

    musing: str = rng.choice(phrases["musings"])
    touched = sorted(seen.aspects) or [seen.subject]
    return musing.format(l=rng.choice(touched))


def position_after(seen: Seen, idea: Idea | None) -> str:
    """Return the idea's claim, the previous position, or that the subject is still open."""
    if idea is not None:
        return idea.claim.format(s=seen.subject)
    if seen.own:
        return seen.position
    return f"{seen.subject.capitalize()} is still open."


def quote(position: str) -> str:
    """Return the first words of a position, at most nine, to quote in a sentence."""
    head = re.split(r"[.,;:!?]", clause(position), maxsplit=1)[0]
    return " ".join(head.split()[:QUOTED])


def clause(sentence: str) -> str:
    """Return a sentence in a form that fits inside another sentence."""
    bare = sentence.strip().rstrip(".!?")
    return bare[:1].lower() + bare[1:]
