"""The questions that scripts receive in OpenSpiel games, and the answer forms of all players."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from engine.games.openspiel.library import example_of, load, read_word, spiel
from engine.games.openspiel.position import SpielPosition, draw_chance, sight_of
from protocol.answer import Exact, Reason
from protocol.text import clean
from protocol.turn import A, Turn, Unlisted

LONGEST_MOVE = 200


class ChosenMove(Exact):
    """A move, written exactly as in the list of legal moves."""

    rationale: Reason = ""
    move: str = Field(description="your move, written exactly as in the list")


class WrittenMove(BaseModel):
    """A move as the player writes it, used when the prompt does not list the legal moves."""

    rationale: Reason = ""
    move: Annotated[
        str,
        BeforeValidator(partial(clean, limit=LONGEST_MOVE)),
        Field(max_length=LONGEST_MOVE, description="your move, in the notation of the example"),
    ]


@dataclass(frozen=True, slots=True)
class MoveQuestion:
    """A question as a script sees it, with nothing that is hidden from the player.

    `sight` is the player's view. `moves` maps the text of each legal move to its action.
    `simulations` is the default for a search. `state` is the position if nothing is hidden;
    otherwise it is None or, for a search, a random position in which the player's view is the same.
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
    """Return the question for a script; `guesses` draws a random position for a search."""
    rules = position.rules
    state = position.state if rules.is_open else None
    if guesses is not None and not rules.is_open:
        state = position.state.resample_from_infostate(player, guesses.random)
    sight = sight_of(position, player)
    return MoveQuestion(rules.plain_word, player, sight, moves, simulations, state)


def play_action(turn: Turn[A], action: int) -> A:
    """Return the answer that plays `action`; raise ValueError if the action is illegal."""
    for words, legal in turn.observation.moves.items():
        if legal == action:
            return turn.answer(move=words)
    raise ValueError(f"expected a legal action: got {action}")


@cache
def resamples(game: str) -> bool:
    """Return whether OpenSpiel can draw a random position that fits a player's knowledge."""
    rng = random.Random(0)
    rules = example_of(game)
    state = rules.game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(draw_chance(rules, state, rng))
    try:
        state.resample_from_infostate(state.current_player(), rng.random)
    except spiel().SpielError:
        return False
    return True


def without_list(turn: Turn[Any], position: SpielPosition, draws: random.Random) -> Turn[Any]:
    """Return the question without its legal moves; the fallback is a random legal move."""
    question: MoveQuestion = turn.observation

    def refuses(answer: WrittenMove) -> str:
        legal = answer.move in question.moves
        return "" if legal else f"expected a legal move in this position: got {answer.move!r:.80}"

    return turn._replace(
        answer=WrittenMove,
        fallback=WrittenMove(move=draws.choice([*question.moves])),
        unlisted=Unlisted(refuses, partial(sight_of, position, question.player)),
    )


@cache
def example_move(game: str, players: int, player: int) -> str:
    """Return a legal move from random play, as an example of the notation; "" if none is found."""
    rng = random.Random(0)
    state = load(read_word(game), players, 0).game.new_initial_state()
    while not (state.is_terminal() or state.is_simultaneous_node()):
        if state.current_player() == player:
            break
        state.apply_action(rng.choice(state.legal_actions()))
    legal = [] if state.is_terminal() else state.legal_actions(player)
    return str(state.action_to_string(player, rng.choice(legal)).strip()) if legal else ""
