"""Scripted players, each a pure function of the player's observation and random stream."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path

from pydantic import BaseModel

from engine.games.deliberations.for_the_log import expect_ballot, look_back
from engine.games.deliberations.listening import (
    ALLY,
    Stance,
    count_attacks,
    last_ally,
    last_foe,
    named_as_foes,
    pick,
)
from engine.prompting import read_data
from engine.round_phases import ACCEPT, DECLINE, NOBODY, RANKS, RoundView
from engine.round_phases.asking import without
from engine.round_phases.debrief import Debrief
from engine.round_phases.probes import BallotProbe
from player import Script, Turn

PHRASES = read_data(Path(__file__).with_name("phrases.yaml")) | {"alliance": [f"I {ALLY} {{}}."]}
# The kinds of phrases that name no player.
ABOUT_SELF = ("openings", "answers")
Fields = dict[str, str | None]  # of an answer, by name
Strategy = Callable[[RoundView, random.Random], Stance]
Order = Callable[[RoundView, Stance, random.Random], list[str]]
# The lines of a sidebar that are not a player's own words.
TOLD = re.compile(r"(takes|asks) .+ aside|(accepts|declines) the talk with .+|ranks .+")


def anybody(seen: RoundView, rng: random.Random) -> Stance:
    """Turn against a random player: the baseline for every comparison."""
    return Stance(pick(seen.options, rng))


def loyal(seen: RoundView, rng: random.Random) -> Stance:
    """Name an ally, keep it while it is in the game, and turn against the ally's latest foe.

    This is the oldest idea in such games: two players that vote alike are a majority of three.
    """
    others = without(seen.active_player_ids, seen.player_id)
    if len(others) == 1:
        return Stance(others[0])
    ally = last_ally(seen, others) or pick(others, rng)
    rest = without(seen.options, ally)
    foe = last_foe(seen, ally, rest) or pick(rest, rng)
    return Stance(foe, ally)


def grudge(seen: RoundView, rng: random.Random) -> Stance:
    """Turn against the last player that spoke against this one: tit for tat in words."""
    for line in reversed(seen.lines):
        if line.player_id in seen.options and named_as_foes(line.text, [seen.player_id]):
            return Stance(line.player_id)
    return anybody(seen, rng)


def bandwagon(seen: RoundView, rng: random.Random) -> Stance:
    """Turn against the round's most attacked player, since siding with the majority is safe."""
    return against_attacked(seen, max, rng)


def contrarian(seen: RoundView, rng: random.Random) -> Stance:
    """Turn against the round's least attacked player, since popular players win the final."""
    return against_attacked(seen, min, rng)


def against_attacked(seen: RoundView, chosen: Callable[..., int], rng: random.Random) -> Stance:
    """Turn against a player with the most attacks (`chosen` is max) or the fewest (min)."""
    counts = count_attacks(seen)
    wanted = chosen(counts.values(), default=0)
    foes = [name for name in seen.options if counts[name] == wanted]
    return Stance(pick(foes, rng))


def script_for(strategy: Strategy) -> Script:
    """Return a script that derives all its answers from the strategy's stance."""

    def answer_turn(turn: Turn[BaseModel], rng: random.Random) -> BaseModel:
        seen: RoundView = turn.observation
        if issubclass(turn.answer, BallotProbe):
            # Nothing is drawn at random, so that probes do not change the game.
            return turn.answer(**expect_ballot(seen, turn.answer.entries))
        if turn.kind == "consent":
            seen = before_asking(seen)
        stance = strategy(seen, rng)
        if turn.kind == "partners":
            order = ORDERS.get(strategy, friends_first)
            fields = rank(order(seen, stance, rng), len(turn.choices))
        else:
            fields = fields_for(turn, seen, stance, rng)
        return turn.answer(**fields)

    answer_turn.__doc__ = strategy.__doc__
    return answer_turn


def fields_for(
    turn: Turn[BaseModel],
    seen: RoundView,
    stance: Stance,
    rng: random.Random,
) -> Fields:
    """Return the fields of the answer that follows from a stance."""
    match turn.kind:
        case "debrief":
            assert issubclass(turn.answer, Debrief)
            return look_back(seen, turn.answer.entries, PHRASES["remarks"], rng)
        case "consent":
            # The script does not talk with the player it wants out.
            return {"answer": DECLINE if stance.against in turn.observation.options else ACCEPT}
        case "vote":
            return vote(seen, stance, rng)
        case "partner":
            return invite(seen, stance, rng)
    speech = ("openings", "rivalry" if seen.final_round else "attacks", "alliance")
    fields = speak(stance, WORDS.get(turn.kind, speech), rng)
    if stance.against and "plan" in turn.answer.model_fields:
        fields["plan"] = f"I want {stance.against} to {'lose' if seen.final_round else 'leave'}."
    return fields


