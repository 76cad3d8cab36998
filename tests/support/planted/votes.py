"""Games of scripts that vote as planted in so many of their votes, and at random in all others."""

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

# Whom a script votes for where it does as planted; None: at random.
Plant = Callable[[RoundView, random.Random], str | None]
# A word more makes a candidate so many logits likelier.
WORD = 0.05
PROVIDERS = {"Ada": "north", "Ben": "north", "Cleo": "south", "Dan": "south"}
MODELS = {"Ada": "one", "Ben": "one", "Cleo": "two", "Dan": "two", "Eva": "three", "Finn": "four"}
STAR = "Eva"


def at_random(seen: RoundView, rng: random.Random) -> str | None:
    """Plant nothing."""
    del seen, rng
    return None


def first_listed(seen: RoundView, rng: random.Random) -> str | None:
    """Vote for the first of the list."""
    del rng
    return seen.options[0]


def last_speaker(seen: RoundView, rng: random.Random) -> str | None:
    """Vote for whoever pitched last, unless that was the voter."""
    del rng
    speaker = [line.player_id for line in seen.lines if line.kind == "pitch"][-1]
    return speaker if speaker in seen.options else None


def own_bloc(seen: RoundView, rng: random.Random) -> str | None:
    """Vote against none of the own provider, and for one of them in a final."""
    own = provider_of(seen.player_id)
    wanted = [one for one in seen.options if (provider_of(one) == own) == seen.final_round]
    return rng.choice(wanted) if wanted else None


def provider_of(name: str) -> str:
    return PROVIDERS.get(name, "west")


def betrayer(seen: RoundView, rng: random.Random) -> str | None:
    """Vote against whom the voter took aside."""
    del rng
    taken = None
    for line in seen.lines:
        if line.kind == "sidebar" and line.player_id == seen.player_id:
            match = re.fullmatch(r"takes (\w+) aside", line.text)
            taken = match[1] if match else taken
    return taken if taken in seen.options and not seen.final_round else None


def promise_breaker(seen: RoundView, rng: random.Random) -> str | None:
    """Vote against whom the voter said to all that it would spare."""
    del rng
    return promised(seen, r"I will not vote for (\w+)")


def promise_keeper(seen: RoundView, rng: random.Random) -> str | None:
    """Vote against whom the voter said to its partner that it would vote against."""
    del rng
    return promised(seen, r"I will vote to eliminate (\w+)")


def promised(seen: RoundView, form: str) -> str | None:
    about = None
    for line in seen.lines:
        found = re.search(form, line.text)
        if line.player_id == seen.player_id and found:
            about = found[1]
    return about if about in seen.options and not seen.final_round else None


def long_talk(seen: RoundView, rng: random.Random) -> str | None:
    """Vote for each with a weight of exp(WORD * its words)."""
    words = {line.player_id: len(line.text.split()) for line in seen.lines if line.kind == "pitch"}
    weights = [exp(WORD * words[one]) for one in seen.options]
    return rng.choices(seen.options, weights)[0]


def star_of(seen: RoundView, rng: random.Random) -> str | None:
    """Vote with all others, so that the star is never out, and wins."""
    del rng
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
    """Return a script that votes as planted with probability `share`, and else at random.

    It takes anybody aside, speaks at any length, says to all of anybody that it will not vote for
    them, and to its partners of somebody that it will: of the same in all talks of a round.
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
                said = f"I will not vote for {wanted}.{padding}"
                return form(text=said)
            case _:
                others = [one for one in seen.active_player_ids if one != seen.player_id]
                lot = random.Random(f"{seed} {seen.player_id} {seen.round_index}")
                about = lot.choice(others)
                return form(text=f"I will vote to eliminate {about}.")

    return answer_turn


def planted_game(
    plant: Plant,
    seed: int,
    share: float = 1.0,
    players: int = 5,
    star: float = 0.0,
) -> History:
    """Return a game of such scripts, told as one between models of several providers.

    With probability `star` all vote together so that the star wins.
    """
    if random.Random(f"star {seed}").random() < star:
        plant, share = star_of, 1.0
    phases = ("sidebars", "pitches", "votes")
    engine = island(*["random"] * players, seed=seed, phases=phases)
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
