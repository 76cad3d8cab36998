"""Participants without a model: a grammar for each personality, and habits of having, or not having, new ideas."""

import random
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from engine.games.talks.archetypes import Move
from engine.games.talks.scripts.ideas import IDEAS, Idea
from engine.games.talks.scripts.observation import Seen
from engine.games.talks.scripts.phrases import AGAIN, MOVES, MUSINGS, OPENINGS
from engine.games.talks.speech.answer import Utterance
from engine.games.talks.speech.utterance import subject_of
from player import Script, Turn

PATIENCE = 14
STUBBORN = 0.15
QUOTED = 12
Thinker = Callable[[Seen, random.Random], Idea | None]


def in_character(seen: Seen, rng: random.Random) -> Idea | None:
    """Have a new idea less and less often, as people do: the more was said at a level, the more is said again."""
    fresh = untouched(seen)
    tired = len(seen.own) / (len(seen.own) + PATIENCE)
    closing = seen.move.type is Move.CONCLUDE
    return None if not fresh or closing or rng.random() < tired else rng.choice(fresh)


def fresh(seen: Seen, rng: random.Random) -> Idea | None:
    """Bring a new idea every time, while there is one."""
    found = untouched(seen)
    return rng.choice(found) if found else None


def repeating(seen: Seen, rng: random.Random) -> Idea | None:
    """Have two ideas, and no third: who talks so makes any talk go in circles."""
    return fresh(seen, rng) if len(seen.own) < 2 else None


def terse(seen: Seen, rng: random.Random) -> Idea | None:
    """Bring a new idea every other turn, in few words."""
    return fresh(seen, rng) if len(seen.own) % 2 == 0 else None


def untouched(seen: Seen) -> list[Idea]:
    """Return the ideas of the talk's level and the one below that nobody has brought yet."""
    levels = (seen.level, seen.level - 1) if seen.level > 1 else (1,)
    found = [idea for level in levels for idea in IDEAS[level] if idea.label not in seen.aspects]
    return found or [
        idea for ideas in IDEAS.values() for idea in ideas if idea.label not in seen.aspects
    ]


def script_of(thinker: Thinker, *, brief: bool = False, repeats: bool = False) -> Script:
    """Return a scripted participant: it makes the move that it is told to, in the words of its personality."""

    def script(turn: Turn[Utterance], rng: random.Random) -> Utterance:
        seen: Seen = turn.observation
        idea = thinker(seen, rng)
        parts = [made(seen, rng), *told(seen, idea, rng, brief=brief, repeats=repeats)]
        if seen.exchanges and not brief and rng.random() < 0.5:
            parts.insert(0, rng.choice(OPENINGS[seen.personality]).replace(":", "."))
        position = position_of(seen, idea)
        return turn.answer(
            text=" ".join(parts),
            position=position,
            aspect_1=idea.label if idea else "",
            aspect_2=seen.own[-1].aspects[0]
            if not idea and seen.own and seen.own[-1].aspects
            else "",
        )

    return script


def made(seen: Seen, rng: random.Random) -> str:
    """Return the move in words: what it takes up, and from whom."""
    labels = [*dict.fromkeys(label for exchange in seen.exchanges for label in exchange.aspects)]
    target = [exchange for exchange in seen.exchanges if exchange.speaker == seen.move.target]
    heard = quoted(target[-1].position or target[-1].content) if target else ""
    point = heard or f"we all know {subject_of(seen.topic)}"
    named = (
        target[-1].aspects[0]
        if target and target[-1].aspects
        else (labels or [subject_of(seen.topic)])[-1]
    )
    others = [label for label in labels if label != named] or ["what we set out from"]
    sentence: str = rng.choice(MOVES[seen.move.type])
    return sentence.format(
        s=subject_of(seen.topic),
        t=seen.move.target or "everybody",
        p=point,
        l=named,
        k=rng.choice(others),
    )


def told(
    seen: Seen, idea: Idea | None, rng: random.Random, *, brief: bool, repeats: bool
) -> list[str]:
    """Return the sentences of an idea; without one, what was said before, or a thought that leads nowhere new."""
    if idea is not None:
        return [part.format(s=subject_of(seen.topic)) for part in (idea.claim, idea.more)][
            : 1 if brief else 2
        ]
    if seen.own and seen.own[-1].position and (repeats or rng.random() < STUBBORN):
        return [rng.choice(AGAIN).format(p=clause(seen.own[-1].position))]
    touched = sorted(seen.aspects) or [subject_of(seen.topic)]
    return [rng.choice(MUSINGS).format(l=rng.choice(touched))]


def position_of(seen: Seen, idea: Idea | None) -> str:
    """Return a position: the idea's claim, else the one held before."""
    if idea is not None:
        return idea.claim.format(s=subject_of(seen.topic))
    return (
        seen.own[-1].position
        if seen.own
        else f"{subject_of(seen.topic).capitalize()} is still open."
    )


def quoted(position: str) -> str:
    """Return the beginning of a position, as one takes up what another has just said."""
    head = re.split(r"[.,;:!?]", clause(position), maxsplit=1)[0]
    return " ".join(head.split()[:QUOTED])


def clause(sentence: str) -> str:
    """Return a sentence as it stands inside another."""
    bare = sentence.strip().rstrip(".!?")
    return bare[:1].lower() + bare[1:]


STRATEGIES: Mapping[str, Script] = MappingProxyType(
    {
        "repeating": script_of(repeating, repeats=True),
        "terse": script_of(terse, brief=True),
        "fresh": script_of(fresh),
        "in_character": script_of(in_character),
    }
)
