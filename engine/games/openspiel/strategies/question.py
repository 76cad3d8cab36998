"""What a script is asked in a game of OpenSpiel, and the form in which all players move."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import Field

from engine.games.openspiel.library import example_of, plain_word, spiel
from engine.games.openspiel.position import SpielPosition, sight_of
from protocol.answer import Exact, Reason
from protocol.turn import A, Turn


class ChosenMove(Exact):
    """A move, exactly as it stands among the legal ones."""

    rationale: Reason = ""
    move: str = Field(description="your move, written exactly as it stands in the list")


@dataclass(frozen=True, slots=True)
class MoveQuestion:
    """A question as a script sees it; it contains nothing that is hidden from its seat.

    `game` is OpenSpiel's word for the game, `sight` the text that the seat sees, `moves` are the
    legal actions by their words, and `simulations` is the default budget of a search. `state` is
    the position where nothing is hidden. Elsewhere it is None, or for a search one that OpenSpiel
    draws from all positions in which the seat would see the same.
    """

    game: str
    player: int
    sight: str
    moves: Mapping[str, int]
    simulations: int
    state: Any


def question_of(
    position: SpielPosition,
    player: int,
    moves: Mapping[str, int],
    simulations: int,
    guesses: random.Random | None,
) -> MoveQuestion:
    """Return the question to a script; `guesses` draws a position for one that searches."""
    rules = position.rules
    state = position.state if rules.is_open else None
    if guesses is not None and not rules.is_open:
        state = position.state.resample_from_infostate(player, guesses.random)
    sight = sight_of(position, player)
    return MoveQuestion(plain_word(rules.word), player, sight, moves, simulations, state)


def play_action(turn: Turn[A], action: int) -> A:
    """Return the answer that plays a legal action; ValueError if it is not legal."""
    for words, legal in turn.observation.moves.items():
        if legal == action:
            return turn.answer(move=words)
    raise ValueError(f"expected a legal action: got {action}")


@cache
def resamples(game: str) -> bool:
    """Return whether OpenSpiel can draw a position from what a player knows; it is tried once."""
    rng = random.Random(0)
    state = example_of(game).game.new_initial_state()
    while state.is_chance_node():
        outcomes, weights = zip(*state.chance_outcomes(), strict=True)
        state.apply_action(rng.choices(outcomes, weights)[0])
    try:
        state.resample_from_infostate(state.current_player(), rng.random)
    except spiel().SpielError:
        return False
    return True
