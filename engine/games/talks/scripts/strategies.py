"""Scripted participants: phrases for each personality, and rules for having new ideas."""

import random
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from engine.games.talks.archetypes import Move
from engine.games.talks.scripts.hosting import host_words
from engine.games.talks.scripts.sentences import (
    Idea,
    Phrases,
    answer_sentence,
    filler_sentence,
    move_sentence,
    position_after,
)
from engine.games.talks.speech.asking import Seen
from engine.prompting import read_data
from player import Script, Turn

IDEAS = Path(__file__).with_name("ideas.yaml")
PHRASES = Path(__file__).with_name("phrases.yaml")
PATIENCE = 14
Thinker = Callable[[Seen, random.Random], Idea | None]


@cache
def ideas_by_level() -> dict[int, tuple[Idea, ...]]:
    """Return the ideas that scripts share, by depth level, 1 to 5; scripts draw them by index."""
    levels = read_data(IDEAS).items()
    return {level: tuple(Idea(**facts) for facts in ideas) for level, ideas in levels}


def in_character(seen: Seen, rng: random.Random) -> Idea | None:
    """Have new ideas less and less often, as people do, and none when concluding."""
    ideas = new_ideas(seen)
    if not ideas or seen.move.type is Move.CONCLUDE:
        return None
    tired = len(seen.own) / (len(seen.own) + PATIENCE)
    return None if rng.random() < tired else rng.choice(ideas)


def always_new(seen: Seen, rng: random.Random) -> Idea | None:
    """Bring a new idea every turn while any are left."""
    ideas = new_ideas(seen)
    return rng.choice(ideas) if ideas else None


def two_ideas(seen: Seen, rng: random.Random) -> Idea | None:
    """Have two ideas and then no more, which makes any talk go in circles."""
    return always_new(seen, rng) if len(seen.own) < 2 else None


def every_other_turn(seen: Seen, rng: random.Random) -> Idea | None:
    """Bring a new idea every other turn."""
    return always_new(seen, rng) if len(seen.own) % 2 == 0 else None


def new_ideas(seen: Seen) -> list[Idea]:
    """Return the unused ideas of the turn's level and the one below or, if none, of all levels."""
    ideas = ideas_by_level()
    candidates = [*ideas[seen.level], *ideas.get(seen.level - 1, ())]
    fresh = [idea for idea in candidates if idea.label not in seen.aspects]
    if fresh:
        return fresh

    every = [idea for level in ideas.values() for idea in level]
    return [idea for idea in every if idea.label not in seen.aspects]


def talk_script(thinker: Thinker, *, brief: bool = False, repeats: bool = False) -> Script:
    """Return a script that makes its move in the words of its personality.

    A `brief` script says only its move and a claim. A script that `repeats` restates its position
    if it has no new idea.
    """

    def script(turn: Turn[Any], rng: random.Random) -> Any:
        # The phrases are loaded when the first script speaks.
        phrases: Phrases = read_data(PHRASES)
        if turn.kind == "host":
            return turn.answer(reply=host_words(turn.observation, phrases["host"], rng))
        seen: Seen = turn.observation
        if turn.kind == "thesis":
            return turn.answer(position=_thesis(seen, rng))
        idea = thinker(seen, rng)
        reply = " ".join(_sentences(seen, idea, phrases, rng, brief=brief, repeats=repeats))
        position = position_after(seen, idea)
        return turn.answer(reply=reply, position=position, **_aspects_named(seen, idea))

    script.__doc__ = thinker.__doc__
    return script


def _thesis(seen: Seen, rng: random.Random) -> str:
    return position_after(seen, rng.choice(ideas_by_level()[1]))


def _aspects_named(seen: Seen, idea: Idea | None) -> dict[str, str]:
    """Return the label of a new idea, or else the first aspect of the speaker's last utterance."""
    if idea:
        return {"aspect_1": idea.label, "aspect_2": ""}
    last = seen.own[-1].aspects if seen.own else ()
    return {"aspect_1": "", "aspect_2": "".join(last[:1])}


def _sentences(
    seen: Seen,
    idea: Idea | None,
    phrases: Phrases,
    rng: random.Random,
    *,
    brief: bool,
    repeats: bool,
) -> list[str]:
    """Return the sentences of an utterance: any answer owed, the move, and the idea."""
    sentences = [move_sentence(seen, phrases, rng)]
    if seen.asked is not None:
        sentences.insert(0, answer_sentence(seen.asked, seen.subject, phrases, rng))
    if idea is None:
        sentences.append(filler_sentence(seen, phrases, rng, repeats=repeats))
    else:
        claims = (idea.claim,) if brief else (idea.claim, idea.more)
        sentences += [claim.format(s=seen.subject) for claim in claims]
    if seen.exchanges and not brief and rng.random() < 0.5:
        opening = rng.choice(phrases["openings"][seen.personality])
        sentences.insert(0, opening.replace(":", "."))
    return sentences


def parrot(turn: Turn[Any], rng: random.Random) -> Any:
    """Repeat the last utterance word for word in every other turn of the talk."""
    seen = turn.observation
    if turn.kind != "utterance" or len(seen.exchanges) % 2 == 0:
        return talk_script(always_new)(turn, rng)
    last = seen.exchanges[-1]
    return turn.answer(reply=last.content, position=last.position)


STRATEGIES: Mapping[str, Script] = MappingProxyType(
    {
        "parrot": parrot,
        "repeating": talk_script(two_ideas, repeats=True),
        "terse": talk_script(every_other_turn, brief=True),
        "fresh": talk_script(always_new),
        "in_character": talk_script(in_character),
    }
)