def vote(
    seen: RoundView,
    stance: Stance,
    rng: random.Random,
) -> Fields:
    """Return a script's ballot: against its target or, in the final, for a rival of its target."""
    if seen.final_round:
        choice = pick(without(seen.options, stance.against), rng)
        return {"explanation": fill("praise", choice, rng), "vote": choice}
    choice = stance.against or pick(seen.options, rng)
    return {"explanation": fill("reasons", choice, rng), "vote": choice}


def invite(
    seen: RoundView,
    stance: Stance,
    rng: random.Random,
) -> Fields:
    """Return a script's sidebar partner: its ally, or a random player other than its target."""
    friends = without(seen.options, stance.against)
    partner = stance.ally if stance.ally in friends else pick(friends or seen.options, rng)
    return {"explanation": fill("interest", partner, rng), "partner": partner}


def speak(stance: Stance, kinds: Sequence[str], rng: random.Random) -> Fields:
    """Return one phrase of each kind, except kinds for which the stance names no player."""
    phrases = []
    for kind in kinds:
        name = stance.ally if kind == "alliance" else stance.against
        phrases.append(rng.choice(PHRASES[kind]) if kind in ABOUT_SELF else fill(kind, name, rng))
    return {"text": " ".join(filter(None, phrases))}


def fill(kind: str, name: str | None, rng: random.Random) -> str:
    """Return a random phrase of a kind with `name` filled in, or "" if there is no name."""
    return rng.choice(PHRASES[kind]).format(name) if name else ""


def before_asking(seen: RoundView) -> RoundView:
    """Return a view without sidebar notices; its options are all other active players."""
    others = without(seen.active_player_ids, seen.player_id)
    lines = [line for line in seen.lines if not TOLD.fullmatch(line.text)]
    return replace(seen, options=tuple(others), lines=tuple(lines))


def rank(
    order: Sequence[str],
    ranks: int,
) -> dict[str, str | None]:
    """Return a ranking with `ranks` entries: the players in `order`, then "nobody"."""
    names = chain(order, repeat(NOBODY))
    return dict(zip(RANKS[:ranks], names, strict=False))


def friends_first(
    seen: RoundView,
    stance: Stance,
    rng: random.Random,
) -> list[str]:
    """Return all options except the target: the ally first, the rest in random order."""
    friends = without(seen.options, stance.against)
    order = rng.sample(friends, len(friends))
    return sorted(order, key=lambda name: name != stance.ally)


def in_any_order(seen: RoundView, _stance: Stance, rng: random.Random) -> list[str]:
    """Return a random number of the options, in random order."""
    return rng.sample(seen.options, rng.randint(0, len(seen.options)))


def peaceful_first(seen: RoundView, stance: Stance, rng: random.Random) -> list[str]:
    """Return the friends (see `friends_first`) that never spoke against the player."""
    lines = before_asking(seen).lines
    attackers = {line.player_id for line in lines if named_as_foes(line.text, [seen.player_id])}
    return [name for name in friends_first(seen, stance, rng) if name not in attackers]


def popular_first(seen: RoundView, stance: Stance, rng: random.Random) -> list[str]:
    """Return the friends (see `friends_first`), least attacked first."""
    return sorted(friends_first(seen, stance, rng), key=count_attacks(seen).__getitem__)


def lonely_first(seen: RoundView, stance: Stance, rng: random.Random) -> list[str]:
    """Return the friends (see `friends_first`), most attacked first."""
    return popular_first(seen, stance, rng)[::-1]


# The kinds of phrases in an answer, by the kind of question; all other answers are speeches.
WORDS: dict[str, Sequence[str]] = {
    "question": ("questions",),
    "answer": ("answers", "rivalry"),
    "last_words": ("farewells", "alliance"),
}
# How each script orders its preferred partners; other scripts use `friends_first`.
ORDERS: dict[Strategy, Order] = {
    contrarian: lonely_first,
    bandwagon: popular_first,
    grudge: peaceful_first,
    anybody: in_any_order,
}
STRATEGIES: dict[str, Strategy] = {
    "contrarian": contrarian,
    "bandwagon": bandwagon,
    "grudge": grudge,
    "loyal": loyal,
    "random": anybody,
}
