"""Players without a model: each a pure function of what a player observes and of its own random stream."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from pydantic import BaseModel

from engine.round_phases import Line, Observation
from player import Script, Turn

__all__ = ["STRATEGIES", "Stance", "Strategy", "script_of", "spoken_against"]

ALLY = "stand with"
OPENINGS = (
    "I came here to play fair.",
    "Every round I have kept my word.",
    "I listen more than I talk.",
    "You know where I am, every single day.",
    "Look at what I did, and not at what others say about it.",
    "Nobody works harder for this camp.",
)
ATTACKS = (
    "{} has promised too much to too many.",
    "{} should leave now.",
    "Ask yourselves what {} did for any of us.",
    "{} will beat all of you in the end.",
)
RIVALRY = (
    "{} came this far on what others did.",
    "What did {} ever decide?",
    "I did more for you than {} did.",
)
REASONS = (
    "I do not trust {}.",
    "It is time for {} to go.",
    "{} is too dangerous.",
    "I have heard enough of {}.",
)
FOR = ("{} has earned it.", "{} played the better game.", "I would rather see {} win.")
INTEREST = ("I want to hear what {} thinks.", "{} may need me.", "I would like to keep {} close.")


class Stance(NamedTuple):
    """Whom a player would see gone, and with whom it stands; None for nobody."""

    against: str | None
    ally: str | None = None


Strategy = Callable[[Observation, random.Random], Stance]


def spoken_against(text: str, names: Iterable[str]) -> set[str]:
    """Return the `names` that `text` mentions, but for those with which its author says to stand.

    >>> sorted(spoken_against("I stand with Ann. Ben should leave, and so should Cleo!", ["Ann", "Ben", "Cleo"]))
    ['Ben', 'Cleo']
    """
    sentences = [sentence for sentence in re.split(r"[.!?]", text) if ALLY not in sentence]
    return {name for name in names if any(mentions(sentence, name) for sentence in sentences)}


def mentions(text: str, name: str) -> bool:
    """Return whether `name` stands in `text` as a word of its own."""
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def uniform(seen: Observation, rng: random.Random) -> Stance:
    """Turn against anybody: the null player of any comparison."""
    return Stance(pick(seen.options, rng))


def loyal(seen: Observation, rng: random.Random) -> Stance:
    """Name an ally and stay with it while it is in the game, against whomever that ally last spoke against.

    The oldest idea of the island shows: a pair that votes as one is a majority of every three.
    """
    others = [one for one in seen.active_player_ids if one != seen.player_id]
    named = [
        one
        for line in seen.lines
        if line.player_id == seen.player_id
        for one in stood_with(line, others)
    ]
    if len(others) == 1:
        return Stance(others[0])
    ally = named[-1] if named else pick(others, rng)
    rest = [one for one in seen.options if one != ally]
    words = [line for line in seen.lines if line.player_id == ally]
    foes = [foe for line in words for foe in rest if foe in spoken_against(line.text, rest)]
    return Stance(foes[-1] if foes else pick(rest, rng), ally)


def grudge(seen: Observation, rng: random.Random) -> Stance:
    """Turn against who spoke last against it: tit for tat, in words."""
    heard = [line for line in seen.lines if line.player_id in seen.options]
    foes = [line.player_id for line in heard if spoken_against(line.text, [seen.player_id])]
    return Stance(foes[-1] if foes else pick(seen.options, rng))


def bandwagon(seen: Observation, rng: random.Random) -> Stance:
    """Turn against whom most pitches of the round speak against: to be with the majority is to be safe."""
    counts = attacks(seen)
    most = max(counts.values(), default=0)
    return Stance(pick([one for one in seen.options if counts[one] == most], rng))


def contrarian(seen: Observation, rng: random.Random) -> Stance:
    """Turn against whom fewest pitches of the round speak against: whoever everybody likes is the one to beat."""
    counts = attacks(seen)
    least = min(counts.values(), default=0)
    return Stance(pick([one for one in seen.options if counts[one] == least], rng))


def attacks(seen: Observation) -> Counter[str]:
    """Return how many pitches since the last result speak against each of the options."""
    counts = Counter(dict.fromkeys(seen.options, 0))
    for line in reversed(seen.lines):
        if line.kind == "result":
            break
        if line.kind == "pitch":
            counts.update(
                spoken_against(line.text, [one for one in seen.options if one != line.player_id])
            )
    return counts


def stood_with(line: Line, names: Sequence[str]) -> list[str]:
    """Return the names that a line says to stand with."""
    return [name for name in names if mentions(line.text, f"{ALLY} {name}")]


def pick(names: Sequence[str], rng: random.Random) -> str | None:
    """Return any of `names`, None if there is none."""
    return rng.choice(names) if names else None


def script_of(strategy: Strategy) -> Script:
    """Return the strategy as a scripted player: it votes by its stance, and tells it in words from a small grammar."""

    def script(turn: Turn[BaseModel], rng: random.Random) -> BaseModel:
        seen: Observation = turn.observation
        stance = strategy(seen, rng)
        if turn.kind == "vote" and not seen.final_round:
            return turn.answer(explanation=fill(REASONS, stance.against, rng), vote=stance.against)
        if turn.kind == "vote":
            best = pick([one for one in seen.options if one != stance.against], rng)
            return turn.answer(explanation=fill(FOR, best, rng), vote=best)
        if turn.kind == "partner":
            liked = [one for one in seen.options if one != stance.against]
            partner = stance.ally if stance.ally in liked else pick(liked or seen.options, rng)
            return turn.answer(explanation=fill(INTEREST, partner, rng), partner=partner)
        return turn.answer(text=speech(stance, RIVALRY if seen.final_round else ATTACKS, rng))

    return script


def speech(stance: Stance, attacks_on: Sequence[str], rng: random.Random) -> str:
    """Return some sentences that tell a stance."""
    words = [
        rng.choice(OPENINGS),
        fill(attacks_on, stance.against, rng),
        fill((f"I {ALLY} {{}}.",), stance.ally, rng),
    ]
    return " ".join(filter(None, words))


def fill(sentences: Sequence[str], name: str | None, rng: random.Random) -> str:
    """Return one of `sentences` with `name` in it, nothing without a name."""
    return rng.choice(sentences).format(name) if name else ""


STRATEGIES: dict[str, Strategy] = {
    "contrarian": contrarian,
    "bandwagon": bandwagon,
    "grudge": grudge,
    "loyal": loyal,
    "random": uniform,
}
