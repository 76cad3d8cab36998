"""A game of OpenSpiel so far: who is to move, what is legal, what a player sees, what comes next.

OpenSpiel's states change in place, so each step works on a clone: a position is never changed.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.games.openspiel.library import Rules
from protocol.text import clean

# What OpenSpiel takes as the action of a player who has none while others act at once.
NO_ACTION = 0
CHANCE_PLAYER = -1
NOTHING_SEEN = "Nothing has happened yet that you could see."


@dataclass(frozen=True, slots=True)
class SpielPosition:
    """A game at one moment; `player_ids` are in the order of OpenSpiel's numbers.

    `begun`: what chance decides before the first move has been drawn, and told.
    """

    rules: Rules
    player_ids: tuple[str, ...]
    state: Any
    begun: bool = False

    @property
    def is_over(self) -> bool:
        """Whether nobody is to move any more."""
        return bool(self.state.is_terminal())

    @property
    def is_chance(self) -> bool:
        """Whether chance is to move."""
        return bool(self.state.is_chance_node())

    @property
    def at_once(self) -> bool:
        """Whether all players move at the same time now."""
        return bool(self.state.is_simultaneous_node())

    def number_of(self, player_id: str) -> int:
        """Return OpenSpiel's number of a player."""
        return self.player_ids.index(player_id)


def open_position(rules: Rules, player_ids: Sequence[str]) -> SpielPosition:
    """Return the position before anything has happened."""
    return SpielPosition(rules, tuple(player_ids), rules.game.new_initial_state())


def movers(position: SpielPosition) -> tuple[int, ...]:
    """Return the numbers of the players who are to move now: all of them where they do at once."""
    if position.at_once:
        return tuple(range(len(position.player_ids)))
    return (position.state.current_player(),)


def moves_by_words(position: SpielPosition, player: int) -> dict[str, int]:
    """Return a player's legal actions now, by their words; OpenSpiel's words differ in all games.

    A player has none where others move at once and it has to wait.
    """
    state = position.state
    moves = {}
    for action in state.legal_actions(player):
        moves[state.action_to_string(player, action).strip()] = action
    return moves


def sight_of(position: SpielPosition, player: int) -> str:
    """Return what a player sees now, as OpenSpiel tells it.

    Of a game of perfect information that is the observation, the board; else the information state.
    Where it is empty, the history stands for it if all may know that.
    """
    state = position.state
    rules = position.rules
    read = state.information_state_string if rules.reads_information else state.observation_string
    text = str(clean(read(player)))
    if text:
        return text
    history = state.history_str() if rules.is_open else ""
    return history or NOTHING_SEEN


def apply_moves(position: SpielPosition, actions: Mapping[int, int]) -> SpielPosition:
    """Return the position after the players of these numbers have acted."""
    state = position.state.clone()
    if position.at_once:
        players = range(len(position.player_ids))
        state.apply_actions([actions.get(player, NO_ACTION) for player in players])
    else:
        (action,) = actions.values()
        state.apply_action(action)
    return replace(position, state=state)


def apply_chance(position: SpielPosition, action: int) -> SpielPosition:
    """Return the position after an outcome of chance."""
    state = position.state.clone()
    state.apply_action(action)
    return replace(position, state=state)


def draw_chance(position: SpielPosition, rng: random.Random) -> int:
    """Return an outcome of chance by its probability; a game that draws by itself offers one."""
    if position.rules.sampled:
        return int(position.state.legal_actions()[0])
    outcomes, weights = zip(*position.state.chance_outcomes(), strict=True)
    return int(rng.choices(outcomes, weights)[0])


def chance_in_words(position: SpielPosition, action: int) -> str:
    """Return an outcome of chance as OpenSpiel names it, before it has happened."""
    return str(clean(position.state.action_to_string(CHANCE_PLAYER, action)))


def is_possible(position: SpielPosition, action: int) -> bool:
    """Return whether chance can give this outcome now."""
    if position.rules.sampled:
        return action in position.state.legal_actions()
    return any(action == outcome for outcome, _ in position.state.chance_outcomes())
