"""Games of scripts that vote as planted in a share of their votes, and otherwise at random."""

import random
import re
from collections.abc import Callable
from dataclasses import replace
from math import exp
from typing import Any

from pydantic import BaseModel

from engine.history import History
from engine.round_phases import RoundView
from player import Script, ScriptedPlayer, Turn
from tests.support.island import island

# The planted vote of a script; None means a random vote.
Plant = Callable[[RoundView, random.Random], str | None]
# Logits by which each further word makes a candidate more likely.
WORD = 0.05
PROVIDERS = {"Ada": "north", "Ben": "north", "Cleo": "south", "Dan": "south"}
MODELS = {"Ada": "one", "Ben": "one", "Cleo": "two", "Dan": "two", "Eva": "three", "Finn": "four"}
STAR = "Eva"


def at_random(seen: RoundView, rng: random.Random) -> str | None:
    """Plant nothing."""
    return None


def first_listed(seen: RoundView, rng: random.Random) -> str | None:
    return seen.options[0]


def last_speaker(seen: RoundView, rng: random.Random) -> str | None:
    """Vote for the last player to pitch, unless that was the voter."""
    speaker = [line.player_id for line in seen.lines if line.kind == "pitch"][-1]
    return speaker if speaker in seen.options else None


def own_bloc(seen: RoundView, rng: random.Random) -> str | None:
    """Never vote against the voter's own provider, and vote for it in a final."""
    own = provider_of(seen.player_id)
    wanted = [one for one in seen.options if (provider_of(one) == own) == seen.final_round]
    return rng.choice(wanted) if wanted else None


def provider_of(name: str) -> str:
    return PROVIDERS.get(name, "west")


def betrayer(seen: RoundView, rng: random.Random) -> str | None:
    """Vote against the player that the voter took aside."""
    taken = None
    for line in seen.lines:
        if line.kind == "sidebar" and line.player_id == seen.player_id:
            match = re.fullmatch(r"takes (\w+) aside", line.text)
            taken = match[1] if match else taken
    return taken if taken in seen.options and not seen.final_round else None


def promise_breaker(seen: RoundView, rng: random.Random) -> str | None:
    """Vote against the player that the voter publicly promised to spare."""
    return promised(seen, r"I will not vote for (\w+)")


def promise_keeper(seen: RoundView, rng: random.Random) -> str | None:
    """Vote against the player that the voter named to its partner."""
    return promised(seen, r"I will vote to eliminate (\w+)")


def promised(seen: RoundView, form: str) -> str | None:
    about = None
    for line in seen.lines:
        found = re.search(form, line.text)
        if line.player_id == seen.player_id and found:
            about = found[1]
    return about if about in seen.options and not seen.final_round else None


def long_talk(seen: RoundView, rng: random.Random) -> str | None:
    """Vote at random, weighting each candidate by exp(WORD * its words)."""
    words = {line.player_id: len(line.text.split()) for line in seen.lines if line.kind == "pitch"}
    weights = [exp(WORD * words[one]) for one in seen.options]
    return rng.choices(seen.options, weights)[0]


def star_of(seen: RoundView, rng: random.Random) -> str | None:
    """Vote with all others, so that the star is never voted out and wins."""
    if seen.final_round:
        return STAR if STAR in seen.options else None
    victims = sorted(one for one in seen.active_player_ids if one != STAR)
    return next(one for one in victims if one in seen.options)


PLANTS: dict[str, Plant] = {
    "nothing": at_random,
    "first listed": first_listed,
    "last speaker": last_speaker,
    "own bloc": own_bloc,
    "betrayer": betrayer,
    "promise breaker": promise_breaker,
    "promise keeper": promise_keeper,
    "long talk": long_talk,
}


def planted_script(plant: Plant, share: float, seed: int) -> Script:
    """Return a script that votes as planted with probability `share`, otherwise at random.

    It chooses its partner, the length of its pitch and the player it publicly promises to spare at
    random. To its partners it names a random player it will vote against, the same all round.
    """

    def answer_turn(turn: Turn[Any], rng: random.Random) -> BaseModel:
        form: type[BaseModel] = turn.answer
        seen: RoundView = turn.observation
        wanted = rng.choice(seen.options) if seen.options else None
        match turn.kind:
            case "vote":
                planted = plant(seen, rng) if rng.random() < share else None
                return form(vote=planted or wanted)
            case "partner":
                return form(partner=wanted)
            case "pitch":
                padding = " so" * rng.randrange(30)
                return form(text=f"I will not vote for {wanted}.{padding}")
            case _:
                others = [one for one in seen.active_player_ids if one != seen.player_id]
                about = random.Random(f"{seed} {seen.player_id} {seen.round_index}").choice(others)
                return form(text=f"I will vote to eliminate {about}.")

    return answer_turn


def planted_game(
    plant: Plant, seed: int, share: float = 1.0, players: int = 5, star: float = 0.0
) -> History:
    """Return a game of such scripts, labelled as a game between models of several providers.

    With probability `star` all vote together so that the star wins.
    """
    if random.Random(f"star {seed}").random() < star:
        plant, share = star_of, 1.0
    engine = island(*["random"] * players, seed=seed, phases=("sidebars", "pitches", "votes"))
    for player in engine.players:
        assert isinstance(player, ScriptedPlayer)
        player.script = planted_script(plant, share, seed)
    log = engine.run()
    log.game_id = f"{plant.__name__}-{seed}"
    log.players = [
        replace(seat, provider=provider_of(seat.player_id), model=MODELS[seat.player_id])
        for seat in log.players
    ]
    return log
